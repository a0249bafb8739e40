//! What a developer runs: `cargo xtask test`, `cargo xtask bench`, `cargo xtask docs`.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

mod adds;
mod agents;
mod blocks;
mod conformance;
mod contexts;
mod gate;
mod hooks;
mod measure;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => gate::test(),
        ["test", "conformance"] => conformance::run(),
        ["test", "agents"] => gate::agents(true),
        ["docs"] => gate::docs(),
        ["bench"] => {
            adds::run()?;
            contexts::run(contexts::SIZES)?;
            hooks::run()?;
            blocks::budgets()?;
            blocks::day()?;
            blocks::cost()
        }
        ["bench", "adds"] => adds::run(),
        ["bench", "blocks"] => {
            blocks::budgets()?;
            blocks::day()?;
            blocks::cost()
        }
        ["bench", "hook"] => hooks::run(),
        ["bench", "day"] => blocks::day(),
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
        _ => bail!(
            "usage: cargo xtask test [agents | conformance] | bench [adds | blocks | day | context [LARGEST] | hook] | docs"
        ),
    }
}
