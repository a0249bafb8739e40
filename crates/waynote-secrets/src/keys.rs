//! Private keys in the forms that carry their own heading, and JSON web tokens.

use super::shape::{BASE64, DIGITS, URL64, begins_at, leading, leading_within, run_end};

/// The longest private key that is looked for its end.
const MAX: usize = 32 << 10;

/// How many characters of base64 are a key, and not a sketch of one.
const BODY: usize = 48;

/// `-----BEGIN … PRIVATE KEY-----`, whose lines begin at `begin`: to its end, or as far as it goes.
pub(super) fn armoured(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let begin = text[..begin].strip_suffix("---")?.len();
    const LONGEST_LABEL: usize = 40;
    const DASHES: &str = "-----";
    let rest = &text.as_bytes()[after..];
    let is_of_label = |byte: &u8| byte.is_ascii_uppercase() || b" 0123".contains(byte);
    let label = leading_within(rest, LONGEST_LABEL, is_of_label);
    let label = &text[after..after + label];
    if !label.contains("PRIVATE KEY") || !text[after + label.len()..].starts_with(DASHES) {
        return None;
    }
    let body = after + label.len() + DASHES.len();
    let limit = text.floor_char_boundary((body + MAX).min(text.len()));
    // The first dashes end it, whatever they say; a BEGIN belongs to the next.
    let lines = text[body..limit].find(DASHES).map(|at| body + at);
    let end = match lines {
        Some(end) if text[end..].starts_with("-----END ") => {
            // All of the closing line.
            let label = end + "-----END ".len();
            let stop = (label + LONGEST_LABEL + DASHES.len()).min(text.len());
            let close = text[label..text.floor_char_boundary(stop)].find(DASHES);
            let whole = close.map_or(label, |at| label + at + DASHES.len());
            if count_base64(&text.as_bytes()[body..end]) < BODY {
                return None;
            }
            whole
        }
        _ => body + lines_of_base64(&text.as_bytes()[body..limit])?,
    };
    Some((begin, end))
}

/// The lines after `Private-Lines: N`.
pub(super) fn putty(text: &str, _: usize, after: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let number = run_end(bytes, after, DIGITS);
    let line = bytes[number..]
        .strip_prefix(b"\r")
        .unwrap_or(&bytes[number..]);
    let start = text.len() - line.strip_prefix(b"\n")?.len();
    Some((start, start + lines_of_base64(&text.as_bytes()[start..])?))
}

/// How many characters stand in long runs of base64 that are not all the same.
fn count_base64(body: &[u8]) -> usize {
    const RUN: usize = 16;
    let mut count = 0;
    let mut at = 0;
    while at < body.len() {
        // A line end written `\n` is none of the key's characters.
        if body[at] == b'\\' {
            at += 2;
            continue;
        }
        let end = run_end(body, at, BASE64);
        if end - at >= RUN && !super::value::is_made_up(&body[at..end]) {
            count += end - at;
        }
        at = end.max(at + 1);
    }
    count
}

/// The length of the lines of base64 that a key without an end goes on for.
fn lines_of_base64(text: &[u8]) -> Option<usize> {
    const LINE: usize = 24;
    let (mut at, mut end, mut count) = (0, 0, 0);
    while at < text.len() {
        at += leading(&text[at..], |byte| b" \t\r\n\"'+,>|".contains(byte));
        if text[at..].starts_with(b"\\n") || text[at..].starts_with(b"\\r") {
            at += 2;
            continue;
        }
        let stop = run_end(text, at, BASE64);
        // The last line is shorter, and tells by its end.
        if stop - at < LINE && !(count > 0 && stop > at && text[stop - 1] == b'=') {
            break;
        }
        if super::value::is_made_up(&text[at..stop]) && stop - at >= LINE {
            break;
        }
        count += stop - at;
        (at, end) = (stop, stop);
    }
    (count >= BODY).then_some(end)
}

/// A JSON web token, signed or encrypted, that begins at `begin`.
pub(super) fn jwt(text: &str, begin: usize, _: usize) -> Option<(usize, usize)> {
    let text = text.as_bytes();
    const HEADER: usize = 16;
    const PART: usize = 16;
    // The example that every text about them shows.
    const SHOWN: &[u8] = b"eyJzdWIiOiIxMjM0NTY3ODkwIi";
    if !begins_at(text, begin) || text[..begin].last() == Some(&b'-') {
        return None;
    }
    let header = run_end(text, begin, URL64);
    let after = |end: usize| (text.get(end) == Some(&b'.')).then_some(end + 1);
    let payload = after(header).filter(|_| header - begin >= HEADER)?;
    let end = run_end(text, payload, URL64);
    if end - payload < PART
        || text[payload..].starts_with(SHOWN)
        || super::value::is_made_up(&text[payload..end])
    {
        return None;
    }
    let signature = after(end)?;
    let last = run_end(text, signature, URL64);
    if last - signature < PART || super::value::is_made_up(&text[signature..last]) {
        return None;
    }
    // Of an encrypted one two parts follow; a full stop is none.
    let mut end = last;
    for _ in 0..2 {
        let part = after(end).map_or(end, |part| run_end(text, part, URL64));
        end = if part > end + 1 { part } else { end };
    }
    Some((begin, end))
}
