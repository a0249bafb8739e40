//! `waynote stale` and `waynote confirm`: notes that cite code which has changed.

use serde_json::json;
use similar::TextDiff;
use waynote::visible::lines;
use waynote::{Address, Citation, Note, cites, secrets::masked};

use super::share;
use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::typed::{Use, in_shell};

/// What was cited, what it said, and what stands there now.
type Span<'n> = (&'n Citation, Option<String>, Option<String>);

pub(super) fn list(context: &mut Context<'_>) -> Outcome {
    // Where there is no home directory, own notes alone.
    let _ = context.here();
    let (stale, unread) = context.read(|store| Ok(cites::stale(store)?))?;
    for repository in unread {
        let repository = in_shell(&repository);
        say(&format!(
            "note: what is cited in {repository} was not checked: git cannot read it here"
        ));
    }
    let of = |note| context.read(|store| Ok(spans(store.checkouts(), note)));
    let spans = stale.iter().map(of).collect::<Outcome<Vec<_>>>()?;
    if context.output.json {
        let values = stale.iter().zip(&spans).map(|(note, spans)| {
            let span =
                |(cited, old, now): &Span<'_>| json!({ "cites": cited, "old": old, "now": now });
            json!({ "note": note, "changed": spans.iter().map(span).collect::<Vec<_>>() })
        });
        return context.value(&values.collect::<Vec<_>>());
    }
    if stale.is_empty() {
        return context.line("no note cites code that has changed");
    }
    for (index, (note, spans)) in stale.iter().zip(&spans).enumerate() {
        let between = if index == 0 { "" } else { "\n" };
        let head = format!(
            "{between}{}{}",
            note.address.masked(),
            crate::table::labels(note)
        );
        context.line(format!("{head}\n  {}", note.preview))?;
        for span in spans {
            context.line(lines(&masked(&diff(span))))?;
        }
    }
    Ok(())
}

/// The diffs of what a note cites.
pub(super) fn diffs(checkouts: Option<&dyn cites::Checkouts>, note: &Note) -> String {
    let diffs = spans(checkouts, note).iter().map(diff).collect::<Vec<_>>();
    masked(&diffs.join("\n")).into_owned()
}

fn spans<'n>(checkouts: Option<&dyn cites::Checkouts>, note: &'n Note) -> Vec<Span<'n>> {
    let changed = note.cites.iter().filter(|cited| cited.changed);
    let span = |cited: &'n Citation| {
        let (old, now) = checkouts.map_or((None, None), |of| cites::spans(of, cited));
        (cited, old, now)
    };
    changed.map(span).collect()
}

/// The lines of a span that differ, and those between them.
fn diff((cited, old, now): &Span<'_>) -> String {
    let mut out = format!("{}\n", cited.code);
    if cited.lines().is_none() {
        return out + "not found any more";
    }
    let Some(old) = old else {
        return out + "the earlier lines are not known (never committed)";
    };
    let diff = TextDiff::from_lines(old.as_str(), now.as_deref().unwrap_or_default());
    for change in diff.iter_all_changes() {
        out += &format!("{}{change}", change.tag());
    }
    out.trim_end().to_owned()
}

pub(super) fn confirm(context: &mut Context<'_>, address: &str) -> Outcome {
    let address = context.note(address, Use::Keep)?;
    let (note, gone) = confirmed(context, &address)?;
    context.answer(&note, || said(&note, &gone))
}

/// Says that a note is still true; also returns what it no longer cites.
pub(super) fn confirmed(
    context: &mut Context<'_>,
    address: &Address,
) -> Outcome<(Note, Vec<Citation>)> {
    if let Some((sharing, Some(note))) = share::to_change(context, address)? {
        return share::confirmed(context, (sharing, note));
    }
    let stamp = context.stamp()?;
    context.write(|store| Ok(cites::confirm(store, address, &stamp)?))
}

/// The answer to a confirmation.
pub(super) fn said(note: &Note, gone: &[Citation]) -> String {
    let address = note.address.masked();
    let how = match note.source.is_own() {
        true => format!("revision {}", note.revision),
        false if note.cites.is_empty() && gone.is_empty() => {
            return format!("{address} cites no code: nothing to confirm");
        }
        false => "in its file, to be committed".into(),
    };
    let (cited, gone) = (note.cited(), Citation::dropped(gone));
    format!("confirmed {address} ({how}){cited}{gone}")
}
