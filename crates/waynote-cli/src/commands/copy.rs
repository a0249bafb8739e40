//! `waynote copy FROM TO`: a whole store into another file or database.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use waynote::copy::{CopyPhase, CopyProgress, CopyReport, Lost, copy, read_json, write_json};
use waynote::engine::Engine;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{EngineStore, Error, Position, Reader, SqliteStore};
use waynote_remote::Url;

use super::import_progress::Bar;
use crate::database;
use crate::error::{Failure, Outcome, warning};
use crate::invocation::Context;
use crate::{home, opened};

pub(super) fn run(context: &mut Context<'_>, from: &str, to: &str) -> Outcome<ExitCode> {
    let bar = Bar::start();
    let source = source(context, Some(from))?;
    let source = source.engine();
    let watch = &mut |progress: CopyProgress| {
        let what = match progress.phase {
            CopyPhase::Rows => "copying",
            CopyPhase::Index => "building the search index",
            _ => "checking",
        };
        bar.show(what, progress.done, progress.total);
        Ok(())
    };
    if EngineStore::new(source).store_id()?.is_none() {
        let what = format!("there is no store {}", visible(&source.name()));
        let hint = "name a file with a store, or a store in a database";
        return Err(Failure::refused("no_store", what, hint));
    }
    let (copied, name) = match database::is_url(to) {
        true => database::made(&context.settings, to, |target| copy(source, target, watch))?,
        false => {
            let path = home::expanded(refuse_server_url(to)?)?;
            let options = opened::options(&context.settings);
            let made = SqliteStore::make(&path, &options, |target| copy(source, target, watch));
            (made, path.to_string_lossy().into_owned())
        }
    };
    drop(bar);
    report(context, &copied?, &source.name(), &name)
}

/// A store that is copied from, in a file or a database.
trait Source {
    fn engine(&self) -> &dyn Engine;
}

impl<E: Engine> Source for EngineStore<E> {
    fn engine(&self) -> &dyn Engine {
        EngineStore::<E>::engine(self)
    }
}

/// The store with that name, or by default the configured one.
fn source(context: &Context<'_>, named: Option<&str>) -> Outcome<Box<dyn Source>> {
    let settings = &context.settings;
    let url = match named {
        Some(named) => Some(named).filter(|named| database::is_url(named)),
        None => settings.database(),
    };
    if let Some(url) = url {
        return Ok(Box::new(database::source(settings, url)?));
    }
    let path = match named {
        Some(named) => home::expanded(refuse_server_url(named)?)?,
        None => settings.store_file()?.to_owned(),
    };
    let store = SqliteStore::open(path, &opened::options(settings))?;
    Ok(Box::new(store))
}

/// The name, if it is not the URL of a store on a server.
fn refuse_server_url(named: &str) -> Outcome<&str> {
    if !Url::is_meant(named) {
        return Ok(named);
    }
    let named = visible(named);
    let hint = "run the command where the store is, or name the database that the server uses";
    let what = format!("{named} is on a server, which gives out no whole store");
    Err(Failure::usage(what, hint))
}

fn report(
    context: &mut Context<'_>,
    copied: &CopyReport,
    from: &str,
    to: &str,
) -> Outcome<ExitCode> {
    let up_to = copied.up_to.map_or(0, Position::number);
    let value = json!({
        "from": from, "to": to,
        "from_id": copied.from, "to_id": copied.to, "position": up_to,
        "items": copied.items, "notes": copied.report.notes, "revisions": copied.report.revisions,
        "lost": copied.lost, "verified": true,
    });
    context.answer(&value, || {
        format!(
            "copied to {}: {}, {}, {} up to position {up_to}; verified\nstore id {}",
            visible(to),
            plural(copied.report.notes, "note"),
            plural(copied.report.revisions, "revision"),
            plural(copied.items, "item"),
            copied.to.map(|id| id.to_string()).unwrap_or_default()
        )
    })?;
    Ok(code(context, &copied.lost))
}

/// Names what was left out because it is damaged; the exit code is then 1.
fn code(context: &Context<'_>, lost: &Lost) -> ExitCode {
    if lost.is_empty() {
        return ExitCode::SUCCESS;
    }
    let what = format!("{} left out", plural(lost.len() as u64, "damaged item"));
    let named: Vec<String> = lost.iter().map(|what| visible(what)).collect();
    let more = json!({ "lost": lost });
    let named = named.join("\n  ");
    warning("left_out", &what, &named, more, context.output.json);
    ExitCode::from(1)
}

/// Writes the whole store as lines of JSON: to a new file of the user's own, or to standard output.
pub(super) fn to_json(context: &mut Context<'_>, target: &Path) -> Outcome<ExitCode> {
    let source = source(context, None)?;
    if target == Path::new("-") {
        let output = &mut *context.output;
        let mut failed = Ok(());
        let lost = write_json(source.engine(), &mut |line| {
            if failed.is_ok() {
                failed = output.line(line);
            }
            Ok(())
        })?;
        failed?;
        return Ok(code(context, &lost));
    }
    let failed = |error| Error::file(target, "written", error);
    let mut options = File::options();
    let options = options.write(true).create_new(true).mode(0o600);
    let file = options
        .open(target)
        .map_err(|error| exists(failed(error), "name another file, or remove this one first"))?;
    let (mut file, mut lines) = (BufWriter::new(file), 0);
    // What is not whole, `import json` refuses.
    let lost = write_json(source.engine(), &mut |line| {
        lines += 1;
        writeln!(file, "{line}").map_err(failed)
    })?;
    file.flush().map_err(failed)?;
    file.get_ref().sync_all().map_err(failed)?;
    let items = u64::saturating_sub(lines, 2);
    let value = json!({ "target": target.to_string_lossy(), "items": items });
    context.answer(&value, || {
        let target = visible(&target.to_string_lossy());
        format!("wrote {} to {target}", plural(items, "item"))
    })?;
    Ok(code(context, &lost))
}

/// The error of making a file, with what to do if there is one already.
pub(super) fn exists(error: Error, hint: &str) -> Failure {
    match &error {
        Error::File { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
            Failure::refused("exists", error.to_string(), hint)
        }
        _ => Failure::Library(error),
    }
}

/// Makes a store from the output of `export json`.
pub(super) fn from_json(context: &mut Context<'_>, source: &Path) -> Outcome {
    let store = context.settings.store_file()?.to_owned();
    let unread = |error| Error::file(source, "read", error);
    let file = BufReader::new(waynote_formats::open(source)?);
    let mut lines = file.lines().map(|line| line.map_err(unread));
    let options = opened::options(&context.settings);
    let made = SqliteStore::make(&store, &options, |target| read_json(&mut lines, target));
    let made = made.map_err(|error| exists(error, "name a new file with `--store`"))?;
    let name = store.display().to_string();
    let value = json!({ "store": name, "notes": made.notes, "revisions": made.revisions, "verified": true });
    let notes = plural(made.notes, "note");
    let revisions = plural(made.revisions, "revision");
    context.answer(&value, || {
        format!("made {}: {notes}, {revisions}; verified", visible(&name))
    })
}
