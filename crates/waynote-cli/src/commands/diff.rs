//! `waynote diff`: two texts, word by word.

use anstyle::{AnsiColor, Style};
use serde_json::json;
use similar::{ChangeTag, TextDiff};
use waynote::secrets::masked;
use waynote::text::plural;
use waynote::{AddressAt, NoteAsOf, Revision, single};

use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::{Use, found};

pub(super) fn run(context: &mut Context<'_>, old: &str, new: Option<&str>) -> Outcome {
    let mut old = context.note_at(old, Use::Keep)?;
    let new = match new {
        Some(new) => context.note_at(new, Use::Keep)?,
        None => last_two(context, &mut old)?,
    };
    let (before, after) = (text(context, &old)?, text(context, &new)?);
    let diff = TextDiff::from_words(&before, &after);
    // Words that change together are one change.
    let slices = |op: &similar::DiffOp| {
        let slices = op.iter_slices(diff.old_slices(), diff.new_slices());
        slices.map(|(tag, words)| (tag, words.concat())).collect()
    };
    let changes: Vec<Vec<(ChangeTag, String)>> = diff.ops().iter().map(slices).collect();
    let changes = changes.concat();
    if context.output.json {
        let change =
            |(tag, text): &(ChangeTag, String)| json!({ "change": tag.to_string(), "text": text });
        let changes: Vec<_> = changes.iter().map(change).collect();
        let (old, new) = (old.to_string(), new.to_string());
        return context.value(&json!({ "old": old, "new": new, "changes": changes }));
    }
    if before == after {
        return context.line(format!("{old} and {new} have the same text"));
    }
    let colour = context.output.has_colour();
    let marked = changes.iter().map(|(tag, text)| marked(*tag, text, colour));
    let marked: String = marked.collect();
    context.line(format!("{old} → {new}"))?;
    context.coloured(&format!("{}\n", marked.trim_end_matches('\n')))
}

/// The most changed lines that are shown of one note among others.
const LINES: usize = 3;

/// The first lines of a text that changed, as in a patch.
pub(super) fn lines(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::from_lines(before, after);
    let lines = diff.iter_all_changes();
    let changed = lines.filter(|of| of.tag() != ChangeTag::Equal && !of.value().trim().is_empty());
    let line = |of: similar::Change<&str>| format!("{} {}", of.tag(), of.value().trim_end());
    let mut lines: Vec<String> = changed.map(line).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(LINES) {
        lines.truncate(LINES);
        lines.push(format!("… {} more", plural(more as u64, "line")));
    }
    lines
}

/// The last revision of a note; `old` becomes the one before it that has a text, unless it names one. Deletions have
/// none.
fn last_two(context: &Context<'_>, old: &mut AddressAt) -> Outcome<AddressAt> {
    let (last, history) = context.read(|store| {
        let note = found(store, old, single::get(store, &old.address, None))?;
        Ok((note.revision, store.history(&old.address)?))
    })?;
    let mut before = history.iter().rev();
    let before = before.find(|of| of.number() < last && of.note().is_some());
    old.revision = old.revision.or(before.map(Revision::number));
    match old.revision {
        Some(_) => Ok(AddressAt::new(old.address.clone(), Some(last))),
        None => Err(Failure::refused(
            "one_revision",
            format!("{} has one revision only", old.address.masked()),
            "name two notes: `waynote diff NOTE OTHER`",
        )),
    }
}

fn text(context: &Context<'_>, named: &AddressAt) -> Outcome<String> {
    let as_of = named.revision.map(NoteAsOf::Revision);
    let note = context.read(|store| {
        let note = single::get(store, &named.address, as_of);
        found(store, named, note)
    })?;
    Ok(masked(&note.content.shown()).into_owned())
}

/// A deletion or an insertion in its colour, or between `[-` and `-]`, `{+` and `+}` as git marks words.
fn marked(tag: ChangeTag, text: &str, colour: bool) -> String {
    let painted = |colour: AnsiColor| {
        let style = Style::new().fg_color(Some(colour.into()));
        format!("{}{text}{}", style.render(), style.render_reset())
    };
    match (tag, colour) {
        (ChangeTag::Equal, _) => text.to_owned(),
        (ChangeTag::Delete, true) => painted(AnsiColor::Red),
        (ChangeTag::Insert, true) => painted(AnsiColor::Green),
        (ChangeTag::Delete, false) => format!("[-{text}-]"),
        (ChangeTag::Insert, false) => format!("{{+{text}+}}"),
    }
}
