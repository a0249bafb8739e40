//! Texts that fit so many columns of a terminal.

use unicode_width::UnicodeWidthStr;

use crate::table::shortened;

/// Two texts at the ends of a line.
pub(super) fn padded(left: &str, right: &str, width: usize) -> String {
    let blanks = width.saturating_sub(left.width() + right.width());
    format!("{left}{}{right}", " ".repeat(blanks))
}

/// The end of a text in so many columns.
pub(super) fn end_of(text: &str, width: usize) -> String {
    let backwards: String = text.chars().rev().collect();
    shortened(&backwards, width).chars().rev().collect()
}

/// Lines of so many columns, broken at blanks where there are any.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.trim_end_matches('\n').split('\n') {
        let mut row = String::new();
        for char in line.replace('\t', "    ").chars() {
            row.push(char);
            if char != ' ' && row.width() > width.max(2) {
                let blank = row.rfind(' ').filter(|at| *at > 0);
                let end = blank.map_or(row.len() - char.len_utf8(), |at| at + 1);
                let rest = row.split_off(end);
                rows.push(row.trim_end().to_owned());
                row = rest;
            }
        }
        rows.push(row);
    }
    rows
}
