//! Credentials that are known by what stands around them: the rules, the words beside which one is looked for, and which
//! reader looks there.

use crate::triggers::Look::{self, Reader};
use crate::{Rule, commands, headers, keys, paths, url};

pub(crate) const PRIVATE_KEY: &str = "private-key";
pub(crate) const JWT: &str = "jwt";
pub(crate) const PASSWORD_IN_URL: &str = "password-in-url";
pub(crate) const AUTHORIZATION: &str = "authorization-header";
pub(crate) const AWS_SECRET: &str = "aws-secret-key";
pub(crate) const LOGIN: &str = "encoded-login";
pub(crate) const COOKIE: &str = "session-cookie";
pub(crate) const TOKEN_IN_URL: &str = "token-in-url";
pub(crate) const ENTROPY: &str = "high-entropy-assignment";
pub(crate) const PASSWORD: &str = "password-assignment";
pub(crate) const COMMAND: &str = "command-line-password";

const fn rule(name: &'static str, about: &'static str) -> Rule {
    Rule { name, about }
}

/// The first ones say most: where two find the same, the earlier one names it.
#[rustfmt::skip]
pub(crate) static FORMS: &[Rule] = &[
    rule(PRIVATE_KEY, "Private key with its heading (PEM, OpenSSH, PGP, PuTTY)"),
    rule(JWT, "JSON web token with its signature"),
    rule(PASSWORD_IN_URL, "Password in a URL, `scheme://user:password@host`"),
    rule(AUTHORIZATION, "Value of an `Authorization` header, Bearer or Basic"),
    rule(AWS_SECRET, "AWS secret access key, by its name and form"),
    rule(LOGIN, "User and password together in base64, as Docker and npm keep them"),
    rule(COOKIE, "Value of a session's cookie"),
    rule(TOKEN_IN_URL, "Token in the path of a URL, as webhooks have it"),
    rule(ENTROPY, "Random value under a name such as `api_key`, `token`, `secret`"),
    rule(PASSWORD, "Strong password under a name such as `password`"),
    rule(COMMAND, "Password or token in a command line, as behind `mysql -p`, `curl -u`"),
];

/// Words and what to look at where one stands; between two words is a `|`. The first list is of words in any case.
#[rustfmt::skip]
pub(crate) static IN_ANY_CASE: &[(Look, &str)] = &[
    (Reader(AUTHORIZATION, headers::bearer), "bearer |basic "),
    (Reader(AUTHORIZATION, headers::authorization), "authorization"),
    (Look::Cookie, "cookie"),
    // Of other languages only the ends, which are rare in texts.
    (Look::Name, "pass|pwd|psk|_pw|-pw| pw|\npw|rootpw|bindpw|secret|token|key|cred|auth|nnwort|enha|htwoord"),
];

#[rustfmt::skip]
pub(crate) static AS_WRITTEN: &[(Look, &str)] = &[
    // The last two of five dashes: rows of them are frequent, and other words begin with dashes.
    (Reader(PRIVATE_KEY, keys::armoured), "--BEGIN "),
    (Reader(PRIVATE_KEY, keys::putty), "Private-Lines: "),
    (Reader(JWT, keys::jwt), "eyJ"),
    (Reader(PASSWORD_IN_URL, url::find), "://"),
    (Reader(TOKEN_IN_URL, paths::token), "://"),
    (Reader(PASSWORD, paths::pgpass), ":5432:|:5433:|:6432:"),
    (Look::Name, "SecureString|ña"),
    (Reader(COMMAND, commands::behind_option), " -u| -su| -ku| -sSu| -fsSu| -sSfu| --user| -U| --proxy-user| -a| --auth| -p| -w| -P"),
    (Reader(COMMAND, commands::behind_option), " -N| pass:"),
    (Reader(COMMAND, commands::piped), "--password-stdin"),
];
