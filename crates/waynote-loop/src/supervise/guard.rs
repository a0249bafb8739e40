//! A small process that ends the agent when the loop is killed and cannot do it, for example by `kill -9`.
//!
//! It holds the reading end of a pipe. The loop writes to it which process group runs; when the pipe ends, so has the
//! loop, and the group that was named last is ended. An agent may kill its loop before the loop knows the group: so each
//! start is announced first, with a mark that the agent has in its environment and by which the guard finds it.

use parking_lot::Mutex;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use waynote_system::process::groups_with_variable;
use waynote_system::variables::GUARDED;

use self::members::Members;
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

    /// Tells the guard which group runs.
    pub(super) fn watch(&self, group: i32) {
        self.send(&format!("group {group}\n"));
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

/// Remembers which group runs, and ends it when the words end.
fn follow(words: impl BufRead, patience: Duration) {
    let last = words.lines().map_while(Result::ok).last();
    let groups = match last.as_deref().and_then(|word| word.split_once(' ')) {
        Some(("group", number)) => number.parse().into_iter().collect(),
        Some(("start", mark)) => groups_with_variable(GUARDED, mark),
        _ => Vec::new(),
    };
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        end(group, patience);
    }
}

/// Asks a group to end, waits, and ends it.
fn end(group: Pid, patience: Duration) {
    let by = Instant::now() + patience;
    loop {
        // While one of them lives, the group's number is not reused.
        let members = Members::of(group);
        if members.are_none() {
            return;
        }
        let _ = kill_process_group(group, Signal::TERM);
        let _ = kill_process_group(group, Signal::CONT);
        if !members.have_ended_by(by) {
            let _ = kill_process_group(group, Signal::KILL);
            return;
        }
        // They may have started others meanwhile.
    }
}

#[cfg(target_os = "linux")]
mod members {
    use std::os::fd::OwnedFd;
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use waynote_system::process::living_of_group;

    /// The living processes of a group, held so that their end can be waited for.
    pub(super) struct Members {
        held: Vec<OwnedFd>,
        /// True if there may be one that cannot be held.
        is_more: bool,
    }

    impl Members {
        pub(super) fn of(group: Pid) -> Self {
            let mut members = Self {
                held: Vec::new(),
                is_more: false,
            };
            let Ok(living) = living_of_group(group.as_raw_pid()) else {
                members.is_more = rustix::process::test_kill_process_group(group).is_ok();
                return members;
            };
            for pid in living.into_iter().filter_map(Pid::from_raw) {
                match pidfd_open(pid, PidfdFlags::empty()) {
                    Ok(held) => members.held.push(held),
                    Err(Errno::SRCH) => {}
                    Err(_) => members.is_more = true,
                }
            }
            members
        }

        pub(super) fn are_none(&self) -> bool {
            self.held.is_empty() && !self.is_more
        }

        /// Waits until then at most; true if all of them have ended.
        pub(super) fn have_ended_by(self, by: Instant) -> bool {
            if self.is_more {
                wait(&mut [], by);
                return false;
            }
            let mut held = self.held.iter();
            held.all(|member| wait(&mut [PollFd::new(member, PollFlags::IN)], by))
        }
    }

    /// True if something happened by then.
    fn wait(what: &mut [PollFd<'_>], by: Instant) -> bool {
        loop {
            let left = by.saturating_duration_since(Instant::now());
            match poll(what, Timespec::try_from(left).ok().as_ref()) {
                Ok(ready) => return ready > 0,
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod members {
    use std::time::Instant;

    use rustix::process::{Pid, test_kill_process_group};

    pub(super) struct Members(Pid);

    impl Members {
        pub(super) fn of(group: Pid) -> Self {
            Self(group)
        }

        pub(super) fn are_none(&self) -> bool {
            test_kill_process_group(self.0).is_err()
        }

        /// Their end is not reported here.
        pub(super) fn have_ended_by(self, by: Instant) -> bool {
            std::thread::sleep(by.saturating_duration_since(Instant::now()));
            self.are_none()
        }
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
