//! The text in a file's bytes.

/// The text of a file in UTF-8, with or without a byte order mark, or in UTF-16 with one.
///
/// # Errors
/// The reason, with the first byte that is not UTF-8 and its offset.
pub(crate) fn decoded(bytes: Vec<u8>) -> Result<String, String> {
    let (units, is_little) = match &*bytes {
        [0xFF, 0xFE, units @ ..] => (units, true),
        [0xFE, 0xFF, units @ ..] => (units, false),
        _ => return of_utf8(bytes),
    };
    if units.len() % 2 == 1 {
        return Err("it is UTF-16 that ends in the middle of a character".into());
    }
    let units = units.chunks_exact(2).map(|pair| match is_little {
        true => u16::from_le_bytes([pair[0], pair[1]]),
        false => u16::from_be_bytes([pair[0], pair[1]]),
    });
    let chars = char::decode_utf16(units);
    Ok(chars
        .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect())
}

fn of_utf8(bytes: Vec<u8>) -> Result<String, String> {
    let mut text = String::from_utf8(bytes).map_err(|error| not_utf8(error.as_bytes()))?;
    if text.starts_with('\u{FEFF}') {
        text.remove(0);
    }
    Ok(text)
}

/// Why bytes that are not UTF-8 are left out.
pub(crate) fn not_utf8(bytes: &[u8]) -> String {
    let at = match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    };
    let byte = bytes.get(at).copied().unwrap_or_default();
    format!("it is not UTF-8: byte 0x{byte:02X} at offset {at}; convert it to UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_editors_are_read() {
        let text = "Grüße 🚀\r\n";
        let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            let units = text.encode_utf16().flat_map(bytes);
            mark.into_iter().chain(units).collect::<Vec<u8>>()
        };
        let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        for bytes in [
            text.into(),
            marked,
            utf16([0xFF, 0xFE], u16::to_le_bytes),
            utf16([0xFE, 0xFF], u16::to_be_bytes),
        ] {
            assert_eq!(decoded(bytes).as_deref(), Ok(text));
        }
        assert_eq!(
            decoded(b"Gr\xFC\xDFe".to_vec()).unwrap_err(),
            "it is not UTF-8: byte 0xFC at offset 2; convert it to UTF-8"
        );
        assert!(decoded(b"\xFF\xFEa".to_vec()).is_err());
    }
}
