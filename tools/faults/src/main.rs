//! `cargo xtask faults`: whatever breaks, acknowledged notes are there, and a store that lost something says so.
//!
//! Each part breaks a store in its own way, many times, from a seed. The column `failed` must be 0: no
//! acknowledged note is missing from a store that calls itself sound, nothing is read that was never written, no sound
//! store is called damaged, no process crashes.

mod damage;
mod full;
mod hostile;
mod image;
mod kills;
mod merges;
mod power;
mod races;
mod strace;
mod truth;
mod work;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;

use kit::steps;

fn main() -> Result<()> {
    kit::main(|words| match *words {
        // Started and watched by `power`.
        ["write", path, seed, writes] => power::write(path, seed, writes),
        ref words => run(&Choice::try_parse_from([&["faults"], words].concat())?),
    })
}

/// Parts to run.
#[derive(Parser)]
#[command(name = "faults")]
struct Choice {
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One part
    #[arg(long, value_parser = PARTS.map(|(name, _)| name))]
    only: Option<String>,
    /// The gate's form
    #[arg(long)]
    short: bool,
    /// Builds the program with that profile
    #[arg(long)]
    release: bool,
}

/// Shared by all parts.
pub(crate) struct Setup {
    /// The program that is broken.
    program: PathBuf,
    seed: u64,
    short: bool,
    /// The folder for stores.
    folder: tempfile::TempDir,
}

impl Setup {
    /// How many trials: the long count, or the short one.
    fn count(&self, long: u64, short: u64) -> u64 {
        if self.short { short } else { long }
    }

    /// A folder for one trial, where syncing costs nothing if there is such a place.
    fn quick(&self) -> Result<tempfile::TempDir> {
        let memory = std::path::Path::new("/dev/shm");
        if memory.is_dir()
            && let Ok(folder) = tempfile::tempdir_in(memory)
        {
            return Ok(folder);
        }
        Ok(tempfile::tempdir_in(self.folder.path())?)
    }
}

/// A line of the table.
pub(crate) struct Row {
    what: String,
    trials: u64,
    /// Trials that broke a promise.
    failed: u64,
    /// Other counts.
    says: String,
    /// The first failures, with what repeats them.
    examples: Vec<String>,
}

impl Row {
    fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            trials: 0,
            failed: 0,
            says: String::new(),
            examples: Vec::new(),
        }
    }

    /// A part that could not be tried here.
    fn skipped(what: impl Into<String>, why: impl std::fmt::Display) -> Self {
        let mut row = Self::new(what);
        kit::unchecked::not_checked(&format!("faults: {}", row.what), &why);
        row.says = format!("NOT TRIED: {why}");
        row
    }

    fn fail(&mut self, example: impl Into<String>) {
        const EXAMPLES: usize = 4;
        self.failed += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example.into());
        }
    }
}

type Part = fn(&Setup) -> Result<Vec<Row>>;

const PARTS: [(&str, Part); 8] = [
    ("damage", damage::run),
    ("power", power::run),
    ("kills", kills::killed),
    ("failures", kills::failed),
    ("full", full::run),
    ("races", races::run),
    ("hostile", hostile::run),
    ("merges", merges::run),
];

fn run(choice: &Choice) -> Result<()> {
    let setup = Setup {
        program: steps::program(if choice.release { "release" } else { "dev" })?,
        seed: choice.seed,
        short: choice.short,
        folder: tempfile::tempdir_in(kit::registries::target())?,
    };
    let mut rows = Vec::new();
    for (name, part) in PARTS {
        if choice.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let begin = Instant::now();
        let made = part(&setup).with_context(|| format!("the part {name}"))?;
        println!("   {name}: {:.0} s", begin.elapsed().as_secs_f64());
        rows.extend(made.into_iter().map(|row| (name, row)));
    }
    let short = if choice.short { " --short" } else { "" };
    println!("cargo xtask faults --seed {}{short}\n", choice.seed);
    println!("| part | what | trials | failed | of these, and besides |\n|---|---|---|---|---|");
    for (name, row) in &rows {
        println!(
            "| {name} | {} | {} | {} | {} |",
            row.what, row.trials, row.failed, row.says
        );
    }
    for (name, row) in &rows {
        for example in &row.examples {
            println!("{name}, {}: {example}", row.what);
        }
    }
    let failed: u64 = rows.iter().map(|(_, row)| row.failed).sum();
    ensure!(failed == 0, "{failed} trials broke a promise");
    Ok(())
}
