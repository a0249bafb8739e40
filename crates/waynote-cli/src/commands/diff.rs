//! `waynote diff`: two texts, word by word.

use anstyle::{AnsiColor, Style};
use serde_json::json;
use similar::{ChangeTag, TextDiff};
use waynote::secrets::masked;
use waynote::{AddressAt, Note, NoteAsOf, Revision, single};

use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::{Use, found};

/// How many lines are shown around a change.
const AROUND: usize = 2;

pub(super) fn run(context: &mut Context<'_>, old: &str, new: Option<&str>) -> Outcome {
    let mut old = context.note_at(old, Use::Keep)?;
    let new = match new {
        Some(new) => context.note_at(new, Use::Keep)?,
        None => {
            let last = last_revision(context, &old)?;
            let new = AddressAt::new(old.address.clone(), last);
            if old.revision.is_none() {
                old.revision = Some(text_before(context, &old, last)?);
            }
            new
        }
    };
    let (before, after) = (text(context, &old)?, text(context, &new)?);
    let diff = TextDiff::from_words(&before, &after);
    let changes = || {
        diff.iter_all_changes()
            .map(|change| (change.tag(), change.value()))
    };
    if context.output.json {
        let changes: Vec<_> = changes()
            .map(|(tag, text)| json!({ "change": tag.to_string(), "text": text }))
            .collect();
        let (old, new) = (old.to_string(), new.to_string());
        return context.value(&json!({ "old": old, "new": new, "changes": changes }));
    }
    if before == after {
        return context.line(format!("{old} and {new} have the same text"));
    }
    let shown = marked(changes(), context.output.has_colour());
    context.line(format!("{old} → {new}"))?;
    context.coloured(&shown)
}

/// The last revision of a note. Fails if it is the only one.
fn last_revision(context: &Context<'_>, named: &AddressAt) -> Outcome<u64> {
    let note =
        context.read(|store| found(store, named, single::get(store, &named.address, None)))?;
    match note.revision {
        1 if named.revision.is_none() => Err(Failure::refused(
            "one_revision",
            format!("{} has one revision only", named.address.masked()),
            "name two notes: `waynote diff NOTE OTHER`",
        )),
        last => Ok(last),
    }
}

/// The latest revision before `last` that has a text. Deletions have none.
fn text_before(context: &Context<'_>, named: &AddressAt, last: u64) -> Outcome<u64> {
    let history = context.read(|store| Ok(store.history(&named.address)?))?;
    let before = history
        .iter()
        .filter(|of| of.number() < last && of.note().is_some());
    Ok(before.map(Revision::number).max().unwrap_or(last - 1))
}

fn text(context: &Context<'_>, named: &AddressAt) -> Outcome<String> {
    let as_of = named.revision.map(NoteAsOf::Revision);
    let note: Note =
        context.read(|store| found(store, named, single::get(store, &named.address, as_of)))?;
    Ok(masked(&note.content.shown()).into_owned())
}

/// The text with deletions and insertions marked: in colours, or between `[-` and `-]`, `{+` and `+}` as git marks words.
/// Lines far from any change are left out.
fn marked<'t>(changes: impl Iterator<Item = (ChangeTag, &'t str)>, colour: bool) -> String {
    // Words that change together are marked together.
    let mut parts: Vec<(ChangeTag, String)> = Vec::new();
    for (tag, text) in changes {
        match parts.last_mut() {
            Some((last, part)) if *last == tag => part.push_str(text),
            _ => parts.push((tag, text.to_owned())),
        }
    }
    let mut lines = vec![(String::new(), false)];
    for (tag, text) in parts {
        let (begin, end) = marks(tag, colour);
        for (number, part) in text.split('\n').enumerate() {
            if number > 0 {
                lines.push((String::new(), false));
            }
            let Some((line, is_changed)) = lines.last_mut() else {
                continue;
            };
            *is_changed |= tag != ChangeTag::Equal;
            if !part.is_empty() {
                line.push_str(&format!("{begin}{part}{end}"));
            }
        }
    }
    if lines.last().is_some_and(|(line, _)| line.is_empty()) {
        lines.pop();
    }
    let is_near = |at: usize| {
        let until = lines.len().min(at + AROUND + 1);
        lines[at.saturating_sub(AROUND)..until]
            .iter()
            .any(|(_, is_changed)| *is_changed)
    };
    let mut shown = String::new();
    for (at, (line, _)) in lines.iter().enumerate() {
        if is_near(at) {
            shown += &format!("{line}\n");
        } else if at == 0 || is_near(at - 1) {
            shown += "…\n";
        }
    }
    shown
}

fn marks(tag: ChangeTag, colour: bool) -> (String, String) {
    let coloured = |colour: AnsiColor| {
        let style = Style::new().fg_color(Some(colour.into()));
        (style.render().to_string(), style.render_reset().to_string())
    };
    match (tag, colour) {
        (ChangeTag::Equal, _) => (String::new(), String::new()),
        (ChangeTag::Delete, true) => coloured(AnsiColor::Red),
        (ChangeTag::Insert, true) => coloured(AnsiColor::Green),
        (ChangeTag::Delete, false) => ("[-".into(), "-]".into()),
        (ChangeTag::Insert, false) => ("{+".into(), "+}".into()),
    }
}
