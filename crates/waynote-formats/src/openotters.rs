//! openotters' databases: an agent's `memory.db` with the table `notes` of the Go package `notes`, and the `daemon.db` that
//! newer versions have for all agents, with the table `agent_notes`.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::Offset;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use waynote::note::micros;
use waynote::sqlite::is_store;
use waynote::{Address, Content, Error, Key, Name, Note, Notebook, Result, Store};
use waynote_files::make_private;

use crate::error::FormatError;
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, IncomingNote, Precedence, Times};
use crate::report::ExportReport;
use crate::source::{self, MAX_LINE, MAX_TEXT};

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    usual: &["memory.db", "~/.otters/daemon.db"],
    ..Format::new(
        "openotters",
        "openotters' memory.db or daemon.db: agents' notebooks. Of two texts of a note the later one is current, \
            the other a revision",
        SourceKind::Own,
    )
};

/// The package's own schema: made where it is missing, never changed but for `in_context`.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS notes (
        key        TEXT PRIMARY KEY,
        content    TEXT NOT NULL,
        preview    TEXT NOT NULL DEFAULT '',
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        in_context INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX IF NOT EXISTS idx_notes_updated ON notes (updated_at DESC);";

/// The notebooks that the notes of a database go to.
#[derive(Clone, Copy, Debug)]
pub enum Notebooks<'n> {
    /// This one. From the database of a daemon it takes the notes of the agent of that name, or those of its only one.
    One(&'n Name),
    /// This one for the notes of an agent's own database; from that of a daemon, each agent's notes go to the notebook
    /// of its name.
    Each(&'n Name),
}

/// Reads the notes of an agent's `memory.db`, or of a daemon's `daemon.db`, which has those of all its agents; they
/// become notebooks. Of two texts under one key the later one is current and the other a revision. The database is only
/// read.
///
/// # Errors
/// [`Error::File`] when it cannot be read or is damaged;
/// [`FormatError::NothingToImport`] when it is a waynote store, has no table of notes, or has notes of several agents, and
/// none has the name that was given.
pub fn read(path: &Path, notebooks: Notebooks<'_>) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Later)?;
    let mut rows = rows_of(path)?;
    let (own, is_one) = match notebooks {
        Notebooks::One(own) => (own, true),
        Notebooks::Each(own) => (own, false),
    };
    let is_own = |row: &Row| row.agents.iter().any(|agent| agent == own.as_str());
    let agents = rows.iter().filter_map(|row| row.agents.first().cloned());
    let agents: BTreeSet<String> = agents.collect();
    if is_one && rows.iter().any(is_own) {
        rows.retain(is_own);
    } else if is_one && agents.len() > 1 {
        let agents: Vec<String> = agents.into_iter().collect();
        let reason = format!(
            "it has no notes of an agent `{own}`, but those of {}",
            agents.join(", ")
        );
        return Err(nothing(path, reason));
    }
    // Keys that differ only in blanks are one key here, and the later text is current.
    rows.sort_by_key(|row| {
        let updated_at = row.updated_at.or(row.created_at).map(micros);
        (updated_at.is_none(), updated_at)
    });
    for row in rows {
        let notebook = match row.agents.first() {
            Some(agent) if !is_one && !is_own(&row) => agent.parse(),
            _ => Ok(own.clone()),
        };
        match (notebook, row.key.parse::<Key>()) {
            (Ok(_), Ok(_)) if row.is_too_large => {
                let reason = format!("its text is larger than {} MiB", MAX_TEXT >> 20);
                incoming.skip(row.key, reason);
            }
            (Ok(notebook), Ok(key)) => incoming.push(IncomingNote {
                address: Address::Agent(notebook, key),
                name: None,
                content: row.content,
                pin: Some(row.pinned),
                times: match row.updated_at.or(row.created_at) {
                    None => Times::Unknown,
                    Some(time) => Times::Recorded {
                        created_at: row.created_at.unwrap_or(micros(time)),
                        updated_at: micros(time),
                    },
                },
            }),
            (Err(error), _) | (_, Err(error)) => incoming.skip(row.key, error.to_string()),
        }
    }
    Ok(incoming)
}

/// Writes an agent's notebook into the `notes` table of a database, made where it is missing. Of two texts under
/// one key the later one stays. Rows of other keys and other tables are left alone.
///
/// # Errors
/// [`Error::File`] when it cannot be written; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
/// store cannot be read.
pub fn export(store: &dyn Store, path: &Path, agent: &Name) -> Result<ExportReport> {
    let notes = Notebook::of_agent(store, agent.clone()).list()?;
    let refused = |error| Error::file(path, "written", error);
    match make_private(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refused(error)),
        _ => ensure_regular(path)?,
    }
    if reading(path).is_ok_and(|conn| is_table(&conn, OF_DAEMON).unwrap_or(false)) {
        let reason = "it is the database of an openotters daemon; name the memory.db of one agent";
        return Err(refused(std::io::Error::other(reason)));
    }
    write(path, &notes).map_err(|error| failed(path, "written", error))
}

/// A row of a table of notes.
struct Row {
    key: String,
    content: Content,
    pinned: bool,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    /// True if its text was not read.
    is_too_large: bool,
    /// In the database of a daemon, the agent's name, and its id.
    agents: Vec<String>,
}

fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
}

fn rows_of(path: &Path) -> Result<Vec<Row>> {
    ensure_regular(path)?;
    let conn = reading(path).map_err(|error| failed(path, "read", error))?;
    let rows = stored_rows(&conn).map_err(|error| failed(path, "read", error))?;
    rows.ok_or_else(|| {
        let reason = match is_store(&conn) {
            true => "it is a waynote store, which can be used as it is",
            false => "it has no table `notes` or `agent_notes`",
        };
        nothing(path, reason.into())
    })
}

/// The rows; none without a table of notes.
fn stored_rows(conn: &Connection) -> rusqlite::Result<Option<Vec<Row>>> {
    // Room for the other columns of a row.
    conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, (MAX_TEXT + MAX_LINE) as i32)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let (table, agents) = match (is_table(conn, OF_DAEMON)?, is_table(conn, "notes")?) {
        // An agent has a name that a person gave it, beside its id.
        (true, _) if is_table(conn, "agents")? => (
            OF_DAEMON,
            "(SELECT name FROM main.agents WHERE id = agent_id), agent_id",
        ),
        (true, _) => (OF_DAEMON, "NULL, agent_id"),
        (false, true) => ("notes", "NULL, NULL"),
        (false, false) => return Ok(None),
    };
    // Before its migration the table has no such column: nothing is pinned.
    let pinned = if has_pins(conn, table)? {
        "in_context"
    } else {
        "0"
    };
    let sql = format!(
        "SELECT key, CASE WHEN octet_length(content) <= {MAX_TEXT} THEN content END, {pinned}, created_at,
                updated_at, octet_length(content) > {MAX_TEXT}, {agents}
         FROM main.{table} ORDER BY key"
    );
    let mut statement = conn.prepare(&sql)?;
    let rows = statement.query_map([], stored)?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Some)
}

/// The table of a daemon, with the notes of all its agents.
const OF_DAEMON: &str = "agent_notes";

/// True if there is such a table whose rows are stored. A view is a query, which can run forever; a virtual table is a
/// program's; and a computed column is an expression.
fn is_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
                        WHERE type = 'table' AND lower(name) = ?1 AND rootpage > 0)
            AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1, 'main') WHERE hidden > 1)",
        [name],
        |row| row.get(0),
    )
}

/// Refuses a database that is no regular file, or has something else where SQLite looks for its log and its journal.
fn ensure_regular(path: &Path) -> Result<()> {
    // SQLite's own message does not say that there is no such file.
    source::open(path)?;
    for end in ["-wal", "-shm", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(end);
        match source::open(Path::new(&beside)) {
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            other => drop(other?),
        }
    }
    Ok(())
}

fn nothing(path: &Path, reason: String) -> Error {
    let path = path.to_owned();
    FormatError::NothingToImport { path, reason }.into()
}

fn failed(path: &Path, action: &'static str, error: rusqlite::Error) -> Error {
    Error::file(path, action, std::io::Error::other(error))
}

fn has_pins(conn: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1, 'main') WHERE name = 'in_context')";
    conn.query_row(sql, [table], |row| row.get(0))
}

fn stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    let bytes = |value: ValueRef<'_>| match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        ValueRef::Integer(number) => number.to_string().into_bytes(),
        ValueRef::Real(number) => number.to_string().into_bytes(),
        ValueRef::Null => Vec::new(),
    };
    let agents: [Option<String>; 2] = [row.get(6)?, row.get(7)?];
    Ok(Row {
        key: String::from_utf8_lossy(&bytes(row.get_ref(0)?)).into_owned(),
        content: Content::imported(bytes(row.get_ref(1)?)),
        pinned: matches!(row.get_ref(2)?, ValueRef::Integer(flag) if flag != 0),
        created_at: time(row.get_ref(3)?),
        updated_at: time(row.get_ref(4)?),
        is_too_large: row.get::<_, Option<bool>>(5)? == Some(true),
        agents: agents.into_iter().flatten().collect(),
    })
}

/// A time as one of Go's SQLite drivers stores it. None for a null, and for Go's zero time.
fn time(value: ValueRef<'_>) -> Option<Timestamp> {
    let time = match value {
        ValueRef::Integer(number) if number.unsigned_abs() > 100_000_000_000 => {
            Timestamp::from_millisecond(number).ok()?
        }
        ValueRef::Integer(number) => Timestamp::from_second(number).ok()?,
        ValueRef::Text(bytes) => parse_time(std::str::from_utf8(bytes).ok()?)?,
        _ => return None,
    };
    let go_zero = Timestamp::from_second(-62_135_596_800).ok()?;
    (time != go_zero).then_some(time)
}

/// `2026-05-17 12:00:00`, with `T`, a fraction, an offset, or what Go prints for a time
/// (`… +0000 UTC m=+0.1`).
fn parse_time(text: &str) -> Option<Timestamp> {
    let is_part =
        |word: &&str| word.starts_with(|char: char| char.is_ascii_digit() || "+-".contains(char));
    let parts: Vec<&str> = text.split_whitespace().take_while(is_part).collect();
    let time = parts.join(" ").replacen(' ', "T", 1).replace(' ', "");
    let civil = || Offset::UTC.to_timestamp(time.parse().ok()?).ok();
    time.parse().ok().or_else(civil)
}

fn write(path: &Path, notes: &[Note]) -> rusqlite::Result<ExportReport> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(std::time::Duration::from_secs(10))?;
    let transaction = Transaction::new_unchecked(&conn, TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    if !has_pins(&transaction, "notes")? {
        transaction
            .execute_batch("ALTER TABLE notes ADD COLUMN in_context INTEGER NOT NULL DEFAULT 0")?;
    }
    transaction
        .execute_batch("CREATE INDEX IF NOT EXISTS idx_notes_in_context ON notes (in_context)")?;
    let mut exported = ExportReport::default();
    for note in notes {
        let Address::Agent(_, key) = &note.address else {
            continue;
        };
        let theirs = transaction.query_row(
            "SELECT key, content, in_context, created_at, updated_at, NULL, NULL, NULL FROM notes WHERE key = ?1",
            [key.as_str()],
            stored,
        );
        if let Some(theirs) = theirs.optional()? {
            let updated_at = theirs.updated_at.map(micros);
            let is_same = theirs.content == note.content && theirs.pinned == note.pinned;
            let is_later = updated_at.is_some_and(|theirs| theirs > note.updated_at);
            if is_same && (is_later || updated_at == Some(note.updated_at)) {
                exported.unchanged += 1;
                continue;
            }
            if is_later {
                let reason = "the text in the target is newer and stays; `waynote import openotters` brings it here";
                exported.leave_out(&note.address, reason);
                continue;
            }
        }
        transaction.execute(
            "INSERT INTO notes (key, content, preview, created_at, updated_at, in_context)
             VALUES (?1, CAST(?2 AS TEXT), ?3, ?4, ?5, ?6)
             ON CONFLICT (key) DO UPDATE SET content = excluded.content, preview = excluded.preview,
                 created_at = excluded.created_at, updated_at = excluded.updated_at,
                 in_context = excluded.in_context",
            (
                key.as_str(),
                note.content.as_bytes(),
                &note.preview,
                go_time(note.created_at),
                go_time(note.updated_at),
                note.pinned,
            ),
        )?;
        exported.written += 1;
    }
    transaction.commit()?;
    Ok(exported)
}

/// A time in the form that Go's SQLite drivers write and read.
fn go_time(time: Timestamp) -> String {
    let civil = Offset::UTC.to_datetime(time);
    format!("{}+00:00", civil.to_string().replacen('T', " ", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_driver_are_read() {
        for text in [
            "2026-05-17 12:00:00",
            "2026-05-17T12:00:00Z",
            "2026-05-17 12:00:00+00:00",
            "2026-05-17 14:00:00.000+02:00",
            "2026-05-17 05:30:00 -0630 MMT",
            "2026-05-17 12:00:00 +0000 UTC m=+0.000012345",
        ] {
            let time = parse_time(text).map(|time| time.to_string());
            assert_eq!(time.as_deref(), Some("2026-05-17T12:00:00Z"), "{text}");
        }
        assert_eq!(parse_time("yesterday"), None);
        assert_eq!(parse_time(""), None);
        assert_eq!(time(ValueRef::Text(b"0001-01-01 00:00:00+00:00")), None);
        let written = go_time("2026-05-17T12:00:00.25Z".parse().unwrap());
        assert_eq!(written, "2026-05-17 12:00:00.25+00:00");
    }
}
