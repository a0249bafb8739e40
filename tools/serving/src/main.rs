//! The server under load, under kills, and under generated requests.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

mod bare;
mod client;
mod generated;
mod killed;
mod load;
mod many;
mod schemathesis;
mod store;

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

/// How long, and how often.
pub(crate) struct Form {
    /// Notes in the store.
    notes: u32,
    clients: usize,
    /// How long clients read and write.
    mixed: Duration,
    /// How long each side writes before it is the other's turn.
    turn: Duration,
    turns: u32,
    /// How many clients write to a server over a file, and how often it is killed.
    writers: usize,
    kills: u32,
    /// How long requests are generated.
    generated: Duration,
    /// Clients of two servers over one database, how many writes of each are acknowledged between two events, and how
    /// often each server is killed.
    pair_clients: usize,
    pair_writes: usize,
    pair_rounds: usize,
}

/// The gate's run.
const SHORT: Form = Form {
    notes: 2_000,
    clients: 64,
    mixed: Duration::from_secs(3),
    turn: Duration::from_millis(500),
    turns: 3,
    writers: 16,
    kills: 3,
    generated: Duration::from_secs(40),
    pair_clients: 8,
    pair_writes: 3,
    pair_rounds: 1,
};

/// The run of `--long`, for `cargo xtask prove`.
const LONG: Form = Form {
    notes: 100_000,
    clients: 64,
    mixed: Duration::from_secs(60),
    turn: Duration::from_secs(2),
    turns: 9,
    writers: 16,
    kills: 20,
    generated: Duration::from_secs(240),
    pair_clients: 64,
    pair_writes: 5,
    pair_rounds: 5,
};

fn main() -> Result<()> {
    kit::main(|words| match words {
        ["--long", parts @ ..] => of(&kit::release::program(), &LONG, parts),
        parts => of(&kit::steps::program("dev")?, &SHORT, parts),
    })
}

/// The parts that are named, or all.
fn of(program: &Path, form: &Form, parts: &[&str]) -> Result<()> {
    const ALL: [&str; 5] = ["generated", "clients", "kills", "two", "load"];
    let parts = if parts.is_empty() { &ALL } else { parts };
    let program = program.canonicalize()?;
    for part in parts {
        match *part {
            "load" => load::run(&program, form)?,
            "kills" => killed::file(&program, form)?,
            "two" => killed::database(&program, form)?,
            "generated" => schemathesis::run(&program, form)?,
            "clients" => generated::run(&program)?,
            other => anyhow::bail!("no part {other}: {}", ALL.join(", ")),
        }
    }
    Ok(())
}
