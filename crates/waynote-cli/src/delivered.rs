//! The ledger of what each session of a client was given, so that none gets it twice and none goes without: kept by the hooks
//! and by the MCP server, in files outside the store.
//!
//! ```text
//! $XDG_STATE_HOME/waynote/delivered/       else ~/.local/state/…; mode 0700
//!   session SESSION      the ledger of one session of a client
//!   client PID START     the session that a client's process was last in; empty where no hook has named one, and the
//!                        ledger of what its server gave is that of the session `PID START`
//! ```
//!
//! The parts of a name are percent-encoded, with a blank between. SESSION is what the client calls its session: it stays the same
//! when the session is resumed, in another process and after a restart of the machine. A ledger is a list of lines, written
//! under a lock of the file:
//!
//! ```text
//! reset SOURCE EVENT MILLIS    the conversation lost what it had been given: it was compacted or cleared
//! block hook|server|loop|system  it has the block: from a hook, from the server's reply, in a loop's prompt, or in a
//!                              system prompt, which every process makes anew
//! whole REVISION ADDRESS       it has this note whole
//! line REVISION ADDRESS        it has a line of this note
//! subagent ID                  a subagent of it has the block
//! ```
//!
//! The server does not know the client's session, nor a hook the server's process. What both know is the client's process
//! above them, which is why `client` names a session.
//!
//! What cannot be read or written counts as not given: the block twice is better than not at all. Files that nobody wrote
//! for a month are removed.

mod given;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use waynote::context::{Shown, ShownNote};

use crate::error::Outcome;
use crate::home;
use crate::process::Process;

pub(crate) use given::{By, Given};

const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Two hooks that report the same loss within this time report one event.
const SAME_EVENT: Duration = Duration::from_secs(3);

/// How long the lock of a ledger is waited for. It is held for the time of one write.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// As much of a ledger as is read: thousands of notes.
const MOST_BYTES: u64 = 1 << 20;

/// The longest part of a file's name, in bytes.
const PART_BYTES: usize = 90;

/// How many processes above a hook may be its client: it starts hooks through a shell, perhaps through two.
const LEVELS: usize = 3;

/// The folder of the ledgers.
#[derive(Clone)]
pub(crate) struct Delivered {
    folder: PathBuf,
}

/// What is about to be given.
#[derive(Clone, Debug)]
pub(crate) enum Gift {
    /// The block.
    Block(By),
    /// The block, to a conversation that has lost an earlier one without a word.
    BlockAnew(By),
    /// Some notes.
    Notes,
    /// The block, to a subagent.
    Subagent(String),
}

/// What is about to be given to a session. It counts as given once it is taken, which is when the text is really handed over.
#[derive(Clone)]
pub(crate) struct Handover {
    delivered: Delivered,
    session: String,
    gift: Gift,
    notes: Vec<ShownNote>,
    /// The ledger's length when the text was chosen.
    length: u64,
}

impl Delivered {
    /// The folder that the environment names. None without a home directory: then nothing can be remembered.
    pub(crate) fn in_environment() -> Outcome<Option<Self>> {
        let named = home::variable("XDG_STATE_HOME")?.filter(|folder| folder.starts_with('/'));
        let folder = match named {
            Some(folder) => Some(PathBuf::from(folder)),
            None => home::if_any()?.map(|home| PathBuf::from(home).join(".local/state")),
        };
        Ok(folder.map(|folder| Self {
            folder: folder.join("waynote/delivered"),
        }))
    }

    /// What a session has.
    pub(crate) fn given(&self, session: &str) -> Given {
        let Ok(mut file) = File::open(self.ledger(session)) else {
            return Given::default();
        };
        read(&mut file)
    }

    /// Notes that a session lost what it had been given: `source` says by what, `event` names the event where the client gives it a
    /// name. Two reports of one event count once.
    pub(crate) fn reset(&self, session: &str, source: &str, event: &str) {
        let (source, event, now) = (encoded(source), encoded(event), millis());
        self.write(session, |given| {
            let is_same = given.last_reset.as_ref().is_some_and(|(of, name, at)| {
                let age = Duration::from_millis(now.saturating_sub(*at));
                (of, name) == (&source, &event) && age < SAME_EVENT
            });
            (!is_same).then(|| format!("reset {source} {event} {now}\n"))
        });
    }

    /// What is about to be given to a session that has `given`.
    pub(crate) fn handover(
        &self,
        session: &str,
        given: &Given,
        gift: Gift,
        notes: Vec<ShownNote>,
    ) -> Handover {
        Handover {
            delivered: self.clone(),
            session: session.to_owned(),
            gift,
            notes,
            length: given.length,
        }
    }

    /// Notes in which session the processes above this one are. Where the server of one of them has given the block to a
    /// session that no hook had named: what it gave.
    pub(crate) fn enter(&self, session: &str) -> Option<Vec<ShownNote>> {
        let mut served = None;
        for process in Process::above().into_iter().take(LEVELS) {
            let named = self.session_of(&process);
            if named.as_deref() == Some("") {
                served = Some(self.given(&unnamed(&process)).pieces());
            }
            if named.as_deref() != Some(session) {
                self.link(&process, session);
            }
        }
        served
    }

    /// Notes that the server of a process has given the block to a session that no hook has named.
    pub(crate) fn serve(&self, process: &Process, notes: Vec<ShownNote>) {
        let gift = Gift::Block(By::Server);
        self.handover(&unnamed(process), &Given::default(), gift, notes)
            .take();
        self.link(process, "");
    }

    /// The session that a process was last in, where a hook has named one; empty where the server gave it the block
    /// without knowing its name.
    pub(crate) fn session_of(&self, process: &Process) -> Option<String> {
        std::fs::read_to_string(self.client(process)).ok()
    }

    fn link(&self, process: &Process, session: &str) {
        let write = || std::fs::write(self.client(process), session);
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

    fn ledger(&self, session: &str) -> PathBuf {
        self.folder.join(name(&["session", session]))
    }

    /// Writes to a ledger what is right by what it says; none: nothing. Tells whether it was right, and also says so when
    /// there is no ledger to be had.
    fn write(&self, session: &str, lines: impl FnOnce(&Given) -> Option<String>) -> bool {
        let Some(mut file) = self.locked(session) else {
            return lines(&Given::default()).is_some();
        };
        let given = read(&mut file);
        let Some(lines) = lines(&given) else {
            return false;
        };
        let written = file
            .seek(SeekFrom::End(0))
            .and_then(|_| file.write_all(lines.as_bytes()));
        // What is not written down is given again.
        let _ = written;
        true
    }

    /// The ledger of a session, locked until it is closed.
    fn locked(&self, session: &str) -> Option<File> {
        let path = self.ledger(session);
        let open = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).mode(0o600);
            options.open(&path)
        };
        let is_new = !path.exists();
        let file = open().or_else(|_| {
            self.make_folder();
            open()
        });
        let file = file.ok()?;
        if is_new {
            self.sweep();
        }
        let begin = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Some(file),
                Err(TryLockError::WouldBlock) if begin.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return None,
            }
        }
    }

    fn make_folder(&self) {
        let mut folder = DirBuilder::new();
        // Whether it could be made shows when a file is made in it.
        let _ = folder.recursive(true).mode(0o700).create(&self.folder);
    }

    /// Removes what is old. Nothing depends on whether it can.
    fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let made = entry.metadata().and_then(|file| file.modified());
            if made.is_ok_and(|made| age(made) > MONTH) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

impl Handover {
    /// Takes it on to hand this over, which counts as given from now on; false when somebody else has meanwhile.
    pub(crate) fn take(&self) -> bool {
        self.delivered.write(&self.session, |given| {
            let is_changed = given.length != self.length;
            let is_given = match &self.gift {
                Gift::Block(By::System) => false,
                Gift::Block(_) | Gift::BlockAnew(_) => is_changed && given.block.is_some(),
                Gift::Notes => {
                    let has = |(address, revision, shown): &ShownNote| {
                        let known = given.has(address, *revision);
                        known == Some(Shown::Whole) || known == Some(*shown)
                    };
                    is_changed && self.notes.iter().all(has)
                }
                Gift::Subagent(id) => given.subagents.contains(&encoded(id)),
            };
            (!is_given).then(|| self.lines())
        })
    }

    /// Takes it back: it could not be handed over after all. The session gets it at the next moment.
    pub(crate) fn give_back(&self) {
        let now = millis();
        self.delivered
            .write(&self.session, |_| Some(format!("reset lost - {now}\n")));
    }

    fn lines(&self) -> String {
        let mut lines = String::new();
        match &self.gift {
            Gift::Block(by) => lines.push_str(&format!("block {}\n", by.word())),
            Gift::BlockAnew(by) => {
                lines.push_str(&format!("reset lost - {}\nblock {}\n", millis(), by.word()));
            }
            Gift::Notes => {}
            // What a subagent has, its session has not.
            Gift::Subagent(id) => return format!("subagent {}\n", encoded(id)),
        }
        for (address, revision, shown) in &self.notes {
            let word = match shown {
                Shown::Whole => "whole",
                Shown::Line => "line",
                Shown::LeftOut => continue,
            };
            lines.push_str(&format!("{word} {revision} {address}\n"));
        }
        lines
    }
}

/// What stands for the name of a session that no hook has named.
fn unnamed(process: &Process) -> String {
    format!("{} {}", process.pid, process.start)
}

fn read(file: &mut File) -> Given {
    let mut text = Vec::new();
    // What cannot be read was not given.
    let _ = file.take(MOST_BYTES).read_to_end(&mut text);
    Given::read(&String::from_utf8_lossy(&text), text.len() as u64)
}

#[expect(clippy::disallowed_methods, reason = "files have the system's times")]
fn age(made: SystemTime) -> Duration {
    SystemTime::now().duration_since(made).unwrap_or_default()
}

fn millis() -> u64 {
    u64::try_from(age(SystemTime::UNIX_EPOCH).as_millis()).unwrap_or(u64::MAX)
}

fn encoded(part: &str) -> String {
    let part = utf8_percent_encode(part, NON_ALPHANUMERIC).to_string();
    if part.is_empty() { "-".into() } else { part }
}

fn name(parts: &[&str]) -> String {
    let parts = parts.iter().map(|part| {
        let mut part = encoded(part);
        part.truncate(PART_BYTES);
        part
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use waynote::Address;

    use super::*;

    fn scratch() -> (tempfile::TempDir, Delivered) {
        let folder = tempfile::tempdir().unwrap();
        let delivered = Delivered {
            folder: folder.path().join("waynote/delivered"),
        };
        (folder, delivered)
    }

    fn block(delivered: &Delivered, session: &str) -> Handover {
        let given = delivered.given(session);
        delivered.handover(session, &given, Gift::Block(By::Hook), Vec::new())
    }

    #[test]
    fn a_block_is_given_when_it_is_taken_and_not_before() {
        let (_folder, delivered) = scratch();
        let (one, other) = (block(&delivered, "a/../b"), block(&delivered, "a/../b"));
        assert_eq!(delivered.given("a/../b"), Given::default());
        assert!(one.take());
        assert!(!other.take());
        assert_eq!(delivered.given("a/../b").block, Some(By::Hook));
        assert_eq!(delivered.given("other"), Given::default());
        one.give_back();
        let given = delivered.given("a/../b");
        assert_eq!((given.block, given.was_reset), (None, true));
        assert!(block(&delivered, "a/../b").take());
    }

    #[test]
    fn a_loss_is_counted_once_for_each_event() {
        let (_folder, delivered) = scratch();
        assert!(block(&delivered, "s").take());
        delivered.reset("s", "compact", "event 1");
        assert_eq!(delivered.given("s").block, None);
        assert!(block(&delivered, "s").take());
        // The other configuration reports the same event.
        delivered.reset("s", "compact", "event 1");
        assert_eq!(delivered.given("s").block, Some(By::Hook));
        delivered.reset("s", "compact", "event 2");
        assert_eq!(delivered.given("s").block, None);
    }

    #[test]
    fn a_session_is_remembered_by_what_it_was_given() {
        let (_folder, delivered) = scratch();
        let address: Address = "place:~/with a blank".parse().unwrap();
        let give = |revision, shown| {
            let given = delivered.given("s");
            let notes = vec![(address.clone(), revision, shown)];
            delivered.handover("s", &given, Gift::Notes, notes)
        };
        let late = give(1, Shown::Whole);
        assert!(give(1, Shown::Whole).take());
        assert!(!late.take(), "somebody else gave it meanwhile");
        assert!(give(1, Shown::Line).take());
        assert!(give(2, Shown::Line).take());
        let given = delivered.given("s");
        assert_eq!(given.has(&address, 1), Some(Shown::Whole));
        assert_eq!(given.has(&address, 2), Some(Shown::Line));
        assert_eq!(given.has(&address, 3), None);
        delivered.reset("s", "clear", "");
        assert_eq!(delivered.given("s").has(&address, 1), None);
    }

    #[test]
    fn of_many_at_once_one_has_it() {
        let (_folder, delivered) = scratch();
        let handovers: Vec<_> = (0..16).map(|_| block(&delivered, "s")).collect();
        let won = std::thread::scope(|scope| {
            let threads: Vec<_> = handovers
                .iter()
                .map(|handover| scope.spawn(|| handover.take()))
                .collect();
            let won = threads.into_iter().map(|thread| thread.join().unwrap());
            won.filter(|won| *won).count()
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
        assert!(block(&delivered, "s").take());
        assert!(block(&delivered, "s").take());
    }

    #[test]
    fn a_damaged_ledger_says_what_can_be_read() {
        let (_folder, delivered) = scratch();
        assert!(block(&delivered, "s").take());
        let text =
            b"\xff\nblock hook\nwhole x agent:default#k\nwhole\nline 2 agent:default#k\nreset\n";
        std::fs::write(delivered.ledger("s"), text).unwrap();
        let given = delivered.given("s");
        assert_eq!((given.block, given.was_reset), (None, true));
        std::fs::write(delivered.ledger("s"), &text[..text.len() - 6]).unwrap();
        let given = delivered.given("s");
        let address: Address = "agent:default#k".parse().unwrap();
        assert_eq!(given.block, Some(By::Hook));
        assert_eq!(given.has(&address, 2), Some(Shown::Line));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_hook_names_the_session_of_the_processes_above_it() {
        let (_folder, delivered) = scratch();
        let parent = Process::parent().unwrap();
        assert_eq!(delivered.session_of(&parent), None);
        let notes = vec![("place:~".parse().unwrap(), 1, Shown::Whole)];
        delivered.serve(&parent, notes.clone());
        assert_eq!(delivered.enter("s"), Some(notes));
        assert_eq!(delivered.enter("s"), None);
        assert_eq!(delivered.session_of(&parent).as_deref(), Some("s"));
        let start = parent.start + 1;
        let other = Process { start, ..parent };
        assert_eq!(delivered.session_of(&other), None);
    }
}
