//! `waynote tend`: the notes that are worth a look, one after another.

use waynote::tend::{self, Finding, Reason};
use waynote::visible::{lines, visible};
use waynote::{Address, Expect, Note, Place, secrets::masked, single};
use waynote_system::shell::quoted;

use super::{confirm, edit, stale};
use crate::args::AllowArgs;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::table::{list, preview, written};
use crate::typed::in_shell;

/// How many lines of a note are shown.
const LINES: usize = 10;

pub(super) fn run(context: &mut Context<'_>) -> Outcome {
    let given = super::hook::ledgers()?.map(|ledgers| ledgers.last_given());
    let given = given.unwrap_or_default();
    let now = crate::clock::now()?;
    let lineage = context.here()?;
    let found = context.read(|store| {
        let mut found = tend::missing(store, &lineage, &names_in)?;
        let mut others = tend::findings(store, &given, now)?;
        others.retain(|other| found.iter().all(|of| of.note.address != other.note.address));
        found.append(&mut others);
        Ok(found)
    })?;
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
                let (address, why) = (note.address.to_string(), why(found));
                vec![address, why, written(note), preview(note)]
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

/// The names in a directory of this machine.
fn names_in(place: &Place) -> Option<Vec<String>> {
    let folder = std::fs::read_dir(crate::home::expanded(place.as_str()).ok()?).ok()?;
    let names = folder.flatten().map(|entry| entry.file_name());
    Some(names.filter_map(|name| name.into_string().ok()).collect())
}

fn why(found: &Finding) -> String {
    match &found.reason {
        Reason::Missing { place, near } => {
            let inside = place.in_repository().map_or("", |(_, path)| path);
            let gone = format!("{} is not in this checkout", visible(inside));
            let (old, near) = (in_shell(place), near.as_ref().map(in_shell));
            // The folder of a shared note moves with git.
            let near = near.filter(|_| found.note.source.is_own());
            let mv = near.map(|near| format!("; `waynote place mv {old} {near}`"));
            gone + &mv.unwrap_or_default()
        }
        Reason::Stale => "cites changed code".into(),
        Reason::Like(other) => format!("says nearly what {} says", other.masked()),
        Reason::PinNotGiven => "pinned, and given to no session for 90 days".into(),
        _ => "given to no session for 90 days".into(),
    }
}

/// Shows a note and does what is answered; false to end.
fn looked_at(context: &mut Context<'_>, count: &str, found: &Finding) -> Outcome<bool> {
    let (note, address) = (&found.note, found.note.address.masked());
    context.line(format!("{count}{address}: {}", why(found)))?;
    shown(context, note)?;
    let is_entry = matches!(note.address, Address::Session(..));
    let is_own = note.source.is_own();
    let confirm = is_own.then_some("[c]onfirm that it is true");
    let (mut choices, mut other) = (Vec::from_iter(confirm), None);
    match &found.reason {
        Reason::Like(of) => {
            other = context.read(|store| Ok(store.get(of)?))?;
            choices = Vec::new();
            if let Some(other) = &other {
                context.line(format!("{}:", other.address.masked()))?;
                shown(context, other)?;
                let is_ours = is_own && other.source.is_own();
                choices.extend(is_ours.then_some("[m]erge into the other"));
            }
        }
        Reason::Stale => {
            let diffs = context.read(|store| Ok(stale::diffs(store.checkouts(), note)))?;
            context.line(lines(&diffs))?;
            choices.extend((!is_entry).then_some("[e]dit"));
        }
        Reason::PinNotGiven => choices.extend(is_own.then_some("[u]npin")),
        _ => {}
    }
    choices.extend((is_own && !is_entry).then_some("[d]elete"));
    context.output.flush()?;
    let question = choices.join(", ") + ", [q]uit; Enter leaves it as it is: ";
    let letter = loop {
        let answer = confirm::answered(&question)?;
        let letter = answer.trim().to_lowercase();
        match letter.as_str() {
            "q" => return Ok(false),
            // With its line end; the end of the input has none.
            "" => return Ok(!answer.is_empty()),
            _ => {}
        }
        let bracketed = format!("[{letter}]");
        if choices.iter().any(|choice| choice.starts_with(&bracketed)) {
            break letter;
        }
    };
    let (stamp, of) = (context.stamp()?, note.address.clone());
    let expect = Expect::Revision(note.revision);
    let done = match (letter.as_str(), &other) {
        ("m", Some(other)) => {
            let limits = context.settings.limits(None, None);
            context.write(|store| Ok(tend::merge(store, other, note, limits, &stamp)?))?;
            let into = other.address.masked();
            let back = [&*address, &*into].map(|note| format!("`waynote undo {}`", quoted(note)));
            let back = back.join(" and ");
            format!("merged into {into}; deleted {address}: {back} take that back")
        }
        ("d", _) => {
            context.write(|store| Ok(single::delete(store, of, expect, &stamp)?))?;
            let undo = quoted(&address);
            format!("deleted {address}; `waynote undo {undo}` brings it back")
        }
        ("u", _) => {
            context.write(|store| Ok(single::set_pinned(store, of, false, expect, &stamp)?))?;
            format!("unpinned {address}")
        }
        ("e", _) => {
            edit::in_editor(context, of, &AllowArgs::default())?;
            return Ok(true);
        }
        _ => {
            let (note, gone) = stale::confirmed(context, &of)?;
            stale::said(&note, &gone)
        }
    };
    context.line(done)?;
    Ok(true)
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
