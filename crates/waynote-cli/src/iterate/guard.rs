//! A small process that ends the agent when the loop dies without a word, as by `kill -9`.
//!
//! It holds the reading end of a pipe. The loop writes to it which process group runs; when the pipe ends, so has the
//! loop, and the group that was named last is ended.

use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::error::{Failure, Outcome};

/// The loop's side.
pub(crate) struct Guard(Mutex<ChildStdin>);

impl Guard {
    /// Starts it: the command is `waynote loop-guard`. Its end of the pipe alone stays open in it, and ours in nobody
    /// that we start.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let failed = |error| Failure::file("the loop's guard", "started", error);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe);
        Ok(Self(Mutex::new(stdin.map_err(|kind| failed(kind.into()))?)))
    }

    /// A group runs.
    pub(super) fn watch(&self, group: i32) {
        self.say(&format!("group {group}\n"));
    }

    /// It has ended.
    pub(super) fn rest(&self) {
        self.say("none\n");
    }

    fn say(&self, word: &str) {
        let mut pipe = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A guard that is gone guards nothing, and the agent runs all the same.
        let _ = pipe.write_all(word.as_bytes());
    }
}

/// The guard's side: reads until the loop has ended.
pub(crate) fn keep(words: impl BufRead, patience: Duration) -> Outcome {
    // A terminal that closes, and who ends all of a terminal's processes, mean the loop: it tells us.
    for signal in [SIGINT, SIGHUP, SIGTERM, SIGQUIT] {
        let ignored = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(signal, ignored)
            .map_err(|error| Failure::file("signals", "listened to", error))?;
    }
    let mut group = None;
    for word in words.lines().map_while(Result::ok) {
        group = word
            .strip_prefix("group ")
            .and_then(|number| number.parse().ok())
            .and_then(Pid::from_raw);
    }
    if let Some(group) = group {
        end(group, patience);
    }
    Ok(())
}

/// Asks a group to end, waits, and ends it.
fn end(group: Pid, patience: Duration) {
    // While one of them lives, the group's number is nobody else's.
    let members = members::of(group);
    if test_kill_process_group(group).is_err() {
        return;
    }
    let _ = kill_process_group(group, Signal::TERM);
    let _ = kill_process_group(group, Signal::CONT);
    if !members.have_ended_after(patience) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(target_os = "linux")]
mod members {
    use std::os::fd::OwnedFd;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    /// The processes of a group, held so that their end can be waited for.
    pub(super) struct Members(Vec<OwnedFd>);

    pub(super) fn of(group: Pid) -> Members {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = processes.filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // pid (any name, even with blanks and brackets) state parent group …
            let rest = stat.rsplit_once(") ")?.1;
            let of: i32 = rest.split(' ').nth(2)?.parse().ok()?;
            (of == group.as_raw_pid())
                .then(|| Pid::from_raw(pid))
                .flatten()
        });
        Members(
            pids.filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
                .collect(),
        )
    }

    impl Members {
        /// Waits for that long at most. Whether all of them had ended by then.
        pub(super) fn have_ended_after(self, patience: Duration) -> bool {
            let end = Instant::now() + patience;
            self.0.iter().all(|member| {
                loop {
                    let left = end.saturating_duration_since(Instant::now());
                    let left = Timespec::try_from(left).ok();
                    match poll(&mut [PollFd::new(member, PollFlags::IN)], left.as_ref()) {
                        Ok(ready) => return ready > 0,
                        Err(Errno::INTR) => {}
                        Err(_) => return false,
                    }
                }
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod members {
    use std::time::Duration;

    use rustix::process::Pid;

    pub(super) struct Members(Pid);

    pub(super) fn of(group: Pid) -> Members {
        Members(group)
    }

    impl Members {
        /// Nobody tells here when they end.
        pub(super) fn have_ended_after(self, patience: Duration) -> bool {
            std::thread::sleep(patience);
            rustix::process::test_kill_process_group(self.0).is_err()
        }
    }
}
