//! The server under load, under kills and under requests that nobody thought of.

mod bare;
mod client;
mod kills;
mod load;
mod many;
mod schemathesis;
mod server;

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
    /// How often the server is killed.
    kills: u32,
    /// How long requests are generated.
    generated: Duration,
}

/// What the gate runs.
const SHORT: Form = Form {
    notes: 2_000,
    clients: 64,
    mixed: Duration::from_secs(3),
    turn: Duration::from_millis(500),
    turns: 3,
    kills: 3,
    generated: Duration::from_secs(40),
};

/// What `cargo xtask prove` runs.
const LONG: Form = Form {
    notes: 100_000,
    clients: 64,
    mixed: Duration::from_secs(60),
    turn: Duration::from_secs(2),
    turns: 9,
    kills: 20,
    generated: Duration::from_secs(240),
};

/// The short form.
pub(crate) fn short() -> Result<()> {
    let program = crate::steps::program("dev")?;
    println!("== serving");
    let begin = std::time::Instant::now();
    run(&program, &SHORT, &["generated", "kills", "load"])?;
    println!(
        "== serving: passed in {:.0} s",
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The long form or a part of it, with the program that is shipped.
pub(crate) fn long(parts: &[&str]) -> Result<()> {
    let program = std::env::var_os("WAYNOTE_PROGRAM")
        .map_or_else(|| crate::release::folder().join("waynote"), Into::into);
    let parts = match parts {
        [] => &["load", "kills", "generated"],
        parts => parts,
    };
    run(&program, &LONG, parts)
}

fn run(program: &Path, form: &Form, parts: &[&str]) -> Result<()> {
    let program = program.canonicalize()?;
    for part in parts {
        match *part {
            "load" => load::run(&program, form)?,
            "kills" => kills::run(&program, form)?,
            "generated" => schemathesis::run(&program, form)?,
            other => anyhow::bail!("no part {other}: load, kills, generated"),
        }
    }
    Ok(())
}
