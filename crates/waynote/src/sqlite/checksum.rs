//! A checksum over the columns of a row, for what has no hash: CRC-32 of each value with its type, in their order.

use std::sync::OnceLock;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row, Statement, ToSql, params_from_iter};

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

    /// Writes the checksums of all rows, in the order of their keys and some thousands at a time.
    pub(super) fn fill(&self, conn: &Connection) -> Outcome<()> {
        const CHUNK: usize = 8192;
        let (width, key_width) = (self.width(), self.key_width());
        let select = |which: &str| {
            format!(
                "SELECT {}, {} FROM {} {which} ORDER BY {} LIMIT {CHUNK}",
                self.columns, self.key, self.table, self.key
            )
        };
        let places: Vec<String> = (1..=key_width).map(|place| format!("?{place}")).collect();
        let after_the_last = format!("WHERE ({}) > ({})", self.key, places.join(", "));
        let mut update = conn.prepare(&format!(
            "UPDATE {} SET checksum = ?{} WHERE {}",
            self.table,
            key_width + 1,
            self.is_the_row()
        ))?;
        let mut next = conn.prepare(&select(&after_the_last))?;
        let mut rows = checksums(
            &mut conn.prepare(&select(""))?,
            Vec::new(),
            width,
            key_width,
        )?;
        while let Some((last, _)) = rows.last() {
            let last = last.clone();
            for (mut values, checksum) in rows {
                values.push(i64::from(checksum).into());
                update.execute(params_from_iter(values))?;
            }
            rows = checksums(&mut next, last, width, key_width)?;
        }
        Ok(())
    }
}

/// Keys and checksums of the rows that a statement finds.
fn checksums(
    statement: &mut Statement<'_>,
    parameters: Vec<Value>,
    width: usize,
    key_width: usize,
) -> Outcome<Vec<(Vec<Value>, u32)>> {
    let rows = statement.query_map(params_from_iter(parameters), |row| {
        let key = (width..width + key_width).map(|column| row.get(column));
        Ok((key.collect::<rusqlite::Result<_>>()?, of_row(row, width)?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
