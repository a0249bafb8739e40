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
//! lost ID                      that subagent does not have it after all
//! ```
//!
//! A line is written only where it says something new. A `reset` writes the file anew, and so does a file that has
//! grown long: what it says stays, in as few lines as possible.
//!
//! The server does not know the client's session, nor a hook the server's process. What both know is the client's process
//! above them, which is why `client` names a session.
//!
//! What cannot be read or written counts as not given: the block twice is better than not at all. Once a day, files that
//! nobody wrote for a month are removed, and those of clients that have ended.

mod clients;
mod given;
mod ledger;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use waynote::context::{Shown, ShownNote};

use crate::error::Outcome;
use crate::home;

use given::note_line;
pub(crate) use given::{By, Given};
use ledger::Ledger;

/// Two hooks that report the same loss within this time report one event.
const SAME_EVENT: Duration = Duration::from_secs(3);

/// The longest part of a file's name, in bytes.
const PART_BYTES: usize = 90;

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
    /// What the session had when the text was chosen.
    given: Given,
}

impl Delivered {
    /// The folder that the environment names. None without a home directory: then nothing can be remembered.
    pub(crate) fn in_environment() -> Outcome<Option<Self>> {
        let folder = home::state()?;
        Ok(folder.map(|folder| Self {
            folder: folder.join("waynote/delivered"),
        }))
    }

    /// What a session has.
    pub(crate) fn given(&self, session: &str) -> Given {
        ledger::read(&self.ledger(session)).unwrap_or_default()
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
            given: given.clone(),
        }
    }

    fn ledger(&self, session: &str) -> PathBuf {
        self.folder.join(name(&["session", session]))
    }

    /// Writes to a ledger what is right by what it says; none: nothing. Tells whether it was right, and also says so when
    /// there is no ledger to be had.
    fn write(&self, session: &str, lines: impl FnOnce(&Given) -> Option<String>) -> bool {
        let path = self.ledger(session);
        if !self.folder.is_dir() {
            self.make_folder();
        }
        let Some(mut ledger) = Ledger::locked(&path) else {
            return lines(&Given::default()).is_some();
        };
        if ledger.is_empty() {
            self.sweep();
        }
        let lines = lines(&ledger.given);
        if let Some(lines) = &lines {
            // What is not written down is given again.
            let _ = ledger.write(lines);
        }
        lines.is_some()
    }

    fn make_folder(&self) {
        let mut folder = DirBuilder::new();
        // Whether it could be made shows when a file is made in it.
        let _ = folder.recursive(true).mode(0o700).create(&self.folder);
    }
}

impl Handover {
    /// Takes it on to hand this over, which counts as given from now on; false when somebody else has meanwhile.
    pub(crate) fn take(&self) -> bool {
        self.delivered.write(&self.session, |given| {
            let is_changed = *given != self.given;
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

    /// Takes it back: it could not be handed over after all. Who lacks it gets it at the next moment.
    pub(crate) fn give_back(&self) {
        let line = match &self.gift {
            Gift::Subagent(id) => format!("lost {}\n", encoded(id)),
            Gift::Block(_) | Gift::BlockAnew(_) | Gift::Notes => {
                format!("reset lost - {}\n", millis())
            }
        };
        self.delivered.write(&self.session, |_| Some(line));
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
            lines.push_str(&note_line(address, *revision, *shown));
        }
        lines
    }
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

    pub(super) fn scratch() -> (tempfile::TempDir, Delivered) {
        let folder = tempfile::tempdir().unwrap();
        let delivered = Delivered {
            folder: folder.path().join("waynote/delivered"),
        };
        (folder, delivered)
    }

    pub(super) fn block(delivered: &Delivered, session: &str) -> Handover {
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
    fn a_subagent_that_went_without_takes_nothing_from_its_session() {
        let (_folder, delivered) = scratch();
        assert!(block(&delivered, "s").take());
        let subagent = || {
            let gift = Gift::Subagent("a b".into());
            delivered.handover("s", &delivered.given("s"), gift, Vec::new())
        };
        assert!(subagent().take());
        assert!(!subagent().take());
        subagent().give_back();
        let given = delivered.given("s");
        assert_eq!((given.block, given.was_reset), (Some(By::Hook), false));
        assert!(subagent().take());
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
}
