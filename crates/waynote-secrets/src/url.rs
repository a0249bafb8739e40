//! Passwords in URLs: `scheme://user:password@host`.

use super::shape::{ALNUM, DASH, DOT, is};
use super::table::words::{NOWHERE, NOWHERE_ENDS};
use super::value;

/// The longest authority that is looked at.
const MAX: usize = 400;

/// The shortest user that may be a token.
const LONG_USER: usize = 20;

/// The bytes of an authority.
static PARTS: [bool; 256] = {
    let mut parts = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        parts[byte] = match byte as u8 {
            b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b',' | b';' | b'|'
            | b'^' => false,
            byte => byte.is_ascii_graphic() || !byte.is_ascii(),
        };
        byte += 1;
    }
    parts
};

/// The password of the URL whose `://` ends at `after`.
///
/// Not taken for one: words that are shown where a password stands, variables, templates, and a weak password for a
/// host that is an example or this machine.
pub(super) fn find(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    // A URL has a scheme.
    bytes[..begin].last().filter(|byte| is(**byte, ALNUM))?;
    let limit = bytes.len().min(after + MAX);
    let part = |byte: &&u8| PARTS[usize::from(**byte)];
    let length = bytes[after..limit].iter().take_while(part).count();
    let authority = text.get(after..after + length)?;
    let Some((userinfo, host)) = authority.rsplit_once('@') else {
        return unescaped(text, after, authority);
    };
    bytes
        .get(after + userinfo.len() + 1)
        .filter(|byte| is(**byte, ALNUM) || **byte == b'[')?;
    let Some((user, password)) = userinfo.split_once(':') else {
        // A token in the place of the user. Those of Sentry are made to be shown.
        let is_token = userinfo.len() >= LONG_USER
            && value::is_random(userinfo.as_bytes())
            && !host.contains("sentry")
            && !host.contains("ingest");
        return is_token.then_some((after, after + userinfo.len()));
    };
    // `TOKEN:x-oauth-basic@host`
    if password.starts_with("x-") && user.len() >= LONG_USER && value::is_random(user.as_bytes()) {
        return Some((after, after + user.len()));
    }
    let start = after + user.len() + 1;
    let is_one = is_password(user, password)
        && (!is_nowhere(host)
            || value::is_strong(password.as_bytes())
            || value::is_random(password.as_bytes()));
    is_one.then_some((start, start + password.len()))
}

/// A password with a sign that had to be escaped: `scheme://user:pass/word@host`.
fn unescaped(text: &str, after: usize, authority: &str) -> Option<(usize, usize)> {
    const MOST: usize = 60;
    let (user, begin) = authority.split_once(':')?;
    let start = after + user.len() + 1;
    let is_port = begin.bytes().all(|byte| byte.is_ascii_digit());
    let limit = text.floor_char_boundary((start + MOST).min(text.len()));
    let rest = &text[start..limit];
    let end = rest.find(|char: char| char.is_whitespace() || "\"'`<>".contains(char));
    let (password, host) = rest[..end.unwrap_or(rest.len())].rsplit_once('@')?;
    let is_one = !is_port
        && !user.is_empty()
        && host.starts_with(|char: char| char.is_ascii_alphanumeric())
        && is_password(user, password)
        && value::is_strong(password.as_bytes());
    is_one.then_some((start, start + password.len()))
}

fn is_password(user: &str, password: &str) -> bool {
    let bytes = password.as_bytes();
    // `{password}`, `$password`, `%s`, `***`.
    let is_template = password.contains(['{', '}', '(', ')', '[', ']', '$'])
        || password.contains("%s")
        || password.contains("**");
    !is_template
        && !value::is_reference(password)
        && !value::is_placeholder(bytes)
        && (value::is_strong(bytes) || !value::is_shown(user, bytes))
}

fn is_nowhere(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let name = host.split(':').next().unwrap_or(&host);
    NOWHERE.iter().any(|start| name.starts_with(start))
        || NOWHERE_ENDS.iter().any(|end| name.ends_with(end))
// One word is a name in a private network, or nothing at all.
        || name.bytes().all(|byte| is(byte, ALNUM | DASH) && !is(byte, DOT))
}
