//! Answering questions: a statement for each kind of question, all of them in one round trip.

mod counts;
pub(crate) mod each;
mod events;
mod feed;
mod index;
mod journal;
mod notes;
mod pages;
mod side;

use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use waynote::engine::{Ask, Rows};
use waynote::store::Version;
use waynote::{Address, Position, Result, Scope};

pub(crate) use feed::Forgetting;
pub(crate) use side::hash as side_hash;

use crate::error::Outcome;
use crate::rows::damaged;
use crate::session::{Session, Then};
use crate::trip::{Statement, Value, big};

/// What makes answers of the rows of a statement.
type Reader<'a> = Box<dyn FnOnce(&[Row], &mut Rows) -> Outcome<()> + 'a>;

/// The statements of a trip, and what their rows mean.
pub(crate) struct Plan<'a> {
    store: i64,
    statements: Vec<Statement>,
    readers: Vec<Reader<'a>>,
}

impl<'a> Plan<'a> {
    /// Adds a statement. Its first value is the store.
    fn ask(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
        reader: impl FnOnce(&[Row], &mut Rows) -> Outcome<()> + 'a,
    ) {
        let mut all = Vec::with_capacity(values.len() + 1);
        all.push(big(self.store));
        all.extend(values);
        self.statements.push(Statement::typed(sql, all));
        self.readers.push(Box::new(reader));
    }
}

/// Answers questions.
pub(crate) fn read(session: &Session<'_>, ask: &Ask, then: Then) -> Result<Rows> {
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

/// By what a scope is found.
pub(crate) fn scope_hash(scope: &Scope) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(scope.kind().as_str());
    hash.update([0]);
    hash.update(scope.name());
    hash.finalize().to_vec()
}

/// The key as it is stored: empty for a place's own note.
pub(crate) fn stored_key(address: &Address) -> String {
    address.key().unwrap_or_default()
}

/// The scopes and keys of addresses.
fn addresses<'a>(all: impl Iterator<Item = &'a Address>) -> (Vec<Vec<u8>>, Vec<String>) {
    all.map(|address| (scope_hash(&address.scope()), stored_key(address)))
        .unzip()
}

/// The number of a question in the first column, which PostgreSQL counts from 1.
fn question(row: &Row) -> Outcome<usize> {
    let number: i64 = row.try_get(0)?;
    Ok(usize::try_from(number - 1).unwrap_or(usize::MAX))
}

/// The rows that are whole; others are named in the answers.
fn whole<T>(row: Outcome<T>, rows: &mut Rows) -> Outcome<Option<T>> {
    match row {
        Ok(value) => Ok(Some(value)),
        Err(failure) => match damaged(&failure) {
            Some(what) => {
                rows.store.damaged.push(what.to_owned());
                Ok(None)
            }
            None => Err(failure),
        },
    }
}
