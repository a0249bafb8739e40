//! Identifying the process that runs a loop, and telling whether it still does.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use waynote::event::ProcessIdentity;
use waynote::{Ancestor, Writer};
use waynote_system::process::{self, Process};

/// This process.
pub fn current() -> ProcessIdentity {
    let here = Machine::current();
    let pid = std::process::id();
    let start = Process::numbered(pid).map_or(0, |own| own.start);
    ProcessIdentity::new(here.host, here.boot, pid, start).namespace(here.namespace)
}

/// True if a process is known to have ended; false for one of another machine or container.
pub fn is_dead(process: &ProcessIdentity) -> bool {
    let here = Machine::current();
    if process.host != here.host {
        return false;
    }
    if process.boot != here.boot {
        return true;
    }
    if !here.numbers(process) {
        return false;
    }
    let ProcessIdentity { pid, start, .. } = *process;
    if start != 0 {
        return !Process { pid, start }.is_alive();
    }
    // Without the time of its start, any process of that number counts.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

/// As [`is_dead`], or none for a process of another machine or container.
pub fn known_dead(process: &ProcessIdentity) -> Option<bool> {
    match is_dead(process) {
        true => Some(true),
        false => Machine::current().has(process).then_some(false),
    }
}

/// True if a process is one of this machine and surely lives: the kernel says when it was started.
pub fn is_known_to_live(process: &ProcessIdentity) -> bool {
    Machine::current().has(process) && process.start != 0 && !is_dead(process)
}

/// This process as one that writes.
pub fn writer() -> Writer {
    let here = Machine::current();
    let above = Process::above().into_iter();
    let above = above.map(|Process { pid, start }| Ancestor { pid, start });
    Writer::new(here.host, here.boot, here.namespace, above.collect())
}

/// The space in which process numbers are unique.
struct Machine {
    host: String,
    /// The kernel's id of this boot.
    boot: String,
    /// Two containers can have one host name, and have one kernel.
    namespace: Option<u64>,
}

impl Machine {
    fn current() -> Self {
        let name = rustix::system::uname();
        Self {
            host: name.nodename().to_string_lossy().into_owned(),
            boot: process::boot_id(),
            namespace: process::namespace(),
        }
    }

    /// True if a process of this host is in this namespace. An identity without one is of an earlier version, or of a
    /// system that has none.
    fn numbers(&self, process: &ProcessIdentity) -> bool {
        match (self.namespace, process.namespace) {
            (Some(here), Some(there)) => here == there,
            _ => true,
        }
    }

    fn has(&self, process: &ProcessIdentity) -> bool {
        (&process.host, &process.boot) == (&self.host, &self.boot) && self.numbers(process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_others_do_not() {
        let own = current();
        assert!(!is_dead(&own));
        let like_own = |change: fn(&mut ProcessIdentity)| {
            let mut other = own.clone();
            change(&mut other);
            is_dead(&other)
        };
        assert!(like_own(|other| other.start += 1));
        assert!(like_own(|other| other.boot = "before".into()));
        assert!(!like_own(|other| other.host = "elsewhere".into()));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let mut other = own.clone();
        other.pid = ended.id();
        assert!(is_dead(&other));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nobody_can_tell_of_another_container_on_the_same_host() {
        let own = current();
        let gone = ProcessIdentity::new(&own.host, &own.boot, own.pid, own.start + 1);
        let here = own.namespace.unwrap();
        assert!(is_dead(&gone.clone().namespace(here)));
        assert!(!is_dead(&gone.clone().namespace(here + 1)));
        assert!(is_dead(&gone), "a lease of an earlier version");
        assert!(is_known_to_live(&own));
        assert!(!is_known_to_live(&own.namespace(here + 1)));
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
        let mut process = current();
        (process.pid, process.start) = (pid, start);
        assert!(!is_dead(&process));
        drop(child.stdin.take());
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(is_dead(&process));
        child.wait().unwrap();
    }
}
