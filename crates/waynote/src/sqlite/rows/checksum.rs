//! A checksum over the columns of a row: CRC-32 of each value with its type, in their order. For a row that has a content,
//! the hash of that comes last, so that a row cannot show the text of another one.

use std::sync::OnceLock;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, ToSql};

use crate::sqlite::errors::Outcome;

/// A table whose rows have a checksum, with the columns that it is over.
pub(in crate::sqlite) struct CheckedTable {
    pub(in crate::sqlite) table: &'static str,
    pub(super) columns: &'static str,
    /// The primary key, to find a row again.
    pub(super) key: &'static str,
    /// How a row is inserted: nothing that happened is ever replaced.
    verb: &'static str,
    /// True if its rows can have a content.
    has_content: bool,
    /// The statement that inserts a row, put together once.
    insert: OnceLock<String>,
}

impl CheckedTable {
    const fn new(table: &'static str, columns: &'static str, key: &'static str) -> Self {
        Self {
            table,
            columns,
            key,
            verb: "INSERT",
            has_content: false,
            insert: OnceLock::new(),
        }
    }

    const fn replacing(table: &'static str, columns: &'static str, key: &'static str) -> Self {
        let mut table = Self::new(table, columns, key);
        table.verb = "INSERT OR REPLACE";
        table
    }

    const fn with_content(mut self) -> Self {
        self.has_content = true;
        self
    }
}

pub(super) static JOURNAL: CheckedTable = CheckedTable::new(
    "waynote_journal",
    "position, previous, scope, key, revision, action, undoes, content, kind, iteration, pinned, author, \
     recorded_at, created_at, updated_at, operation, step, forgotten_at, forgotten_by, token, cites",
    "position",
)
.with_content();

pub(super) static NOTE: CheckedTable = CheckedTable::replacing(
    "waynote_note",
    "scope, key, position, revision, content, preview, kind, iteration, pinned, author, created_at, updated_at, \
     resolved_by, cites",
    "scope, key",
)
.with_content();

pub(super) static EVENT: CheckedTable = CheckedTable::new(
    "waynote_event",
    "position, scope, number, author, recorded_at, event, operation, step",
    "position",
);

pub(super) static SCOPE: CheckedTable =
    CheckedTable::new("waynote_scope", "id, kind, name, notes, head, lease", "id");

pub(super) static STORE: CheckedTable = CheckedTable::replacing("waynote_store", "one, id", "one");

pub(super) static SIDE: CheckedTable =
    CheckedTable::replacing("waynote_side", "space, key, value, about", "space, key");

pub(super) static SEARCH_STATE: CheckedTable = CheckedTable::replacing(
    "waynote_search_state",
    "id, format, indexed, segments",
    "id",
);

pub(super) static SEARCH_DEAD: CheckedTable =
    CheckedTable::replacing("waynote_search_dead", "segment, notes, bits", "segment");

/// All of them.
pub(in crate::sqlite) static ALL: [&CheckedTable; 8] = [
    &JOURNAL,
    &NOTE,
    &EVENT,
    &SCOPE,
    &STORE,
    &SIDE,
    &SEARCH_STATE,
    &SEARCH_DEAD,
];

/// True if the first columns of a row are as they were written; the column after them has their checksum.
pub(in crate::sqlite) fn is_whole(row: &Row<'_>, columns: usize) -> rusqlite::Result<bool> {
    is_whole_at(row, 0, columns)
}

/// The same for the columns from one on.
pub(super) fn is_whole_at(row: &Row<'_>, first: usize, columns: usize) -> rusqlite::Result<bool> {
    let crc = i64::from(crc(row, first, columns)?);
    Ok(matches!(row.get_ref(first + columns)?, ValueRef::Integer(stored) if stored == crc))
}

fn crc(row: &Row<'_>, first: usize, columns: usize) -> rusqlite::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for column in first..first + columns {
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

impl CheckedTable {
    /// The checksum of a row that is to be written.
    pub(super) fn of(&self, values: &[&dyn ToSql]) -> Outcome<i64> {
        let mut hasher = crc32fast::Hasher::new();
        for value in values {
            let value = value.to_sql()?;
            add(
                &mut hasher,
                match &value {
                    ToSqlOutput::Borrowed(value) => *value,
                    ToSqlOutput::Owned(value) => value.into(),
                    // Nothing of ours is of another form.
                    _ => ValueRef::Null,
                },
            );
        }
        Ok(i64::from(hasher.finalize()))
    }

    /// How many values the checksum is over.
    pub(in crate::sqlite) fn width(&self) -> usize {
        self.own_width() + usize::from(self.has_content)
    }

    fn own_width(&self) -> usize {
        self.columns.split(',').count()
    }

    pub(in crate::sqlite) fn key_width(&self) -> usize {
        self.key.split(',').count()
    }

    /// The values that the checksum is over, in a query on [`CheckedTable::source`].
    fn values(&self) -> String {
        let hash = if self.has_content { ", c.hash" } else { "" };
        format!("{}{hash}", of_table(self.columns))
    }

    fn source(&self) -> String {
        let content = match self.has_content {
            true => " LEFT JOIN waynote_content c ON c.id = t.content",
            false => "",
        };
        format!("{} t{content}", self.table)
    }

    /// Inserts a row with its checksum.
    pub(super) fn insert(&self, conn: &Connection, values: &[&dyn ToSql]) -> Outcome<()> {
        self.insert_with(conn, values, None)
    }

    /// The same for a row that may have a content, with the hash of that.
    pub(super) fn insert_with(
        &self,
        conn: &Connection,
        values: &[&dyn ToSql],
        hash: Option<[u8; 32]>,
    ) -> Outcome<()> {
        let sql = self.insert.get_or_init(|| {
            let (verb, table, columns) = (self.verb, self.table, self.columns);
            let places = places(self.own_width() + 1);
            format!("{verb} INTO {table} ({columns}, checksum) VALUES ({places})")
        });
        let mut all = values.to_vec();
        if self.has_content {
            all.push(&hash);
        }
        let checksum = self.of(&all)?;
        let mut values = values.to_vec();
        values.push(&checksum);
        conn.prepare_cached(sql)?.execute(values.as_slice())?;
        Ok(())
    }

    /// Writes the checksum of a row that was changed.
    pub(super) fn renew(&self, conn: &Connection, key: &[&dyn ToSql]) -> Outcome<()> {
        // `(key) = (?1)`, or `(key, key) = (?1, ?2)`.
        let the_row = format!("({}) = ({})", of_table(self.key), places(key.len()));
        let sql = self.select(&format!("WHERE {the_row}"));
        let mut statement = conn.prepare_cached(&sql)?;
        let mut rows = statement.query(key)?;
        let Some(row) = rows.next()? else {
            return Ok(());
        };
        let checksum = i64::from(crc(row, 0, self.width())?);
        drop(rows);
        let mut values = key.to_vec();
        values.push(&checksum);
        let (table, last) = (self.table, values.len());
        let sql = format!("UPDATE {table} AS t SET checksum = ?{last} WHERE {the_row}");
        conn.prepare_cached(&sql)?.execute(values.as_slice())?;
        Ok(())
    }

    /// Selects rows: the values that the checksum is over, the checksum, the key.
    pub(in crate::sqlite) fn select(&self, which: &str) -> String {
        format!(
            "SELECT {}, t.checksum, {} FROM {} {which}",
            self.values(),
            of_table(self.key),
            self.source()
        )
    }
}

/// Columns with the alias of their table before them.
fn of_table(columns: &str) -> String {
    let columns = columns
        .split(',')
        .map(|column| format!("t.{}", column.trim()));
    columns.collect::<Vec<_>>().join(", ")
}

/// So many places for values.
fn places(count: usize) -> String {
    let places = (1..=count).map(|place| format!("?{place}"));
    places.collect::<Vec<_>>().join(", ")
}
