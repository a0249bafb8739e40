//! What a developer runs: `cargo xtask test`, `cargo xtask bench`, `cargo xtask faults`, `cargo xtask prove`,
//! `cargo xtask docs`.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

mod adds;
mod agents;
mod blocks;
mod conformance;
mod contexts;
mod faults;
mod gate;
mod hooks;
mod loops;
mod measure;
mod packages;
mod page;
mod postgres;
mod public_api;
mod random;
mod release;
mod retrieval;
mod searches;
mod secrets;
mod served;
mod serving;
mod steps;
mod threads;
mod tools;
mod unchecked;
mod upgrade;
mod watched;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let done = run();
    unchecked::print();
    done
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => gate::test(),
        ["test", "rest"] => gate::rest(),
        ["test", "postgres"] => postgres::test(&steps::Built::all()?),
        ["test", "conformance"] => conformance::run(),
        ["test", "packages"] => packages::check(),
        ["test", "page"] => page::run(),
        ["test", "serving"] => serving::short(),
        ["test", "agents", ref words @ ..] => gate::agents(&agents::Choice::of(words)?),
        ["docs"] => gate::docs(),
        ["bench"] => {
            release::measure(&["adds"])?;
            release::measure(&["threads"])?;
            contexts::run(contexts::SIZES)?;
            hooks::run()?;
            loops::run()?;
            release::measure(&["blocks"])?;
            release::measure(&["search"])?;
            secrets::run(&[])
        }
        ["bench", what @ ("adds" | "threads" | "blocks" | "search")] => release::measure(&[what]),
        // What `bench` runs of itself, built as it is shipped.
        ["measure", "adds"] => adds::run(),
        ["measure", "threads"] => threads::run(),
        ["measure", "blocks"] => {
            blocks::budgets()?;
            blocks::day()?;
            blocks::cost()
        }
        ["measure", "search"] => searches::run(),
        ["bench", "retrieval", verb @ ("import" | "query"), folder] => {
            release::measure(&["retrieval", verb, folder])
        }
        ["measure", "retrieval", "import", folder] => retrieval::import(folder.as_ref()),
        ["measure", "retrieval", "query", folder] => retrieval::query(folder.as_ref()),
        ["faults", ref words @ ..] => faults::run(&faults::Choice::of(words)?),
        ["prove"] => {
            release::measure(&["upgrade"])?;
            release::measure(&["serving"])?;
            postgres::prove(&[])?;
            faults::run(&faults::Choice::LONG)
        }
        ["prove", "postgres", ref words @ ..] => postgres::prove(words),
        // What `faults` starts to watch it.
        ["measure", "faults-writer", path, seed, writes] => faults::write(path, seed, writes),
        ["measure", "upgrade"] => upgrade::run(),
        ["bench", "serving", ref parts @ ..] => {
            release::measure(&[&["serving"][..], parts].concat())
        }
        ["measure", "serving", ref parts @ ..] => serving::long(parts),
        ["measure", "open", path] => upgrade::open(path),
        ["measure", "write-schema-5", path] => upgrade::write(path),
        ["bench", "secrets", ref folders @ ..] => secrets::run(folders),
        ["bench", "hook"] => hooks::run(),
        ["bench", "loop"] => loops::run(),
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
            "usage: cargo xtask test [agents [--all] [--newest] [--load] [--keep] [CLIENT…] [MOMENT…] | conformance | packages | page | postgres | rest | serving] \
             | bench [adds | threads | context [LARGEST] | hook | loop | blocks | search | serving [load | kills | generated] | retrieval (import | query) STORE | secrets [PATH…]] | prove [postgres [--short] [failover | limit | stores | copy | servers]] \
             | faults [--seed N] [--only PART] [--short] [--release] | docs"
        ),
    }
}
