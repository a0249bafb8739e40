//! Texts in base64 or hexadecimal, and tokens that are known by nothing but the lengths of their parts.

use std::ops::Range;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::shape::{ANY_HEX, BASE64, Class, DASH, UNDERSCORE, is, run_end};

const CLASS: Class = BASE64 | DASH | UNDERSCORE;

/// The shortest that is looked at: 18 bytes.
const SHORTEST: usize = 24;

/// Text that is longer is looked at so far.
const LONGEST: usize = 64 << 10;

/// How long a line is at least that goes on in the next one.
const LINE: usize = 60;

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
const FOR_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);

/// Calls `found` with each long run of characters of base64, where it stands.
///
/// Looks at eight bytes at once: a long run has two such groups side by side, and most groups of a text have a blank or
/// a sign in them that is less than any of its characters.
pub(super) fn each_run(text: &[u8], mut found: impl FnMut(Range<usize>)) {
    const GROUP: usize = 8;
    const LEAST: u64 = b'+' as u64;
    const EACH: u64 = u64::MAX / 0xff;
    const HIGH: u64 = EACH * 0x80;
    // As far as runs have been looked at, and whether the group before may belong to one.
    let (mut done, mut may_go_on) = (0, false);
    for (number, group) in text.chunks_exact(GROUP).enumerate() {
        let bytes = u64::from_le_bytes(group.try_into().unwrap_or_default());
        let has_less = bytes.wrapping_sub(EACH * LEAST) & !bytes & HIGH != 0;
        let goes_on = may_go_on && !has_less;
        may_go_on = !has_less;
        let at = number * GROUP;
        if !goes_on || at < done {
            continue;
        }
        let both = &text[at - GROUP..at + GROUP];
        if !both.iter().all(|byte| is(*byte, CLASS)) {
            continue;
        }
        let start = at - run_before(&text[done..at]);
        let end = run_end(text, at, CLASS);
        done = end;
        if end - start >= SHORTEST {
            let end = with_further_lines(text, start, end);
            found(start..end);
            done = end;
        }
    }
}

/// How many characters at the end of a text belong to a run.
fn run_before(text: &[u8]) -> usize {
    let run = text.iter().rev().take_while(|byte| is(**byte, CLASS));
    run.count()
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

/// The texts that a run is or holds in base64 or hexadecimal, each with where it stands in the run.
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
    // Most are no text: their first characters tell. Of a text the first byte is a printable character.
    let is_hex = match encoded.first()? {
        b'2'..=b'7' => true,
        b'I'..=b'Z' | b'a'..=b'f' => false,
        _ => return None,
    };
    if is_hex
        && begins_readable(encoded, (2, 4), digit_of_hex)
        && encoded.iter().all(|byte| is(*byte, ANY_HEX))
    {
        return of_hex(encoded);
    }
    if is_hex || !begins_readable(encoded, (4, 6), sextet) {
        return None;
    }
    let padding = encoded.iter().rev().take_while(|byte| **byte == b'=');
    let unpadded = &encoded[..encoded.len() - padding.count()];
    let for_urls = unpadded.iter().any(|byte| b"-_".contains(byte));
    let mut all: Vec<u8> = unpadded.to_vec();
    all.retain(|byte| !byte.is_ascii_whitespace());
    // One character of four stands for no byte.
    all.truncate(all.len() - usize::from(all.len() % 4 == 1));
    let engine = if for_urls { FOR_URLS } else { PLAIN };
    readable(engine.decode(all).ok()?)
}

/// Whether the first bytes that the characters stand for can be those of a text, without decoding more of them.
///
/// So many characters, of so many bits each, are whole bytes.
fn begins_readable(
    encoded: &[u8],
    (group, bits): (usize, usize),
    digit: impl Fn(u8) -> Option<u32>,
) -> bool {
    const FIRST: usize = 12;
    let first = &encoded[..encoded.len().min(FIRST)];
    let mut bytes = [0; FIRST];
    let mut count = 0;
    for group in first.chunks_exact(group) {
        let mut number = 0;
        for byte in group {
            let Some(digit) = digit(*byte) else {
                return false;
            };
            number = number << bits | digit;
        }
        let length = bits * group.len() / 8;
        for at in (0..length).rev() {
            bytes[count] = (number >> (8 * at)) as u8;
            count += 1;
        }
    }
    count > 0 && looks_readable(&bytes[..count])
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn digit_of_hex(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)
}

fn of_hex(encoded: &[u8]) -> Option<String> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = encoded.chunks_exact(2);
    let bytes = pairs.map(|pair| Some((digit(&pair[0])? << 4 | digit(&pair[1])?) as u8));
    let bytes: Option<Vec<u8>> = bytes.collect();
    readable(bytes?)
}

fn looks_readable(bytes: &[u8]) -> bool {
    let is_wide = bytes.len() >= 4 && bytes[1] == 0 && bytes[3] == 0;
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0x80..);
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
