//! A process group: an agent, and what it started.
//!
//! The leader is not reaped before the group has been killed, so that no other group can have its number by then.

use std::process::Child;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid,
};

/// A group whose leader is our child and has not been reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group(Pid);

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// How long an agent that has to end may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// From the `until` text to its end by itself.
    pub(crate) until: Duration,
    /// From its signal that all is done, or that it needs a person, to its end by itself.
    pub(crate) signal: Duration,
    /// From the request to end to the end by force.
    pub(crate) end: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            until: Duration::from_secs(10),
            signal: Duration::from_secs(30),
            end: Duration::from_secs(5),
        }
    }
}

/// Adopts orphans of our children, where the system can: then the end of the last of a group is reported. For the whole
/// process, once.
pub(crate) fn adopt_orphans() {
    // Best effort: a kernel that refuses reports less.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Reaps adopted orphans that have ended: those that left their group (`setsid`) would stay as zombies.
///
/// Only while nothing else waits for a child of ours.
pub(crate) fn reap_orphans() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

impl Group {
    /// The process group of `child`, which must be its leader and not be reaped elsewhere.
    pub(super) fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    pub(super) fn number(self) -> i32 {
        self.0.as_raw_pid()
    }

    /// Asks all of it to end, the stopped ones too.
    pub(super) fn ask_to_end(self) {
        let _ = kill_process_group(self.0, Signal::TERM);
        let _ = kill_process_group(self.0, Signal::CONT);
    }

    pub(super) fn kill(self) {
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    /// Waits for the leader's end and leaves it unreaped. Calls `wants_terminal` each time it stops because it waits for the
    /// terminal, which would never end. Other stops are wanted.
    pub(super) fn wait_for_leader(self, mut wants_terminal: impl FnMut()) -> Exit {
        let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.0), options) {
                Ok(Some(change)) if change.stopped() => {
                    let terminal = [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()];
                    if change
                        .stopping_signal()
                        .is_some_and(|by| terminal.contains(&by))
                    {
                        wants_terminal();
                    }
                    // Consumes the report, so that it does not come again.
                    let seen = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
                    let _ = waitid(WaitId::Pid(self.0), seen);
                }
                Ok(Some(ended)) => {
                    let code = ended.exit_status().map(Exit::Code);
                    let signal = ended.terminating_signal().map(Exit::Signal);
                    return code.or(signal).unwrap_or(Exit::Code(0));
                }
                Ok(None) | Err(Errno::INTR) => {}
                // Another thread has reaped it, and its exit code is lost.
                Err(_) => return Exit::Signal(0),
            }
        }
    }

    /// Waits until the leader, which has ended, is alone in the group.
    ///
    /// A wait for children that *stop* fails when none is left that could: dead ones do not count for it, even unreaped.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_for_rest(self) {
        while matches!(
            waitid(WaitId::Pgid(Some(self.0)), WaitIdOptions::STOPPED),
            Ok(_) | Err(Errno::INTR)
        ) {}
    }

    /// True if the leader, which has ended, is alone in the group. Here the dead do not count for a signal.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_alone(self) -> bool {
        rustix::process::test_kill_process_group(self.0).is_err()
    }

    /// Lets go of the leader and of orphans of the group. The group's number is free then.
    pub(super) fn reap(self) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        while let Ok(Some(_)) | Err(Errno::INTR) = waitid(WaitId::Pgid(Some(self.0)), options) {}
    }
}
