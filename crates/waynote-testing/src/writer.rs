//! Does many kinds of things to a store.

use jiff::Timestamp;
use waynote::engine::Writing;
use waynote::event::{EndReason, IterationOutcome, ProcessIdentity, SessionEvent};
use waynote::forget::Forget;
use waynote::store::SideValue;
use waynote::{
    Address, Change, Content, EntryType, Expect, Filter, Limits, LocalStore, OperationId, Scope,
    Stamp,
};

use crate::Dice;
use crate::values::{name, place, text};

/// Does many kinds of things to a store, and refused ones are not done.
pub struct Writer {
    dice: Dice,
    /// The time of its last stamp.
    pub second: i64,
    /// The number of its last iteration.
    pub iteration: i64,
}

impl Writer {
    /// The same writer for the same seed.
    pub fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            second: 1_000,
            iteration: 0,
        }
    }

    /// The next stamp.
    pub fn stamp(&mut self) -> Stamp {
        self.second += 1;
        let author = ["person", "agent:a", "import:xs"][self.dice.below(3) as usize];
        let mut stamp = Stamp::new(Timestamp::from_second(self.second).unwrap(), name(author));
        if self.dice.below(3) == 0 {
            stamp.token = Some(name("ci"));
        }
        match self.dice.below(2) {
            0 => stamp,
            _ => stamp.of_operation(OperationId::of(&self.second.to_string())),
        }
    }

    fn address(&mut self) -> Address {
        let key = format!("k{}", self.dice.below(5)).parse().unwrap();
        match self.dice.below(4) {
            0 => Address::Place(place("~/p")),
            1 => Address::PlaceKey(place("~/p/q"), key),
            2 => Address::Agent(name("a"), key),
            _ => Address::Agent(name("Ä b"), key),
        }
    }

    fn text(&mut self) -> Content {
        text(&format!("text number {} of many", self.dice.below(12)))
    }

    /// A save of some note.
    pub fn save(&mut self) -> Change {
        Change::Save {
            address: self.address(),
            content: self.text(),
            pin: [None, Some(true), Some(false)][self.dice.below(3) as usize],
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: None,
        }
    }

    fn append(&mut self, resolves: Option<&Address>) -> Change {
        let kind = match resolves {
            Some(_) => EntryType::Learning,
            None => [EntryType::Stuck, EntryType::Tip][self.dice.below(2) as usize].clone(),
        };
        Change::Append {
            session: name("s"),
            kind,
            iteration: Some(1 + self.dice.below(4) as i64),
            content: self.text(),
            resolves: resolves.map(|address| match address {
                Address::Session(_, id) => *id,
                _ => unreachable!(),
            }),
            id: None,
            created_at: None,
        }
    }

    /// Does one thing.
    pub fn once(&mut self, store: &dyn LocalStore) {
        let stamp = self.stamp();
        // Refusals by rules are not tested here.
        match self.dice.below(12) {
            0..=3 => {
                let changes: Vec<Change> = (0..=self.dice.below(3)).map(|_| self.save()).collect();
                let _ = store.apply(&changes, &stamp);
            }
            4 => {
                let change = Change::Delete {
                    expect: Expect::Any,
                    address: self.address(),
                };
                let _ = store.apply(&[change], &stamp);
            }
            5 => {
                let change = Change::Pin {
                    expect: Expect::Any,
                    address: self.address(),
                    pinned: self.dice.below(2) == 0,
                };
                let _ = store.apply(&[change], &stamp);
            }
            6 => {
                let change = Change::undo(self.address());
                let _ = store.apply(&[change], &stamp);
            }
            7 => {
                let change = self.append(None);
                let _ = store.apply(&[change], &stamp);
            }
            8 => {
                let filter = Filter::Scopes(vec![Scope::Session(name("s"))]);
                let notes = store.select(&filter).unwrap();
                let stuck = notes
                    .into_iter()
                    .find(|note| note.kind == Some(EntryType::Stuck) && note.resolved_by.is_none());
                let change = self.append(stuck.map(|note| note.address).as_ref());
                let _ = store.apply(&[change], &stamp);
            }
            9 => {
                let entries = Filter::Scopes(vec![Scope::Session(name("s"))]);
                let entry = match self.dice.below(3) {
                    0 => store
                        .select(&entries)
                        .unwrap()
                        .pop()
                        .map(|note| note.address),
                    _ => None,
                };
                let address = entry.unwrap_or_else(|| self.address());
                let revision = self.dice.below(3);
                let request = Forget::new(address).revision((revision > 0).then_some(revision));
                let _ = store.forget(&request.everywhere(self.dice.below(3) == 0), &stamp);
            }
            10 => self.event(store, &stamp),
            _ => {
                let content = self.text();
                let value = SideValue {
                    key: format!("v{}", self.dice.below(9)),
                    value: vec![self.dice.below(256) as u8; 5],
                    about: (self.dice.below(2) == 0).then(|| content.hash()),
                };
                let space = ["file:/a", "audit"][self.dice.below(2) as usize];
                store
                    .put_side_values(space, &[value], &[], Writing::Durable)
                    .unwrap();
            }
        }
    }

    fn event(&mut self, store: &dyn LocalStore, stamp: &Stamp) {
        let session = name("s");
        let lease = store.lease(&session).unwrap().map(|of| of.number);
        let Some(lease) = lease else {
            let started = SessionEvent::LoopStarted {
                holder: ProcessIdentity::new("host", "boot", 7, 9),
                directory: "/p".into(),
                iterations: None,
            };
            store.record(&session, &[started], None, stamp).unwrap();
            return;
        };
        self.iteration += 1;
        let iteration = self.iteration;
        let events = [
            SessionEvent::IterationStarted {
                iteration,
                block: None,
            },
            SessionEvent::Completed {
                iteration,
                summary: format!("text number {} of many", self.dice.below(12)),
            },
            SessionEvent::IterationEnded {
                iteration,
                outcome: IterationOutcome::Exited { code: 0 },
                duration_ms: Some(5),
                attempts: 1,
                notes_added: 0,
                said: None,
            },
        ];
        store.record(&session, &events, Some(lease), stamp).unwrap();
        if self.dice.below(3) == 0 {
            let ended = SessionEvent::LoopEnded {
                reason: EndReason::Iterations,
                detail: None,
            };
            let stamp = self.stamp();
            store
                .record(&session, &[ended], Some(lease), &stamp)
                .unwrap();
        }
    }
}
