//! Which process runs a loop, and whether it still does.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use waynote::Name;
use waynote::event::{ProcessIdentity, RecordedEvent, SessionEvent};
use waynote_system::process::{self, Process};

/// This process.
pub fn current() -> ProcessIdentity {
    let (host, boot) = machine();
    ProcessIdentity {
        host,
        boot,
        pid: std::process::id(),
        start: Process::numbered(std::process::id()).map_or(0, |own| own.start),
    }
}

/// Whether a process has ended. Of another machine nobody can tell.
pub fn is_dead(process: &ProcessIdentity) -> bool {
    let (host, boot) = machine();
    if process.host != host {
        return false;
    }
    if process.boot != boot {
        return true;
    }
    let ProcessIdentity { pid, start, .. } = *process;
    if start != 0 {
        return !Process { pid, start }.is_alive();
    }
    // Where the kernel does not say when a process was started, that there is one counts.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

/// Whether a process is one of this machine and lives, beyond doubt: the kernel says when it was started.
pub fn is_known_to_live(process: &ProcessIdentity) -> bool {
    let (host, boot) = machine();
    let is_here = (&process.host, &process.boot) == (&host, &boot);
    is_here && process.start != 0 && !is_dead(process)
}

/// Of these leases that of the nearest loop above this process: a loop may run in another one's agent.
pub fn nearest_loop<'l>(
    leases: impl Iterator<Item = &'l (Name, RecordedEvent)>,
) -> Option<&'l (Name, RecordedEvent)> {
    let mut leases = leases.peekable();
    leases.peek()?;
    let (machine, above) = (machine(), Process::above());
    let distance = |held: &RecordedEvent| {
        let SessionEvent::LoopStarted { holder, .. } = &held.event else {
            return None;
        };
        let is_here = (holder.host.as_str(), holder.boot.as_str()) == (&machine.0, &machine.1);
        let is_it = |process: &Process| (process.pid, process.start) == (holder.pid, holder.start);
        above.iter().position(is_it).filter(|_| is_here)
    };
    leases
        .filter_map(|lease| Some((distance(&lease.1)?, lease)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, lease)| lease)
}

/// The machine's name, and what its kernel calls the time since it was started.
fn machine() -> (String, String) {
    let name = rustix::system::uname();
    (
        name.nodename().to_string_lossy().into_owned(),
        process::boot_id(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_others_do_not() {
        let own = current();
        assert!(!is_dead(&own));
        let start = own.start + 1;
        assert!(is_dead(&ProcessIdentity {
            start,
            ..own.clone()
        }));
        let boot = "before".to_owned();
        assert!(is_dead(&ProcessIdentity {
            boot,
            ..own.clone()
        }));
        let host = "elsewhere".to_owned();
        assert!(!is_dead(&ProcessIdentity {
            host,
            ..own.clone()
        }));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let pid = ended.id();
        assert!(is_dead(&ProcessIdentity { pid, ..own }));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_that_nobody_has_reaped_is_dead() {
        use rustix::process::{WaitId, WaitIdOptions, waitid};

        let mut child = std::process::Command::new("sh")
            .args(["-c", "read line"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let Process { pid, start } = Process::numbered(child.id()).unwrap();
        let process = ProcessIdentity {
            pid,
            start,
            ..current()
        };
        assert!(!is_dead(&process));
        drop(child.stdin.take());
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(is_dead(&process));
        child.wait().unwrap();
    }
}
