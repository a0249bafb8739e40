//! The measurements of docs/measurements.md, for `cargo xtask bench`, built as waynote is shipped.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

mod actions;
mod adds;
mod blocks;
mod contexts;
mod freshness;
mod hooks;
mod loops;
mod postgres;
mod retrieval;
mod searches;
mod secrets;
mod shared;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    kit::main(run)
}

fn run(words: &[&str]) -> Result<()> {
    match *words {
        [] => {
            adds::run()?;
            adds::threads()?;
            contexts::run(u64::MAX)?;
            hooks::run()?;
            actions::run()?;
            freshness::run()?;
            loops::run()?;
            blocks::run()?;
            searches::run()?;
            shared::run()?;
            secrets::run(&[])
        }
        ["adds"] => adds::run(),
        ["threads"] => adds::threads(),
        ["context"] => contexts::run(u64::MAX),
        ["context", largest] => contexts::run(largest.parse()?),
        ["hook"] => hooks::run(),
        ["actions"] => actions::run(),
        ["freshness"] => freshness::run(),
        ["loop"] => loops::run(),
        ["blocks"] => blocks::run(),
        ["postgres"] => postgres::run(),
        ["search"] => searches::run(),
        ["shared"] => shared::run(),
        ["secrets", ref folders @ ..] => secrets::run(folders),
        ["retrieval", "import", folder] => retrieval::import(folder.as_ref()),
        ["retrieval", "query", folder] => retrieval::query(folder.as_ref()),
        _ => bail!("no such measurement: {}", words.join(" ")),
    }
}
