//! Cookies of a session, and authorization headers with a scheme of their own.

use super::shape::{OPAQUE, PERCENT, is, run_end};
use super::table::AUTHORIZATION;
use super::table::words::HARMLESS;
use super::value;

/// The longest header that is looked at.
const LONGEST: usize = 1500;

/// The values of `Cookie: name=value; …` whose name ends at `after`, each by `found`.
pub(super) fn cookies(text: &str, after: usize, mut found: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(after + LONGEST);
    let sign = bytes[after..limit]
        .iter()
        .take_while(|byte| b"\"' \t".contains(byte))
        .count();
    if bytes
        .get(after + sign)
        .is_none_or(|sign| !b":=".contains(sign))
    {
        return;
    }
    let mut at = after + sign + 1;
    loop {
        at += bytes[at..limit]
            .iter()
            .take_while(|byte| b"\"' \t;".contains(byte))
            .count();
        let name = run_end(
            &bytes[..limit],
            at,
            OPAQUE & !super::shape::BASE64 | super::shape::WORD,
        );
        if name == at || bytes.get(name) != Some(&b'=') {
            return;
        }
        let end = run_end(&bytes[..limit], name + 1, OPAQUE | PERCENT);
        let is_harmless = value::contains_any(text[at..name].as_bytes(), &HARMLESS);
        // `name:signature` in one value.
        let value: Vec<u8> = bytes[name + 1..end]
            .iter()
            .copied()
            .filter(|byte| *byte != b'%')
            .collect();
        if !is_harmless && value::is_random(&value) {
            found(name + 1, end);
        }
        if bytes.get(end) != Some(&b';') {
            return;
        }
        at = end;
    }
}

/// The value of `Authorization: SCHEME VALUE`, where the name ends at `after`.
pub(super) fn authorization(text: &str, after: usize) -> Option<(&'static str, usize, usize)> {
    const SCHEME: usize = 24;
    let bytes = text.as_bytes();
    let skip = |at: usize| {
        at + bytes[at..]
            .iter()
            .take(8)
            .take_while(|byte| b"\"' \t:=>,".contains(byte))
            .count()
    };
    let start = skip(after);
    let scheme = bytes[start..]
        .iter()
        .take(SCHEME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
        .count();
    // Those have a reader of their own.
    if ["basic", "bearer"]
        .iter()
        .any(|known| text[start..start + scheme].eq_ignore_ascii_case(known))
    {
        return None;
    }
    let value = match bytes.get(start + scheme) {
        Some(b' ') if start > after => skip(start + scheme),
        _ if start > after => start,
        _ => return None,
    };
    let value = match text[value..].strip_prefix("token=") {
        Some(rest) => text.len() - rest.trim_start_matches(['"', '\\']).len(),
        None => value,
    };
    let end = run_end(bytes, value, OPAQUE);
    let token = text[value..end].trim_end_matches('.');
    let is_one = value::is_random(token.as_bytes()) && is(token.as_bytes()[0], super::shape::ALNUM);
    is_one.then_some((AUTHORIZATION, value, value + token.len()))
}
