//! Stores to be broken, and runs of the program on them.

use std::ffi::OsStr;
use std::fs::{Metadata, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use waynote::{LocalStore, Options, SqliteStore};

use super::Setup;
use super::truth::{StoreReport, Truth};
use kit::random::Random;

/// A store's file in a home folder.
pub(crate) const STORE: &str = ".local/share/waynote/notes.db";

/// A home folder with a store whose newest notes are in its WAL, as an agent leaves it that runs.
pub(crate) struct Base {
    pub(crate) home: PathBuf,
    pub(crate) truth: Truth,
}

impl Base {
    /// Makes the store in this process: `checkpointed` writes that are then in the database, and `more` in the WAL.
    pub(crate) fn make(home: PathBuf, seed: u64, checkpointed: u64, more: u64) -> Result<Self> {
        let making = tempfile::tempdir_in(home.parent().context("no folder")?)?;
        let path = making.path().join(STORE);
        let (mut truth, mut random) = (Truth::default(), Random::of(seed, 0));
        let mut write = |store: &dyn LocalStore, count: u64| -> Result<()> {
            for _ in 0..count {
                let name = truth.choose(&mut random);
                truth.write(store, &name)?;
            }
            Ok(())
        };
        if checkpointed > 0 {
            write(&open(&path)?, checkpointed)?;
            checkpoint(&path)?;
        }
        let store = open(&path)?;
        write(&store, more)?;
        // Copied while it is open: closing it may checkpoint the WAL.
        copy_folder(making.path(), &home)?;
        drop(store);
        let base = Self { home, truth };
        let looked = tempfile::tempdir_in(base.home.parent().context("no folder")?)?;
        base.copy(looked.path())?;
        let seen = base.truth.check(&open(&looked.path().join(STORE))?);
        ensure!(seen.is_whole(), "a sound store: {}", seen.first());
        Ok(base)
    }

    /// A copy of the home folder, as after a restart of the machine: without shared memory.
    pub(crate) fn copy(&self, to: &Path) -> Result<()> {
        copy_folder(&self.home, to)
    }
}

fn checkpoint(path: &Path) -> Result<()> {
    let conn = rusqlite::Connection::open(path)?;
    let blocked: i64 = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    ensure!(blocked == 0, "the WAL could not be checkpointed");
    Ok(())
}

pub(crate) fn open(path: &Path) -> waynote::Result<SqliteStore> {
    SqliteStore::open(path, &Options::default())
}

pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, new) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_folder(&path, &new)?;
        } else if !path.to_string_lossy().ends_with("-shm") {
            std::fs::copy(&path, &new)?;
            // Neither a copy nor what breaks a disk is seen in a file's time.
            keep_time(&new, &entry.metadata()?)?;
        }
    }
    Ok(())
}

/// Gives a file the time of change that it had.
pub(crate) fn keep_time(file: &Path, before: &Metadata) -> Result<()> {
    let file = OpenOptions::new().write(true).open(file)?;
    Ok(file.set_modified(before.modified()?)?)
}

/// Opens a store that was broken and reads everything. A panic of the library is a refusal like others.
pub(crate) fn look(path: &Path, truth: &Truth) -> StoreReport {
    let refused = |why: String| StoreReport {
        refused: vec![why],
        ..StoreReport::default()
    };
    let looked = std::panic::catch_unwind(|| match open(path) {
        Ok(store) => truth.check(&store),
        Err(error) => refused(format!("open: {error}")),
    });
    looked.unwrap_or_else(|_| {
        let mut report = refused("the library panicked".into());
        report.wrong.push("a panic".into());
        report
    })
}

/// The first promise that a store breaks that has to be whole: a note is missing or wrong, or a write is refused.
pub(crate) fn broken(path: &Path, truth: &Truth) -> Option<String> {
    let seen = look(path, truth);
    if !seen.is_whole() {
        return Some(seen.first());
    }
    let refused = accepts_a_write(path).err()?;
    Some(format!("the next write: {refused}"))
}

/// Checks that one more write is accepted.
pub(crate) fn accepts_a_write(path: &Path) -> Result<(), String> {
    let written = open(path).map_err(anyhow::Error::from).and_then(|store| {
        let store: &dyn LocalStore = &store;
        Truth::default().write(store, "klast")
    });
    written.map_err(|error| error.to_string())
}

/// The program in a home folder, with nothing else of this environment.
pub(crate) fn waynote<W: AsRef<OsStr>>(setup: &Setup, home: &Path, words: &[W]) -> Command {
    let mut command = Command::new(&setup.program);
    dressed(&mut command, home);
    command.args(words);
    command
}

pub(crate) fn dressed(command: &mut Command, home: &Path) {
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("WAYNOTE_NOW", "2026-11-23T12:00:00Z")
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

pub(crate) fn run(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("{command:?}"))
}

/// How a process ended that should not have: by a signal, or by a panic. None when it ended by itself.
pub(crate) fn crash(output: &Output) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    const PANIC: i32 = 101;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().next().unwrap_or_default();
    match (output.status.signal(), output.status.code()) {
        (Some(signal), _) => Some(format!("killed by signal {signal}")),
        // Through a shell, or through what runs it.
        (None, Some(code)) if code == PANIC || code >= 128 => {
            Some(format!("exit code {code}: {line}"))
        }
        _ => None,
    }
}
