//! Tokens in the path of a URL, and passwords between colons.

use super::shape::{ALNUM, DASH, DIGITS, DOT, HEX, OPAQUE, PERCENT, UNDERSCORE, is, run_end};
use super::table::words::{BEFORE_TOKENS, HOOKS, HOSTS, PATHS_OF_CODE};
use super::value;

/// The longest path that is looked at.
const LONGEST: usize = 400;

/// The token in the path of the URL whose `://` ends at `after`.
pub(super) fn token(text: &str, _: usize, after: usize) -> Option<(usize, usize)> {
    let rest = &text.as_bytes()[after..text.len().min(after + LONGEST)];
    let host = run_end(rest, 0, ALNUM | DASH | DOT);
    let port = match rest.get(host) {
        Some(b':') => run_end(rest, host + 1, DIGITS),
        _ => host,
    };
    let path = rest.get(port..)?.strip_prefix(b"/")?;
    let (mut length, mut part, mut longest) = (0, 0, 0);
    for byte in path {
        if *byte == b'/' {
            part = 0;
        } else if is(*byte, OPAQUE | PERCENT) || matches!(byte, b'@' | b':') {
            part += 1;
            longest = longest.max(part);
        } else {
            break;
        }
        length += 1;
    }
    // Most URLs have no part that is long enough.
    if longest < SHORTEST_OF_HOOKS {
        return None;
    }
    let of_hooks = is_of_hooks(&text[after..after + host]);
    let least = if of_hooks {
        SHORTEST_OF_HOOKS
    } else {
        SHORTEST
    };
    if longest < least {
        return None;
    }
    let start = after + port + 1;
    let path = text.get(start..start + length)?;
    let path = path.trim_end_matches(['.', ':', '/']);
    let (mut at, mut is_behind, mut before) = (start, of_hooks, "");
    for part in path.split('/') {
        // Two slashes begin another URL.
        if part.is_empty() && !before.is_empty() {
            return None;
        }
        let token = part.trim_end_matches(['.', ':', '!', '*', '_']);
        // The looks of a token are asked last: that takes the longest.
        let is_token = token.len() >= least
            && (is_behind
                || BEFORE_TOKENS
                    .iter()
                    .any(|word| word.eq_ignore_ascii_case(before)))
            && (is_long_token(token.as_bytes()) || of_hooks && is_short_token(token));
        if is_token {
            let is_of_code = path.split('/').any(|part| PATHS_OF_CODE.contains(&part));
            // Of a hook every part may be needed.
            let end = if is_behind {
                start + path.len()
            } else {
                at + token.len()
            };
            return (!is_of_code).then_some((at, end));
        }
        is_behind |= is_hook(part);
        at += part.len() + 1;
        before = part;
    }
    None
}

fn is_hook(name: &str) -> bool {
    HOOKS.iter().any(|hook| hook.eq_ignore_ascii_case(name))
}

/// True if a host serves webhooks.
fn is_of_hooks(host: &str) -> bool {
    // Faster here than a search for text, which is made ready first.
    let names_hooks = host.as_bytes().windows(4).any(|four| four == b"hook");
    HOSTS.contains(&host) || names_hooks && host.split('.').any(is_hook)
}

/// The shortest tokens: in general, in hexadecimal, and of a host for hooks.
const SHORTEST: usize = 20;
const SHORTEST_HEX: usize = 24;
const SHORTEST_OF_HOOKS: usize = 7;

fn is_long_token(token: &[u8]) -> bool {
    token.len() >= SHORTEST
        && (token.len() >= SHORTEST_HEX || !token.iter().all(|byte| is(*byte, HEX)))
        && value::is_random(token)
}

/// A token as Zapier gives them to a hook: few letters and digits, mixed.
fn is_short_token(token: &str) -> bool {
    const LEAST_DIGITS: usize = 2;
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    token.len() >= SHORTEST_OF_HOOKS
        && token.bytes().all(|byte| is(byte, ALNUM))
        && (LEAST_DIGITS..token.len() - 1).contains(&digits)
        && !value::is_placeholder(token.as_bytes())
}

/// The password of `host:5432:database:user:password`, a line of `.pgpass`, whose port ends at `after`.
pub(super) fn pgpass(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let host = bytes[..begin].last()?;
    if !(is(*host, ALNUM) || *host == b'*') {
        return None;
    }
    let mut at = after;
    for _ in 0..2 {
        let end = match bytes.get(at) {
            Some(b'*') => at + 1,
            _ => run_end(bytes, at, ALNUM | UNDERSCORE | DASH | DOT),
        };
        if end == at || bytes.get(end) != Some(&b':') {
            return None;
        }
        at = end + 1;
    }
    let limit = text.floor_char_boundary((at + LONGEST).min(text.len()));
    let ends = |char: char| char.is_whitespace() || "\"'`".contains(char);
    let password = text[at..limit].split(ends).next()?;
    let is_one = !value::is_reference(password)
        && (value::is_chosen(password.as_bytes()) || value::is_any("", password));
    is_one.then_some((at, at + password.len()))
}
