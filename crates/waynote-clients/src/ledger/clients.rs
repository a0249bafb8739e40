//! The clients' processes: which session each was last in.

use std::path::PathBuf;
use std::time::Duration;

use waynote::context::ShownNote;
use waynote_system::plain;
use waynote_system::process::Process;

use super::file::replace;
use super::{Channel, Delivered, Delivery, Ledgers, name};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// As much of a client's file as is read, in bytes: the name of a session.
const LONGEST_NAME: u64 = 1 << 16;

/// The file whose time says when the folder was last swept.
const SWEPT: &str = "swept";

impl Ledgers {
    /// Notes in which session a client's process is. Where its server has given the block to a session that no
    /// hook had named: what it gave.
    ///
    /// A client may have several sessions at once. Its process stays linked to the one that began last, so that their
    /// prompts do not move it to and fro.
    pub fn enter(&self, client: &Process, session: &str, begins: bool) -> Option<Vec<ShownNote>> {
        let named = self.session_of(client);
        let served = named
            .as_deref()
            .filter(|named| named.is_empty())
            .map(|_| self.delivered(&unnamed(client)).pieces());
        let moves = match named.as_deref() {
            None | Some("") => true,
            Some(named) if named == session => false,
            // Some clients have no hook for the start of a session.
            Some(_) => begins || self.delivered(session) == Delivered::default(),
        };
        if moves {
            self.link(client, session);
        }
        served
    }

    /// Notes that the server of a process has given the block to a session that no hook has named.
    pub fn serve(&self, process: &Process, notes: Vec<ShownNote>) {
        let delivery = Delivery::Block(Channel::Server);
        self.prepare(&unnamed(process), &Delivered::default(), delivery, notes)
            .claim();
        self.link(process, "");
    }

    /// The session that a process was last in, where a hook has named one; empty where the server gave it the block
    /// without knowing its name.
    pub fn session_of(&self, process: &Process) -> Option<String> {
        let file = plain::open(&self.client(process)).ok()?;
        let (name, _) = plain::read(file, LONGEST_NAME).ok()?;
        String::from_utf8(name).ok()
    }

    fn link(&self, process: &Process, session: &str) {
        let write = || replace(&self.client(process), session);
        // A link that is missing costs a block twice at most.
        let _ = write().or_else(|_| {
            self.make_folder();
            write()
        });
    }

    fn client(&self, process: &Process) -> PathBuf {
        let (pid, start) = (process.pid.to_string(), process.start.to_string());
        self.folder.join(name(&["client", &pid, &start]))
    }

    /// Removes files that are old, and those of clients that have ended: once a day. Nothing depends on whether it can.
    pub(super) fn sweep(&self) {
        let stamp = self.folder.join(SWEPT);
        let swept = stamp.symlink_metadata().and_then(|file| file.modified());
        if swept.is_ok_and(|swept| self.age(swept) < DAY) {
            return;
        }
        let _ = replace(&stamp, "");
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let written = entry.metadata().and_then(|file| file.modified());
            let is_old = written.is_ok_and(|written| self.age(written) > MONTH);
            let client = entry.file_name().to_str().and_then(client_named);
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

/// What stands for the name of a session that no hook has named.
fn unnamed(process: &Process) -> String {
    format!("{} {}", process.pid, process.start)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use waynote::context::Shown;

    use super::super::tests::{block, scratch};
    use super::*;

    #[test]
    fn a_hook_names_the_session_of_the_client_above_it() {
        let (_folder, ledgers) = scratch();
        let client = Process::client().unwrap();
        assert_eq!(ledgers.session_of(&client), None);
        let notes = vec![("place:~".parse().unwrap(), 1, Shown::Whole)];
        ledgers.serve(&client, notes.clone());
        assert_eq!(ledgers.enter(&client, "s", true), Some(notes));
        assert_eq!(ledgers.enter(&client, "s", true), None);
        assert_eq!(ledgers.session_of(&client).as_deref(), Some("s"));
        let start = client.start + 1;
        let other = Process { start, ..client };
        assert_eq!(ledgers.session_of(&other), None);
        // No process but the client itself is linked.
        let above = Process::above();
        let linked = above
            .iter()
            .filter(|process| ledgers.session_of(process).is_some());
        assert_eq!(linked.count(), 1);
    }

    #[test]
    fn a_prompt_does_not_take_the_client_from_another_session() {
        let (_folder, ledgers) = scratch();
        let client = Process::client().unwrap();
        let session = || ledgers.session_of(&client).unwrap();
        ledgers.enter(&client, "first", true);
        assert!(block(&ledgers, "first").claim());
        // Its client has no hook for the start of a session.
        ledgers.enter(&client, "second", false);
        assert!(block(&ledgers, "second").claim());
        assert_eq!(session(), "second");
        ledgers.enter(&client, "first", false);
        assert_eq!(session(), "second");
        ledgers.enter(&client, "first", true);
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
        ledgers.link(&client, "s");
        ledgers.link(&gone, "s");
        let old = |path: PathBuf, age| {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            let written = file.metadata().unwrap().modified().unwrap() - age;
            file.set_modified(written).unwrap();
        };
        old(ledgers.ledger("first"), MONTH + DAY);
        assert!(block(&ledgers, "second").claim());
        assert!(ledgers.session_of(&gone).is_some(), "swept a moment ago");
        old(ledgers.folder.join(SWEPT), DAY * 2);
        assert!(block(&ledgers, "third").claim());
        assert_eq!(ledgers.session_of(&gone), None);
        assert!(ledgers.session_of(&client).is_some());
        assert!(!ledgers.ledger("first").exists() && ledgers.ledger("second").exists());
    }
}
