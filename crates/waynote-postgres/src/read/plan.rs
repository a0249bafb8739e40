//! The statements of a trip, and the parts that they share.

use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use waynote::engine::Rows;
use waynote::{Address, Error, Name, Scope};

use crate::error::{Failure, Outcome};
use crate::row::unreadable;
use crate::trip::{Statement, Value, big, many_bytes, texts};

/// Turns the rows of a statement into answers.
pub(super) type Reader<'a> = Box<dyn FnOnce(&[Row], &mut Rows) -> Outcome<()> + 'a>;

/// The statements of a trip, with a reader for the rows of each.
pub(crate) struct Plan<'a> {
    pub(super) store: i64,
    pub(super) statements: Vec<Statement>,
    pub(super) readers: Vec<Reader<'a>>,
}

impl<'a> Plan<'a> {
    /// Adds a statement. Its first value is the store.
    pub(super) fn ask(
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

    /// The same, for each row by itself.
    pub(super) fn rows(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
        reader: impl Fn(&Row, &mut Rows) -> Outcome<()> + 'a,
    ) {
        self.ask(sql, values, move |found, rows| {
            found.iter().try_for_each(|row| reader(row, rows))
        });
    }

    /// The same for questions that are asked together, unless there are none. Each row begins with the number of its
    /// question, which the reader gets.
    pub(super) fn each<Q>(
        &mut self,
        asked: &[Q],
        sql: &'static str,
        values: Vec<Value>,
        reader: impl Fn(&Row, usize, &mut Rows) -> Outcome<()> + 'a,
    ) {
        if !asked.is_empty() {
            let count = asked.len();
            self.rows(sql, values, move |row, rows| {
                reader(row, question(row, count)?, rows)
            });
        }
    }
}

/// The key by which a scope is found: the hash of its kind and name.
pub(crate) fn scope_hash(scope: &Scope) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(scope.kind().as_str());
    hash.update([0]);
    hash.update(scope.name());
    hash.finalize().to_vec()
}

/// The same for a session's log.
pub(crate) fn session_hash(session: &Name) -> Vec<u8> {
    scope_hash(&Scope::Session(session.clone()))
}

/// The key as it is stored: empty for a place's own note.
pub(crate) fn stored_key(address: &Address) -> String {
    address.key().unwrap_or_default()
}

/// The scopes and keys of addresses, as two values.
pub(super) fn addresses<'a>(all: impl Iterator<Item = &'a Address> + Clone) -> [Value; 2] {
    let scopes = all.clone().map(|address| scope_hash(&address.scope()));
    [many_bytes(scopes), texts(all.map(stored_key))]
}

/// The number of one of so many questions in the first column, which PostgreSQL counts from 1.
pub(super) fn question(row: &Row, count: usize) -> Outcome<usize> {
    let number = usize::try_from(row.try_get::<_, i64>(0)?).unwrap_or_default();
    match (1..=count).contains(&number) {
        true => Ok(number - 1),
        false => Err(unreadable("an answer of the server")),
    }
}

/// The rows that are whole; others are named in the answers.
pub(super) fn whole<T>(row: Outcome<T>, rows: &mut Rows) -> Outcome<Option<T>> {
    match row {
        Err(Failure::Ours(Error::DamagedNote { what })) => {
            rows.store.damaged.push(what);
            Ok(None)
        }
        row => row.map(Some),
    }
}
