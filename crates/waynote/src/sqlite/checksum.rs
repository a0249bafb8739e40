//! A checksum over the columns of a row, for what has no hash: CRC-32 of each value with its type, in their order.

use std::sync::OnceLock;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};

use super::errors::Outcome;

/// A table whose rows have a checksum, with the columns that it is over.
pub(super) struct Checked {
    pub(super) table: &'static str,
    pub(super) columns: &'static str,
    /// The primary key, to find a row again.
    pub(super) key: &'static str,
    /// How a row is inserted: nothing that happened is ever replaced.
    verb: &'static str,
    /// The statement that inserts a row, put together once.
    insert: OnceLock<String>,
}

pub(super) static JOURNAL: Checked = Checked {
    table: "waynote_journal",
    columns: "position, previous, scope, key, revision, action, undoes, content, kind, iteration, pinned, author, \
              recorded_at, created_at, updated_at, operation, step, forgotten_at, forgotten_by",
    key: "position",
    verb: "INSERT",
    insert: OnceLock::new(),
};

pub(super) static NOTE: Checked = Checked {
    table: "waynote_note",
    columns: "scope, key, position, revision, content, preview, kind, iteration, pinned, author, created_at, \
              updated_at, resolved_by",
    key: "scope, key",
    verb: "INSERT OR REPLACE",
    insert: OnceLock::new(),
};

pub(super) static EVENT: Checked = Checked {
    table: "waynote_event",
    columns: "position, ordinal, scope, number, author, recorded_at, event, operation, step",
    key: "position, ordinal",
    verb: "INSERT",
    insert: OnceLock::new(),
};

/// All of them.
pub(super) static ALL: [&Checked; 3] = [&JOURNAL, &NOTE, &EVENT];

/// The checksum of a row that is to be written.
pub(super) fn of(values: &[&dyn ToSql]) -> Outcome<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for value in values {
        match value.to_sql()? {
            ToSqlOutput::Borrowed(value) => add(&mut hasher, value),
            ToSqlOutput::Owned(value) => add(&mut hasher, (&value).into()),
            // Nothing of ours is of another form.
            _ => add(&mut hasher, ValueRef::Null),
        }
    }
    Ok(hasher.finalize())
}

/// The checksum of the first columns of a row that was read.
pub(super) fn of_row(row: &Row<'_>, columns: usize) -> rusqlite::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for column in 0..columns {
        add(&mut hasher, row.get_ref(column)?);
    }
    Ok(hasher.finalize())
}

fn add(hasher: &mut crc32fast::Hasher, value: ValueRef<'_>) {
    let (tag, bytes): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(number) => {
            hasher.update(&[1]);
            return hasher.update(&number.to_le_bytes());
        }
        ValueRef::Real(number) => {
            hasher.update(&[2]);
            return hasher.update(&number.to_le_bytes());
        }
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    hasher.update(&[tag]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

impl Checked {
    pub(super) fn width(&self) -> usize {
        self.columns.split(',').count()
    }

    /// `key = ?1`, or `(key, key) = (?1, ?2)`.
    fn is_the_row(&self) -> String {
        let places: Vec<String> = (1..=self.key_width())
            .map(|place| format!("?{place}"))
            .collect();
        format!("({}) = ({})", self.key, places.join(", "))
    }

    pub(super) fn key_width(&self) -> usize {
        self.key.split(',').count()
    }

    /// Inserts a row with its checksum.
    pub(super) fn insert(&self, conn: &Connection, values: &[&dyn ToSql]) -> Outcome<()> {
        let sql = self.insert.get_or_init(|| {
            let places: Vec<String> = (1..=self.width() + 1)
                .map(|place| format!("?{place}"))
                .collect();
            format!(
                "{} INTO {} ({}, checksum) VALUES ({})",
                self.verb,
                self.table,
                self.columns,
                places.join(", ")
            )
        });
        let checksum = of(values)?;
        let mut values = values.to_vec();
        values.push(&checksum);
        conn.prepare_cached(sql)?.execute(values.as_slice())?;
        Ok(())
    }

    /// Writes the checksum of a row that was changed.
    pub(super) fn renew(&self, conn: &Connection, key: &[&dyn ToSql]) -> Outcome<()> {
        let sql = format!(
            "SELECT {} FROM {} WHERE {}",
            self.columns,
            self.table,
            self.is_the_row()
        );
        let mut statement = conn.prepare_cached(&sql)?;
        let mut rows = statement.query(key)?;
        let Some(row) = rows.next()? else {
            return Ok(());
        };
        let checksum = of_row(row, self.width())?;
        drop(rows);
        let sql = format!(
            "UPDATE {} SET checksum = ?{} WHERE {}",
            self.table,
            self.key_width() + 1,
            self.is_the_row()
        );
        let mut values = key.to_vec();
        values.push(&checksum);
        conn.prepare_cached(&sql)?.execute(values.as_slice())?;
        Ok(())
    }

    /// Selects every row: its columns, its checksum, its key.
    pub(super) fn select_all(&self) -> String {
        format!(
            "SELECT {}, checksum, {} FROM {}",
            self.columns, self.key, self.table
        )
    }

    /// Writes the checksums of all rows, some thousands at a time.
    pub(super) fn fill(&self, conn: &Connection) -> Outcome<()> {
        const CHUNK: usize = 8192;
        let width = self.width();
        let select = format!(
            "SELECT {}, {} FROM {} WHERE checksum IS NULL LIMIT {CHUNK}",
            self.columns, self.key, self.table
        );
        let update = format!(
            "UPDATE {} SET checksum = ?{} WHERE {}",
            self.table,
            self.key_width() + 1,
            self.is_the_row()
        );
        loop {
            let mut statement = conn.prepare(&select)?;
            let rows = statement.query_map([], |row| {
                let key: rusqlite::Result<Vec<rusqlite::types::Value>> = (width
                    ..width + self.key_width())
                    .map(|column| row.get(column))
                    .collect();
                Ok((key?, of_row(row, width)?))
            })?;
            let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
            let is_last = rows.len() < CHUNK;
            let mut statement = conn.prepare(&update)?;
            for (mut values, checksum) in rows {
                values.push(i64::from(checksum).into());
                statement.execute(rusqlite::params_from_iter(values))?;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}
