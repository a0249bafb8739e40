//! Secrets that are known by the name they are assigned to: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

use super::shape::{DASH, DOT, WORD, is, run_end, run_end_within, run_start};
use super::value;

pub(super) const PASSWORD: &str = "password-assignment";
pub(super) const ENTROPY: &str = "high-entropy-assignment";
pub(super) const AWS_SECRET: &str = "aws-secret-key";

/// What a name says that its value is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Chosen by somebody: may be short.
    Password,
    /// Made by a generator.
    Token,
    /// The same, and not only a number that ties requests together, as a token may be.
    Key,
}

/// The longest name and value that are looked at.
const NAME: usize = 64;
const VALUE: usize = 300;

/// The secret that is assigned to the name in which a word stands from `begin` to `after`.
pub(super) fn find(text: &str, begin: usize, after: usize) -> Option<(&'static str, usize, usize)> {
    let bytes = text.as_bytes();
    let class = WORD | DASH | DOT;
    let start = run_start(bytes, begin, class, NAME);
    let end = run_end_within(bytes, after, class, NAME + 1);
    let is_mask = bytes[..start].ends_with(super::MASK.as_bytes()) && bytes.get(end) == Some(&b']');
    // `…:secret:name` is a path of its own.
    let is_path = start > 1 && bytes[start - 1] == b':' && is(bytes[start - 2], WORD);
    if end - after > NAME || is_path || is_mask {
        return None;
    }
    let kind = kind(text, start, end)?;
    let name = &text[start..end];
    let (start, end) = assigned(text, end)?;
    let value = &text[start..end];
    if value::is_reference(value) {
        return None;
    }
    let value = value.as_bytes();
    let is_random = match kind {
        Kind::Token => value::is_random(value) && !value::has_uuid_form(value),
        Kind::Key | Kind::Password => value::is_random(value),
    };
    let rule = if value::is_aws_secret(value) && is_of_aws(name) {
        AWS_SECRET
    } else if is_random {
        ENTROPY
    } else if kind == Kind::Password && value::is_strong(value) {
        PASSWORD
    } else {
        return None;
    };
    Some((rule, start, end))
}

fn is_of_aws(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("aws") || name.contains("secret") && name.contains("access")
}

/// What the name from `start` to `end` says of its value; none for names of other things.
fn kind(text: &str, start: usize, end: usize) -> Option<Kind> {
    const SUFFIXES: [&str; 23] = [
        "value",
        "val",
        "string",
        "str",
        "text",
        "plain",
        "plaintext",
        "base64",
        "b64",
        "raw",
        "prod",
        "production",
        "dev",
        "live",
        "staging",
        "old",
        "new",
        "primary",
        "secondary",
        "default",
        "env",
        "base",
        "test",
    ];
    const PASSWORDS: [&str; 6] = [
        "password",
        "passwd",
        "passphrase",
        "passwort",
        "pwd",
        "passcode",
    ];
    const SECRETS: [&str; 8] = [
        "secret",
        "apikey",
        "secretkey",
        "accesskey",
        "authkey",
        "privatekey",
        "credentials",
        "creds",
    ];
    // A key of one of these is secret; other keys are names in a table, or a keyboard's.
    const KEYS: [&str; 26] = [
        "api",
        "access",
        "secret",
        "private",
        "auth",
        "account",
        "encryption",
        "encrypt",
        "signing",
        "master",
        "app",
        "application",
        "service",
        "storage",
        "shared",
        "subscription",
        "admin",
        "deploy",
        "webhook",
        "hmac",
        "jwt",
        "cipher",
        "decryption",
        "aws",
        "license",
        "client",
    ];
    const NOT: [&str; 30] = [
        "public",
        "pub",
        "next",
        "page",
        "continuation",
        "cursor",
        "cancel",
        "cancellation",
        "sync",
        "csrf",
        "xsrf",
        "csrfmiddleware",
        "pagination",
        "hash",
        "hashed",
        "digest",
        "site",
        "publishable",
        "id",
        "keyid",
        "fingerprint",
        "resume",
        "lock",
        "change",
        "request",
        "idempotency",
        "starting",
        "lifecycle",
        "copy",
        "unit",
    ];
    let name = text[start..end].trim_matches(['-', '.', '_']);
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let [.., _, last] = words[..] {
        let numbered = last.bytes().all(|byte| byte.is_ascii_digit());
        if !(numbered || SUFFIXES.contains(&last)) {
            break;
        }
        words.pop();
    }
    let last = (*words.last()?).trim_end_matches(|char: char| char.is_ascii_digit());
    if words.iter().any(|word| NOT.contains(word)) {
        return None;
    }
    let ends = |list: &[&str]| list.iter().any(|word| last.ends_with(word));
    if ends(&PASSWORDS) || ["pass", "psk", "pw"].contains(&last) {
        return Some(Kind::Password);
    }
    let before = || match words.len() {
        // `API key: …`
        1 => text[..start]
            .trim_end_matches([' ', '*', '_'])
            .rsplit(|char: char| !char.is_ascii_alphanumeric())
            .next()
            .map(str::to_ascii_lowercase),
        count => Some(words[count - 2].to_owned()),
    };
    let is_key = last == "key" && before().is_some_and(|word| KEYS.contains(&word.as_str()));
    if last.ends_with("token") {
        const TO_ENTER: [&str; 6] = ["auth", "access", "bearer", "bot", "refresh", "secret"];
        let enters = before().is_some_and(|word| TO_ENTER.contains(&word.as_str()));
        return Some(if enters { Kind::Key } else { Kind::Token });
    }
    (ends(&SECRETS) || is_key).then_some(Kind::Key)
}

/// The words of a name, in lower case: `dbPassword`, `DB_PASSWORD` and `db.password` are two each.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for char in name.chars() {
        let begins = char.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || matches!(char, '_' | '-' | '.') {
            words.push(String::new());
        }
        if !matches!(char, '_' | '-' | '.')
            && let Some(word) = words.last_mut()
        {
            word.push(char.to_ascii_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What stands behind a name and a sign of assignment: where it begins and ends.
fn assigned(text: &str, name_end: usize) -> Option<(usize, usize)> {
    let mut rest = Rest { text, at: name_end };
    // The end of a quoted or marked name: `"password"`, `**Password**`, `['token']`.
    rest.skip("\\\"'`]*", 4);
    let blanks = rest.skip(" \t", 8);
    let is_assigned = ["=>", ":=", "||=", "?=", "+=", "===", "==", "=", "::", ":"]
        .iter()
        .any(|sign| rest.take(sign))
        || blanks > 0 && (rest.take("is ") || rest.take("= "))
        || blanks == 0 && (rest.take("(\"") || rest.take("('") || rest.take(">"))
        || rest.value_below();
    // `--token VALUE`, `password VALUE`: nothing but a blank between. To pass something is a verb.
    let is_beside =
        blanks > 0 && !rest.left().starts_with('-') && !text[..name_end].ends_with("pass");
    if !(is_assigned || is_beside) {
        return None;
    }
    rest.skip("*", 2);
    rest.skip(" \t", 8);
    if let Some(typed) = rest.typed() {
        rest.at = typed;
    }
    // `r"…"`, `b'…'`.
    if rest.left().len() > 1
        && rest.left().starts_with(['r', 'b', 'u', 'f'])
        && rest.left()[1..].starts_with(['"', '\''])
    {
        rest.at += 1;
    }
    rest.take("\\");
    let quote = rest
        .left()
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\'' | '`'));
    let limit = text.floor_char_boundary((rest.at + VALUE).min(text.len()));
    match quote {
        Some(quote) => {
            let start = rest.at + 1;
            let value = text.get(start..limit)?;
            // An escaped quote ends what stands in a quoted text.
            let end = value.find([quote, '\n', '\\'])?;
            Some((start, start + end))
        }
        None => {
            let start = rest.at;
            let value = &text[start..limit.max(start)];
            let stop = |char: char| char.is_whitespace() || "\"'`<>,;|)}]\\".contains(char);
            let end = value.find(stop).unwrap_or(value.len());
            let end = next_parameter(&value[..end]).unwrap_or(end);
            // A call, an index or a block is code, not a value.
            if value[end..].starts_with(['(', '[']) || value[..end].contains(['(', '[', '{']) {
                return None;
            }
            let value = value[..end].trim_end_matches(['.', ':', '!', '?', '*']);
            Some((start, start + value.len()))
        }
    }
}

/// Where the next parameter of a query begins: `…&name=`.
fn next_parameter(value: &str) -> Option<usize> {
    let is_next = |(at, _): &(usize, &str)| {
        let name = run_end(value.as_bytes(), at + 1, WORD);
        name > at + 1 && value.as_bytes().get(name) == Some(&b'=')
    };
    value.match_indices('&').find(is_next).map(|(at, _)| at)
}

/// What is still to be read.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl Rest<'_> {
    fn left(&self) -> &str {
        &self.text[self.at..]
    }

    /// Passes over some of these characters; how many there were.
    fn skip(&mut self, these: &str, most: usize) -> usize {
        let there = self
            .left()
            .bytes()
            .take(most)
            .take_while(|byte| these.as_bytes().contains(byte))
            .count();
        self.at += there;
        there
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.left().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Passes over `value:` in the next line, as a list of names and values has it.
    fn value_below(&mut self) -> bool {
        const MAX_INDENT: usize = 24;
        let before = self.at;
        let is_below = (self.take("\r\n") || self.take("\n"))
            && self.skip(" \t", MAX_INDENT) > 0
            && self.take("value:");
        if !is_below {
            self.at = before;
        }
        is_below
    }

    /// The value behind a type and its own sign: `: &str = "…"`.
    fn typed(&self) -> Option<usize> {
        const LONGEST_TYPE: usize = 30;
        let bytes = self.left().as_bytes();
        let kind = bytes
            .iter()
            .take(LONGEST_TYPE)
            .take_while(|byte| is(**byte, WORD) || b"&'<>:".contains(byte))
            .count();
        let rest = bytes[kind..].strip_prefix(b" = ")?;
        (kind > 0 && rest.first().is_some_and(|byte| b"\"'".contains(byte)))
            .then_some(self.at + kind + 3)
    }
}

#[cfg(test)]
pub(super) const EXAMPLES: &[super::tests::Examples] = &[
    super::tests::Examples {
        rule: PASSWORD,
        yes: &[
            "password=Tr0ub4d{}or&3",
            "DB_PASSWORD=\"K7!{alnum:6}9a\"",
            "db:\n  password: 'x9$Lm2#{alnum:4}q'",
            "{\"dbPassword\": \"aB3!{alnum:8}\"}",
            "the admin password is Blue7!Heron{digit:2}",
            "**Password**: `R3d!{alnum:6}x1`",
            "spring.datasource.password=p4$s{alnum:6}Q",
            "mysql --password 'hQ8!{alnum:6}z2' -u root",
            "machine acme.io login me password gH5!{alnum:8}9k",
            "- name: DB_PASSWORD\n  value: 'Zq4!{alnum:8}2x'",
            "<password>Ab1!{alnum:6}</password>",
            "let password: &str = \"aB3!{alnum:8}\";",
        ],
        no: &[
            "password=password123",
            "password = getpass.getpass()",
            "password: String",
            "- pass -march=x86-64{alnum:4} to the compiler",
            "PASSWORD=$DB_PASSWORD",
            "password: ${DB_PASSWORD}",
            "password: <your password>",
            "password=changeme!1A",
            "password: \"********\"",
            "the password is required and must be given",
            "password_file=/run/secrets/db",
            "password_hash=$2b$12${alnum:53}",
            "passwords are hashed with Argon2id+Salt!",
        ],
    },
    super::tests::Examples {
        rule: ENTROPY,
        yes: &[
            "API_KEY={alnum:32}",
            "export SECRET_TOKEN='{hex:40}'",
            "api_key: {hex:32}",
            "\"clientSecret\": \"{url:40}\"",
            "config[\"auth_token\"] = \"{alnum:24}\"",
            "--api-key {alnum:32}",
            "//npm.example.com/:_authToken={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
            "X-Api-Key: {alnum:40}",
            "the API key is {hex:32}.",
            "{\\\"token\\\": \\\"{alnum:30}\\\"}",
            "secret_key_base: {hex:128}",
            "heroku_api_key={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
            "DISCORD_TOKEN=M{alnum:23}.{alnum:6}.{url:27}",
            "?access_token={alnum:32}&x=1",
        ],
        no: &[
            "API_KEY=your_api_key_here_1234",
            "token = request.headers.get('X-Token')",
            "next_token: {alnum:40}",
            "public_key: {alnum:40}",
            "csrf_token={hex:32}",
            "api_key = os.environ['API_KEY']",
            "secretName: my-registry-credentials-2024",
            "keyboard=1",
            "client-token: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
            "token: Option<AccessToken>",
            "max_tokens: 4096",
            "secret: {{ .Values.secret }}",
            "token_endpoint: https://idp.acme.io/oauth2/v2/token",
            "primary key: user_account_2fa_settings",
            "SECRET_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    super::tests::Examples {
        rule: AWS_SECRET,
        yes: &[
            "aws_secret_access_key = {b64:40}",
            "AWS_SECRET_ACCESS_KEY={b64:40}",
            "secretAccessKey: '{b64:40}'",
        ],
        no: &[
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = ...",
        ],
    },
];
