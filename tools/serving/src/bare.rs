//! The floor: bare SQLite that carries out the statements of a store, on a copy of it, with the same durability. It decides
//! nothing, checks nothing, computes no hash and makes no search index.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::server::{AGENTS, store, text};
use kit::random::Random;

/// How long the server may take to empty its log.
const PATIENCE: Duration = Duration::from_secs(30);

/// A checksum as the schema takes it.
const CHECKSUM: i64 = 1 << 32;

pub(super) struct BareDatabase {
    path: PathBuf,
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
            path,
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

    /// A connection that reads.
    fn reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Connection::open_with_flags(&self.path, flags)?)
    }

    /// So many threads, each with a connection of its own, that read four times and write once. Writes of different
    /// threads share commits. Returns the operations a second.
    pub(super) fn mixed(&mut self, threads: usize, time: Duration) -> Result<f64> {
        let rows = self.next;
        let readers: Result<Vec<Connection>> = (0..threads).map(|_| self.reader()).collect();
        let (write, writes) = channel::<SyncSender<()>>();
        let begin = Instant::now();
        let end = begin + time;
        let done: Result<u64> = std::thread::scope(|scope| {
            let workers: Vec<_> = readers?
                .into_iter()
                .enumerate()
                .map(|(worker, conn)| {
                    let write = write.clone();
                    scope.spawn(move || read_and_write(&conn, &write, worker, rows, end))
                })
                .collect();
            drop(write);
            self.write_all(&writes)?;
            let joined = workers.into_iter().map(|worker| {
                let joined = worker.join();
                joined.unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))
            });
            joined.sum()
        });
        Ok(done? as f64 / begin.elapsed().as_secs_f64())
    }

    /// Commits what has been asked for, as often as there is something.
    fn write_all(&mut self, writes: &Receiver<SyncSender<()>>) -> Result<()> {
        while let Ok(first) = writes.recv() {
            let group: Vec<SyncSender<()>> =
                std::iter::once(first).chain(writes.try_iter()).collect();
            self.commit(u32::try_from(group.len())?)?;
            for told in group {
                let _ = told.send(());
            }
        }
        Ok(())
    }
}

fn read_and_write(
    conn: &Connection,
    write: &Sender<SyncSender<()>>,
    worker: usize,
    rows: u32,
    end: Instant,
) -> Result<u64> {
    let mut random = Random::of(3, worker as u64);
    let mut read = conn.prepare(
        "SELECT c.body FROM waynote_scope s JOIN waynote_note n ON n.scope = s.id
         JOIN waynote_content c ON c.id = n.content WHERE s.kind = 'agent' AND s.name = ?1 AND n.key = ?2",
    )?;
    let mut done = 0;
    while Instant::now() < end {
        if random.one_in(5) {
            let (told, tells) = sync_channel(1);
            write.send(told)?;
            tells.recv()?;
        } else {
            let number = random.below(rows as usize);
            let agent = format!("agent-{}", number % AGENTS as usize);
            let _: Vec<u8> = read.query_row((agent, format!("key-{number}")), |row| row.get(0))?;
        }
        done += 1;
    }
    Ok(done)
}
