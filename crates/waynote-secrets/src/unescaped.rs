//! Parts of a text with their escapes undone: `\u0041`, `\x41`, `\_`, `%41`, `&#65;`, a line that goes on behind a
//! backslash, a text in quotes that is put together from several.

use memchr::{memchr, memchr3_iter, memrchr};

use super::mapped::MappedText;
use super::shape::{OPAQUE, is};
use waynote_text::visible::is_invisible;

/// Bytes that are scanned before the first escape and behind the last one.
const BEFORE: usize = 200;
const BEHIND: usize = 600;

/// The meaning of an escape.
enum Meaning {
    Byte(u8),
    /// Nothing, or nothing that is seen.
    Nothing,
}

struct Escape {
    at: usize,
    end: usize,
    meaning: Meaning,
}

/// Calls `found` with each part of the text that has escapes, undone. At `quotes` a text in quotes may end that another
/// one continues.
pub(super) fn each(text: &str, quotes: &[usize], mut found: impl FnMut(&MappedText)) {
    let bytes = text.as_bytes();
    let mut escapes = escapes(bytes);
    escapes.extend(quotes.iter().filter_map(|at| joint(bytes, *at)));
    if escapes.is_empty() {
        return;
    }
    escapes.sort_by_key(|escape| escape.at);
    let mut escapes = escapes.into_iter().peekable();
    while let Some(first) = escapes.peek() {
        let line = memrchr(b'\n', &bytes[..first.at]).map_or(0, |end| end + 1);
        let start = text.ceil_char_boundary(line.max(first.at.saturating_sub(BEFORE)));
        let (mut part, mut copied, mut end) = (MappedText::default(), start, first.at + 1);
        // As far as the next escape is near: on the same line, or on one that an escape joins to it.
        while let Some(escape) = escapes.next_if(|escape| escape.at < end) {
            if escape.at < copied {
                continue;
            }
            part.copy(&text[copied..escape.at], copied);
            if let Meaning::Byte(byte) = escape.meaning {
                part.replace(byte, escape.at..escape.end);
            }
            copied = escape.end;
            let limit = text.floor_char_boundary((copied + BEHIND).min(text.len()));
            let line = memchr(b'\n', &bytes[copied..limit]);
            end = line.map_or(limit, |line| copied + line + 1).max(copied);
        }
        part.copy(&text[copied..end.max(copied)], copied);
        found(&part);
    }
}

fn escapes(text: &[u8]) -> Vec<Escape> {
    let mut escapes: Vec<Escape> = Vec::new();
    for at in memchr3_iter(b'\\', b'%', b'&', text) {
        if escapes.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let rest = &text[at + 1..];
        let read = match text[at] {
            b'\\' => backslash(rest),
            b'%' => hex(rest, 2).map(|code| (code, 2)).and_then(printable),
            _ => entity(rest),
        };
        escapes.extend(read.map(|(meaning, length)| Escape {
            at,
            end: at + 1 + length,
            meaning,
        }));
    }
    escapes
}

/// The meaning of a code, if it is a printable character of ASCII or one that is not seen.
fn printable((code, length): (u32, usize)) -> Option<(Meaning, usize)> {
    match char::from_u32(code)? {
        char @ ' '..='~' => Some((Meaning::Byte(char as u8), length)),
        char if is_invisible(char) => Some((Meaning::Nothing, length)),
        _ => None,
    }
}

/// The value of so many hexadecimal digits.
fn hex(text: &[u8], digits: usize) -> Option<u32> {
    let digits = std::str::from_utf8(text.get(..digits)?).ok()?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// The escape behind a backslash.
fn backslash(rest: &[u8]) -> Option<(Meaning, usize)> {
    const MAX_INDENT: usize = 40;
    // Backslashes that are escaped themselves, in a text inside another.
    const MOST_INSIDE: usize = 3;
    let inside = rest
        .iter()
        .take(MOST_INSIDE)
        .take_while(|byte| **byte == b'\\')
        .count();
    let (all, rest) = (rest, &rest[inside..]);
    if inside > 0 && !rest.starts_with(b"\\") {
        return backslash(rest).map(|(meaning, length)| (meaning, length + all.len() - rest.len()));
    }
    let coded = |digits: usize| hex(&rest[1..], digits).map(|code| (code, 1 + digits));
    match *rest.first()? {
        b'u' if rest.get(1) == Some(&b'{') => {
            let digits = rest[2..].iter().take(7);
            let digits = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
            let is_closed = rest.get(2 + digits) == Some(&b'}');
            let code = is_closed.then(|| hex(&rest[2..], digits))?;
            code.map(|code| (code, digits + 3)).and_then(printable)
        }
        b'u' => coded(4).and_then(printable),
        b'U' => coded(8).and_then(printable),
        b'x' => coded(2).and_then(printable),
        b'0'..=b'1' => {
            let digits = std::str::from_utf8(rest.get(..3)?).ok()?;
            let code = u32::from_str_radix(digits, 8).ok()?;
            printable((code, 3))
        }
        b'\r' | b'\n' => {
            let line = 1 + usize::from(rest.starts_with(b"\r\n"));
            let indent = rest[line..].iter().take(MAX_INDENT);
            let indent = indent.take_while(|byte| b" \t>".contains(byte)).count();
            Some((Meaning::Nothing, line + indent))
        }
        // Quotes stay escaped: they mark a value's end.
        b'"' | b'\'' | b'`' | b'\\' => None,
        sign if b"_-/=:@!#$&+*~^%?.".contains(&sign) => Some((Meaning::Byte(sign), 1)),
        _ => None,
    }
}

/// The escape behind an ampersand.
fn entity(rest: &[u8]) -> Option<(Meaning, usize)> {
    const LONGEST: usize = 10;
    const NAMED: [(&[u8], u8); 14] = [
        (b"amp", b'&'),
        (b"lt", b'<'),
        (b"gt", b'>'),
        (b"quot", b'"'),
        (b"apos", b'\''),
        (b"nbsp", b' '),
        (b"lowbar", b'_'),
        (b"colon", b':'),
        (b"equals", b'='),
        (b"sol", b'/'),
        (b"commat", b'@'),
        (b"excl", b'!'),
        (b"num", b'#'),
        (b"period", b'.'),
    ];
    let length = memchr(b';', &rest[..rest.len().min(LONGEST)])?;
    let name = &rest[..length];
    let Some(number) = name.strip_prefix(b"#") else {
        let (_, byte) = NAMED.iter().find(|(named, _)| *named == name)?;
        return Some((Meaning::Byte(*byte), length + 1));
    };
    let (digits, radix) = match number.strip_prefix(b"x").or(number.strip_prefix(b"X")) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    printable((code, length + 1))
}

/// The separator of two quoted texts that are put together: `" + "`, `' '`, a line end. It begins at `at`, the end of
/// the first one.
fn joint(text: &[u8], at: usize) -> Option<Escape> {
    const LONGEST: usize = 40;
    let (quote, after) = (text[at], &text[at + 1..]);
    let between = after.iter().take(LONGEST);
    let length = between
        .take_while(|byte| b" \t\r\n+.\\_&".contains(byte))
        .count();
    let signs = after[..length]
        .iter()
        .filter(|byte| b"+.\\&".contains(byte));
    let ends = at > 0 && is(text[at - 1], OPAQUE);
    let begins = after.get(length + 1).is_some_and(|byte| is(*byte, OPAQUE));
    let is_joint = signs.count() <= 2 && ends && begins && after.get(length) == Some(&quote);
    is_joint.then_some(Escape {
        at,
        end: at + length + 2,
        meaning: Meaning::Nothing,
    })
}
