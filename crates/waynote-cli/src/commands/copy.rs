//! `waynote copy FROM TO`: a whole store into another file or database.

use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use waynote::copy::{
    CopyError, CopyPhase, CopyProgress, CopyReport, Lost, copy, read_json, write_json,
};
use waynote::engine::Engine;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{EngineStore, Error, Position, Reader, SqliteStore};
use waynote_remote::Url;

use super::import_progress::{Bar, Interrupt};
use crate::database;
use crate::error::{Failure, Outcome, say, warning};
use crate::invocation::Context;
use crate::{home, opened};

pub(super) fn run(context: &mut Context<'_>, from: &str, to: &str) -> Outcome<ExitCode> {
    let bar = Bar::start();
    let source = source(context, Some(from))?;
    let interrupt = Interrupt::listen()?;
    let watch = &mut |progress: CopyProgress| {
        bar.show_part(what(progress.phase), progress.done, progress.total);
        match interrupt.is_requested() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(CopyError::Stopped.into()),
        }
    };
    let source = source.engine();
    if EngineStore::new(source).store_id()?.is_none() {
        return Err(Failure::refused(
            "no_store",
            format!("there is no store {}", visible(&source.name())),
            "name a file with a store, or a store in a database",
        ));
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
    match copied {
        Err(error) if matches!(error.downcast_ref(), Some(CopyError::Stopped)) => {
            say("stopped: nothing was made");
            Ok(interrupt.exit_code())
        }
        copied => {
            let copied = copied?;
            report(context, &copied, &source.name(), &name)?;
            Ok(code(&copied.lost))
        }
    }
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
    if let Some(url) = named.map_or(settings.database(), |named| {
        Some(named).filter(|named| database::is_url(named))
    }) {
        return Ok(Box::new(database::source(settings, url)?));
    }
    let path = match named {
        Some(named) => home::expanded(refuse_server_url(named)?)?,
        None => settings.store_file()?.to_owned(),
    };
    Ok(Box::new(SqliteStore::open(
        path,
        &opened::options(settings),
    )?))
}

/// The name, if it is not the URL of a store on a server.
fn refuse_server_url(named: &str) -> Outcome<&str> {
    match Url::is_meant(named) {
        true => Err(Failure::usage(
            format!(
                "{} is on a server, which gives out no whole store",
                visible(named)
            ),
            "run the command where the store is, or name the database that the server uses",
        )),
        false => Ok(named),
    }
}

fn what(phase: CopyPhase) -> &'static str {
    match phase {
        CopyPhase::Rows => "copying",
        CopyPhase::Index => "building the search index",
        CopyPhase::Checking => "checking",
        _ => "working",
    }
}

fn report(context: &mut Context<'_>, copied: &CopyReport, from: &str, to: &str) -> Outcome {
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
    say_lost(context, &copied.lost);
    Ok(())
}

/// Exit code 1 if something damaged was left out.
fn code(lost: &Lost) -> ExitCode {
    match lost.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    }
}

/// Names what was left out on standard error.
fn say_lost(context: &Context<'_>, lost: &Lost) {
    if !lost.is_empty() {
        let damaged = plural(lost.len() as u64, "damaged item");
        let named: Vec<String> = lost.iter().map(|what| visible(what)).collect();
        let what = format!("{damaged} left out");
        warning(
            "left_out",
            &what,
            &named.join("\n  "),
            json!({ "lost": lost }),
            context.output.json,
        );
    }
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
        say_lost(context, &lost);
        return Ok(code(&lost));
    }
    let file = |error| Error::file(target, "written", error);
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut part =
        tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(file)?;
    let mut lines: u64 = 0;
    let lost = {
        let mut writer = BufWriter::new(part.as_file_mut());
        let lost = write_json(source.engine(), &mut |line| {
            lines += 1;
            writeln!(writer, "{line}").map_err(file)
        })?;
        writer.flush().map_err(file)?;
        lost
    };
    part.as_file().sync_all().map_err(file)?;
    part.persist_noclobber(target)
        .map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => {
                let what = format!("{} exists already", visible(&target.to_string_lossy()));
                Failure::refused(
                    "exists",
                    what,
                    "name another file, or remove this one first",
                )
            }
            _ => file(error.error).into(),
        })?;
    let items = lines.saturating_sub(2);
    let value = json!({ "target": target.to_string_lossy(), "items": items });
    context.answer(&value, || {
        let target = visible(&target.to_string_lossy());
        format!("wrote {} to {target}", plural(items, "item"))
    })?;
    say_lost(context, &lost);
    Ok(code(&lost))
}

/// The next line of a file; none at its end. One that is longer than a note with all its history can be is refused, before
/// it fills the memory.
fn line(from: &mut impl BufRead) -> std::io::Result<Option<String>> {
    const LONGEST: u64 = 256 << 20;
    let mut line = String::new();
    let read = from.by_ref().take(LONGEST).read_line(&mut line)?;
    if read as u64 == LONGEST {
        let reason = format!("a line is longer than {} MiB", LONGEST >> 20);
        return Err(std::io::Error::other(reason));
    }
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Ok((read > 0).then_some(line))
}

/// Makes a store from the output of `export json`.
pub(super) fn from_json(context: &mut Context<'_>, source: &Path) -> Outcome {
    let store = context.settings.store_file()?.to_owned();
    let unread = |error| Error::file(source, "read", error);
    let mut file = BufReader::new(waynote_formats::open(source)?);
    let mut lines = std::iter::from_fn(|| line(&mut file).map_err(unread).transpose());
    let options = opened::options(&context.settings);
    let made = SqliteStore::make(&store, &options, |target| read_json(&mut lines, target));
    let made = made.map_err(|error| match &error {
        Error::File { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
            let hint = "name a new file with `--store`; to bring single notes over, use `waynote key save` or `cp`";
            Failure::refused("exists", error.to_string(), hint)
        }
        _ => Failure::Library(error),
    })?;
    let name = store.display().to_string();
    let value = json!({ "store": name, "notes": made.notes, "revisions": made.revisions, "verified": true });
    context.answer(&value, || {
        let (notes, revisions) = (
            plural(made.notes, "note"),
            plural(made.revisions, "revision"),
        );
        format!("made {}: {notes}, {revisions}; verified", visible(&name))
    })
}
