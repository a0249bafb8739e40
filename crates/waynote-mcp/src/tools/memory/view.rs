//! `view`: a directory two levels deep, or a file with line numbers.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::files::{Files, PathTarget};
use super::path::Path;
use waynote::visible::without_hidden;

use crate::reply::Refusal;

/// How deep a directory is shown.
const LEVELS: usize = 2;

pub(super) fn view(files: &Files<'_>) -> Result<String, Refusal> {
    let path = files.path("path")?;
    let range = files.call.arguments.range("view_range");
    match files.find(&path)? {
        PathTarget::File(note) => file(&path, &without_hidden(&note.content.shown()), range),
        PathTarget::Directory => directory(files, &path),
        PathTarget::Nothing => Err(missing(&path)),
    }
}

/// The refusal to read or edit a path that has no file.
pub(super) fn missing(path: &Path) -> Refusal {
    Refusal::only(format!(
        "The path {path} does not exist. Please provide a valid path."
    ))
}

fn directory(files: &Files<'_>, path: &Path) -> Result<String, Refusal> {
    let mut below = files.below(path)?;
    below.retain(|of| {
        let mut parts = of.below(path).unwrap_or_default().split('/');
        !parts.any(|part| part.starts_with('.') || part == "node_modules")
    });
    let mut sizes = BTreeMap::from([(path.clone(), 0)]);
    for (file, note) in files.notes(&below)? {
        let bytes = note.content.len() as u64;
        *sizes.entry(path.clone()).or_default() += bytes;
        let mut at = path.clone();
        for part in file.below(path).unwrap_or_default().split('/').take(LEVELS) {
            at = at.join(part);
            *sizes.entry(at.clone()).or_default() += bytes;
        }
    }
    let mut text = format!(
        "Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items and node_modules:"
    );
    for (path, bytes) in sizes {
        let _ = write!(text, "\n{}\t{path}", size(bytes));
    }
    Ok(text)
}

/// A size as people read it: `512`, `1.5K`.
fn size(bytes: u64) -> String {
    let mut size = bytes as f64;
    for unit in ["", "K", "M"] {
        if size < 1024.0 {
            return match unit {
                "" => bytes.to_string(),
                unit => format!("{size:.1}{unit}"),
            };
        }
        size /= 1024.0;
    }
    format!("{size:.1}G")
}

fn file(path: &Path, text: &str, range: Option<(i64, i64)>) -> Result<String, Refusal> {
    let lines = lines(text);
    let last = lines.len() as i64;
    let (first, wanted) = range.unwrap_or((1, -1));
    let end = if wanted == -1 { last } else { wanted.min(last) };
    if range.is_some() && (first < 1 || first > last.max(1) || end < first.min(last)) {
        return Err(Refusal::only(format!(
            "Invalid `view_range` parameter: [{first}, {wanted}]. It should be within the range [1, {last}]."
        )));
    }
    let shown = numbered(&lines, first, end);
    Ok(format!(
        "Here's the content of {path} with line numbers:{shown}"
    ))
}

/// The lines of a text. A line end at its end begins no further line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Lines with their numbers, a line end before each.
pub(super) fn numbered(lines: &[&str], first: i64, last: i64) -> String {
    let mut text = String::new();
    for (number, line) in (1..).zip(lines) {
        if (first..=last).contains(&number) {
            let _ = write!(text, "\n{number:>6}\t{line}");
        }
    }
    text
}
