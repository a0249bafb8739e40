//! `waynote loop`: runs an agent again and again, each time with a fresh context and the notes of earlier iterations.
//!
//! The agent's output goes where it would go without us. Ours goes to standard error, so that the two do not mix. With
//! `--json` standard output has the summary alone.

mod beats;
mod ended;
mod plan;
mod screen;
mod show;
pub(crate) mod started;
mod summary;
mod words;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use signal_hook::consts::SIGTERM;
use waynote::loops::{self, BEAT};
use waynote::{Name, Store, session_state};
use waynote_loop::identity::known_dead;
use waynote_loop::{Guard, Host, LoopRunner, Plan, Signals, Summary};

use crate::args::{LoopArgs, LoopCommand};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};
use crate::team::AT_START;
use crate::{clock, program, session_view};

use beats::{Beats, OfLoop};
use show::Show;

/// How long a loop waits for a server that is away: it is restarted, or updated.
const SERVER_WAIT: Duration = Duration::from_mins(10);

pub(super) fn run(context: &mut Context<'_>, args: &LoopArgs) -> Outcome<ExitCode> {
    if let Some(LoopCommand::Stop { of }) = &args.other {
        return stop(context, of).map(|()| ExitCode::SUCCESS);
    }
    if let Some(session) = &args.of {
        return Err(started::go_on(context, args, session)?);
    }
    let is_json = context.output.json;
    if context.settings.session.value.is_none() {
        let opened = OpenStore::of(&context.settings, is_json, Wait::Now)?;
        context.settings.session.value = Some(session_here(opened.store())?);
    }
    let mut planned = plan::of(&context.settings, args)?;
    planned.plan.prompt.notes.agent = context.notebook()?.clone();
    let plan = &planned.plan;
    if args.dry_run {
        let opened = OpenStore::of(&context.settings, is_json, Wait::Now)?;
        let prompt = plan.next_prompt(opened.store(), args.answer.as_deref(), clock::now()?)?;
        context.output.text(&prompt)?;
        return Ok(ExitCode::SUCCESS);
    }
    plan.agent.check(crate::home::environment().path())?;
    if let Some(logs) = &plan.logs {
        logs.check()?;
    }
    let mut settings = context.settings.clone();
    if settings.remote().is_some() {
        settings.lock_wait.value = settings.lock_wait.value.max(SERVER_WAIT);
    }
    let opened = OpenStore::of(&settings, is_json, Wait::Now)?;
    let store = opened.store();
    let agent = match args.with {
        Some(preset) => preset.client().title().into(),
        None => Path::new(&args.command[0])
            .file_name()
            .unwrap_or_default()
            .to_string_lossy(),
    };
    let (mut next, mut has_begun) = (None, false);
    let looped = looped(plan, &opened, args, is_json, || {
        has_begun = true;
        started::remember(&settings, store, &plan.session)?;
        next = started::next(store, &plan.session)?;
        for missing in &planned.missing {
            say(&format!("note: {missing}"));
        }
        if !is_json {
            plan.notices().for_each(|notice| say(&notice));
            show::begin(plan, &agent, store)?;
        }
        Ok(())
    });
    let notify = args.notify.as_ref().or(settings.notify.value.as_ref());
    let notify = notify.filter(|command| !command.trim().is_empty());
    let tell = |ended| ended::tell(notify.map(String::as_str), &plan.session, ended);
    let summary = match looped {
        Ok(summary) => summary,
        Err(failure) => {
            if has_begun {
                tell(Err(&failure));
            }
            return Err(failure);
        }
    };
    let code = words::exit_code(&summary.stop);
    if is_json {
        context.value(&summary::value(&summary))?;
        context.output.flush()?;
    } else {
        say(&show::timed(&summary::text(&summary, next.as_deref())));
    }
    tell(Ok(&summary));
    Ok(ExitCode::from(code))
}

/// Asks the loop of a session to stop after its iteration.
fn stop(context: &mut Context<'_>, session: &Name) -> Outcome {
    let stamp = context.stamp()?;
    let live = context.write(|store| {
        loops::stop(store, session, &known_dead, &stamp)?;
        Ok(session_state::live_iteration(store, session)?)
    })?;
    let value = json!({ "session": session, "stops_after": live });
    context.answer(&value, || {
        let session = session_view::named(session);
        match live {
            Some(live) => format!("stop requested: {session} ends after iteration {live}"),
            None => format!("stop requested: {session} ends before its next iteration"),
        }
    })
}

/// The session of a loop that names none, by the name of the working directory.
fn session_here(store: &dyn Store) -> Outcome<Name> {
    let directory = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let host = waynote_loop::identity::current().host;
    let directory = directory.display().to_string();
    Ok(loops::session_of_directory(
        store, &name, &directory, &host,
    )?)
}

/// The whole loop. `begun` is done when it has its session.
fn looped(
    plan: &Plan,
    opened: &OpenStore,
    args: &LoopArgs,
    is_json: bool,
    begun: impl FnOnce() -> Outcome,
) -> Outcome<Summary> {
    let start = clock::now()?;
    let clock = || clock::now().unwrap_or(start);
    let mut host = Host::new(&clock);
    // From here on a signal ends the loop in order.
    host.signals = Signals::listen()?;
    let end_agent = host.signals.sender();
    let mut guard = Command::new(program::own()?);
    guard.arg("loop-guard");
    host.guard = Some(Guard::start(guard)?);
    host.observer = Arc::new(Show::new(is_json, &plan.session));
    host.owns_children = true;
    host.take_over = args.take_over;
    opened.beside_asked(&plan.prompt.notes.lineage, AT_START);
    let store = opened.store();
    let mut runner = LoopRunner::begin(plan, store, host, args.answer.as_deref())?;
    begun()?;
    let lease = runner.lease();
    let stop = std::thread::scope(|scope| {
        let of = OfLoop {
            store,
            session: plan.session.clone(),
            lease,
            // Other processes of this machine look up the loop's process, so they need no heartbeat.
            is_shared: opened.is_of_several_machines(),
        };
        // Its agent would work for nothing: the session is another loop's, and so are the notes.
        let _beats = Beats::start(scope, of, BEAT, move || end_agent(SIGTERM));
        runner.run()
    });
    Ok(runner.end(stop)?)
}
