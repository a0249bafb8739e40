//! Which sessions of a client have the block already, so that none gets it twice: by two hooks, or by a hook and by
//! the server's first answer.
//!
//! A marker is an empty file, made exclusively, in a folder outside the store:
//!
//! ```text
//! $XDG_RUNTIME_DIR/waynote/delivered/          else $XDG_STATE_HOME/…, else ~/.local/state/…; mode 0700
//!   session SESSION SOURCE     the client's session, delivered to for that reason: startup, compact-2, …
//!   client PID START           the client's process: some session in it was delivered to by a hook
//!   given SESSION              not empty: the notes that the session was given, a line each: `whole REVISION ADDRESS`, or
//!                              `line …` where it was given a preview alone
//! ```
//!
//! The parts are percent-encoded, and between them stands a blank. SESSION is what the client calls its session. SOURCE
//! is why it asks: a compaction is another reason than the start and delivers again. PID and START (in clock ticks
//! after boot) name a process for good. A hook does not know the server's process nor the server the client's session;
//! what both have is the client's process above them.
//!
//! A marker that cannot be made counts as not delivered: the block twice is better than not at all. Markers older than
//! a week are removed.

use std::collections::HashMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use waynote::context::Shown;
use waynote::{Address, Note};

use crate::error::Outcome;
use crate::home;

const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Claims of one session for one reason within this are for one event.
const SAME_EVENT: Duration = Duration::from_secs(10);

/// More compactions than these are not counted.
const MOST_EVENTS: u32 = 10_000;

/// As much as is read of what a session was given.
const MOST_GIVEN_BYTES: u64 = 1 << 20;

/// The longest part of a marker's name, in bytes.
const PART_BYTES: usize = 90;

/// How many processes above a hook may be its client: it starts hooks through a shell, perhaps through two.
const LEVELS: usize = 3;

/// The folder of the markers.
pub(crate) struct Delivered {
    folder: PathBuf,
}

/// What a session was given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Given(HashMap<(String, u64), Shown>);

impl Given {
    /// How much of a note as it is now.
    pub(crate) fn of(&self, note: &Note) -> Option<Shown> {
        let key = (note.address.to_string(), note.revision);
        self.0.get(&key).copied()
    }
}

/// A process, named for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start: u64,
}

impl Delivered {
    /// The folder that the environment names.
    pub(crate) fn in_environment() -> Outcome<Self> {
        let named = match home::variable("XDG_RUNTIME_DIR")? {
            Some(folder) => Some(folder),
            None => home::variable("XDG_STATE_HOME")?,
        };
        let folder = match named.filter(|folder| folder.starts_with('/')) {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(home::home()?).join(".local/state"),
        };
        Ok(Self {
            folder: folder.join("waynote/delivered"),
        })
    }

    /// Takes it on to deliver to a session of a client for that reason; false when somebody has.
    pub(crate) fn claim_session(&self, session: &str, source: &str) -> bool {
        self.claim(&["session", session, source])
    }

    /// The same for a reason that comes again in one session, as a compaction does: two claims within a few seconds are for one
    /// event, a later one is for the next.
    pub(crate) fn claim_event(&self, session: &str, source: &str) -> bool {
        for number in 1..MOST_EVENTS {
            let source = format!("{source}-{number}");
            let path = self.folder.join(name(&["session", session, &source]));
            let made = std::fs::metadata(path).and_then(|file| file.modified());
            if !made.is_ok_and(|made| age(made) > SAME_EVENT) {
                // Made a moment ago for this event, or not made yet: of all who try, one makes it.
                return self.claim_session(session, &source);
            }
        }
        true
    }

    /// How much of each note a session was given, by address and revision.
    pub(crate) fn given(&self, session: &str) -> Given {
        let file = std::fs::File::open(self.given_to(session));
        let mut text = Vec::new();
        if let Ok(file) = file {
            // What cannot be read was not given.
            let _ = file.take(MOST_GIVEN_BYTES).read_to_end(&mut text);
        }
        let mut given = Given::default();
        for line in String::from_utf8_lossy(&text).lines() {
            let mut words = line.splitn(3, ' ');
            let shown = match words.next() {
                Some("whole") => Shown::Whole,
                Some("line") => Shown::Line,
                _ => continue,
            };
            let revision = words.next().and_then(|revision| revision.parse().ok());
            let (Some(revision), Some(address)) = (revision, words.next()) else {
                continue;
            };
            let known = given.0.entry((address.to_owned(), revision));
            let known = known.or_insert(shown);
            if shown == Shown::Whole {
                *known = shown;
            }
        }
        given
    }

    /// Remembers what a session was given besides. What cannot be remembered is given again.
    pub(crate) fn give<'n>(
        &self,
        session: &str,
        notes: impl IntoIterator<Item = (&'n Address, u64, Shown)>,
    ) {
        let mut lines = String::new();
        for (address, revision, shown) in notes {
            let word = match shown {
                Shown::Whole => "whole",
                Shown::Line => "line",
                Shown::LeftOut => continue,
            };
            lines.push_str(&format!("{word} {revision} {address}\n"));
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.given_to(session));
        if let Ok(mut file) = file {
            let _ = file.write_all(lines.as_bytes());
        }
    }

    /// Forgets what a session was given: its conversation begins anew.
    pub(crate) fn forget_given(&self, session: &str) {
        // One that was given nothing has no list.
        let _ = std::fs::remove_file(self.given_to(session));
    }

    fn given_to(&self, session: &str) -> PathBuf {
        self.folder.join(name(&["given", session]))
    }

    /// Notes that a hook delivers in this process's clients: the processes above it.
    pub(crate) fn mark_clients(&self) {
        for process in Process::above().into_iter().take(LEVELS) {
            self.claim(&[
                "client",
                &process.pid.to_string(),
                &process.start.to_string(),
            ]);
        }
    }

    /// Whether a hook has delivered in that process.
    pub(crate) fn is_client_marked(&self, client: &Process) -> bool {
        let name = name(&["client", &client.pid.to_string(), &client.start.to_string()]);
        self.folder.join(name).exists()
    }

    /// Makes a marker; false when it is there already.
    fn claim(&self, parts: &[&str]) -> bool {
        let made = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let path = self.folder.join(name(parts));
        let mut result = made(&path);
        if result
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::NotFound)
        {
            let mut folder = DirBuilder::new();
            // Whether it could be made shows in the next line.
            let _ = folder.recursive(true).mode(0o700).create(&self.folder);
            result = made(&path);
        }
        match result {
            Ok(_) => {
                self.sweep();
                true
            }
            Err(error) => error.kind() != ErrorKind::AlreadyExists,
        }
    }

    /// Removes what is old. Nothing depends on whether it can.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let made = entry.metadata().and_then(|file| file.modified());
            if made.is_ok_and(|made| age(made) > WEEK) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "files have the system's times")]
fn age(made: SystemTime) -> Duration {
    SystemTime::now().duration_since(made).unwrap_or_default()
}

fn name(parts: &[&str]) -> String {
    let encoded = parts.iter().map(|part| {
        let mut part = utf8_percent_encode(part, NON_ALPHANUMERIC).to_string();
        part.truncate(PART_BYTES);
        part
    });
    encoded.collect::<Vec<_>>().join(" ")
}

impl Process {
    /// The process that started this one, if that can be told.
    pub(crate) fn parent() -> Option<Self> {
        Self::above().into_iter().next()
    }

    /// The processes above this one, the nearest first.
    pub(crate) fn above() -> Vec<Self> {
        let mut above = Vec::new();
        let mut next = parent_and_start("self").map(|(parent, _)| parent);
        while let Some(pid @ 2..) = next {
            let Some((parent, start)) = parent_and_start(&pid.to_string()) else {
                break;
            };
            above.push(Self { pid, start });
            next = Some(parent);
        }
        above
    }
}

/// The number of a process's parent, and when the process was started. Read from where the kernel says it; other systems do not.
pub(crate) fn parent_and_start(pid: &str) -> Option<(u32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may hold anything.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, Delivered) {
        let folder = tempfile::tempdir().unwrap();
        let delivered = Delivered {
            folder: folder.path().join("waynote/delivered"),
        };
        (folder, delivered)
    }

    #[test]
    fn a_session_is_claimed_once_for_each_reason() {
        let (_folder, delivered) = scratch();
        assert!(delivered.claim_session("a/../b", "startup"));
        assert!(!delivered.claim_session("a/../b", "startup"));
        assert!(delivered.claim_session("a/../b", "compact"));
        assert!(delivered.claim_session("other", "startup"));
        let files = std::fs::read_dir(&delivered.folder).unwrap().count();
        assert_eq!(files, 3);
    }

    #[test]
    fn a_session_is_remembered_by_what_it_was_given() {
        let (_folder, delivered) = scratch();
        delivered.claim_session("s", "startup");
        let address: Address = "place:~/with a blank".parse().unwrap();
        let key = |revision| (address.to_string(), revision);
        delivered.give("s", [(&address, 1, Shown::Whole)]);
        delivered.give(
            "s",
            [(&address, 1, Shown::Line), (&address, 2, Shown::Line)],
        );
        let given = delivered.given("s").0;
        assert_eq!(given.get(&key(1)), Some(&Shown::Whole));
        assert_eq!(given.get(&key(2)), Some(&Shown::Line));
        assert_eq!(delivered.given("other"), Given::default());
        delivered.forget_given("s");
        assert_eq!(delivered.given("s"), Given::default());
    }

    #[test]
    fn of_many_at_once_one_has_it() {
        let (_folder, delivered) = scratch();
        let claims = || (0..16).map(|_| &delivered).collect::<Vec<_>>();
        let won = std::thread::scope(|scope| {
            let threads = claims()
                .into_iter()
                .map(|delivered| scope.spawn(|| delivered.claim_session("s", "startup")));
            let threads: Vec<_> = threads.collect();
            threads
                .into_iter()
                .filter(|_| true)
                .map(|thread| thread.join().unwrap())
                .filter(|won| *won)
                .count()
        });
        assert_eq!(won, 1);
    }

    #[test]
    fn a_folder_that_cannot_be_made_delivers() {
        let (folder, _) = scratch();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let delivered = Delivered {
            folder: file.join("below"),
        };
        assert!(delivered.claim_session("s", "startup"));
        assert!(delivered.claim_session("s", "startup"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_hook_marks_the_processes_above_it() {
        let (_folder, delivered) = scratch();
        let parent = Process::parent().unwrap();
        assert!(!delivered.is_client_marked(&parent));
        delivered.mark_clients();
        assert!(delivered.is_client_marked(&parent));
        let other = Process {
            start: parent.start + 1,
            ..parent
        };
        assert!(!delivered.is_client_marked(&other));
    }
}
