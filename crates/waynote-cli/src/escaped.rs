//! JSON that a terminal shows as it is.

use std::borrow::Cow;

/// JSON with escapes for characters that a terminal would act on or not show. They occur only in its strings.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    let acts = |char: char| {
        let is_control = char.is_control() && !matches!(char, '\n' | '\t' | '\r');
        is_control || waynote::visible::is_invisible(char)
    };
    if json.is_ascii() && !json.contains('\u{7f}') || !json.contains(acts) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        if acts(char) {
            let mut units = [0; 2];
            for unit in char.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_escapes_for_what_is_not_seen() {
        let text = "a\u{85}b\u{202e}c\u{7f}d\u{e0041}é\n\"";
        let json = serde_json::to_string_pretty(&[text]).unwrap();
        let escaped = escaped(&json);
        assert_eq!(
            escaped,
            "[\n  \"a\\u0085b\\u202ec\\u007fd\\udb40\\udc41é\\n\\\"\"\n]"
        );
        let read: Vec<String> = serde_json::from_str(&escaped).unwrap();
        assert_eq!(read, [text]);
    }
}
