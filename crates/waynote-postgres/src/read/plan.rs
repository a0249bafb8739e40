//! The statements of a trip, and the parts that they share.

use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use waynote::engine::Rows;
use waynote::{Address, Scope};

use crate::error::Outcome;
use crate::row::damaged;
use crate::trip::{Statement, Value, big};

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
}

/// The key by which a scope is found: the hash of its kind and name.
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
pub(super) fn addresses<'a>(all: impl Iterator<Item = &'a Address>) -> (Vec<Vec<u8>>, Vec<String>) {
    all.map(|address| (scope_hash(&address.scope()), stored_key(address)))
        .unzip()
}

/// The number of a question in the first column, which PostgreSQL counts from 1.
pub(super) fn question(row: &Row) -> Outcome<usize> {
    let number: i64 = row.try_get(0)?;
    Ok(usize::try_from(number - 1).unwrap_or(usize::MAX))
}

/// The rows that are whole; others are named in the answers.
pub(super) fn whole<T>(row: Outcome<T>, rows: &mut Rows) -> Outcome<Option<T>> {
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
