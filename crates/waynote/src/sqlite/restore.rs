//! Restoring: a backup takes the place of a store, while no writer of the store can run.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::rules::EngineStore;
#[cfg(doc)]
use crate::store::LocalStore;
use crate::system::file::{followed, take_after};

use super::backup::{self, Backup, Part, holds_something, unwritten};
use super::files::FileId;
use super::pool::Sqlite;
use super::queue::Queue;
use super::side_files::beside;
use super::{Options, open};

/// What came of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// What the store holds now. Its path is the store's.
    pub now: Backup,
    /// Where the store that was there before is kept, with its WAL beside it; none if there was none.
    pub before: Option<PathBuf>,
}

impl EngineStore<Sqlite> {
    /// Puts a backup in the place of the store at `store`, while no writer of it can run. The backup is copied, brought
    /// up to this program's version and checked first; nothing is changed unless it is sound. What lies beside the old
    /// file (its WAL) goes with it: it would be taken for a part of the new one.
    ///
    /// `replaced` allows that a store is there already: it is kept, renamed to `….before-TIME`. A process that has the
    /// old store open notices at its next call. The restored store gets a new id (see [`LocalStore::renew_id`]).
    ///
    /// # Errors
    /// [`Error::File`] of the kind [`io::ErrorKind::AlreadyExists`] when a store is there, of the kind
    /// [`io::ErrorKind::ResourceBusy`] when the backup has a WAL beside it, so that it is not whole by itself;
    /// [`Error::DamagedStore`] when the backup is damaged; [`Error::NotAStore`]; [`Error::NewerStore`];
    /// [`Error::Busy`]; [`Error::ReadOnly`]; [`Error::DiskFull`].
    pub fn restore(
        file: &Path,
        store: &Path,
        options: &Options,
        replaced: Option<Timestamp>,
    ) -> Result<Restored> {
        let (source, target) = (followed(file), followed(store));
        let given = source_of(file, &source)?;
        open::make_folder(&target)?;
        let queue = Queue::beside(&target);
        let _turn = queue.turn(store, options.wait)?;
        let old = open::found(&target)?;
        if old
            .as_ref()
            .is_some_and(|old| FileId::of(old) == FileId::of(&given))
        {
            let same = io::Error::new(io::ErrorKind::ResourceBusy, "it is the store itself");
            return Err(Error::file(file, "restored", same));
        }
        let is_there = old.as_ref().is_some_and(|old| old.len() > 0)
            || holds_something(&beside(&target, "-wal"));
        if is_there && replaced.is_none() {
            return Err(backup::exists(store));
        }
        let part = Part::beside(&target).map_err(|error| unwritten(store, error))?;
        copy(&source, part.path(), old.as_ref()).map_err(|error| unwritten(store, error))?;
        backup::prepare(part.path(), file, options)?;
        let mut now = backup::check(part.path(), file, file)?;
        part.sync().map_err(|error| unwritten(store, error))?;
        let before = match replaced {
            Some(at) if is_there => Some(kept(&target, at)),
            _ => None,
        };
        let before = before
            .transpose()
            .map_err(|error| unwritten(store, error))?;
        forget_record(&target).map_err(|error| unwritten(store, error))?;
        remove_beside(&target).map_err(|error| unwritten(store, error))?;
        part.named(&target, true)
            .map_err(|error| unwritten(store, error))?;
        store.clone_into(&mut now.path);
        Ok(Restored { now, before })
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
        return Err(Error::NotAStore {
            path: file.to_owned(),
            reason: "it is empty".into(),
        });
    }
    Ok(given)
}

/// Copies the backup; whoever could use the old store can use the new one.
fn copy(source: &Path, part: &Path, old: Option<&Metadata>) -> io::Result<()> {
    let mut new = OpenOptions::new().write(true).open(part)?;
    io::copy(&mut File::open(source)?, &mut new)?;
    match old {
        Some(old) => take_after(&new, old),
        None => Ok(()),
    }
}

/// Gives the old files a second name, and waits until that is on disk. They are not opened: what is damaged in them
/// stays as it is, for whoever wants to save something from it.
fn kept(target: &Path, at: Timestamp) -> io::Result<PathBuf> {
    let time = at.strftime("%Y%m%dT%H%M%SZ");
    let mut before = beside(target, format!(".before-{time}"));
    let mut number = 1;
    while ["", "-wal", "-journal"]
        .iter()
        .any(|suffix| beside(&before, suffix).symlink_metadata().is_ok())
    {
        number += 1;
        before = beside(target, format!(".before-{time}-{number}"));
    }
    for suffix in ["", "-wal", "-journal"] {
        let (old, new) = (beside(target, suffix), beside(&before, suffix));
        if !old.exists() {
            continue;
        }
        // Where there are no links, the old name is gone until the new file takes it.
        std::fs::hard_link(&old, &new).or_else(|_| std::fs::rename(&old, &new))?;
    }
    sync_parent(target)?;
    Ok(before)
}

/// Empties the lock file, which is held: what its holders noted there about the old store is not true of the new one.
fn forget_record(target: &Path) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(beside(target, "-lock"))?
        .set_len(0)
}

/// Removes what would be taken for a part of the new file.
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
    target.parent().map_or(Ok(()), backup::sync_folder)
}
