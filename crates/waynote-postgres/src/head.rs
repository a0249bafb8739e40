//! The row of a store, which every trip begins with: whether the store is there, and how far it is.

use tokio_postgres::Row;
use waynote::engine::IndexState;
use waynote::{Name, StoreId};

use sha2::{Digest as _, Sha256};

use crate::trip::{Statement, big, text};

/// The identity of a store: its key in every table, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreIdentity {
    pub(crate) key: i64,
    pub(crate) name: String,
}

impl StoreIdentity {
    pub(crate) fn of(name: &Name) -> Self {
        let hash = Sha256::digest(name.as_str());
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        Self {
            key: i64::from_be_bytes(first),
            name: name.as_str().to_owned(),
        }
    }

    /// The row of this store while it is being made: nobody finds it by the store's name.
    pub(crate) fn partial(&self) -> Self {
        Self {
            key: self.key,
            name: format!("{}{PARTIAL}", self.name),
        }
    }
}

/// The end of the name of a store that is being made. No name of a store has it: they have no control characters.
pub(crate) const PARTIAL: &str = "\tpartial";

/// The contents of the row.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) incarnation: i64,
    pub(crate) id: StoreId,
    pub(crate) position: i64,
    pub(crate) index: IndexState,
    /// The version of the tables.
    pub(crate) version: i64,
    /// True if a commit waits for the disk.
    pub(crate) is_synchronous: bool,
    /// True if the server is a standby.
    pub(crate) is_standby: bool,
}

/// Reads the row. If it is locked, nobody else writes the store until the transaction ends.
pub(crate) fn statement(which: &StoreIdentity, is_locked: bool) -> Statement {
    let lock = if is_locked { "FOR UPDATE OF s" } else { "" };
    let sql = format!(
        "SELECT s.incarnation, s.id, s.head, s.index_format, s.indexed, s.segments,
                current_setting('synchronous_commit') <> 'off', pg_is_in_recovery(), v.version
         FROM waynote.store s, waynote.version v WHERE s.store = $1 AND s.name = $2 {lock}"
    );
    Statement::typed(sql, vec![big(which.key), text(which.name.clone())])
}

impl Head {
    pub(crate) fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let id: Vec<u8> = row.try_get(1)?;
        let segments: i32 = row.try_get(5)?;
        Ok(Self {
            incarnation: row.try_get(0)?,
            id: StoreId::new(id.try_into().unwrap_or_default()),
            position: row.try_get(2)?,
            index: IndexState {
                format: row.try_get(3)?,
                indexed: row.try_get(4)?,
                segments: u32::try_from(segments).unwrap_or_default(),
            },
            is_synchronous: row.try_get(6)?,
            is_standby: row.try_get(7)?,
            version: row.try_get(8)?,
        })
    }
}
