//! Lists for people: columns that line up, without borders.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use crate::visible::visible;

/// The column that wraps to the width of a terminal; the others, addresses above all, stay whole.
const WRAPS: &str = "preview";

/// A table with a heading; cells are made visible.
pub(crate) fn table(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(heading.iter().map(|title| title.to_uppercase()));
    for row in rows {
        table.add_row(row.iter().map(|cell| visible(cell)));
    }
    for (column, title) in table.column_iter_mut().zip(heading) {
        column.set_padding((0, 2));
        if *title != WRAPS {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
