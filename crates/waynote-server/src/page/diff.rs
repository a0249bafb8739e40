//! The differences between two texts: by line first, then by word in the lines that changed.

use std::time::Duration;

use maud::{Markup, html};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff};
use waynote::visible::lines;

/// The number of unchanged lines that are shown before and after a change.
const AROUND: usize = 2;

/// The most bytes of a text that are compared.
const MOST_BYTES: usize = 64 * 1024;

/// The most lines of a difference that are shown.
const MOST_LINES: usize = 200;

/// The differences between two texts, as a person reads them.
pub(crate) fn view(old: &str, new: &str) -> Markup {
    let (old, new) = (lines(start(old)), lines(start(new)));
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .timeout(Duration::from_millis(20))
        .diff_lines(&old, &new);
    let groups = diff.grouped_ops(AROUND);
    let mut room = MOST_LINES;
    let mut has_room = |op: &DiffOp| {
        let had = room > 0;
        room = room.saturating_sub(op.old_range().len().max(op.new_range().len()));
        had
    };
    let shown: Vec<Vec<&DiffOp>> = groups
        .iter()
        .map(|group| group.iter().take_while(|op| has_room(op)).collect())
        .collect();
    let mut both = shown.iter().zip(&groups);
    let is_cut = both.any(|(shown, group)| shown.len() < group.len());
    html! {
        @if groups.is_empty() {
            p.same { "The texts are the same." }
        } @else {
            div.diff role="group" aria-label="Differences" {
                @for (index, group) in shown.iter().filter(|group| !group.is_empty()).enumerate() {
                    @if index > 0 { hr; }
                    @for op in group { (change(&diff, op)) }
                }
                @if is_cut { p.same { "There are more differences." } }
            }
        }
    }
}

/// The start of a text, at a boundary of characters.
fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_BYTES)]
}

fn change<'d>(diff: &TextDiff<'d, 'd, 'd, str>, op: &DiffOp) -> Markup {
    let text = |lines: &[&str]| {
        let text = lines[..lines.len().min(MOST_LINES)].concat();
        text.trim_end_matches('\n').to_owned()
    };
    let old = text(&diff.old_slices()[op.old_range()]);
    let new = text(&diff.new_slices()[op.new_range()]);
    match op {
        DiffOp::Equal { .. } => html! { div.eq { (old) } },
        DiffOp::Delete { .. } => html! { div.old { del { (old) } } },
        DiffOp::Insert { .. } => html! { div.new { ins { (new) } } },
        DiffOp::Replace { .. } => by_word(&old, &new),
    }
}

fn by_word(old: &str, new: &str) -> Markup {
    let diff = TextDiff::configure()
        .timeout(Duration::from_millis(10))
        .diff_words(old, new);
    // Words with little in common are easier to read one text after the other.
    let kept = diff
        .iter_all_changes()
        .filter(|change| change.tag() == ChangeTag::Equal);
    let kept: usize = kept.map(|change| change.value().trim().len()).sum();
    if kept * 2 < old.len().min(new.len()) {
        return html! { div.old { del { (old) } } div.new { ins { (new) } } };
    }
    html! {
        div.both {
            @for change in diff.iter_all_changes() {
                @match change.tag() {
                    ChangeTag::Equal => { (change.value()) }
                    ChangeTag::Delete => { del { (change.value()) } }
                    ChangeTag::Insert => { ins { (change.value()) } }
                }
            }
        }
    }
}
