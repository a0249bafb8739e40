//! Answering questions: a statement for each kind of question, all of them in one round trip.

mod counts;
mod each;
mod events;
mod feed;
mod index;
mod journal;
mod notes;
mod pages;
pub(crate) mod plan;
mod side;

use waynote::engine::{Ask, Rows};
use waynote::store::Version;
use waynote::{Position, Result};

use crate::session::{Session, TripEnd};
pub(crate) use feed::Forgetting;
pub(crate) use side::hash as side_hash;

use plan::Plan;

/// Answers questions.
pub(crate) fn read(session: &Session<'_>, ask: &Ask, then: TripEnd) -> Result<Rows> {
    let mut rows = Rows::none(ask);
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
    // The head is in the memory of a transaction that has begun.
    let is_asked = !plan.statements.is_empty() || session.head().is_none();
    if is_asked {
        let answers = session.trip(plan.statements, then)?;
        for (reader, answer) in plan.readers.into_iter().zip(answers) {
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
