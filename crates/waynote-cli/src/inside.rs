//! In which loop this process runs, if in any, and which process runs a loop.
//!
//! A loop tells its agent by the environment. An agent may start its servers and hooks without it; they still stand below
//! the loop's process, and the store knows that.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use waynote::event::{ProcessIdentity, RecordedEvent, SessionEvent};
use waynote::session_state::live_iteration;
use waynote::{LocalStore, Name};

use crate::error::Outcome;
use crate::home;
use crate::process::{self, Process};
use crate::settings::Settings;
use crate::variables::LOOP;

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
    pub(crate) fn of(settings: &Settings, store: &dyn LocalStore) -> Outcome<Self> {
        let named = settings.session.value.clone();
        let told = home::variable(LOOP)?;
        let is_told = |session: &Name| told.as_deref() == Some(session.as_str());
        let leases = store.leases()?;
        let own = nearest(leases.iter()).map(|(session, _)| session);
        let Some(session) = named.or_else(|| own.cloned()) else {
            return Ok(Self::default());
        };
        // The loop above this process is its own, and no other one is, whatever the environment says. Where none is seen above,
        // as in a container, that has the word.
        let may_be_in_loop = own.map_or_else(|| is_told(&session), |own| *own == session);
        let live = match settings.iteration.value {
            Some(_) if !may_be_in_loop => None,
            _ => live_iteration(store, &session)?,
        };
        Ok(Self {
            is_in_loop: live.is_some() && may_be_in_loop,
            iteration: settings.iteration.value.or(live),
            session: Some(session),
        })
    }
}

/// The session of the loop that runs this process, whatever session was named: that of the nearest loop above it, else the one
/// that its environment names.
pub(crate) fn own_loop(store: &dyn LocalStore) -> Outcome<Option<Name>> {
    let leases = store.leases()?;
    if let Some((session, _)) = nearest(leases.iter()) {
        return Ok(Some(session.clone()));
    }
    let told = home::variable(LOOP)?;
    let mut sessions = leases.into_iter().map(|(session, _)| session);
    Ok(sessions.find(|session| told.as_deref() == Some(session.as_str())))
}

/// Of these leases that of the nearest loop above this process: a loop may run in another one's agent.
fn nearest<'l>(
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

/// This process.
pub(crate) fn holder() -> ProcessIdentity {
    let (host, boot) = machine();
    ProcessIdentity {
        host,
        boot,
        pid: std::process::id(),
        start: Process::numbered(std::process::id()).map_or(0, |own| own.start),
    }
}

/// Whether a process is no more. Of another machine nobody can tell.
pub(crate) fn is_dead(holder: &ProcessIdentity) -> bool {
    let (host, boot) = machine();
    if holder.host != host {
        return false;
    }
    if holder.boot != boot {
        return true;
    }
    let ProcessIdentity { pid, start, .. } = *holder;
    if start != 0 {
        return !Process { pid, start }.is_alive();
    }
    // Where the kernel does not say when a process was started, that there is one counts.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

/// Whether a process is one of this machine and lives, beyond doubt: the kernel says when it was started.
pub(crate) fn is_known_to_live(holder: &ProcessIdentity) -> bool {
    let (host, boot) = machine();
    let is_here = (&holder.host, &holder.boot) == (&host, &boot);
    is_here && holder.start != 0 && !is_dead(holder)
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
        let own = holder();
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
        let holder = ProcessIdentity {
            pid,
            start,
            ..holder()
        };
        assert!(!is_dead(&holder));
        drop(child.stdin.take());
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(is_dead(&holder));
        child.wait().unwrap();
    }
}
