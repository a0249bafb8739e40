//! Ending processes that are not, or not only, our child: a group, and what has left it.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use self::members::Members;

/// Ends all that an agent has started and that left its group (`setsid`): it descends from this process, since orphans
/// become our children. `spared` is our guard. For a process that has no other children.
///
/// What another process starts for the agent (systemd, cron, a container engine) does not descend from it.
#[cfg(target_os = "linux")]
pub(crate) fn end_descendants(spared: Option<u32>, patience: Duration) {
    use rustix::process::kill_process;
    use waynote_system::process::descendants;

    use super::group::reap_orphans;

    const FORCED: usize = 20;
    let own = std::process::id();
    let by = Instant::now() + patience;
    let mut forced = 0;
    loop {
        reap_orphans();
        let left = descendants(own, spared);
        if left.is_empty() || forced == FORCED {
            return;
        }
        let is_time = forced == 0 && Instant::now() < by;
        let pids = || {
            let living = left.iter().filter(|process| process.is_alive());
            living.filter_map(|process| Pid::from_raw(i32::try_from(process.pid).ok()?))
        };
        for pid in pids() {
            if is_time {
                let _ = kill_process(pid, Signal::TERM);
                let _ = kill_process(pid, Signal::CONT);
            } else {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        let until = match is_time {
            true => by,
            false => Instant::now() + Duration::from_millis(50),
        };
        let have_ended = Members::these(pids()).have_ended_by(until);
        if !is_time || !have_ended {
            forced += 1;
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end_descendants(_: Option<u32>, _: Duration) {}

/// Asks a group to end, waits, and ends it.
pub(super) fn end_group(group: Pid, patience: Duration) {
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
            match living_of_group(group.as_raw_pid()) {
                Ok(living) => Self::these(living.into_iter().filter_map(Pid::from_raw)),
                Err(_) => Self {
                    held: Vec::new(),
                    is_more: rustix::process::test_kill_process_group(group).is_ok(),
                },
            }
        }

        /// These processes.
        pub(super) fn these(pids: impl Iterator<Item = Pid>) -> Self {
            let mut members = Self {
                held: Vec::new(),
                is_more: false,
            };
            for pid in pids {
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
