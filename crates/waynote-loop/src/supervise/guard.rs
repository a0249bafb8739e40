//! A small process that ends the agent when the loop is killed and cannot do it, for example by `kill -9`.
//!
//! It holds the reading end of a pipe. The loop writes to it which process group runs; when the pipe ends, so has the
//! loop, and the group that was named last is ended. An agent may kill its loop before the loop knows the group, and what
//! it starts may leave the group: so each start is announced first, with a mark in the agent's environment, by which the
//! guard finds what has it.

use parking_lot::Mutex;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::process::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use waynote_system::process::groups_with_variable;
use waynote_system::variables::GUARDED;

use super::ending::end_group;
use super::group::Patience;
use crate::error::{Error, Result};

/// The loop's side: a process that ends the agent when this one is killed.
#[derive(Debug)]
pub struct Guard {
    pipe: Mutex<ChildStdin>,
    process: u32,
    starts: AtomicU32,
}

impl Guard {
    /// Starts it: a command that calls [`keep_guard`]. It inherits only its end of the pipe, and no process that we
    /// start inherits ours.
    ///
    /// # Errors
    /// [`waynote::Error::File`] when it cannot be started.
    pub fn start(mut command: Command) -> Result<Self> {
        let failed = |error| Error::file("the loop's guard", "started", error);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe);
        Ok(Self {
            pipe: Mutex::new(stdin.map_err(|kind| failed(kind.into()))?),
            process: child.id(),
            starts: AtomicU32::new(0),
        })
    }

    /// Tells the guard that an agent starts, and returns the variable that has to be in its environment. Until it runs
    /// its program, the new process keeps our end of the pipe open, so that the guard does not look too early.
    pub(super) fn announce(&self) -> (&'static str, String) {
        let start = self.starts.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{start}", self.process);
        self.send(&format!("start {mark}\n"));
        (GUARDED, mark)
    }

    /// Tells the guard which group runs, with the mark of its start.
    pub(super) fn watch(&self, group: i32, mark: &str) {
        self.send(&format!("group {group} {mark}\n"));
    }

    /// The number of the guard's process.
    pub(crate) fn process(&self) -> u32 {
        self.process
    }

    /// Tells it that the group has ended.
    pub(super) fn rest(&self) {
        self.send("none\n");
    }

    fn send(&self, word: &str) {
        let mut pipe = self.pipe.lock();
        // Best effort: without its guard the agent runs all the same.
        let _ = pipe.write_all(word.as_bytes());
    }
}

/// The guard's side, in a process of its own: reads standard input until the loop has ended, then ends what is left of
/// the agent.
///
/// # Errors
/// [`waynote::Error::File`] when it cannot keep signals off.
pub fn keep_guard() -> Result {
    keep(io::stdin().lock(), Patience::default().end)
}

fn keep(words: impl BufRead, patience: Duration) -> Result {
    // A closing terminal, or a kill of all its processes, is meant for the loop, which tells us.
    for signal in [SIGINT, SIGHUP, SIGTERM, SIGQUIT] {
        let ignored = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal, ignored)
            .map_err(|error| Error::file("signals", "listened to", error))?;
    }
    follow(words, patience);
    Ok(())
}

/// Remembers which group runs, and ends it when the words end, with all that has its mark.
fn follow(words: impl BufRead, patience: Duration) {
    let Some(last) = words.lines().map_while(Result::ok).last() else {
        return;
    };
    let mut last = last.split(' ');
    let (group, mark) = match (last.next(), last.next()) {
        (Some("group"), Some(number)) => (number.parse().ok(), last.next()),
        (Some("start"), mark) => (None, mark),
        _ => return,
    };
    if let Some(group) = group.and_then(Pid::from_raw) {
        end_group(group, patience);
    }
    let Some(mark) = mark else { return };
    let mut is_found = group.is_some();
    for _ in 0..LOOKS {
        let groups = groups_with_variable(GUARDED, mark);
        if groups.is_empty() {
            if is_found {
                return;
            }
            // A process that just begins another program has no environment for a moment.
            std::thread::sleep(BETWEEN_LOOKS);
        }
        for group in groups.into_iter().filter_map(Pid::from_raw) {
            is_found = true;
            end_group(group, patience);
        }
    }
}

/// How often, and how soon after another, an agent is looked for by its mark.
const LOOKS: usize = 25;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
