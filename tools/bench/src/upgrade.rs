//! The migration from schema 5, at 100,000 notes: how long it takes, and what is left when it is killed.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use waynote::{Options, SqliteStore};
use waynote_testing::old_store::{killed, scale};

const NOTES: u32 = 100_000;
const ROUNDS: u32 = 20;

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir_in("target")?;
    let old = folder.path().join("old.db");
    scale::write_schema_5(&old, NOTES)?;
    let program = std::env::current_exe()?;
    let opens = |path: &Path| {
        let mut command = Command::new(&program);
        command.arg("open").arg(path);
        command
    };
    let bytes = std::fs::metadata(&old)?.len();
    println!(
        "migration of {NOTES} notes from schema 5, a file of {} MB",
        bytes / 1_000_000
    );
    for _ in 0..3 {
        let killed::Whole { took, wal } = killed::whole(&old, folder.path(), &opens);
        let seconds = took.as_secs_f64();
        println!(
            "  {seconds:.2} s (wanted: at most 2), a WAL of {} MB",
            wal / 1_000_000
        );
    }
    let of_old = killed::killed(&old, folder.path(), &opens, ROUNDS);
    println!(
        "  killed {ROUNDS} times: {of_old} stores were as before, the others migrated; all of them went on"
    );
    ensure!(of_old > 0, "no migration was killed before its end");
    Ok(())
}

/// Opens a store, which migrates it: started by `run`.
pub(crate) fn open(path: &str) -> Result<()> {
    Ok(SqliteStore::open(Path::new(path), &Options::default())?.upgrade()?)
}

/// Writes a store of schema 5 for another program to look at.
pub(crate) fn write(path: &str) -> Result<()> {
    Ok(scale::write_schema_5(Path::new(path), NOTES)?)
}
