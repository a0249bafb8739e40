//! Texts in base64 or hexadecimal, and tokens that are known by nothing but the lengths of their parts.

use std::ops::Range;
use std::sync::LazyLock;

use data_encoding::{Encoding, HEXLOWER_PERMISSIVE, Specification};

use super::shape::{ANY_HEX, BASE64, Class, DASH, UNDERSCORE, is, run_end, run_start};

const CLASS: Class = BASE64 | DASH | UNDERSCORE;

/// The shortest that is looked at: 18 bytes.
const SHORTEST: usize = 24;

/// The most bytes of a text that are scanned.
const LONGEST: usize = 64 << 10;

/// How long a line is at least that goes on in the next one.
const LINE: usize = 60;

/// Calls `found` with each long run of characters of base64, where it stands.
pub(super) fn each_run(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    let mut at = 0;
    // A long run that begins here would reach the byte that is looked at; where that is none of its characters, all
    // before it are passed over.
    while let Some(last) = text.get(at + SHORTEST - 1) {
        if !is(*last, CLASS) {
            at += SHORTEST;
            continue;
        }
        let start = run_start(text, at + SHORTEST, CLASS, SHORTEST);
        let mut end = run_end(text, at + SHORTEST, CLASS);
        if end - start >= SHORTEST {
            end = with_further_lines(text, start, end);
            found(start..end);
        }
        at = end;
    }
}

/// The end of a run that is cut into lines of one length.
fn with_further_lines(text: &[u8], start: usize, end: usize) -> usize {
    let width = end - start;
    let mut end = end;
    while width >= LINE && end - start < LONGEST {
        let line = &text[end..];
        let blanks = line
            .iter()
            .take(40)
            .take_while(|byte| b" \t\r\n".contains(byte));
        let blanks = blanks.count();
        let next = run_end(text, end + blanks, CLASS);
        let length = next - end - blanks;
        if !line[..blanks].contains(&b'\n') || length == 0 || length > width {
            break;
        }
        end = next;
        if length < width {
            break;
        }
    }
    end
}

/// The texts in base64 or hexadecimal of a run, each with its place in the run.
pub(super) fn decoded(run: &[u8]) -> Vec<(Range<usize>, String)> {
    let mut texts = Vec::new();
    // `name=TEXT`, `/path/TEXT`: base64 has `=` at its end only, and `/` seldom.
    let padding = run.iter().rev().take_while(|byte| **byte == b'=').count();
    let unpadded = run.len() - padding;
    let mut from = 0;
    while from < unpadded {
        let body = &run[from..unpadded];
        let length = body.iter().position(|byte| *byte == b'=');
        let length = length.unwrap_or(body.len());
        if length + 4 >= SHORTEST {
            texts.extend(decoded_part(run, from..from + length));
        }
        from += length + 1;
    }
    texts
}

fn decoded_part(run: &[u8], part: Range<usize>) -> Option<(Range<usize>, String)> {
    let mut from = part.start;
    // `0x…`
    if run[part.clone()].starts_with(b"0x") {
        from += 2;
    }
    loop {
        if let Some(text) = text_of(&run[from..part.end]) {
            return Some((from..part.end, text));
        }
        let slash = run[from..part.end].iter().position(|byte| *byte == b'/')?;
        from += slash + 1;
        if part.end - from + 4 < SHORTEST {
            return None;
        }
    }
}

/// The text that some characters stand for, if they do.
pub(super) fn text_of(encoded: &[u8]) -> Option<String> {
    let encoded = &encoded[..encoded.len().min(LONGEST)];
    let encoding = match encoded.first()? {
        b'2'..=b'7' if encoded.iter().all(|byte| is(*byte, ANY_HEX)) => &HEXLOWER_PERMISSIVE,
        b'I'..=b'Z' | b'a'..=b'f' => &*ANY_BASE64,
        _ => return None,
    };
    let whole = encoding
        .decode_len(encoded.len())
        .map_or_else(|error| error.position, |_| encoded.len());
    let encoded = &encoded[..whole];
    // Most are no text: their first bytes tell.
    const FIRST: usize = 12;
    let first = encoding.decode(&encoded[..encoded.len().min(FIRST)]).ok()?;
    if !looks_readable(&first) {
        return None;
    }
    readable(encoding.decode(encoded).ok()?)
}

/// Base64 of both alphabets, with or without padding, over several lines.
static ANY_BASE64: LazyLock<Encoding> = LazyLock::new(|| {
    let mut base64 = Specification::new();
    base64
        .symbols
        .push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    base64.translate.from.push_str("-_");
    base64.translate.to.push_str("+/");
    base64.ignore.push_str(" \t\r\n=");
    base64.check_trailing_bits = false;
    base64.encoding().expect("the alphabet is base64's")
});

fn is_text(byte: &u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0x80..)
}

fn looks_readable(bytes: &[u8]) -> bool {
    let is_wide = bytes.len() >= 4 && bytes[1] == 0 && bytes[3] == 0;
    let plain = bytes.iter().filter(|byte| byte.is_ascii()).count();
    is_wide || (bytes.iter().all(is_text) && plain * 2 >= bytes.len())
}

/// The bytes as text; those of UTF-16, as PowerShell encodes its commands, too.
fn readable(bytes: Vec<u8>) -> Option<String> {
    if !looks_readable(&bytes[..bytes.len().min(8)]) {
        return None;
    }
    let is_wide = bytes.len() >= 4 && bytes[1] == 0 && bytes[3] == 0;
    let text = match is_wide {
        true => {
            let units = bytes
                .chunks_exact(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            let units: Vec<u16> = units.collect();
            String::from_utf16(&units).ok()?
        }
        false => String::from_utf8(bytes).ok()?,
    };
    let is_text = |char: char| !char.is_control() || matches!(char, '\n' | '\r' | '\t');
    text.chars().all(is_text).then_some(text)
}
