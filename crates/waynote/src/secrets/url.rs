//! Passwords in URLs: `scheme://user:password@host`.

use super::shape::{ALNUM, DASH, DOT, is};
use super::value;

pub(super) const RULE: &str = "password-in-url";

/// The longest authority that is looked at.
const MAX: usize = 400;

/// Passwords that everybody uses to show where one stands.
const SHOWN: [&str; 39] = [
    "password",
    "passwd",
    "passwort",
    "pass",
    "pwd",
    "pw",
    "p",
    "pword",
    "psw",
    "secret",
    "mysecret",
    "s3cret",
    "secr3t",
    "token",
    "mytoken",
    "key",
    "apikey",
    "api_key",
    "credential",
    "foo",
    "bar",
    "baz",
    "test",
    "testing",
    "guest",
    "root",
    "admin",
    "user",
    "username",
    "postgres",
    "mysql",
    "hunter2",
    "tiger",
    "changeme",
    "dev",
    "demo",
    "b",
    "x",
    "pat",
];

/// Hosts that nobody reaches: what is written for them is an example, unless it looks like a real secret.
const NOWHERE: [&str; 8] = [
    "localhost",
    "127.",
    "[::1]",
    "0.0.0.0",
    "example.",
    "www.example",
    "your",
    "some",
];
const NOWHERE_ENDS: [&str; 11] = [
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".local",
    "example.com",
    "example.org",
    "example.net",
    "domain.com",
    "host.com",
    "server.com",
];

/// The password of the URL whose `://` ends at `after`.
///
/// Not taken for one: words that are shown where a password stands, variables, templates, and a weak password for a
/// host that is an example or this machine.
pub(super) fn find(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    // A URL has a scheme.
    bytes[..begin].last().filter(|byte| is(**byte, ALNUM))?;
    let part = |byte: &&u8| {
        byte.is_ascii_graphic() && !b"/?#\"'`<>\\,;|^".contains(*byte) || !byte.is_ascii()
    };
    let length = bytes[after..].iter().take(MAX).take_while(part).count();
    let authority = text.get(after..after + length)?;
    let (userinfo, host) = authority.rsplit_once('@')?;
    let (user, password) = userinfo.split_once(':')?;
    bytes
        .get(after + userinfo.len() + 1)
        .filter(|byte| is(**byte, ALNUM) || **byte == b'[')?;
    let start = after + user.len() + 1;
    let is_one = !value::is_reference(password)
        && !value::is_placeholder(password.as_bytes())
        && !is_shown(user, password)
        && (!is_nowhere(host)
            || value::is_strong(password.as_bytes())
            || value::is_random(password.as_bytes()));
    is_one.then_some((start, start + password.len()))
}

fn is_shown(user: &str, password: &str) -> bool {
    let password = password.to_ascii_lowercase();
    let stem = password.trim_end_matches(|char: char| char.is_ascii_digit() || char == '!');
    let plain = stem.is_empty() || SHOWN.contains(&stem) || stem == user.to_ascii_lowercase();
    // `%s`, `{password}`, `:password`, `user_password`.
    plain
        || ["pass", "pwd", "secret"]
            .iter()
            .any(|word| password.contains(word))
        || password.contains(['{', '}', '(', ')', '[', ']', '$', '*'])
        || password.contains("%s")
}

fn is_nowhere(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let name = host.split(':').next().unwrap_or(&host);
    NOWHERE.iter().any(|start| name.starts_with(start))
        || NOWHERE_ENDS.iter().any(|end| name.ends_with(end))
        // One word is a name in somebody's own network, or nothing at all.
        || name.bytes().all(|byte| is(byte, ALNUM | DASH) && !is(byte, DOT))
}

#[cfg(test)]
pub(super) const EXAMPLES: super::tests::Examples = super::tests::Examples {
    rule: RULE,
    yes: &[
        "postgres://app:{alnum:12}@db.corp.internal/shop",
        "https://deploy:sword{digit:2}fish@git.acme.io/x.git",
        "redis://:{alnum:16}@cache-1.acme.io:6379/0",
        "amqps://u:p%40{alnum:8}@mq.acme.io",
        "(postgres://app:{alnum:12}7xQ@localhost/shop)",
        "mongodb+srv://app:{alnum:12}@a.mongodb.net",
    ],
    no: &[
        "postgres://user:password@host/db",
        "https://user:pass@example.com/",
        "postgres://app:$DB_PASSWORD@db.corp.internal/shop",
        "postgres://app:${PASSWORD}@db.corp.internal/shop",
        "https://user:<password>@git.acme.io",
        "https://user:***@git.acme.io",
        "https://x:{{ token }}@git.acme.io",
        "amqp://guest:guest@rabbit:5672",
        "https://acme.io:8080/a@b",
        "ssh://git@github.com:22/x",
        "http://[::1]:80/user:x@y",
        "postgres://me:simple@localhost/test",
    ],
};
