//! Lists for people: columns that line up, without borders.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use jiff::Timestamp;
use serde::Serialize;
use waynote::Note;
use waynote::secrets::masked;
use waynote::visible::visible;

use crate::error::Outcome;
use crate::output::Output;

/// The column that is cut to the width of a terminal; the others, addresses above all, stay whole.
const CUT: &str = "preview";

/// Its minimum width in columns of the terminal, even if the others leave less room.
const AT_LEAST: usize = 20;

/// Blanks between columns.
const GAP: u16 = 2;

/// A time to the second, for a cell.
pub(crate) fn when(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    whole.to_string()
}

/// The label of a note that cites what has changed, after a blank; empty for another one.
pub(crate) fn stale(note: &Note) -> String {
    let stale = note.stale(|code| visible(&masked(code)));
    stale.map_or_else(String::new, |stale| format!(" ({stale})"))
}

/// A preview, for a cell; the label comes first, since the cell may be cut.
pub(crate) fn preview(note: &Note) -> String {
    format!("{} {}", stale(note).trim_start(), note.preview)
        .trim_start()
        .to_owned()
}

/// An iteration, for a cell.
pub(crate) fn iteration(iteration: Option<i64>) -> String {
    iteration.map_or("-".into(), |iteration| format!("#{iteration}"))
}

/// A table with a heading; cells are made visible, and credentials in them masked.
pub(crate) fn table(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    page(heading, rows, &mut Vec::new())
}

/// A part of a table, the first one with the heading. `widths` are those of the columns in the parts before: a column
/// may get wider from one part to the next.
fn page(
    heading: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    widths: &mut Vec<u16>,
) -> String {
    let mut rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|row| row.iter().map(|cell| visible(&masked(cell))).collect())
        .collect();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    if let (Some(width), Some(cut)) = (
        table.width(),
        heading.iter().position(|title| *title == CUT),
    ) {
        let widest = |column: usize| {
            let cells = rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count());
            let before = widths.get(column).map(|width| usize::from(*width));
            let least = before.unwrap_or(heading[column].len());
            cells.chain([least]).max().unwrap_or(0) + usize::from(GAP)
        };
        let others: usize = (0..heading.len())
            .filter(|column| *column != cut)
            .map(widest)
            .sum();
        let room = usize::from(width).saturating_sub(others + 1).max(AT_LEAST);
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(cut)) {
            if cell.chars().count() > room {
                *cell = cell.chars().take(room - 1).chain(['…']).collect();
            }
        }
    }
    if widths.is_empty() {
        table.set_header(heading.iter().map(|title| title.to_uppercase()));
        widths.resize(heading.len(), 0);
    }
    table.add_rows(rows);
    let now = table.column_max_content_widths();
    for ((column, width), now) in table.column_iter_mut().zip(widths).zip(now) {
        *width = now.max(*width);
        column.set_padding((0, GAP));
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(*width + GAP)));
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Prints a whole list: a table for people, an array for programs, or `nothing` if it has no items.
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
    output.line(table(heading, items.iter().map(row)))
}

/// A list that is printed a page at a time: a table for people, one array for programs.
pub(crate) struct List<'l> {
    output: &'l mut Output,
    heading: &'l [&'l str],
    widths: Vec<u16>,
    is_begun: bool,
}

impl<'l> List<'l> {
    /// A list with this heading.
    pub(crate) fn new(output: &'l mut Output, heading: &'l [&'l str]) -> Self {
        Self {
            output,
            heading,
            widths: Vec::new(),
            is_begun: false,
        }
    }

    /// Prints the next page.
    pub(crate) fn page<T: Serialize>(
        &mut self,
        items: &[T],
        row: impl Fn(&T) -> Vec<String>,
    ) -> Outcome {
        if items.is_empty() {
            return Ok(());
        }
        if self.output.json {
            for item in items {
                let begin = if self.is_begun { ",\n" } else { "[\n" };
                self.is_begun = true;
                self.output.item(begin, item)?;
            }
            return Ok(());
        }
        self.is_begun = true;
        let rows = items.iter().map(row);
        self.output.line(page(self.heading, rows, &mut self.widths))
    }

    /// Prints the end of the list, or `nothing` if it has no items.
    pub(crate) fn end(self, nothing: &str) -> Outcome {
        match (self.output.json, self.is_begun) {
            (true, true) => self.output.text("\n]\n"),
            (true, false) => self.output.line("[]"),
            (false, true) => Ok(()),
            (false, false) => self.output.line(nothing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_a_table_line_up() {
        let rows = |words: &[&str]| -> Vec<Vec<String>> {
            let cell = |word: &&str| vec![(*word).to_owned(), "x".to_owned()];
            words.iter().map(cell).collect()
        };
        let mut widths = Vec::new();
        let pages = [
            &["a", "long one"][..],
            &["b"],
            &["the longest one", "c"],
            &["d"],
        ]
        .map(|words| page(&["note", "pinned"], rows(words), &mut widths));
        insta::assert_snapshot!(pages.join("\n"), @r"
        NOTE      PINNED
        a         x
        long one  x
        b         x
        the longest one  x
        c                x
        d                x
        ");
    }
}
