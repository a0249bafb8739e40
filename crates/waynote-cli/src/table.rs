//! Lists for people: columns that line up, without borders.

use comfy_table::{ContentArrangement, Table, presets};
use jiff::Timestamp;
use waynote::secrets::masked;
use waynote::visible::visible;

/// The column that is cut to the width of a terminal; the others, addresses above all, stay whole.
const CUT: &str = "preview";

/// What is left of it in a terminal that is too narrow for the others.
const AT_LEAST: usize = 20;

/// Blanks between columns.
const GAP: u16 = 2;

/// A time to the second, for a cell.
pub(crate) fn when(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    whole.to_string()
}

/// An iteration, for a cell.
pub(crate) fn iteration(iteration: Option<i64>) -> String {
    iteration.map_or("-".into(), |iteration| format!("#{iteration}"))
}

/// A table with a heading; cells are made visible, and credentials in them masked.
pub(crate) fn table(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
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
            cells.chain([heading[column].len()]).max().unwrap_or(0) + usize::from(GAP)
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
    table.set_header(heading.iter().map(|title| title.to_uppercase()));
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, GAP));
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
