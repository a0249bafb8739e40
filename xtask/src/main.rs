//! What a developer runs: `cargo xtask test`, `cargo xtask bench`, `cargo xtask docs`.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

mod adds;
mod contexts;
mod gate;
mod measure;
mod searches;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => gate::test(),
        ["docs"] => gate::docs(),
        ["bench"] => {
            gate::released("adds")?;
            contexts::run(contexts::SIZES)?;
            gate::released("search")
        }
        ["bench", what @ ("adds" | "search")] => gate::released(what),
        // What `bench` runs of itself, built as it is shipped.
        ["measure", "adds"] => adds::run(),
        ["measure", "search"] => searches::run(),
        ["bench", "context"] => contexts::run(contexts::SIZES),
        ["bench", "context", largest] => {
            let largest: u64 = largest.parse()?;
            let sizes: Vec<u64> = contexts::SIZES
                .iter()
                .copied()
                .filter(|size| *size <= largest)
                .collect();
            contexts::run(&sizes)
        }
        _ => bail!("usage: cargo xtask test | bench [adds | context [LARGEST] | search] | docs"),
    }
}
