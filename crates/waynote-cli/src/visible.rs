//! Control, bidirectional and invisible characters of a note, made visible before a terminal acts on them.

/// One line: every such character, line ends too, as its code.
pub(crate) fn visible(text: &str) -> String {
    escaped(text, |char| char == ' ')
}

/// Text of several lines: line ends and tabs stay.
pub(crate) fn lines(text: &str) -> String {
    escaped(text, |char| matches!(char, '\n' | '\t'))
}

fn escaped(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if !keep(char) && (char.is_control() || is_invisible(char)) {
            out.push_str(&format!("<U+{:04X}>", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    out
}

/// Characters that change how others are shown, or are not shown themselves.
fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}
