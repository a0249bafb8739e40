//! Texts that fit so many columns of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Two texts at the ends of a line.
pub(super) fn padded(left: &str, right: &str, width: usize) -> String {
    let blanks = width.saturating_sub(left.width() + right.width());
    format!("{left}{}{right}", " ".repeat(blanks))
}

/// The beginning of a text in so many columns.
pub(super) fn start_of(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |char: &char| {
        used += char.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

/// The end of a text in so many columns.
pub(super) fn end_of(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |char: &char| {
        used += char.width().unwrap_or(0);
        used <= width
    };
    let mut end: Vec<char> = text.chars().rev().take_while(fits).collect();
    end.push('…');
    end.into_iter().rev().collect()
}

/// Lines of so many columns, broken at blanks where there are any.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.trim_end_matches('\n').split('\n') {
        let mut rest = line.replace('\t', "    ");
        while rest.width() > width.max(2) {
            let (mut used, mut end, mut blank) = (0, 0, None);
            for (at, char) in rest.char_indices() {
                used += char.width().unwrap_or(0);
                if used > width.max(2) {
                    break;
                }
                end = at + char.len_utf8();
                if char == ' ' && at > 0 {
                    blank = Some(end);
                }
            }
            // A blank just behind the row is a good place, too.
            let end = match rest[end..].starts_with(' ') {
                true => end,
                false => blank.unwrap_or(end),
            };
            let row: String = rest.drain(..end).collect();
            rows.push(row.trim_end().to_owned());
            rest.drain(..rest.len() - rest.trim_start().len());
        }
        rows.push(rest);
    }
    rows
}
