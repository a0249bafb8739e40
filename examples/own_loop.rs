//! A loop of a program's own: an agent runs in iterations until it says that it is done.
//!
//! `cargo run -p waynote-examples --bin own_loop -- notes.db`. The agent is a line of shell; put your own in its place.

use std::path::Path;
use std::sync::Arc;

use waynote::context::Request;
use waynote::jiff::Timestamp;
use waynote::{Options, Place, SqliteStore};
use waynote_loop::{AgentCommand, Host, LoopRunner, Notice, Observer, Plan, Stream};

/// The agent finds its prompt on standard input; here it is done in its second iteration.
const AGENT: &str = "grep -q 'Iteration: #2' && echo ALL DONE || echo working";

/// Prints the loop's events.
struct Printer;

impl Observer for Printer {
    fn notice(&self, notice: &Notice<'_>) {
        if let Notice::IterationStarted { iteration } = notice {
            println!("iteration {iteration}");
        }
    }

    fn output(&self, _: Stream, bytes: &[u8]) {
        print!("  {}", String::from_utf8_lossy(bytes));
    }
}

#[expect(clippy::disallowed_methods, reason = "a program asks the clock itself")]
fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("notes.db".into());
    let store = SqliteStore::open(Path::new(&path), &Options::default())?;
    let agent = AgentCommand::new(&["sh", "-c", AGENT])?;
    let directory = std::env::current_dir()?.canonicalize()?;
    let clock = Timestamp::now;

    // The notes of every prompt. Of a session, an iteration sees what earlier ones left.
    let notes = Request::new("builder".parse()?, Place::home(), clock());
    let mut plan = Plan::new(
        "nightly".parse()?,
        agent,
        directory,
        "agent:builder".parse()?,
        notes,
    );
    plan.store_file = Some(path.into());
    plan.iterations = Some(5);
    plan.prompt.until = Some("ALL DONE".into());
    plan.check()?;

    let mut host = Host::new(&clock);
    host.observer = Arc::new(Printer);
    let mut runner = LoopRunner::begin(&plan, &store, host, None)?;
    let stop = runner.run();
    let summary = runner.end(stop)?;
    println!("stopped: {}", summary.stop.reason());
    Ok(())
}
