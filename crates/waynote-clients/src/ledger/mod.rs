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
mod file;
mod given;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use waynote::context::{Shown, ShownNote};

use file::Ledger;
use given::note_line;
pub use given::{By, Given};

/// Two hooks that report the same loss within this time report one event.
const SAME_EVENT: Duration = Duration::from_secs(3);

/// The longest part of a file's name, in bytes.
const PART_BYTES: usize = 90;

/// The folder of the ledgers.
#[derive(Clone)]
pub struct Ledgers {
    folder: PathBuf,
    clock: fn() -> SystemTime,
}

/// What is about to be given.
#[derive(Clone, Debug)]
pub enum Gift {
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
pub struct Handover {
    ledgers: Ledgers,
    session: String,
    gift: Gift,
    notes: Vec<ShownNote>,
    /// What the session had when the text was chosen.
    given: Given,
}

impl Ledgers {
    /// The ledgers below the folder for what programs remember. `clock` tells the system's time, which is that of files.
    pub fn below(state: &Path, clock: fn() -> SystemTime) -> Self {
        Self {
            folder: state.join("waynote/delivered"),
            clock,
        }
    }

    /// What a session has.
    pub fn given(&self, session: &str) -> Given {
        file::read(&self.ledger(session)).unwrap_or_default()
    }

    /// Notes that a session lost what it had been given: `source` says by what, `event` names the event where the client gives it a
    /// name. Two reports of one event count once.
    pub fn reset(&self, session: &str, source: &str, event: &str) {
        let (source, event, now) = (encoded(source), encoded(event), self.millis());
        self.write(session, |given| {
            let is_same = given.last_reset.as_ref().is_some_and(|(of, name, at)| {
                let age = Duration::from_millis(now.saturating_sub(*at));
                (of, name) == (&source, &event) && age < SAME_EVENT
            });
            (!is_same).then(|| format!("reset {source} {event} {now}\n"))
        });
    }

    /// What is about to be given to a session that has `given`.
    pub fn handover(
        &self,
        session: &str,
        given: &Given,
        gift: Gift,
        notes: Vec<ShownNote>,
    ) -> Handover {
        Handover {
            ledgers: self.clone(),
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

    /// How long ago something was.
    fn age(&self, made: SystemTime) -> Duration {
        (self.clock)().duration_since(made).unwrap_or_default()
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.age(SystemTime::UNIX_EPOCH).as_millis()).unwrap_or(u64::MAX)
    }

    fn make_folder(&self) {
        let mut folder = DirBuilder::new();
        // Whether it could be made shows when a file is made in it.
        let _ = folder.recursive(true).mode(0o700).create(&self.folder);
    }
}

impl Handover {
    /// Takes it on to hand this over, which counts as given from now on; false when somebody else has meanwhile.
    pub fn take(&self) -> bool {
        self.ledgers.write(&self.session, |given| {
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
    pub fn give_back(&self) {
        let line = match &self.gift {
            Gift::Subagent(id) => format!("lost {}\n", encoded(id)),
            Gift::Block(_) | Gift::BlockAnew(_) | Gift::Notes => {
                format!("reset lost - {}\n", self.ledgers.millis())
            }
        };
        self.ledgers.write(&self.session, |_| Some(line));
    }

    fn lines(&self) -> String {
        let mut lines = String::new();
        match &self.gift {
            Gift::Block(by) => lines.push_str(&format!("block {}\n", by.word())),
            Gift::BlockAnew(by) => {
                lines.push_str(&format!(
                    "reset lost - {}\nblock {}\n",
                    self.ledgers.millis(),
                    by.word()
                ));
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

    #[expect(clippy::disallowed_methods, reason = "files have the system's times")]
    pub(super) fn clock() -> SystemTime {
        SystemTime::now()
    }

    pub(super) fn scratch() -> (tempfile::TempDir, Ledgers) {
        let folder = tempfile::tempdir().unwrap();
        let ledgers = Ledgers::below(folder.path(), clock);
        (folder, ledgers)
    }

    pub(super) fn block(ledgers: &Ledgers, session: &str) -> Handover {
        let given = ledgers.given(session);
        ledgers.handover(session, &given, Gift::Block(By::Hook), Vec::new())
    }

    #[test]
    fn a_block_is_given_when_it_is_taken_and_not_before() {
        let (_folder, ledgers) = scratch();
        let (one, other) = (block(&ledgers, "a/../b"), block(&ledgers, "a/../b"));
        assert_eq!(ledgers.given("a/../b"), Given::default());
        assert!(one.take());
        assert!(!other.take());
        assert_eq!(ledgers.given("a/../b").block, Some(By::Hook));
        assert_eq!(ledgers.given("other"), Given::default());
        one.give_back();
        let given = ledgers.given("a/../b");
        assert_eq!((given.block, given.was_reset), (None, true));
        assert!(block(&ledgers, "a/../b").take());
    }

    #[test]
    fn a_loss_is_counted_once_for_each_event() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "s").take());
        ledgers.reset("s", "compact", "event 1");
        assert_eq!(ledgers.given("s").block, None);
        assert!(block(&ledgers, "s").take());
        // The other configuration reports the same event.
        ledgers.reset("s", "compact", "event 1");
        assert_eq!(ledgers.given("s").block, Some(By::Hook));
        ledgers.reset("s", "compact", "event 2");
        assert_eq!(ledgers.given("s").block, None);
    }

    #[test]
    fn a_session_is_remembered_by_what_it_was_given() {
        let (_folder, ledgers) = scratch();
        let address: Address = "place:~/with a blank".parse().unwrap();
        let give = |revision, shown| {
            let given = ledgers.given("s");
            let notes = vec![(address.clone(), revision, shown)];
            ledgers.handover("s", &given, Gift::Notes, notes)
        };
        let late = give(1, Shown::Whole);
        assert!(give(1, Shown::Whole).take());
        assert!(!late.take(), "somebody else gave it meanwhile");
        assert!(give(1, Shown::Line).take());
        assert!(give(2, Shown::Line).take());
        let given = ledgers.given("s");
        assert_eq!(given.has(&address, 1), Some(Shown::Whole));
        assert_eq!(given.has(&address, 2), Some(Shown::Line));
        assert_eq!(given.has(&address, 3), None);
        ledgers.reset("s", "clear", "");
        assert_eq!(ledgers.given("s").has(&address, 1), None);
    }

    #[test]
    fn a_subagent_that_went_without_takes_nothing_from_its_session() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "s").take());
        let subagent = || {
            let gift = Gift::Subagent("a b".into());
            ledgers.handover("s", &ledgers.given("s"), gift, Vec::new())
        };
        assert!(subagent().take());
        assert!(!subagent().take());
        subagent().give_back();
        let given = ledgers.given("s");
        assert_eq!((given.block, given.was_reset), (Some(By::Hook), false));
        assert!(subagent().take());
    }

    #[test]
    fn of_many_at_once_one_has_it() {
        let (_folder, ledgers) = scratch();
        let handovers: Vec<_> = (0..16).map(|_| block(&ledgers, "s")).collect();
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
        let ledgers = Ledgers::below(&file, clock);
        assert!(block(&ledgers, "s").take());
        assert!(block(&ledgers, "s").take());
    }

    #[test]
    fn a_damaged_ledger_says_what_can_be_read() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "s").take());
        let text =
            b"\xff\nblock hook\nwhole x agent:default#k\nwhole\nline 2 agent:default#k\nreset\n";
        std::fs::write(ledgers.ledger("s"), text).unwrap();
        let given = ledgers.given("s");
        assert_eq!((given.block, given.was_reset), (None, true));
        std::fs::write(ledgers.ledger("s"), &text[..text.len() - 6]).unwrap();
        let given = ledgers.given("s");
        let address: Address = "agent:default#k".parse().unwrap();
        assert_eq!(given.block, Some(By::Hook));
        assert_eq!(given.has(&address, 2), Some(Shown::Line));
    }
}
