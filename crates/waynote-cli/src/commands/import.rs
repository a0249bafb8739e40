//! `waynote import`: other programs' notes brought in.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use waynote::formats::texts::{Mode, Read as Texts};
use waynote::formats::xs::ContentFolder;
use waynote::formats::zrb::NotesFile;
use waynote::formats::{
    Conflict, Current, Imported, Skipped, agents_md, basic_memory, claude_code, openotters,
    server_memory, xs, zrb,
};
use waynote::{Place, Scope};

use super::Context;
use crate::args::{DryRun, ImportCommand, NotebookArgs};
use crate::error::{Failure, Outcome, say, warn_of_secrets};
use crate::xs_socket::Xs;
use crate::{home, input};
use waynote::visible::visible;

pub(super) fn run(context: &mut Context<'_>, command: &ImportCommand) -> Outcome {
    let imported = match command {
        ImportCommand::Zrb { source } => from_zrb(context, source.as_deref())?,
        ImportCommand::Xs { source, contents } => from_xs(context, source, contents.as_deref())?,
        ImportCommand::Openotters { source } => {
            let now = crate::clock::now()?;
            let agent = context.settings.agent.value.clone();
            context.write(|store| Ok(openotters::import(store, source, &agent, now)?))?
        }
        ImportCommand::ClaudeCode { at, dry } => {
            let place = input::place(at.path.as_deref())?;
            let configuration = match home::variable("CLAUDE_CONFIG_DIR")? {
                Some(folder) => folder.into(),
                None => home::expanded("~/.claude")?,
            };
            let read = claude_code::read(&directory(&place)?, &place, &configuration)?;
            from_texts(context, read, claude_code::AUTHOR, dry)?
        }
        ImportCommand::AgentsMd { at, dry } => {
            let place = input::place(at.path.as_deref())?;
            let read = agents_md::read(&directory(&place)?, &place)?;
            from_texts(context, read, agents_md::AUTHOR, dry)?
        }
        ImportCommand::ServerMemory {
            notebook,
            source,
            dry,
        } => {
            let read = server_memory::read(source, &scope(context, notebook)?)?;
            from_texts(context, read, server_memory::AUTHOR, dry)?
        }
        ImportCommand::BasicMemory {
            notebook,
            source,
            dry,
        } => {
            let read = basic_memory::read(source, &scope(context, notebook)?)?;
            from_texts(context, read, basic_memory::AUTHOR, dry)?
        }
    };
    report(context, &imported, is_dry_run(command))?;
    warn_of_secrets(
        &imported.secrets,
        &context.settings.secret_policy(),
        context.output.json,
    );
    Ok(())
}

fn is_dry_run(command: &ImportCommand) -> bool {
    match command {
        ImportCommand::Zrb { .. } | ImportCommand::Xs { .. } | ImportCommand::Openotters { .. } => {
            false
        }
        ImportCommand::ClaudeCode { dry, .. }
        | ImportCommand::AgentsMd { dry, .. }
        | ImportCommand::ServerMemory { dry, .. }
        | ImportCommand::BasicMemory { dry, .. } => dry.on,
    }
}

fn from_texts(context: &Context<'_>, read: Texts, author: &str, dry: &DryRun) -> Outcome<Imported> {
    if read.is_empty() {
        return Err(Failure::refused(
            "not_found",
            "there is nothing to import",
            "name the directory with `--at`, or look at what is in the file or folder",
        ));
    }
    let now = crate::clock::now()?;
    if dry.on {
        context.read(|store| Ok(read.import(store, author, now, Mode::DryRun)?))
    } else {
        context.write(|store| Ok(read.import(store, author, now, Mode::Write)?))
    }
}

/// The directory of a place.
fn directory(place: &Place) -> Outcome<PathBuf> {
    home::expanded(place.as_str())
}

/// The notebook that is meant: the agent's, or a directory's.
fn scope(context: &Context<'_>, notebook: &NotebookArgs) -> Outcome<Scope> {
    Ok(match &notebook.at {
        Some(path) => Scope::Place(input::place(Some(path))?),
        None => Scope::Agent(context.settings.agent.value.clone()),
    })
}

/// The notes.json that Zrb uses here: the configured one, or its default.
pub(super) fn zrb_file(context: &Context<'_>, named: Option<&Path>) -> Outcome<PathBuf> {
    match (named, &context.settings.notes_file.value) {
        (Some(named), _) => Ok(named.to_owned()),
        (None, Some(configured)) => Ok(configured.clone()),
        (None, None) => home::expanded(crate::zrb_file::DEFAULT),
    }
}

fn from_zrb(context: &Context<'_>, source: Option<&Path>) -> Outcome<Imported> {
    let path = zrb_file(context, source)?;
    let file = if path == Path::new("-") {
        NotesFile::read(&input::standard_input()?, Path::new("standard input"))
            .map_err(waynote::Error::from)?
    } else {
        // A file that is not there is an error when it is to be imported; this one says so itself.
        std::fs::metadata(&path).map_err(|error| Failure::file(&path, "read", error))?;
        NotesFile::open(&path)?.unwrap_or_default()
    };
    let (now, base) = (crate::clock::now()?, crate::home::base_of_home()?);
    context.write(|store| Ok(zrb::import(store, &file, &base, now)?))
}

fn from_xs(context: &Context<'_>, source: &Path, contents: Option<&Path>) -> Outcome<Imported> {
    let now = crate::clock::now()?;
    let only = context.settings.session.value.clone();
    let only = only.as_ref();
    let read = if source == Path::new("-") {
        let folder = contents.ok_or_else(|| {
            Failure::usage(
                "the texts of frames from standard input are missing",
                "add `--contents FOLDER`: the xs store's folder",
            )
        })?;
        xs::read(
            input::standard_input()?.as_slice(),
            &ContentFolder::of_store(folder),
            only,
        )?
    } else if source.is_dir() {
        let xs = Xs::serving(source);
        // Of all topics: what is no note is counted.
        let frames = xs.frames(None)?;
        match contents {
            Some(folder) => xs::read(frames.as_slice(), &ContentFolder::of_store(folder), only)?,
            None => xs::read(frames.as_slice(), &xs, only)?,
        }
    } else {
        let frames = File::open(source).map_err(|error| Failure::file(source, "read", error))?;
        let folder = contents.or(source.parent()).unwrap_or(Path::new("."));
        xs::read(
            BufReader::new(frames),
            &ContentFolder::of_store(folder),
            only,
        )?
    };
    context.write(|store| Ok(read.import(store, now)?))
}

/// The counts; what was not imported goes to standard error, because the import itself did its work.
fn report(context: &mut Context<'_>, imported: &Imported, is_dry_run: bool) -> Outcome {
    let Imported {
        added,
        updated,
        unchanged,
        conflicts,
        skipped,
        not_imported,
        planned,
        ..
    } = imported;
    if !conflicts.is_empty() {
        say(&format!("conflicts {}:", conflicts.len()));
        conflicts.iter().for_each(|conflict| say(&line(conflict)));
    }
    say_left_out(&format!("skipped {}", skipped.len()), skipped);
    say_left_out("not imported, because it is no note", not_imported);
    context.output.answer(imported, || {
        let mut text = String::new();
        for address in planned {
            text += &format!("would import {address}\n");
        }
        let conflicting = match conflicts.len() {
            0 => String::new(),
            many => format!("{many} in conflict, "),
        };
        let changed = match is_dry_run {
            true => format!("would add {added} and update {updated}; "),
            false => format!("{added} added, {updated} updated, "),
        };
        let skipped = skipped.len();
        text + &format!("{changed}{unchanged} unchanged, {conflicting}{skipped} skipped")
    })
}

/// A conflict: whose text is current, and where the other one is.
fn line(conflict: &Conflict) -> String {
    let Conflict {
        address,
        current,
        revision,
    } = conflict;
    let (current, other) = match current {
        Current::Imported => ("the imported text is current", "the one written here"),
        Current::Here => ("the text written here stays current", "the imported one"),
    };
    let address = visible(&address.to_string());
    format!(
        "  {address}: {current}; {other} is revision {revision}: `waynote restore {address}@{revision}` makes it current"
    )
}

/// What was left out, each with its reason, on standard error.
pub(super) fn say_left_out(title: &str, left_out: &[Skipped]) {
    if left_out.is_empty() {
        return;
    }
    say(&format!("{title}:"));
    for Skipped { what, reason } in left_out {
        say(&format!("  {}: {}", visible(what), visible(reason)));
    }
}
