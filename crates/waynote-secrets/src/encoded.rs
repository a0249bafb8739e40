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
        let known = at - GROUP;
        let start = known - run_before(&text[done.min(known)..known]);
        let end = run_end(text, at + GROUP, CLASS);
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
        && begins_readable::<2, 4>(encoded, &HEX_DIGITS)
        && encoded.iter().all(|byte| is(*byte, ANY_HEX))
    {
        return of_hex(encoded);
    }
    if is_hex || !begins_readable::<4, 6>(encoded, &SEXTETS) {
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

/// What a character stands for that is no digit.
const NONE: u8 = u8::MAX;

/// What each character stands for in base64, in either of its alphabets.
static SEXTETS: [u8; 256] = {
    let mut sextets = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        let character = match value {
            0..26 => b'A' + value,
            26..52 => b'a' + value - 26,
            52..62 => b'0' + value - 52,
            62 => b'+',
            _ => b'/',
        };
        sextets[character as usize] = value;
        value += 1;
    }
    sextets[b'-' as usize] = 62;
    sextets[b'_' as usize] = 63;
    sextets
};

/// What each character stands for in hexadecimal.
static HEX_DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        let character = if value < 10 {
            b'0' + value
        } else {
            b'a' + value - 10
        };
        digits[character as usize] = value;
        digits[character.to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    digits
};

/// Whether the first bytes that the characters stand for can be those of a text, without decoding more of them.
///
/// `GROUP` characters, of `BITS` bits each, are whole bytes.
fn begins_readable<const GROUP: usize, const BITS: usize>(
    encoded: &[u8],
    digits: &'static [u8; 256],
) -> bool {
    const FIRST: usize = 12;
    let first = &encoded[..encoded.len().min(FIRST)];
    let mut bytes = [0; FIRST];
    let mut count = 0;
    for group in first.as_chunks::<GROUP>().0 {
        let mut number = 0;
        for byte in group {
            let digit = digits[usize::from(*byte)];
            if digit == NONE {
                return false;
            }
            number = number << BITS | u32::from(digit);
        }
        let before = count;
        for at in (0..GROUP * BITS / 8).rev() {
            bytes[count] = (number >> (8 * at)) as u8;
            count += 1;
        }
        // Most are no text by their first bytes. Of UTF-16 the second one is 0.
        if bytes[1] != 0 && !bytes[before..count].iter().all(is_text) {
            return false;
        }
    }
    count > 0 && looks_readable(&bytes[..count])
}

fn of_hex(encoded: &[u8]) -> Option<String> {
    let digit = |byte: u8| {
        let digit = HEX_DIGITS[usize::from(byte)];
        (digit != NONE).then_some(digit)
    };
    let pairs = encoded.chunks_exact(2);
    let bytes = pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
    let bytes: Option<Vec<u8>> = bytes.collect();
    readable(bytes?)
}

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
