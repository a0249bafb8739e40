//! Cookies of a session, and authorization headers with a scheme of their own.

use super::shape::{
    ALNUM, BASE64, DASH, DOT, OPAQUE, PERCENT, WORD, begins_at, is, leading, leading_within,
    run_end, run_end_within, run_start,
};
use super::table::words::HARMLESS;
use super::value;

/// The longest header that is looked at.
const LONGEST: usize = 1500;

/// The values of `Cookie: name=value; …` whose name ends at `after`, each by `found`.
pub(super) fn cookies(text: &str, after: usize, mut found: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(after + LONGEST);
    let sign = leading(&bytes[after..limit], |byte| b"\"' \t".contains(byte));
    if bytes
        .get(after + sign)
        .is_none_or(|sign| !b":=".contains(sign))
    {
        return;
    }
    let mut at = after + sign + 1;
    loop {
        at += leading(&bytes[at..limit], |byte| b"\"' \t;".contains(byte));
        let name = run_end(&bytes[..limit], at, OPAQUE & !BASE64 | WORD);
        if name == at || bytes.get(name) != Some(&b'=') {
            return;
        }
        let end = run_end(&bytes[..limit], name + 1, OPAQUE | PERCENT);
        let is_harmless = value::contains_any(&bytes[at..name], &HARMLESS);
        // `name:signature` in one value.
        let value = bytes[name + 1..end].iter().copied();
        let value: Vec<u8> = value.filter(|byte| *byte != b'%').collect();
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
pub(super) fn authorization(text: &str, _: usize, after: usize) -> Option<(usize, usize)> {
    const SCHEME: usize = 24;
    let bytes = text.as_bytes();
    let skip =
        |at: usize| at + leading_within(&bytes[at..], 8, |byte| b"\"' \t:=>,".contains(byte));
    let start = skip(after);
    let scheme = run_end_within(bytes, start, ALNUM | DASH, SCHEME) - start;
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
    let is_one = value::is_random(token.as_bytes()) && is(token.as_bytes()[0], ALNUM);
    is_one.then_some((value, value + token.len()))
}

/// The value of `Authorization: Bearer …` or `Basic …` that begins at `after`.
pub(super) fn bearer(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let text = text.as_bytes();
    if !begins_at(text, begin) {
        return None;
    }
    let end = run_end(text, after, OPAQUE);
    let value = &text[after..run_start(text, end, DOT, end - after)];
    let is_basic = text[begin..after].eq_ignore_ascii_case(b"basic ");
    let is_one = if is_basic {
        let decoded = data_encoding::BASE64.decode(value).ok();
        decoded
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .is_some_and(|pair| super::named::is_login(&pair))
    } else {
        value::is_random(value) && value.iter().any(|byte| is(*byte, ALNUM))
    };
    is_one.then_some((after, after + value.len()))
}
