//! Events of a running loop, for the program that shows or logs them.

use std::io;
use std::time::Duration;

use waynote::event::IterationOutcome;

/// One of an agent's two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Hears what a loop does, to show it or to log it. Everything is optional: `()` is an observer that ignores all of it.
pub trait Observer: Send + Sync {
    /// Something happened in the loop.
    fn notice(&self, notice: &Notice<'_>) {
        let _ = notice;
    }

    /// The agent's output, as it comes, where no log keeps it. Called from threads of the loop's own: a call that does
    /// not return holds up the agent's output, and nothing else.
    fn output(&self, stream: Stream, bytes: &[u8]) {
        let _ = (stream, bytes);
    }

    /// True if [`Notice::Running`] shall come each second.
    fn watches_time(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// An event in a loop.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice<'a> {
    /// The loop goes on with a run that was cut short.
    Resumed {
        /// Iterations of the run that are done.
        done: u64,
        /// How many the run shall have.
        all: u64,
    },
    /// Changes of files are no progress in this loop: only new notes are.
    FilesDoNotCount {
        /// Why.
        why: &'a str,
        /// True if changes of the task list count all the same.
        has_tasks: bool,
    },
    /// An iteration begins.
    IterationStarted {
        /// Its number.
        iteration: i64,
    },
    /// The agent runs.
    Running {
        /// The iteration.
        iteration: i64,
        /// Since the agent was started.
        elapsed: Duration,
        /// Notes that it added so far.
        notes: u64,
    },
    /// The agent failed, and is tried again.
    Retrying {
        /// The attempt that comes.
        next: Attempt,
        /// How it failed.
        outcome: IterationOutcome,
        /// How long until then.
        wait: Duration,
        /// The agent's last output.
        said: Option<&'a str>,
    },
    /// The last [`Notice::Running`] is over.
    StatusEnded,
    /// The agent was ended because it wanted to read from the terminal.
    WantsTerminal,
    /// The agent's output could not all be written to the log.
    LogIncomplete {
        /// The iteration.
        iteration: i64,
        /// Why.
        error: &'a io::Error,
    },
    /// The agent returns at once, again and again, in a run without a limit: the loop waits.
    SlowedDown {
        /// Iterations in a row that took less than a second.
        iterations: u32,
        /// How long it waits.
        wait: Duration,
    },
}

/// An attempt of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The iteration.
    pub iteration: i64,
    /// 1, 2, 3 ….
    pub number: u32,
    /// How many there are at most.
    pub limit: u32,
}
