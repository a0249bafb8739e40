//! `waynote tend`: the notes that are worth a look, one after another.

use waynote::tend::{self, Finding, Reason};
use waynote::visible::lines;
use waynote::{Address, Expect, Note, secrets::masked, single};
use waynote_system::shell::quoted;

use super::{confirm, edit, stale, undo};
use crate::args::AllowArgs;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::table::{list, preview, when};

/// How many lines of a note are shown.
const LINES: usize = 10;

pub(super) fn run(context: &mut Context<'_>) -> Outcome {
    let given = super::hook::ledgers()?.map(|ledgers| ledgers.last_given());
    let given = given.unwrap_or_default();
    let now = crate::clock::now()?;
    let found = context.read(|store| Ok(tend::findings(store, &given, now)?))?;
    if context.output.json {
        return context.value(&found);
    }
    if !confirm::can_ask() || !context.output.is_terminal() || found.is_empty() {
        let heading = ["note", "why", "updated", "preview"];
        return list(
            context.output,
            &found,
            "no note is worth a look",
            &heading,
            |found| {
                let note = &found.note;
                let (address, why) = (note.address.to_string(), why(&found.reason));
                vec![address, why, when(note.updated_at), preview(note)]
            },
        );
    }
    for (number, one) in found.iter().enumerate() {
        // An answer before, or somebody else, may have changed it.
        let now = context.read(|store| Ok(store.get(&one.note.address)?))?;
        if now.is_none_or(|now| now.revision != one.note.revision) {
            continue;
        }
        let count = format!("\n{} of {}  ", number + 1, found.len());
        match looked_at(context, &count, one) {
            Ok(true) => {}
            Ok(false) => break,
            // Another note may be written, and this one is shown again by the next run.
            Err(failure) if failure.kind() == "conflict" => {
                let address = one.note.address.masked();
                context.line(format!(
                    "{address} was changed meanwhile: it is left as it is"
                ))?;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

fn why(reason: &Reason) -> String {
    match reason {
        Reason::Stale => "cites changed code".into(),
        Reason::Like(other) => format!("says nearly what {} says", other.masked()),
        Reason::PinNotGiven => "pinned, and given to no session for 90 days".into(),
        _ => "given to no session for 90 days".into(),
    }
}

/// Shows a note and does what is answered; false to end.
fn looked_at(context: &mut Context<'_>, count: &str, found: &Finding) -> Outcome<bool> {
    let (note, address) = (&found.note, found.note.address.masked());
    let head = format!("{count}{address}: {}", why(&found.reason));
    context.line(head)?;
    shown(context, note)?;
    let other = match &found.reason {
        Reason::Like(other) => context.read(|store| Ok(store.get(other)?))?,
        _ => None,
    };
    let is_entry = matches!(note.address, Address::Session(..));
    let choices = match &found.reason {
        Reason::Like(_) => {
            if let Some(other) = &other {
                context.line(format!("{}:", other.address.masked()))?;
                shown(context, other)?;
            }
            "[m]erge into the other, [d]elete"
        }
        Reason::Stale => {
            let diffs = context.read(|store| Ok(stale::diffs(store.checkouts(), note)))?;
            context.line(lines(&diffs))?;
            match is_entry {
                true => "[c]onfirm that it is true",
                false => "[c]onfirm that it is true, [e]dit, [d]elete",
            }
        }
        Reason::PinNotGiven => "[c]onfirm that it is true, [u]npin, [d]elete",
        _ => "[c]onfirm that it is true, [d]elete",
    };
    context.output.flush()?;
    let stamp = context.stamp()?;
    let expect = Expect::Revision(note.revision);
    loop {
        let question = format!("{choices}, [q]uit; Enter leaves it as it is: ");
        let answer = confirm::answered(&question)?.to_lowercase();
        let answer = match answer.as_str() {
            // The end of the input.
            "" => "q",
            line => line.trim(),
        };
        let of = note.address.clone();
        let done = match (answer, &found.reason) {
            ("q", _) => return Ok(false),
            ("", _) => return Ok(true),
            ("d", _) if !is_entry => {
                context.write(|store| Ok(single::delete(store, of.clone(), expect, &stamp)?))?;
                let undo = quoted(&address);
                format!("deleted {address}; `waynote undo {undo}` brings it back")
            }
            ("e", Reason::Stale) if !is_entry => {
                edit::in_editor(context, of, &AllowArgs::default())?;
                return Ok(true);
            }
            ("m", Reason::Like(_)) => {
                let Some(other) = &other else { continue };
                let limits = context.settings.limits(None, None);
                context.write(|store| Ok(tend::merge(store, other, note, limits, &stamp)?))?;
                let into = other.address.masked();
                let each = [&*address, &*into].map(|note| format!("waynote undo {}", quoted(note)));
                let back = each.join("` and `");
                let back = undo::command(context, &[&of, &other.address], back)?;
                format!("merged into {into}; deleted {address}: `{back}` takes that back")
            }
            ("u", Reason::PinNotGiven) => {
                context.write(|store| {
                    Ok(single::set_pinned(
                        store,
                        of.clone(),
                        false,
                        expect,
                        &stamp,
                    )?)
                })?;
                format!("unpinned {address}")
            }
            ("c", reason) if !matches!(reason, Reason::Like(_)) => {
                let (note, gone) = stale::confirmed(context, &of)?;
                stale::said(&note, &gone)
            }
            _ => continue,
        };
        context.line(done)?;
        return Ok(true);
    }
}

/// The first lines of a note.
fn shown(context: &mut Context<'_>, note: &Note) -> Outcome {
    let text = masked(&note.content.shown()).into_owned();
    for line in lines(&text).lines().take(LINES) {
        context.line(format!("  {line}"))?;
    }
    let more = text.lines().count().saturating_sub(LINES);
    match more {
        0 => Ok(()),
        more => context.line(format!("  … {more} more lines")),
    }
}
