//! `waynote copy FROM TO`: a whole store into another file or database.

use std::ops::ControlFlow;
use std::process::ExitCode;

use serde_json::json;
use waynote::copy::{Copied, CopyError, CopyPhase, CopyProgress, copy};
use waynote::engine::Engine;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{EngineStore, Position, Reader, SqliteStore};
use waynote_remote::Url;

use super::import_progress::{Bar, Interrupt};
use crate::database::{self, DatabaseStore};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::{home, opened};

pub(super) fn run(context: &mut Context<'_>, from: &str, to: &str) -> Outcome<ExitCode> {
    let bar = Bar::start();
    let source = Source::at(context, from)?;
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
            let path = home::expanded(file_at(to)?)?;
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
            report(context, &copied?, &source.name(), &name)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A store that is copied.
enum Source {
    File(Box<SqliteStore>),
    Database(Box<DatabaseStore>),
}

impl Source {
    fn at(context: &Context<'_>, named: &str) -> Outcome<Self> {
        if database::is_url(named) {
            let store = database::source(&context.settings, named)?;
            return Ok(Self::Database(Box::new(store)));
        }
        let path = home::expanded(file_at(named)?)?;
        let options = opened::options(&context.settings);
        Ok(Self::File(Box::new(SqliteStore::open(path, &options)?)))
    }

    fn engine(&self) -> &dyn Engine {
        match self {
            Self::File(store) => store.engine(),
            Self::Database(store) => store.engine(),
        }
    }
}

/// A name, unless it is that of a store on a server.
fn file_at(named: &str) -> Outcome<&str> {
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
        CopyPhase::Comparing => "comparing",
        CopyPhase::Blocks => "comparing blocks",
        _ => "working",
    }
}

fn report(context: &mut Context<'_>, copied: &Copied, from: &str, to: &str) -> Outcome {
    let up_to = copied.up_to.map_or(0, Position::number);
    let value = json!({
        "from": from, "to": to,
        "from_id": copied.from.to_string(), "to_id": copied.to.to_string(), "position": up_to,
        "notes": copied.notes, "revisions": copied.revisions, "events": copied.events,
        "forgettings": copied.forgettings, "side_values": copied.side_values, "blocks": copied.blocks,
        "positions_differ": copied.is_renumbered, "verified": true,
    });
    context.output.answer(&value, || {
        let mut text = format!(
            "copied to {}: {}, {}, {}, {} up to position {up_to}; compared, with {}: equal\nstore id {}",
            visible(to),
            plural(copied.notes, "note"),
            plural(copied.revisions, "revision"),
            plural(copied.events, "event"),
            plural(copied.forgettings, "forgetting"),
            plural(copied.blocks, "block"),
            copied.to
        );
        if copied.is_renumbered {
            text += "\npositions differ: the source has events from before November 2026, which shared one";
        }
        text
    })
}
