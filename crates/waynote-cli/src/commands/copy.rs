//! `waynote copy FROM TO`: a whole store into another file or database.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use waynote::copy::{Copied, CopyError, CopyPhase, CopyProgress, copy};
use waynote::engine::Engine;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Position, Reader, SqliteStore};
use waynote_postgres::{PostgresError, is_url, stores};
use waynote_remote::Url;
use waynote_system::shell::quoted;

use super::import_progress::{Bar, Interrupt};
use crate::database::{self, DatabaseStore};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::{home, opened};

/// How long one answer of a database may take: tables that were just filled have no statistics yet.
const ANSWER: Duration = Duration::from_secs(600);

pub(super) fn run(context: &mut Context<'_>, from: &str, to: &str) -> Outcome<ExitCode> {
    let bar = Bar::start();
    let source = End::of(context, from)?;
    if source.store_id()?.is_none() {
        return Err(Failure::refused(
            "no_store",
            format!("there is no store {}", visible(&source.engine().name())),
            "name a file with a store, or a store in a database",
        ));
    }
    let target = End::of(context, to)?;
    target.make(to)?;
    // What is interrupted is rolled back to the last batch, and goes on from there.
    let interrupt = Interrupt::listen()?;
    let watch = &mut |progress: CopyProgress| {
        bar.show_part(what(progress.phase), progress.done, progress.total);
        match interrupt.is_requested() {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(CopyError::Stopped.into()),
        }
    };
    let copied = copy(source.engine(), target.engine(), watch);
    drop(bar);
    match copied {
        Err(error) if matches!(error.downcast_ref(), Some(CopyError::Stopped)) => {
            say(&format!(
                "stopped: `waynote copy {} {}` goes on where it was",
                visible(&quoted(from)),
                visible(&quoted(to))
            ));
            Ok(interrupt.exit_code())
        }
        copied => {
            report(context, &copied?, &source, &target)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A store that is copied, or a copy.
enum End {
    File(Box<SqliteStore>),
    Database(Box<DatabaseStore>),
}

impl End {
    fn of(context: &Context<'_>, named: &str) -> Outcome<Self> {
        if Url::is_meant(named) {
            return Err(Failure::usage(
                format!(
                    "{} is on a server, which gives out no whole store",
                    visible(named)
                ),
                "run the command where the store is, or name the database that the server uses",
            ));
        }
        if is_url(named) {
            let options = database::options(named)?
                .wait(context.settings.lock_wait.value)
                .answer(ANSWER);
            let store = waynote_postgres::at(options);
            return Ok(Self::Database(Box::new(store)));
        }
        let path = home::expanded(named)?;
        let options = opened::options(&context.settings);
        Ok(Self::File(Box::new(SqliteStore::open(path, &options)?)))
    }

    fn engine(&self) -> &dyn Engine {
        match self {
            Self::File(store) => store.engine(),
            Self::Database(store) => store.engine(),
        }
    }

    fn store_id(&self) -> Outcome<Option<waynote::StoreId>> {
        Ok(match self {
            Self::File(store) => store.store_id()?,
            Self::Database(store) => store.store_id()?,
        })
    }

    /// Makes the store in a database, if it is not there. A file is made by the first write.
    fn make(&self, url: &str) -> Outcome {
        let Self::Database(store) = self else {
            return Ok(());
        };
        match store.store_id() {
            Err(error) if matches!(error.downcast_ref(), Some(PostgresError::NoStore { .. })) => {
                Ok(stores::create(database::options(url)?)?)
            }
            id => Ok(id.map(drop)?),
        }
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

fn report(context: &mut Context<'_>, copied: &Copied, from: &End, to: &End) -> Outcome {
    let number = |position: Option<Position>| position.map_or(0, Position::number);
    let name = |end: &End| end.engine().name();
    let residue = copied.residue.as_ref().map(ToString::to_string);
    let value = json!({
        "from": name(from), "to": name(to),
        "from_id": copied.from.to_string(), "to_id": copied.to.to_string(),
        "position": number(copied.up_to), "was_complete": copied.was_complete,
        "resumed_after": copied.resumed_after.map(Position::number),
        "notes": copied.notes, "revisions": copied.revisions, "events": copied.events,
        "forgettings": copied.forgettings, "side_values": copied.side_values, "blocks": copied.blocks,
        "positions_differ": copied.is_renumbered, "residue": residue, "verified": true,
    });
    context.output.answer(&value, || {
        let to = visible(&name(to));
        if copied.was_complete {
            return format!(
                "{to} is a complete copy already, up to position {}",
                number(copied.up_to)
            );
        }
        let mut text = format!(
            "copied to {to}: {}, {}, {}, {} up to position {}; compared, with {}: equal\nstore id {}",
            plural(copied.notes, "note"),
            plural(copied.revisions, "revision"),
            plural(copied.events, "event"),
            plural(copied.forgettings, "forgetting"),
            number(copied.up_to),
            plural(copied.blocks, "block"),
            copied.to
        );
        if copied.is_renumbered {
            text += "\npositions differ: the source has events from before November 2026, which shared one";
        }
        if let Some(residue) = &residue {
            text += &format!(
                "\na text was copied before it was forgotten, and old bytes of it may be left: {}",
                visible(residue)
            );
        }
        text
    })
}
