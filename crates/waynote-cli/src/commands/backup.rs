//! `waynote backup FILE` and `waynote restore FILE`: the whole store as one file, and back.

use std::io::ErrorKind;
use std::path::Path;

use serde_json::{Value, json};
use waynote::sqlite::Backup;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, Error, SqliteStore};
use waynote_system::shell::quoted;

use super::undo;
use crate::args::RestoreArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::opened::options;
use crate::typed::Use;

pub(super) fn backup(context: &mut Context<'_>, file: &Path, force: bool) -> Outcome {
    let store = context.settings.store_file()?.to_owned();
    // The store alone: a notes.json kept in sync is a file of its own.
    let open = SqliteStore::open(&store, &options(&context.settings))?;
    let backup = open.backup(file, force).map_err(|error| match &error {
        Error::NotFound { .. } => Failure::refused(
            "not_found",
            error.to_string(),
            "there is nothing to back up; name another store with `--store`",
        ),
        Error::File { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
            let hint = "name another file, or replace this one with `--force`";
            Failure::refused("exists", error.to_string(), hint)
        }
        Error::File { source, .. } if source.kind() == ErrorKind::ResourceBusy => {
            Failure::refused("exists", error.to_string(), "name another file")
        }
        _ => Failure::Library(error),
    })?;
    let mut value = told(&backup);
    value["backup"] = json!(file.display().to_string());
    value["store"] = json!(store.display().to_string());
    context.answer(&value, || format!("backed up to {}", said(&backup, &value)))
}

/// Restores the whole store from a file, or a note to one of its revisions: an address begins with its kind.
pub(super) fn restore(context: &mut Context<'_>, args: &RestoreArgs) -> Outcome {
    // Without a file of that name, what is not an address by its form may still be a key and a revision.
    let is_note = |what: &&str| {
        let is_revision = args.revision.is_some() || what.contains('@');
        Address::is_meant(what) || (is_revision && !args.replace && !Path::new(what).exists())
    };
    // A note is meant where there is one, and no such file.
    let is_there = |what: &&str| {
        let note = context.note(what, Use::Keep);
        let history = note.and_then(|note| context.read(|store| Ok(store.history(&note)?)));
        history.is_ok_and(|history| !history.is_empty())
    };
    let is_file = args.replace || Path::new(&args.what).exists();
    let address = args.what.to_str();
    let address = address.filter(|what| is_note(what) || (!is_file && is_there(what)));
    match (address, args.revision, args.replace) {
        (Some(address), revision, false) => undo::restore(context, address, revision),
        (None, None, replace) => whole(context, Path::new(&args.what), replace),
        (Some(_), _, true) => Err(Failure::usage(
            "`--replace` is for restoring the whole store from a file",
            "leave it out, or write the file's path as `./FILE`",
        )),
        (None, Some(_), _) => Err(Failure::usage(
            format!(
                "`{}` is not an address, and only a note is restored to a revision",
                args.what.to_string_lossy()
            ),
            "write the address, for example `place:~/p` or `agent:name#key`",
        )),
    }
}

/// Puts a backup in the place of the store. The store is not opened, because it may be damaged.
fn whole(context: &mut Context<'_>, file: &Path, replace: bool) -> Outcome {
    let store = context.settings.store_file()?.to_owned();
    let options = options(&context.settings);
    let replaced = replace.then(crate::clock::now).transpose()?;
    let restored = SqliteStore::restore(file, &store, &options, replaced);
    let restored = restored.map_err(|error| match &error {
        Error::File { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
            let hint = "replace it with `--replace`, which keeps the old store under another name; or name another one with `--store`";
            let what = format!("there is a store already: {}", visible(&store.to_string_lossy()));
            Failure::refused("exists", what, hint)
        }
        Error::File { source, .. } if source.kind() == ErrorKind::ResourceBusy => {
            let hint = format!(
                "make a backup of it first: `waynote --store {} backup FILE`",
                visible(&quoted(&file.to_string_lossy()))
            );
            Failure::refused("not_a_backup", error.to_string(), hint)
        }
        _ => Failure::Library(error),
    })?;
    let mut value = told(&restored.now);
    let before = restored.before.map(|before| before.display().to_string());
    value["store"] = json!(store.display().to_string());
    value["backup"] = json!(file.display().to_string());
    value["before"] = json!(before);
    value["open_in"] = json!(restored.open_in);
    context.answer(&value, || {
        let mut text = format!("restored {}", said(&restored.now, &value));
        if let Some(before) = &before {
            text += &format!("\nthe store that was there before is {}", visible(before));
        }
        if !restored.open_in.is_empty() {
            let named = restored.open_in.iter().map(|pid| program(*pid));
            let named = named.collect::<Vec<_>>().join(", ");
            text += &format!("\nstill open, start again: {named}");
        }
        text
    })
}

/// A process with the name of its program.
fn program(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {pid}"),
        name => format!("process {pid} ({})", visible(name)),
    }
}

/// The JSON output.
fn told(backup: &Backup) -> Value {
    let mut value = json!(backup.report);
    if let Some(fields) = value.as_object_mut() {
        // One with problems is an error.
        fields.remove("problems");
    }
    value["store_id"] = json!(backup.store_id.map(|id| id.to_string()));
    value["position"] = json!(backup.position.map_or(0, waynote::Position::number));
    value["bytes"] = json!(backup.bytes);
    value["verified"] = json!(true);
    value
}

fn said(backup: &Backup, value: &Value) -> String {
    let id = value["store_id"].as_str().unwrap_or("none");
    format!(
        "{}: {}, {}, {} up to position {}; verified\nstore id {id}",
        visible(&backup.path.display().to_string()),
        plural(backup.report.notes, "note"),
        plural(backup.report.revisions, "revision"),
        plural(backup.report.contents, "distinct text"),
        value["position"]
    )
}
