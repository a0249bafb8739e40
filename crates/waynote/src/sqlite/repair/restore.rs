//! Restoring: a backup takes the place of a store, while no writer of the store can run.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::rules::EngineStore;
#[cfg(doc)]
use crate::store::LocalStore;
use waynote_files::{followed, take_after};

use super::backup::{self, Backup};
use super::part::{Part, exists, holds_something, sync_folder, unwritten};
use crate::sqlite::errors::Outcome;
use crate::sqlite::file::head::FileState;
use crate::sqlite::file::head::queue::{Queue, Turn};
use crate::sqlite::file::open::side_files::{self, beside};
use crate::sqlite::file::open::{self, FileId};
use crate::sqlite::file::pool::Sqlite;
use crate::sqlite::file::writer;
use crate::sqlite::options::Options;

/// The result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreReport {
    /// The store as it is now. Its path is the store's.
    pub now: Backup,
    /// The path at which the previous store is kept, with its WAL beside it; none if there was none.
    pub before: Option<PathBuf>,
    /// The processes that have the previous store open, as far as the system tells. They have to be started again.
    pub open_in: Vec<u32>,
}

impl EngineStore<Sqlite> {
    /// Puts a backup in the place of the store at `store`, while no writer of it can run. The backup is copied and checked
    /// first; nothing is changed unless it is sound. The WAL beside the old
    /// file goes with it: it would be taken for a part of the new one.
    ///
    /// `replaced` allows that a store is there already: it is kept, renamed to `….before-TIME`. A process that has the
    /// old store open notices at its next call, and has to be started again ([`RestoreReport::open_in`]). The restored store gets a new id (see [`LocalStore::renew_id`]).
    ///
    /// # Errors
    /// [`Error::File`] of the kind [`io::ErrorKind::AlreadyExists`] when a store is there, of the kind
    /// [`io::ErrorKind::ResourceBusy`] when the backup has a WAL beside it, so that it is not whole by itself;
    /// [`Error::DamagedStore`] when the backup is damaged; [`Error::NotAStore`]; [`Error::OtherVersion`];
    /// [`Error::Busy`]; [`Error::ReadOnly`]; [`Error::DiskFull`].
    pub fn restore(
        file: &Path,
        store: &Path,
        options: &Options,
        replaced: Option<Timestamp>,
    ) -> Result<RestoreReport> {
        let (source, target) = (followed(file), followed(store));
        let given = source_of(file, &source)?;
        open::make_folder(&target)?;
        let queue = Queue::beside(&target);
        let turn = queue.turn(store, options.wait)?;
        let old = open::found(&target)?;
        if old
            .as_ref()
            .is_some_and(|old| FileId::of(old) == FileId::of(&given))
        {
            let same = io::Error::new(io::ErrorKind::ResourceBusy, "it is the store itself");
            return Err(Error::file(file, "restored", same));
        }
        let open_in = side_files::open_in(&target);
        let is_there = old.as_ref().is_some_and(|old| old.len() > 0)
            || holds_something(&beside(&target, "-wal"));
        if is_there && replaced.is_none() {
            return Err(exists(store));
        }
        let part = Part::beside(&target).map_err(|error| unwritten(store, error))?;
        copy(&source, part.path(), old.as_ref()).map_err(|error| unwritten(store, error))?;
        backup::prepare(part.path(), file, options)?;
        let mut now = backup::check(part.path(), file, file)?;
        part.sync().map_err(|error| unwritten(store, error))?;
        let before = replaced.filter(|_| is_there);
        let before = before.map(|at| free_name(&target, at));
        if before.is_some() {
            // A store that cannot be opened is kept as it is.
            let _ = fold(&target, &turn, options);
        }
        if let Err(error) = take_place(part, &target, before.as_deref()) {
            if let Some(before) = &before {
                put_back(&target, before, old.as_ref().map(FileId::of));
            }
            return Err(unwritten(store, error));
        }
        // The record of the old store does not fit the new one. Until here it tells that the old one is not whole.
        forget_record(&target).map_err(|error| unwritten(store, error))?;
        store.clone_into(&mut now.path);
        Ok(RestoreReport {
            now,
            before,
            open_in,
        })
    }
}

/// The backup: a file that is whole by itself.
fn source_of(file: &Path, source: &Path) -> Result<Metadata> {
    let unread = |error: io::Error| Error::file(file, "read", error);
    let given = match open::found(source)? {
        Some(given) => given,
        None => std::fs::metadata(source).map_err(unread)?,
    };
    for suffix in ["-wal", "-journal"] {
        if holds_something(&beside(source, suffix)) {
            let why =
                "its newest notes are in the WAL beside it, so it is a store and not a backup";
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, why);
            return Err(Error::file(file, "restored", busy));
        }
    }
    if given.len() == 0 {
        return Err(Error::not_a_store(file, "it is empty"));
    }
    Ok(given)
}

/// Copies the backup. The users of the old store can use the new one.
fn copy(source: &Path, part: &Path, old: Option<&Metadata>) -> io::Result<()> {
    let mut new = OpenOptions::new().write(true).open(part)?;
    io::copy(&mut File::open(source)?, &mut new)?;
    match old {
        Some(old) => take_after(&new, old),
        None => Ok(()),
    }
}

/// The files of a store that hold notes.
const FILES: [&str; 3] = ["", "-wal", "-journal"];

/// A name for the old files that nothing has.
fn free_name(target: &Path, at: Timestamp) -> PathBuf {
    let time = at.strftime("%Y%m%dT%H%M%SZ");
    let mut before = beside(target, format!(".before-{time}"));
    let mut number = 1;
    while FILES
        .iter()
        .any(|suffix| beside(&before, suffix).symlink_metadata().is_ok())
    {
        number += 1;
        before = beside(target, format!(".before-{time}-{number}"));
    }
    before
}

/// Brings the WAL of the old store into its file, so that the file is whole without it if this process is killed later.
/// Skipped if that could lose something: a damaged store stays as it is.
fn fold(target: &Path, turn: &Turn<'_>, options: &Options) -> Outcome<()> {
    let noted = turn.noted();
    let Ok(file) = std::fs::metadata(target) else {
        return Ok(());
    };
    if noted.is_unsynced || !noted.leaves(FileState::of(&file)) {
        return Ok(());
    }
    let conn = open::connect(target, options)?;
    let head = writer::head(&conn)?;
    let last = noted.of(head.store);
    if last.is_some_and(|last| writer::rollback(&last.head, &head).is_none()) {
        conn.busy_timeout(Duration::ZERO)?;
        open::empty_wal(&conn)?;
    }
    Ok(())
}

/// Puts the new file in the place of the old one, which gets another name, if it is to be kept.
fn take_place(part: Part, target: &Path, before: Option<&Path>) -> io::Result<()> {
    if let Some(before) = before {
        keep(target, before)?;
    }
    remove_beside(target)?;
    part.named(target, true)
}

/// Gives the old files a second name, and waits until that is on disk.
fn keep(target: &Path, before: &Path) -> io::Result<()> {
    for suffix in FILES {
        let (old, new) = (beside(target, suffix), beside(before, suffix));
        if !old.exists() {
            continue;
        }
        // On a file system without links, the old name is gone until the new file takes it.
        std::fs::hard_link(&old, &new).or_else(|_| std::fs::rename(&old, &new))?;
    }
    sync_parent(target)
}

/// Gives the old files their names again after a failure, unless the new file has taken the place. Best effort: a file
/// that cannot be put back keeps its second name.
fn put_back(target: &Path, before: &Path, old: Option<FileId>) {
    let at = |path: &Path| std::fs::metadata(path).ok().as_ref().map(FileId::of);
    let now = at(target);
    if now.is_some() && now != old {
        return;
    }
    // The WAL first: nobody shall find the file without it.
    for suffix in FILES.iter().rev() {
        let (name, second) = (beside(target, suffix), beside(before, suffix));
        let _ = match at(&name) {
            None => std::fs::rename(second, name),
            found if found == at(&second) => std::fs::remove_file(second),
            Some(_) => Ok(()),
        };
    }
    let _ = sync_parent(target);
}

/// Empties the lock file, which is held: its record is about the old store, not about the new one.
fn forget_record(target: &Path) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(beside(target, "-lock"))?
        .set_len(0)
}

/// Removes files that would be taken for a part of the new file.
fn remove_beside(target: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-journal", "-shm"] {
        match std::fs::remove_file(beside(target, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    sync_parent(target)
}

fn sync_parent(target: &Path) -> io::Result<()> {
    target.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, Content, Expect, Limits, Reader, SqliteStore, Stamp, Store};

    /// A store with a note that is only in its WAL, as a process that was killed has left it.
    fn store(folder: &Path) -> PathBuf {
        let made = folder.join("made").join("notes.db");
        let store = SqliteStore::open(&made, &Options::default()).unwrap();
        let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        let change = Change::Save {
            address: "agent:a#k".parse().unwrap(),
            content: Content::text("a text").unwrap(),
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: None,
        };
        store.apply(&[change], &stamp).unwrap();
        let path = folder.join("notes.db");
        for suffix in ["", "-wal", "-lock"] {
            let (from, to) = (beside(&made, suffix), beside(&path, suffix));
            std::fs::copy(&from, &to).unwrap();
            let time = std::fs::metadata(from).unwrap().modified().unwrap();
            let copy = File::options().write(true).open(to).unwrap();
            copy.set_modified(time).unwrap();
        }
        assert!(open::wal_bytes(&path) > 0);
        path
    }

    fn has_note(path: &Path) -> bool {
        let store = SqliteStore::open(path, &Options::default()).unwrap();
        store.get(&"agent:a#k".parse().unwrap()).unwrap().is_some()
    }

    #[test]
    fn the_old_files_have_their_names_again_after_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        for is_file_gone in [false, true] {
            let path = store(&folder.path().join(is_file_gone.to_string()));
            let old = open::found(&path).unwrap().map(|old| FileId::of(&old));
            let before = free_name(&path, Timestamp::UNIX_EPOCH);
            keep(&path, &before).unwrap();
            remove_beside(&path).unwrap();
            if is_file_gone {
                std::fs::remove_file(&path).unwrap();
            }
            put_back(&path, &before, old);
            assert!(has_note(&path));
            assert!(FILES.iter().all(|suffix| !beside(&before, suffix).exists()));
        }
    }

    #[test]
    fn a_new_file_does_not_get_the_old_wal() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let old = open::found(&path).unwrap().map(|old| FileId::of(&old));
        let before = free_name(&path, Timestamp::UNIX_EPOCH);
        keep(&path, &before).unwrap();
        remove_beside(&path).unwrap();
        std::fs::write(beside(&path, ".new"), "new").unwrap();
        std::fs::rename(beside(&path, ".new"), &path).unwrap();
        put_back(&path, &before, old);
        assert!(!beside(&path, "-wal").exists());
        assert!(has_note(&before));
    }

    #[test]
    fn a_whole_store_is_in_one_file_before_it_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let queue = Queue::beside(&path);
        let turn = queue.turn(&path, Duration::from_secs(5)).unwrap();
        fold(&path, &turn, &Options::default()).unwrap();
        assert_eq!(open::wal_bytes(&path), 0);
        drop(turn);
        assert!(has_note(&path));
    }

    #[test]
    fn what_may_have_lost_notes_is_kept_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = store(folder.path());
        let wal = beside(&path, "-wal");
        let mut bytes = std::fs::read(&wal).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&wal, &bytes).unwrap();
        let queue = Queue::beside(&path);
        let turn = queue.turn(&path, Duration::from_secs(5)).unwrap();
        let _ = fold(&path, &turn, &Options::default());
        assert_eq!(std::fs::read(&wal).unwrap(), bytes);
    }
}
