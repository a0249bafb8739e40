//! Answering questions: a statement for each kind of question, all of them in one round trip.

mod counts;
pub(crate) mod each;
mod events;
mod feed;
mod index;
mod journal;
mod notes;
mod pages;
pub(crate) mod plan;
mod side;

use waynote::engine::{Ask, Rows};
use waynote::store::{Answers, Version};
use waynote::{Position, Result};

use crate::session::{Session, Then};
pub(crate) use feed::Forgetting;
pub(crate) use side::hash as side_hash;

use plan::Plan;

/// Answers questions.
pub(crate) fn read(session: &Session<'_>, ask: &Ask, then: Then) -> Result<Rows> {
    let mut rows = unanswered(ask);
    let mut plan = Plan {
        store: session.engine.which.key,
        statements: Vec::new(),
        readers: Vec::new(),
    };
    notes::plan(&mut plan, ask);
    pages::plan(&mut plan, &ask.store);
    counts::plan(&mut plan, &ask.store);
    journal::plan(&mut plan, ask);
    events::plan(&mut plan, &ask.store);
    feed::plan(&mut plan, &ask.store);
    feed::steps(&mut plan, ask);
    feed::forgotten_after(&mut plan, ask);
    side::plan(&mut plan, ask);
    index::plan(&mut plan, ask);
    each::plan(&mut plan, ask);
    let Plan {
        statements,
        readers,
        ..
    } = plan;
    // The head is in the memory of a transaction that has begun.
    let is_asked = !statements.is_empty() || session.head().is_none();
    if is_asked {
        let answers = session.trip(statements, then)?;
        for (reader, answer) in readers.into_iter().zip(answers) {
            session.engine.named(reader(&answer, &mut rows))?;
        }
    }
    if let Some(head) = session.head() {
        rows.index = head.index;
        rows.store.store_id = ask.store.store_id.then_some(head.id);
        if ask.store.version {
            rows.store.version = Version {
                position: (head.position > 0).then(|| Position::new(head.position)),
                ..Version::default()
            };
        }
    }
    rows.store.damaged.sort();
    rows.store.damaged.dedup();
    Ok(rows)
}

/// As many answers as there are questions.
fn none<Q, A: Default + Clone>(questions: &[Q]) -> Vec<A> {
    vec![A::default(); questions.len()]
}

fn unanswered(ask: &Ask) -> Rows {
    let store = &ask.store;
    Rows {
        store: Answers {
            notes: none(&store.notes),
            scopes: none(&store.scopes),
            kinds: none(&store.kinds),
            pages: none(&store.pages),
            pages_noted: none(&store.pages),
            counts: none(&store.counts),
            summaries: none(&store.summaries),
            histories: none(&store.histories),
            noted_before: none(&store.noted_before),
            journal: none(&store.journal),
            entry_types: none(&store.entry_types),
            last_iterations: none(&store.last_iterations),
            events: none(&store.events),
            leases: none(&store.leases),
            feed: none(&store.feed),
            operations: none(&store.operations),
            ..Answers::default()
        },
        states: none(&ask.states),
        revisions: none(&ask.revisions),
        scope_histories: none(&ask.scope_histories),
        positions: none(&ask.positions),
        notes_at: none(&ask.notes_at),
        holders: none(&ask.holders),
        resolved: none(&ask.resolved),
        last_entries: none(&ask.last_entries),
        entries_saying: none(&ask.entries_saying),
        side: none(&ask.side),
        about: none(&ask.about),
        steps: none(&ask.steps),
        scope_numbers: none(&ask.scope_numbers),
        segment_notes: none(&ask.segment_notes),
        blocks: none(&ask.blocks),
        ..Rows::default()
    }
}
