//! Lists for people: columns that line up, without borders. On a terminal a row fits its width: the columns of free text
//! are cut, and the least important columns left out, in a fixed order.

use serde::Serialize;
use unicode_width::UnicodeWidthStr;
use waynote::secrets::masked;
use waynote::visible::visible;
use waynote::{EntryType, Note};

use crate::error::Outcome;
use crate::output::Output;
use crate::session_view;
pub(crate) use crate::when::cell as when;

/// Columns of free text, which are cut; the others, addresses above all, stay whole.
const CUT: [&str; 6] = ["preview", "detail", "why", "value", "about", "event"];

/// Columns that are left out where the others have no room, the first ones first.
const LEFT_OUT: &str = "\
    last used, position, section, took, seen, expires, created, notes, author, recorded, updated, type, pinned, \
    last iteration";

/// The width of a cut column for which others are left out, and its minimum where none is left.
const AT_LEAST: usize = 20;
const LEAST: usize = 8;

/// Blanks between columns.
const GAP: usize = 2;

/// Where a note is from, and that it cites what has changed, each after a blank; empty for another one.
pub(crate) fn labels(note: &Note) -> String {
    note.labels(|shown| visible(&masked(shown)))
}

/// When a note was written, for a cell.
pub(crate) fn written(note: &Note) -> String {
    match note.source.is_dated() {
        true => when(note.updated_at),
        false => "-".into(),
    }
}

/// A preview, for a cell; the label comes first, since the cell may be cut.
pub(crate) fn preview(note: &Note) -> String {
    format!("{} {}", labels(note).trim_start(), note.preview)
        .trim_start()
        .to_owned()
}

/// An iteration, for a cell.
pub(crate) fn iteration(iteration: Option<i64>) -> String {
    iteration.map_or("-".into(), |iteration| format!("#{iteration}"))
}

/// A table with a heading; cells are made visible, and credentials in them masked.
pub(crate) fn table(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    lines(heading, rows, true, false).join("\n")
}

/// The rows alone, in colour if so wished.
pub(crate) fn rows(
    heading: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    colour: bool,
) -> Vec<String> {
    lines(heading, rows, false, colour)
}

fn lines(
    heading: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    has_heading: bool,
    colour: bool,
) -> Vec<String> {
    let cells = |row: Vec<String>| row.iter().map(|cell| visible(&masked(cell))).collect();
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
    if has_heading {
        let titles = heading.iter().map(|title| title.to_uppercase());
        rows.insert(0, titles.collect());
    }
    let columns = Columns::of(heading, &rows, colour);
    let (mut kept, mut cut_to) = (vec![true; heading.len()], usize::MAX);
    if let Some((width, _)) = terminal_size::terminal_size_of(std::io::stdout()) {
        (kept, cut_to) = columns.fitted(width.0.into());
    }
    let lines = rows.iter().enumerate();
    let lines = lines.map(|(number, row)| {
        let is_heading = has_heading && number == 0;
        columns.line(row, &kept, cut_to, is_heading)
    });
    lines.collect()
}

struct Columns<'h> {
    heading: &'h [&'h str],
    widths: Vec<usize>,
    colour: bool,
}

impl<'h> Columns<'h> {
    fn of(heading: &'h [&'h str], rows: &[Vec<String>], colour: bool) -> Self {
        let mut widths = vec![0; heading.len()];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        Self {
            heading,
            widths,
            colour,
        }
    }

    /// The columns that a width has room for, and how wide one that is cut may be.
    fn fitted(&self, width: usize) -> (Vec<bool>, usize) {
        let mut kept = vec![true; self.heading.len()];
        let is_cut = |column: usize| CUT.contains(&self.heading[column]);
        let others = |kept: &[bool]| -> usize {
            let columns = (0..kept.len()).filter(|column| kept[*column] && !is_cut(*column));
            columns.map(|column| self.widths[column] + GAP).sum()
        };
        let wanted = (0..kept.len()).filter(|column| is_cut(*column));
        let wanted: usize = wanted.map(|column| self.widths[column].min(AT_LEAST)).sum();
        for title in LEFT_OUT.split(", ") {
            if others(&kept) + wanted <= width {
                break;
            }
            if let Some(column) = self.heading.iter().position(|of| *of == title) {
                kept[column] = false;
            }
        }
        let cut_to = width.saturating_sub(others(&kept)).max(LEAST);
        (kept, cut_to)
    }

    fn line(&self, row: &[String], kept: &[bool], cut_to: usize, is_heading: bool) -> String {
        let mut line = String::new();
        let mut blanks = 0;
        for (column, cell) in row.iter().enumerate().filter(|(column, _)| kept[*column]) {
            let title = self.heading[column];
            let is_cut = CUT.contains(&title);
            let cell = match is_cut {
                true => shortened(cell, cut_to),
                false => cell.clone(),
            };
            let width = match is_cut {
                true => self.widths[column].min(cut_to),
                false => self.widths[column],
            };
            line += &" ".repeat(blanks);
            blanks = (width + GAP).saturating_sub(cell.width());
            line += &match style(title, &cell).filter(|_| self.colour && !is_heading) {
                Some(style) if !cell.is_empty() => session_view::painted(&cell, style, true),
                _ => cell,
            };
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// The beginning of a text in so many columns of a terminal.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    if columns == 0 {
        return short;
    }
    for char in text.chars() {
        short.push(char);
        if short.width() >= columns {
            short.pop();
            break;
        }
    }
    short + "…"
}

/// The colour of a cell.
fn style(title: &str, cell: &str) -> Option<anstyle::Style> {
    match title {
        "state" => cell.parse().ok().map(session_view::state_style),
        "pinned" => Some(anstyle::AnsiColor::Cyan.on_default()),
        "type" => cell
            .parse()
            .ok()
            .map(|kind: EntryType| session_view::style(&kind)),
        _ => None,
    }
}

/// Prints a list: a table for people, an array for programs, or `nothing` if it has no items.
pub(crate) fn list<T: Serialize>(
    output: &mut Output,
    items: &[T],
    nothing: &str,
    heading: &[&str],
    row: impl Fn(&T) -> Vec<String>,
) -> Outcome {
    if output.json {
        return output.value(&items);
    }
    if items.is_empty() {
        return output.line(nothing);
    }
    let lines = lines(heading, items.iter().map(row), true, output.has_colour());
    output.coloured(&(lines.join("\n") + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_fits_any_width() {
        let cut = [0, 1, 2, 3, 4].map(|columns| shortened("日本x", columns));
        assert_eq!(cut, ["", "…", "…", "日…", "日…"]);
    }

    #[test]
    fn columns_are_cut_and_left_out_in_a_fixed_order() {
        let heading = ["note", "updated", "pinned", "preview"];
        let row = [
            "agent:builder#flaky-tests",
            "2026-05-17 12:00",
            "pinned",
            "fails about once in 40 runs: 日本",
        ];
        let row = row.map(String::from).to_vec();
        let columns = Columns::of(&heading, std::slice::from_ref(&row), false);
        let at = |width: usize| {
            let (kept, cut_to) = columns.fitted(width);
            columns.line(&row, &kept, cut_to, false)
        };
        insta::assert_snapshot!([100, 80, 60, 40].map(at).join("\n"), @"
        agent:builder#flaky-tests  2026-05-17 12:00  pinned  fails about once in 40 runs: 日本
        agent:builder#flaky-tests  2026-05-17 12:00  pinned  fails about once in 40 run…
        agent:builder#flaky-tests  pinned  fails about once in 40 r…
        agent:builder#flaky-tests  fails about …
        ");
    }
}
