//! `waynote stale` and `waynote confirm`: notes that cite code which has changed.

use serde_json::json;
use waynote::visible::lines;
use waynote::{Citation, Note, cites, secrets::masked};

use crate::error::{Failure, Outcome};
use crate::input;
use crate::invocation::Context;

/// What was cited, what it said, and what stands there now.
type Span<'n> = (&'n Citation, Option<String>, Option<String>);

pub(super) fn list(context: &mut Context<'_>) -> Outcome {
    let stale = context.read(|store| Ok(cites::stale(store)?))?;
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
            crate::table::stale(note)
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
    let (Some(old), now) = (old, now.as_deref().unwrap_or_default()) else {
        return out + "old text not kept";
    };
    let (old, now): (Vec<&str>, Vec<&str>) = (old.lines().collect(), now.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let begin = same(&mut old.iter().zip(&now));
    let rest = old.len().min(now.len()) - begin;
    let end = same(&mut old.iter().rev().zip(now.iter().rev()).take(rest));
    for (sign, lines) in [
        (" ", &old[..begin]),
        ("-", &old[begin..old.len() - end]),
        ("+", &now[begin..now.len() - end]),
        (" ", &old[old.len() - end..]),
    ] {
        lines
            .iter()
            .for_each(|line| out += &format!("{sign}{line}\n"));
    }
    out.trim_end().to_owned()
}

pub(super) fn confirm(context: &mut Context<'_>, address: &str) -> Outcome {
    let named = input::address(address)?;
    if let Some(revision) = named.revision {
        let what = format!("`@{revision}` names a revision, which cannot be changed");
        return Err(Failure::usage(what, format!("leave out `@{revision}`")));
    }
    let stamp = context.stamp()?;
    let note = context.write(|store| Ok(cites::confirm(store, &named.address, &stamp)?))?;
    context.answer(&note, || {
        let address = note.address.masked();
        format!(
            "confirmed {address} (revision {}){}",
            note.revision,
            note.cited()
        )
    })
}
