//! The floor: bare SQLite, with the settings and the durability of a store, a unique key and an index of words.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};

use super::server::text;

pub(super) struct Bare {
    path: PathBuf,
    pub(super) conn: Connection,
    /// The number of the next new row.
    next: u32,
}

impl Bare {
    pub(super) fn fill(folder: &Path, rows: u32) -> Result<Self> {
        let path = folder.join("bare.db");
        let conn = Connection::open(&path)?;
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        conn.execute_batch(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
             CREATE VIRTUAL TABLE note_text USING fts5 (body, content = 'note', content_rowid = 'id');
             CREATE TRIGGER note_indexed AFTER INSERT ON note BEGIN
                 INSERT INTO note_text (rowid, body) VALUES (new.id, new.body);
             END;",
        )?;
        let mut bare = Self {
            path,
            conn,
            next: 0,
        };
        while bare.next < rows {
            bare.commit(1000)?;
        }
        Ok(bare)
    }

    /// Writes so many rows in one durable transaction.
    pub(super) fn commit(&mut self, rows: u32) -> Result<()> {
        let transaction = self.conn.unchecked_transaction()?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO note (key, body) VALUES (?1, ?2)")?;
            for number in self.next..self.next + rows {
                insert.execute((format!("key-{number}"), text(number)))?;
            }
        }
        transaction.commit()?;
        self.next += rows;
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
    let mut random = crate::random::Random::of(3, worker as u64);
    let mut read = conn.prepare("SELECT body FROM note WHERE key = ?1")?;
    let mut done = 0;
    while Instant::now() < end {
        if random.one_in(5) {
            let (told, tells) = sync_channel(1);
            write.send(told)?;
            tells.recv()?;
        } else {
            let key = format!("key-{}", random.below(rows as usize));
            let _: String = read.query_row([key], |row| row.get(0))?;
        }
        done += 1;
    }
    Ok(done)
}
