//! Commands for contributors: `cargo xtask test`, `cargo xtask docs`, `cargo xtask lines`; and the way to the programs
//! under `tools/`: `cargo xtask faults`, `cargo xtask bench`, `cargo xtask trial`, `cargo xtask prove`.

mod book;
mod built;
mod clients;
mod gate;
mod lines;
mod package;
mod packages;
mod page;
mod postgres;
mod public_api;
mod tools;
mod watched;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    kit::main(run)
}

fn run(words: &[&str]) -> Result<()> {
    match *words {
        ["package", ref words @ ..] => package::make(words),
        ["test", "package"] => package::check(&packages::unpacked()?),
        ["test"] => gate::test(),
        ["test", "rest"] => gate::rest(),
        ["test", "postgres"] => postgres::test(&built::TestProgram::all()?),
        ["test", "clients"] => {
            clients::check()?;
            clients::suites()
        }
        ["test", "packages"] => packages::check().map(drop),
        ["test", "page"] => page::run(),
        [
            "test",
            tool @ ("agents" | "conformance" | "serving"),
            ref words @ ..,
        ] => tools::run(tool, words),
        [tool @ ("faults" | "trial"), ref words @ ..] => tools::run(tool, words),
        ["bench", "serving", ref words @ ..] => {
            tools::released("serving", &[&["--long"][..], words].concat())
        }
        ["bench", ref words @ ..] => tools::released("bench", words),
        ["prove"] => {
            gate::smaller_programs(&["server", "postgres"])?;
            tools::released("bench", &["postgres"])?;
            prove_serving()?;
            postgres::prove(&[])?;
            clients::suites()?;
            package::prove()?;
            package::bare()?;
            book::prove()?;
            tools::run("trial", &["--runs", "10", "--check"])?;
            tools::run("faults", &[])
        }
        ["prove", "book"] => book::prove(),
        ["prove", "packages"] => {
            package::prove()?;
            package::bare()
        }
        ["prove", "postgres", ref words @ ..] => postgres::prove(words),
        ["prove", "serving"] => prove_serving(),
        ["docs"] => gate::docs(),
        ["lines"] => lines::check(),
        _ => bail!(
            "usage: cargo xtask test [agents [--all] [--newest] [--keep] [CLIENT…] [MOMENT…] | clients | conformance | package | packages | page | postgres | rest | serving] \
             | bench [adds | threads | context [LARGEST] | hook | actions | loop | blocks | postgres | search | serving [load | kills | two | generated | clients] | retrieval (import | query) STORE | secrets [PATH…]] | prove [book | packages | postgres [--short] [writers | killed | failover | cluster | restore | address | limit] | serving] \
             | faults [--seed N] [--only PART] [--short] [--release] | trial [--with CLIENT] [--agent COMMAND] [--runs N] [--seed N] [--json FILE] [--keep] [TRAP…] | docs | lines | package [--binary PATH] [--out FOLDER] [--repository URL]"
        ),
    }
}

/// The server under load and kills, requests that Schemathesis generates, and the conformance suite of MCP.
fn prove_serving() -> Result<()> {
    tools::released("serving", &["--long"])?;
    tools::run("conformance", &[])
}
