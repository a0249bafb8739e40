//! The ledger of what was delivered to each session of a client, so that none gets it twice and none goes without. The
//! hooks and the MCP server keep it, in files outside the store.
//!
//! ```text
//! $XDG_STATE_HOME/waynote/delivered/       else ~/.local/state/…; mode 0700
//!   session SESSION      the ledger of one session of a client
//!   client PID START     the session that a client's process was last in, with a line `others` if it has had others;
//!                        empty where no hook has named one, and the ledger of what its server gave is that of the
//!                        session `PID START`
//!   told SESSION         what was delivered to it, when and for what: see [`DeliveryRecord`]
//!   paused               places and sessions to which nothing is delivered
//! ```
//!
//! The parts of a name are percent-encoded, with a space between. SESSION is the client's id of its session: it stays
//! the same when the session is resumed, in another process and after a restart of the machine. A ledger is a JSON object
//! of [`Deliveries`]. It is changed under a lock of the file, and replaced as a whole.
//!
//! The server does not know the client's session, and a hook does not know the server's process. Both know the client's
//! process above them, so `client` names a session. Among several sessions in one process, the one that calls the
//! server is unknown: the server leaves the block to their hooks.
//!
//! A ledger that cannot be read or written counts as not delivered: the block twice is better than not at all. Once a
//! day, files that nobody wrote for a month are removed, and those of clients that have ended. What sessions were told
//! stays for 100 days.

mod clients;
mod delivered;
mod file;
mod pause;
mod told;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use waynote::context::{Shown, ShownNote};

pub use clients::CallerSession;
pub(crate) use clients::Link;
pub use delivered::{Channel, Deliveries};
use file::Ledger;
pub use pause::PauseTarget;
pub use told::{About, DeliveryRecord};

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

/// The kind of a delivery.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// The block.
    Block(Channel),
    /// The block, to a conversation that has lost an earlier one without reporting it.
    BlockAnew(Channel),
    /// Some notes.
    Notes,
    /// The block, to a subagent.
    Subagent(String),
    /// The question for what the next run should know.
    Question,
}

/// A delivery to a session that is about to happen. It counts as delivered once it is [claimed](Self::claim), just
/// before the text is printed.
#[derive(Clone)]
pub struct PendingDelivery {
    ledgers: Ledgers,
    session: String,
    delivery: Delivery,
    notes: Vec<ShownNote>,
    /// The session's deliveries when the text was chosen.
    given: Deliveries,
    about: Option<About>,
}

impl Ledgers {
    /// The ledgers below the folder of state. `clock` is the system's time, which is that of files.
    pub fn below(state: &Path, clock: fn() -> SystemTime) -> Self {
        Self {
            folder: state.join("waynote/delivered"),
            clock,
        }
    }

    /// Deliveries to a session, from its ledger.
    pub fn delivered(&self, session: &str) -> Deliveries {
        file::read(&self.ledger(session))
    }

    /// Records that a session lost what was delivered: `source` says by what, `event` names the event where the client
    /// names it. Two reports of one event count once.
    pub fn reset(&self, session: &str, source: &str, event: &str) {
        let now = self.millis();
        self.change(session, |given| {
            let is_same = given.last_reset.as_ref().is_some_and(|(of, name, at)| {
                let age = Duration::from_millis(now.saturating_sub(*at));
                (of.as_str(), name.as_str()) == (source, event) && age < SAME_EVENT
            });
            if !is_same {
                given.lose(Some((source.to_owned(), event.to_owned(), now)));
            }
        });
    }

    /// Prepares a delivery to a session that has `given`.
    pub fn prepare(
        &self,
        session: &str,
        given: &Deliveries,
        delivery: Delivery,
        notes: Vec<ShownNote>,
    ) -> PendingDelivery {
        PendingDelivery {
            ledgers: self.clone(),
            session: session.to_owned(),
            delivery,
            notes,
            given: given.clone(),
            about: None,
        }
    }

    /// Records that a prompt of a session switched delivery off for its turn, or did not.
    pub(crate) fn switch(&self, session: &str, off: bool) {
        self.change(session, |given| given.is_off = off);
    }

    /// Records that a session changes files.
    pub(crate) fn changes(&self, session: &str) {
        let now = self.millis();
        self.change(session, |given| given.changed = given.changed.or(Some(now)));
    }

    fn ledger(&self, session: &str) -> PathBuf {
        self.folder.join(name(&["session", session]))
    }

    /// Changes a ledger; the result of the change, also where the ledger cannot be opened.
    fn change<T>(&self, session: &str, change: impl FnOnce(&mut Deliveries) -> T) -> T {
        let path = self.ledger(session);
        if !self.folder.is_dir() {
            self.make_folder();
        }
        let Some(mut ledger) = Ledger::locked(&path) else {
            return change(&mut Deliveries::default());
        };
        if ledger.is_new {
            self.sweep();
        }
        let before = ledger.given.clone();
        let done = change(&mut ledger.given);
        if ledger.given != before {
            // Without a record, it is delivered again.
            let _ = ledger.write();
        }
        done
    }

    /// How long ago something was.
    fn age(&self, made: SystemTime) -> Duration {
        (self.clock)().duration_since(made).unwrap_or_default()
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.age(SystemTime::UNIX_EPOCH).as_millis()).unwrap_or(u64::MAX)
    }

    fn make_folder(&self) {
        // An error shows when a file is made in it.
        let _ = waynote_files::make_folder(&self.folder, 0o700);
    }
}

impl PendingDelivery {
    /// How many notes it has.
    pub(crate) fn count(&self) -> usize {
        self.notes.len()
    }

    /// With what it is for.
    #[must_use]
    pub fn about(self, about: About) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }

    /// Claims the delivery: it counts as delivered from now on. False where another process has made it meanwhile.
    pub fn claim(&self) -> bool {
        let is_claimed = self.is_claimed();
        if let (true, Some(about)) = (is_claimed, &self.about) {
            self.ledgers.tell(&self.session, about, &self.notes);
        }
        is_claimed
    }

    fn is_claimed(&self) -> bool {
        self.ledgers.change(&self.session, |given| {
            let is_changed = *given != self.given;
            let is_given = match &self.delivery {
                Delivery::Block(Channel::System) => false,
                Delivery::Block(_) | Delivery::BlockAnew(_) => is_changed && given.block.is_some(),
                Delivery::Notes => {
                    let has = |of: &ShownNote| {
                        let known = given.has(&of.address, of.revision);
                        known == Some(Shown::Whole) || known == Some(of.shown)
                    };
                    is_changed && self.notes.iter().all(has)
                }
                Delivery::Subagent(id) => given.subagents.contains(id),
                Delivery::Question => given.was_asked,
            };
            if !is_given {
                self.give(given);
            }
            !is_given
        })
    }

    /// Adds this delivery to those of the session.
    fn give(&self, given: &mut Deliveries) {
        match &self.delivery {
            Delivery::Block(by) => given.block = Some(*by),
            Delivery::BlockAnew(by) => {
                given.lose(None);
                given.block = Some(*by);
            }
            Delivery::Notes => {
                let at_tool = self.about.as_ref().filter(|about| about.action.is_some());
                given.spent += at_tool.map_or(0, |about| about.tokens);
            }
            Delivery::Question => given.was_asked = true,
            // A subagent's notes are not its session's.
            Delivery::Subagent(id) => {
                given.subagents.insert(id.clone());
                return;
            }
        }
        self.notes.iter().for_each(|note| given.give(note));
    }

    /// Takes the claim back: the text could not be printed. The session gets it at the next event.
    pub fn release(&self) {
        self.ledgers
            .change(&self.session, |given| match &self.delivery {
                Delivery::Subagent(id) => drop(given.subagents.remove(id)),
                // It is asked once at most.
                Delivery::Question => {}
                Delivery::Block(_) | Delivery::BlockAnew(_) | Delivery::Notes => given.lose(None),
            });
    }
}

fn name(parts: &[&str]) -> String {
    let parts = parts.iter().map(|part| {
        let mut part = match *part {
            "" => "-".into(),
            part => utf8_percent_encode(part, NON_ALPHANUMERIC).to_string(),
        };
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

    pub(super) fn block(ledgers: &Ledgers, session: &str) -> PendingDelivery {
        let given = ledgers.delivered(session);
        ledgers.prepare(session, &given, Delivery::Block(Channel::Hook), Vec::new())
    }

    #[test]
    fn a_block_is_given_when_it_is_taken_and_not_before() {
        let (_folder, ledgers) = scratch();
        let (one, other) = (block(&ledgers, "a/../b"), block(&ledgers, "a/../b"));
        assert_eq!(ledgers.delivered("a/../b"), Deliveries::default());
        assert!(one.claim());
        assert!(!other.claim());
        assert_eq!(ledgers.delivered("a/../b").block, Some(Channel::Hook));
        assert_eq!(ledgers.delivered("other"), Deliveries::default());
        one.release();
        let given = ledgers.delivered("a/../b");
        assert_eq!((given.block, given.was_reset), (None, true));
        assert!(block(&ledgers, "a/../b").claim());
    }

    #[test]
    fn a_loss_is_counted_once_for_each_event() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "s").claim());
        ledgers.reset("s", "compact", "event 1");
        assert_eq!(ledgers.delivered("s").block, None);
        assert!(block(&ledgers, "s").claim());
        // The other configuration reports the same event.
        ledgers.reset("s", "compact", "event 1");
        assert_eq!(ledgers.delivered("s").block, Some(Channel::Hook));
        ledgers.reset("s", "compact", "event 2");
        assert_eq!(ledgers.delivered("s").block, None);
    }

    #[test]
    fn a_session_is_remembered_by_what_it_was_given() {
        let (_folder, ledgers) = scratch();
        let address: Address = "place:~/with a blank".parse().unwrap();
        let give = |revision, shown| {
            let given = ledgers.delivered("s");
            let notes = vec![ShownNote {
                address: address.clone(),
                revision,
                shown,
            }];
            ledgers.prepare("s", &given, Delivery::Notes, notes)
        };
        let late = give(1, Shown::Whole);
        assert!(give(1, Shown::Whole).claim());
        assert!(!late.claim(), "another hook delivered it meanwhile");
        assert!(give(1, Shown::Line).claim());
        assert!(give(2, Shown::Line).claim());
        let given = ledgers.delivered("s");
        assert_eq!(given.has(&address, 1), None, "it has a newer one");
        assert_eq!(given.has(&address, 2), Some(Shown::Line));
        assert!(give(2, Shown::Whole).claim());
        let whole = ledgers.delivered("s").has(&address, 2);
        assert_eq!(whole, Some(Shown::Whole));
        // The texts of others have numbers in no order.
        let of_others = 1 << 52;
        for text in [of_others + 7, of_others, 3] {
            assert!(give(text, Shown::Line).claim());
            let given = ledgers.delivered("s").has(&address, text);
            assert_eq!(given, Some(Shown::Line));
        }
        ledgers.reset("s", "clear", "");
        assert_eq!(ledgers.delivered("s").has(&address, 1), None);
    }

    #[test]
    fn a_subagent_that_went_without_takes_nothing_from_its_session() {
        let (_folder, ledgers) = scratch();
        assert!(block(&ledgers, "s").claim());
        let subagent = || {
            let delivery = Delivery::Subagent("a b".into());
            ledgers.prepare("s", &ledgers.delivered("s"), delivery, Vec::new())
        };
        assert!(subagent().claim());
        assert!(!subagent().claim());
        subagent().release();
        let given = ledgers.delivered("s");
        assert_eq!((given.block, given.was_reset), (Some(Channel::Hook), false));
        assert!(subagent().claim());
    }

    #[test]
    fn of_many_at_once_one_has_it() {
        let (_folder, ledgers) = scratch();
        let handovers: Vec<_> = (0..16).map(|_| block(&ledgers, "s")).collect();
        let won = std::thread::scope(|scope| {
            let threads: Vec<_> = handovers
                .iter()
                .map(|pending| scope.spawn(|| pending.claim()))
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
        assert!(block(&ledgers, "s").claim());
        assert!(block(&ledgers, "s").claim());
    }
}
