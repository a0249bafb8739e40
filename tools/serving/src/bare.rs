//! The floor: bare SQLite that carries out the statements of a store, on a copy of it, with the same durability. It decides
//! nothing, checks nothing, computes no hash and makes no search index.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rusqlite::{Connection, OptionalExtension};

use super::store::{AGENTS, text};
use kit::random::Random;
use kit::served::store;

/// How long the server may take to empty its log.
const PATIENCE: Duration = Duration::from_secs(30);

/// A checksum as the schema takes it.
const CHECKSUM: i64 = 1 << 32;

pub(super) struct BareDatabase {
    conn: Connection,
    /// The number of the next new note, and the position of its revision.
    next: u32,
    position: i64,
}

impl BareDatabase {
    /// A copy of the store in a folder, which has so many notes. Its idle server checkpoints the log.
    pub(super) fn copy(folder: &Path, notes: u32) -> Result<Self> {
        let (path, original) = (folder.join("bare.db"), store(folder));
        let log = original.with_extension("db-wal");
        let begin = Instant::now();
        while std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            ensure!(begin.elapsed() < PATIENCE, "the server keeps its log");
            std::thread::sleep(Duration::from_millis(50));
        }
        std::fs::copy(original, &path)?;
        let conn = Connection::open(&path)?;
        conn.set_prepared_statement_cache_capacity(64);
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        let last = "SELECT max(position) FROM waynote_journal";
        let position: i64 = conn.query_row(last, [], |row| row.get(0))?;
        Ok(Self {
            conn,
            next: notes,
            position: position + 1,
        })
    }

    /// Writes so many new notes in one durable transaction.
    pub(super) fn commit(&mut self, notes: u32) -> Result<()> {
        self.conn.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..notes {
            self.put()?;
            self.next += 1;
            self.position += 1;
        }
        self.conn.execute_batch("COMMIT")?;
        Ok(())
    }

    /// Writes a new note.
    fn put(&self) -> Result<()> {
        let (conn, number, position) = (&self.conn, self.next, self.position);
        let (agent, key) = (
            format!("agent-{}", number % AGENTS),
            format!("key-{number}"),
        );
        let text = text(number);
        let mut random = Random::of(7, number.into());
        let hash: Vec<u8> = (0..4).flat_map(|_| random.number().to_le_bytes()).collect();
        let scope: i64 = conn
            .prepare_cached(
                "SELECT id, notes, head, lease, checksum FROM waynote_scope WHERE kind = 'agent' AND name = ?1",
            )?
            .query_row([&agent], |row| row.get(0))?;
        let before: Option<i64> = conn
            .prepare_cached("SELECT position FROM waynote_note WHERE scope = ?1 AND key = ?2")?
            .query_row((scope, &key), |row| row.get(0))
            .optional()?;
        let known: Option<i64> = conn
            .prepare_cached("SELECT id FROM waynote_content WHERE hash = ?1")?
            .query_row([&hash], |row| row.get(0))
            .optional()?;
        let last: i64 = conn
            .prepare_cached("SELECT max(id) FROM waynote_content WHERE id >= ?1 AND id < ?2")?
            .query_row((scope << 32, (scope + 1) << 32), |row| row.get(0))?;
        let content = known.unwrap_or(last + 1);
        conn.prepare_cached("INSERT INTO waynote_content (id, hash, body) VALUES (?1, ?2, ?3)")?
            .execute((content, &hash, text.as_bytes()))?;
        conn.prepare_cached(
            "INSERT INTO waynote_journal (position, previous, scope, key, revision, action, content, pinned, author,
                 recorded_at, created_at, updated_at, checksum)
             VALUES (?1, ?2, ?3, ?4, 1, 'save', ?5, 0, 'person', ?6, ?6, ?6, ?7)",
        )?
        .execute((position, before, scope, &key, content, position, CHECKSUM))?;
        conn.prepare_cached(
            "INSERT OR REPLACE INTO waynote_note (scope, key, position, revision, content, preview, pinned, author,
                 created_at, updated_at, checksum)
             VALUES (?1, ?2, ?3, 1, ?4, ?5, 0, 'person', ?6, ?6, ?7)",
        )?
        .execute((scope, &key, position, content, &text, position, CHECKSUM))?;
        conn.prepare_cached(
            "UPDATE waynote_scope SET notes = notes + 1, head = ?2, checksum = ?3 WHERE id = ?1",
        )?
        .execute((scope, position, CHECKSUM))?;
        Ok(())
    }
}
