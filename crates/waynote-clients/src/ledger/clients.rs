//! The clients' processes, each with the session that it was last in.

use std::path::PathBuf;
use std::time::Duration;

use waynote::context::ShownNote;
use waynote_files::replace_private;
use waynote_system::plain;
use waynote_system::process::Process;

use super::{About, Channel, Deliveries, Delivery, Ledgers, name};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What sessions were told is kept for longer: so that somebody can see which notes none was given.
const RECORDS: Duration = Duration::from_secs(100 * 24 * 60 * 60);

/// The mark behind a session's name of a process that has had others.
const OTHERS: &str = "\nothers\n";

/// As much of a client's file as is read, in bytes: the name of a session.
const LONGEST_NAME: u64 = 1 << 16;

/// The file whose time says when the folder was last swept.
const SWEPT: &str = "swept";

/// The session in which a client calls its server, as far as it is known. A call does not name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallerSession {
    /// No hook has named any.
    Unnamed,
    /// The only one that the process has had, with its name.
    Only(String),
    /// One of several.
    OneOf,
}

/// The session in which a client's process is from now on.
#[derive(Clone)]
pub(crate) struct Link {
    ledgers: Ledgers,
    process: Process,
    session: String,
    /// True if the process has had another one.
    is_another: bool,
}

impl Link {
    /// Notes it. Before the answer of a hook is claimed, a reply of the server could take the block of the session that is
    /// about to begin.
    pub(crate) fn note(&self) {
        self.ledgers
            .link(&self.process, &self.session, self.is_another);
    }
}

impl Ledgers {
    /// Enters a session, which begins or was there before. Gives the notes that the client's server delivered to a session
    /// that no hook had named, and a link to be noted once the hook's answer is claimed.
    ///
    /// A client may have several sessions at once. Its process stays linked to the one that began last, so that their
    /// prompts do not move it to and fro.
    pub(crate) fn enter(
        &self,
        client: &Process,
        session: &str,
        begins: bool,
    ) -> (Option<Vec<ShownNote>>, Option<Link>) {
        let linked = self.linked(client);
        let named = linked.as_ref().map(|(named, _)| named.as_str());
        let served = named
            .filter(|named| named.is_empty())
            .map(|_| self.delivered(&unnamed(client)).pieces());
        let moves = match named {
            None | Some("") => true,
            Some(named) if named == session => false,
            // Some clients have no hook for the start of a session.
            Some(_) => begins || self.delivered(session) == Deliveries::default(),
        };
        let is_another = match &linked {
            None => false,
            // A prompt belongs to the session that was served; a start to another one.
            Some((named, _)) if named.is_empty() => begins,
            Some(_) => true,
        };
        let link = Link {
            ledgers: self.clone(),
            process: client.clone(),
            session: session.to_owned(),
            is_another,
        };
        (served, moves.then_some(link))
    }

    /// Notes that the server of a process has given the block to a session that no hook has named.
    pub fn serve(&self, process: &Process, notes: Vec<ShownNote>) {
        let delivery = Delivery::Block(Channel::Server);
        self.prepare(&unnamed(process), &Deliveries::default(), delivery, notes)
            .about(About::reply())
            .claim();
        self.link(process, "", false);
    }

    /// In which session a process calls its server.
    pub fn calling(&self, process: &Process) -> CallerSession {
        match self.linked(process) {
            Some((_, true)) => CallerSession::OneOf,
            Some((session, false)) if !session.is_empty() => CallerSession::Only(session),
            _ => CallerSession::Unnamed,
        }
    }

    /// The session that a process was last in, and whether it has had another one before. The name is empty where the
    /// server gave it the block without knowing it.
    fn linked(&self, process: &Process) -> Option<(String, bool)> {
        let file = plain::open(&self.client(process)).ok()?;
        let (text, _) = plain::read(file, LONGEST_NAME).ok()?;
        let text = String::from_utf8(text).ok()?;
        Some(match text.strip_suffix(OTHERS) {
            Some(session) => (session.to_owned(), true),
            None => (text, false),
        })
    }

    fn link(&self, process: &Process, session: &str, is_another: bool) {
        let others = if is_another { OTHERS } else { "" };
        let text = format!("{session}{others}");
        let write = || replace_private(&self.client(process), text.as_bytes(), None);
        // A missing link costs a second block at most.
        let _ = write().or_else(|_| {
            self.make_folder();
            write()
        });
    }

    fn client(&self, process: &Process) -> PathBuf {
        let (pid, start) = (process.pid.to_string(), process.start.to_string());
        self.folder.join(name(&["client", &pid, &start]))
    }

    /// Removes old files, and those of clients that have ended: once a day, as far as possible.
    pub(super) fn sweep(&self) {
        let stamp = self.folder.join(SWEPT);
        let swept = stamp.symlink_metadata().and_then(|file| file.modified());
        if swept.is_ok_and(|swept| self.age(swept) < DAY) {
            return;
        }
        let _ = replace_private(&stamp, b"", None);
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let written = entry.metadata().and_then(|file| file.modified());
            let file = entry.file_name();
            let kept = match file.to_string_lossy().starts_with("told ") {
                true => RECORDS,
                false => MONTH,
            };
            let is_old = written.is_ok_and(|written| self.age(written) > kept);
            let client = file.to_str().and_then(client_named);
            if is_old || client.is_some_and(|client| !client.is_alive()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// The process that a client's file is named after.
fn client_named(file: &str) -> Option<Process> {
    let (pid, start) = file.strip_prefix("client ")?.split_once(' ')?;
    Some(Process {
        pid: pid.parse().ok()?,
        start: start.parse().ok()?,
    })
}

/// The name in place of one, for a session that no hook has named.
fn unnamed(process: &Process) -> String {
    format!("{} {}", process.pid, process.start)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use waynote::context::Shown;

    use super::super::tests::{block, scratch};
    use super::*;

    /// A hook of a session runs to its end.
    fn enters(ledgers: &Ledgers, session: &str, begins: bool) -> Option<Vec<ShownNote>> {
        let client = Process::client().unwrap();
        let (served, link) = ledgers.enter(&client, session, begins);
        link.iter().for_each(Link::note);
        served
    }

    #[test]
    fn a_hook_names_the_session_of_the_client_above_it() {
        let (_folder, ledgers) = scratch();
        let client = Process::client().unwrap();
        assert_eq!(ledgers.calling(&client), CallerSession::Unnamed);
        let notes = vec![ShownNote {
            address: "place:~".parse().unwrap(),
            revision: 1,
            shown: Shown::Whole,
        }];
        ledgers.serve(&client, notes.clone());
        assert_eq!(ledgers.calling(&client), CallerSession::Unnamed);
        assert_eq!(enters(&ledgers, "s", false), Some(notes));
        assert_eq!(enters(&ledgers, "s", true), None);
        assert_eq!(ledgers.calling(&client), CallerSession::Only("s".into()));
        let start = client.start + 1;
        let other = Process { start, ..client };
        assert_eq!(ledgers.calling(&other), CallerSession::Unnamed);
        // No process but the client itself is linked.
        let above = Process::above();
        let linked = above
            .iter()
            .filter(|process| ledgers.linked(process).is_some());
        assert_eq!(linked.count(), 1);
    }

    /// A reply is delivered to the calling session, which is unknown among several.
    #[test]
    fn of_several_sessions_none_is_the_one_that_calls() {
        let (_folder, ledgers) = scratch();
        let client = Process::client().unwrap();
        let calling = || ledgers.calling(&client);
        enters(&ledgers, "first", true);
        assert!(block(&ledgers, "first").claim());
        assert_eq!(calling(), CallerSession::Only("first".into()));
        // While its hook works, the call is still one of the session that has its block.
        let second = ledgers.enter(&client, "second", true);
        assert_eq!(calling(), CallerSession::Only("first".into()));
        second.1.unwrap().note();
        assert_eq!(calling(), CallerSession::OneOf);
        enters(&ledgers, "first", true);
        assert_eq!(calling(), CallerSession::OneOf);
        // A start after a session without a name is another one.
        let (_folder, ledgers) = scratch();
        ledgers.serve(&client, Vec::new());
        enters(&ledgers, "second", true);
        assert_eq!(ledgers.calling(&client), CallerSession::OneOf);
    }

    #[test]
    fn a_prompt_does_not_take_the_client_from_another_session() {
        let (_folder, ledgers) = scratch();
        let client = Process::client().unwrap();
        let session = || ledgers.linked(&client).unwrap().0;
        enters(&ledgers, "first", true);
        assert!(block(&ledgers, "first").claim());
        // Its client has no hook for the start of a session.
        enters(&ledgers, "second", false);
        assert!(block(&ledgers, "second").claim());
        assert_eq!(session(), "second");
        enters(&ledgers, "first", false);
        assert_eq!(session(), "second");
        enters(&ledgers, "first", true);
        assert_eq!(session(), "first");
    }

    #[test]
    fn once_a_day_what_is_old_goes() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "first").claim());
        let client = Process::client().unwrap();
        let gone = Process {
            start: client.start + 1,
            ..client
        };
        ledgers.link(&client, "s", false);
        ledgers.link(&gone, "s", true);
        let old = |path: PathBuf, age| {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            let written = file.metadata().unwrap().modified().unwrap() - age;
            file.set_modified(written).unwrap();
        };
        old(ledgers.ledger("first"), MONTH + DAY);
        assert!(block(&ledgers, "second").claim());
        assert!(ledgers.linked(&gone).is_some(), "swept a moment ago");
        old(ledgers.folder.join(SWEPT), DAY * 2);
        assert!(block(&ledgers, "third").claim());
        assert_eq!(ledgers.linked(&gone), None);
        assert!(ledgers.linked(&client).is_some());
        assert!(!ledgers.ledger("first").exists() && ledgers.ledger("second").exists());
    }
}
