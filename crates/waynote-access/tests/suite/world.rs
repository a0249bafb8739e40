//! A store of two agents, two places and two sessions. Everything of the second one holds the word `canary`: its texts,
//! its names, its authors.

use tempfile::TempDir;
use waynote::change::Change;
use waynote::event::{EndReason, IterationOutcome, ProcessIdentity, SessionEvent};
use waynote::forget::Forget;
use waynote::jiff::Timestamp;
use waynote::store::SideValue;
use waynote::{
    Address, Content, EntryType, Name, OperationId, Options, SideData, SqliteStore, Stamp, Store,
};
use waynote_access::{Grant, Rights};
use waynote_testing::values;

/// The second agent, place and session.
pub(super) const CANARY: Owner = Owner {
    name: "canary",
    place: "~/canary",
    operation: "canary's call",
};

/// The first ones.
pub(super) const ANN: Owner = Owner {
    name: "ann",
    place: "~/ann",
    operation: "ann's call",
};

/// A text that both have.
pub(super) const TWIN: &str = "the same words of both";

#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub(super) name: &'static str,
    pub(super) place: &'static str,
    pub(super) operation: &'static str,
}

impl Owner {
    pub(super) fn session(self) -> Name {
        name(self.name)
    }

    pub(super) fn addresses(self) -> Vec<Address> {
        let Self { name, place, .. } = self;
        [
            format!("agent:{name}#plan"),
            format!("agent:{name}#gone"),
            format!("agent:{name}#{name}-twin"),
            format!("agent:{name}#forgotten"),
            format!("agent:{name}#never"),
            format!("place:{place}"),
            format!("place:{place}#plan"),
            format!("place:{place}/deep#plan"),
            format!("session:{name}#{}", "0".repeat(25)),
        ]
        .map(|address| address.parse().unwrap())
        .into()
    }

    /// Writes the notes and entries of this agent.
    fn write(self, store: &SqliteStore) {
        let Self {
            name: who, place, ..
        } = self;
        let by = format!("agent:{who}");
        let mut second = 0;
        let mut stamp = || {
            second += 1;
            at(second, &by)
        };
        let say = |text: &str| Content::text(format!("{who}: {text}")).unwrap();
        let save = |address: String, content: Content| {
            values::save(address.parse().unwrap(), &content.shown())
        };
        let own = Some(OperationId::of(self.operation));
        let first = Stamp {
            operation: own,
            ..stamp()
        };
        let agent = |key: &str| format!("agent:{who}#{key}");
        let twin = Content::text(TWIN).unwrap();
        let changes = [
            save(agent("plan"), say("first the plan, then the work")),
            save(agent("gone"), say("gone soon")),
            save(agent(&format!("{who}-twin")), twin),
            save(agent("forgotten"), say("hidden away")),
        ];
        store.apply(&changes, &first).unwrap();
        let plan: Address = agent("plan").parse().unwrap();
        let gone: Address = agent("gone").parse().unwrap();
        for change in [
            save(agent("plan"), say("a better plan")),
            Change::pin(plan, true),
            Change::delete(gone),
            save(format!("place:{place}"), say("this place")),
            save(format!("place:{place}#plan"), say("the plan of this place")),
            save(format!("place:{place}/deep#plan"), say("deeper plan")),
            self.entry(EntryType::Stuck, 1, &say("it does not build")),
            self.entry(EntryType::Learning, 2, &say("the cache was old")),
        ] {
            store.apply(&[change], &stamp()).unwrap();
        }
        for event in [
            SessionEvent::LoopStarted {
                holder: ProcessIdentity::new(format!("{who}-host"), "boot", 7, 8),
                directory: format!("/{who}"),
                iterations: None,
            },
            SessionEvent::IterationStarted {
                iteration: 1,
                block: None,
            },
            SessionEvent::Blocked {
                iteration: 1,
                question: format!("{who}: which way?"),
            },
            SessionEvent::IterationEnded {
                iteration: 1,
                outcome: IterationOutcome::Exited { code: 0 },
                duration_ms: None,
                attempts: 1,
                notes_added: 0,
                said: None,
            },
            SessionEvent::LoopEnded {
                reason: EndReason::Blocked,
                detail: Some(format!("{who}: stopped")),
            },
            SessionEvent::LoopStarted {
                holder: ProcessIdentity::new(format!("{who}-host"), "boot", 9, 10),
                directory: format!("/{who}"),
                iterations: None,
            },
        ] {
            let lease = (!matches!(event, SessionEvent::LoopStarted { .. })).then_some(1);
            let session = self.session();
            store.record(&session, &[event], lease, &stamp()).unwrap();
        }
        let forgotten = Forget::new(agent("forgotten").parse().unwrap());
        store.forget(&forgotten, &stamp()).unwrap();
        let value = SideValue {
            key: who.to_owned(),
            value: who.into(),
            about: Some(say("a better plan").hash()),
        };
        store.put_side_values(who, &[value], &[]).unwrap();
    }

    pub(super) fn entry(self, kind: EntryType, iteration: i64, content: &Content) -> Change {
        values::entry_of(self.session().as_str(), kind, iteration, &content.shown())
    }
}

pub(super) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub(super) fn at(second: i64, author: &str) -> Stamp {
    Stamp::new(Timestamp::from_second(second).unwrap(), name(author))
}

/// A store with the notes and entries of these agents, one after the other.
pub(super) fn store_of(all: &[Owner]) -> (TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap();
    for who in all {
        who.write(&store);
    }
    (folder, store)
}

/// Grants for the first agent: each kind of scope, and all of them; each with all rights.
pub(super) fn grants() -> Vec<Grant> {
    let mut grants = Vec::new();
    for rights in [Rights::Read, Rights::Write, Rights::Admin] {
        for (agent, place, session) in [
            (true, false, false),
            (false, true, false),
            (false, false, true),
            (true, true, true),
        ] {
            grants.push(Grant {
                token_id: None,
                token: Some(name("ann-token")),
                rights,
                agents: agent.then(|| name(ANN.name)).into_iter().collect(),
                places: place
                    .then(|| ANN.place.parse().unwrap())
                    .into_iter()
                    .collect(),
                sessions: session.then(|| ANN.session()).into_iter().collect(),
            });
        }
    }
    grants
}

/// Panics if something of the other one is in it.
pub(super) fn no_canary(what: impl std::fmt::Debug, grant: &Grant) {
    let said = format!("{what:?}").to_lowercase();
    assert!(!said.contains("canary"), "{grant:?} is told {said}");
}
