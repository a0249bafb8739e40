//! In which loop this process runs, if in any, and which process runs a loop.
//!
//! A loop tells its agent by the environment. An agent may start its servers and hooks without it; they still stand below
//! the loop's process, and the store knows that.

use waynote::event::{Event, Holder, Recorded, live_iteration};
use waynote::{Name, Store};

use crate::delivered::{Process, parent_and_start};
use crate::error::Outcome;
use crate::home;
use crate::settings::Settings;

/// Set for the agents of a loop: the session's name.
pub(crate) const LOOP: &str = "WAYNOTE_LOOP";

/// The session that this process works in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    /// Its name, when one was named or a loop runs this process.
    pub(crate) session: Option<Name>,
    /// The iteration that was named, else the live one.
    pub(crate) iteration: Option<i64>,
    /// Whether a loop runs this process, and waits for what it says. Its prompt had the block.
    pub(crate) is_in_loop: bool,
}

impl Inside {
    /// What was named holds; the rest is what the store knows.
    pub(crate) fn of(settings: &Settings, store: &dyn Store) -> Outcome<Self> {
        let named = settings.session.value.clone();
        let leases = match &named {
            // Nothing to find out.
            Some(_) if settings.iteration.value.is_some() => Vec::new(),
            _ => store.leases()?,
        };
        let of_loop = leases.iter().find(|(session, held)| {
            named.as_ref().is_none_or(|named| named == session) && is_above(held)
        });
        let session = named.or_else(|| of_loop.map(|(session, _)| session.clone()));
        let Some(session) = session else {
            return Ok(Self::default());
        };
        let live = live_iteration(store, &session)?;
        let is_told = home::variable(LOOP)?.as_deref() == Some(session.as_str());
        Ok(Self {
            is_in_loop: live.is_some() && (is_told || of_loop.is_some()),
            iteration: settings.iteration.value.or(live),
            session: Some(session),
        })
    }
}

/// Whether the loop's process is one above this one.
fn is_above(held: &Recorded) -> bool {
    let Event::LoopStarted { holder, .. } = &held.event else {
        return false;
    };
    let machine = machine();
    let is_here = (holder.host.as_str(), holder.boot.as_str()) == (&machine.0, &machine.1);
    let is_it = |process: &Process| (process.pid, process.start) == (holder.pid, holder.start);
    is_here && Process::above().iter().any(is_it)
}

/// This process.
pub(crate) fn holder() -> Holder {
    let (host, boot) = machine();
    Holder {
        host,
        boot,
        pid: std::process::id(),
        start: parent_and_start("self").map_or(0, |(_, start)| start),
    }
}

/// Whether a process is no more. Of another machine nobody can tell.
pub(crate) fn is_dead(holder: &Holder) -> bool {
    let (host, boot) = machine();
    if holder.host != host {
        return false;
    }
    if holder.boot != boot {
        return true;
    }
    match parent_and_start(&holder.pid.to_string()) {
        Some((_, start)) => start != holder.start,
        // Where the kernel does not say when a process was started, that there is one counts.
        None if holder.start == 0 => {
            let pid = i32::try_from(holder.pid)
                .ok()
                .and_then(rustix::process::Pid::from_raw);
            pid.is_none_or(|pid| {
                rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
            })
        }
        None => true,
    }
}

/// The machine's name, and what its kernel calls the time since it was started.
fn machine() -> (String, String) {
    let name = rustix::system::uname();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    (
        name.nodename().to_string_lossy().into_owned(),
        boot.trim().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_others_do_not() {
        let own = holder();
        assert!(!is_dead(&own));
        let start = own.start + 1;
        assert!(is_dead(&Holder {
            start,
            ..own.clone()
        }));
        let boot = "before".to_owned();
        assert!(is_dead(&Holder {
            boot,
            ..own.clone()
        }));
        let host = "elsewhere".to_owned();
        assert!(!is_dead(&Holder {
            host,
            ..own.clone()
        }));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let pid = ended.id();
        assert!(is_dead(&Holder { pid, ..own }));
    }
}
