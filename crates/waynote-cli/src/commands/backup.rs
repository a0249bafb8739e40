//! `waynote backup FILE` and `waynote restore FILE`: the whole store as one file, and back.

use std::path::Path;

use serde_json::{Value, json};
use waynote::sqlite::Backup;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, Error, SqliteStore};

use super::copy::exists;
use super::undo;
use crate::args::RestoreArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::opened::options;

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
        _ => exists(
            error,
            "name another file, or replace this one with `--force`",
        ),
    })?;
    let mut value = told(&backup);
    value["backup"] = json!(file.display().to_string());
    value["store"] = json!(store.display().to_string());
    context.answer(&value, || format!("backed up to {}", said(&backup, &value)))
}

/// Restores the whole store from a file, or a note to one of its revisions: that is an address, or names a revision.
pub(super) fn restore(context: &mut Context<'_>, args: &RestoreArgs) -> Outcome {
    let file = Path::new(&args.what);
    let what = args.what.to_string_lossy();
    let names_revision = args.revision.is_some() || (what.contains('@') && !file.exists());
    match !args.replace && (Address::is_meant(&what) || names_revision) {
        true => undo::restore(context, &what, args.revision, args.expect),
        false => whole(context, file, args.replace),
    }
}

/// Puts a backup in the place of the store. The store is not opened, because it may be damaged.
fn whole(context: &mut Context<'_>, file: &Path, replace: bool) -> Outcome {
    let store = context.settings.store_file()?.to_owned();
    let options = options(&context.settings);
    let replaced = replace.then(crate::clock::now).transpose()?;
    let restored = SqliteStore::restore(file, &store, &options, replaced);
    let restored = restored.map_err(|error| {
        let hint = "replace it with `--replace`, which keeps the old store under another name; or name another one with `--store`";
        exists(error, hint)
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
            let processes = restored.open_in.iter().map(ToString::to_string);
            let processes = processes.collect::<Vec<_>>().join(", ");
            text += &format!("\nstill open, start again: processes {processes}");
        }
        text
    })
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
