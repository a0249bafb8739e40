//! The tests of stores in PostgreSQL: as the gate runs them, and told by variables to do more.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Error, Result, bail, ensure};
use waynote_test_postgres::{has_patroni, has_pgbouncer, has_postgres};

use kit::steps::cargo;

use crate::built::TestProgram;
use crate::watched;
use kit::registries::apt_install;
use kit::unchecked::not_checked;

/// Runs the tests that need a server, out of those that were built. Without PostgreSQL, each is listed as not checked.
pub(crate) fn test(built: &[TestProgram]) -> Result<()> {
    install();
    for (package, filters) in TESTS {
        for built in built.iter().filter(|built| built.package == package) {
            let mut tests = Command::new(&built.program);
            tests.args(filters).current_dir(&built.folder);
            watched::tests(&format!("PostgreSQL, {package}"), tests)?;
        }
    }
    Ok(())
}

/// The crates that have such tests, and where.
const TESTS: [(&str, &[&str]); 3] = [
    ("waynote-test-postgres", &[]),
    ("waynote-postgres", &[]),
    (
        "waynote-cli",
        &["suite::postgres::", "suite::two_servers::"],
    ),
];

/// Installs what the tests start servers from.
fn install() {
    let is_given = std::env::var_os("WAYNOTE_TEST_POSTGRES").is_some();
    if is_given || (has_postgres() && has_pgbouncer()) {
        return;
    }
    if let Err(why) = apt_install(&["postgresql", "pgbouncer"]) {
        not_checked("PostgreSQL", why);
    }
}

/// A test, and what makes it large.
struct Proof {
    word: &'static str,
    /// The claim that it proves.
    shows: &'static str,
    package: &'static str,
    test: &'static str,
    /// A variable and its values: the large count, and that of a trial.
    count: (&'static str, u32, u32),
}

const PROOFS: [Proof; 7] = [
    Proof {
        word: "writers",
        shows: "8 processes add 1,000 notes each to one file at once",
        package: "waynote",
        test: "suite::processes::eight_processes_add_notes_at_once",
        count: ("WAYNOTE_TEST_ADDS", 1000, 300),
    },
    Proof {
        word: "killed",
        shows: "writers of one file are killed 50 times: every acknowledged note is there",
        package: "waynote",
        test: "suite::processes::killed_processes_lose_nothing_acknowledged",
        count: ("WAYNOTE_TEST_ROUNDS", 50, 5),
    },
    Proof {
        word: "failover",
        shows: "a primary is killed and is cut off, 10 times each, under 8 writers: its standby has every \
                acknowledged write once",
        package: "waynote-postgres",
        test: "suite::failover::a_primary_that_dies_takes_nothing_with_it",
        count: ("WAYNOTE_TEST_ROUNDS", 10, 1),
    },
    Proof {
        word: "cluster",
        shows: "a cluster of Patroni, etcd and HAProxy has every acknowledged write once when its leader is killed, \
                is cut off and is switched, 3 times each",
        package: "waynote-postgres",
        test: "suite::patroni::a_cluster_that_breaks_loses_nothing",
        count: ("WAYNOTE_TEST_ROUNDS", 3, 1),
    },
    Proof {
        word: "restore",
        shows: "a database goes back under its programs 10 times: what was lost can be written again, and readers notice",
        package: "waynote-postgres",
        test: "suite::restored::a_database_that_goes_back_under_its_programs_resets_its_readers",
        count: ("WAYNOTE_TEST_ROUNDS", 10, 1),
    },
    Proof {
        word: "address",
        shows: "the only address of a primary moves to its standby 10 times: every acknowledged write is there once",
        package: "waynote-postgres",
        test: "suite::failover::an_address_that_moves_to_the_standby_loses_nothing",
        count: ("WAYNOTE_TEST_ROUNDS", 10, 1),
    },
    Proof {
        word: "limit",
        shows: "16 writers with 500 writes each never pass the limit of a notebook",
        package: "waynote-postgres",
        test: "suite::cap::sixteen_processes_never_pass_the_limit",
        count: ("WAYNOTE_TEST_WRITES", 500, 10),
    },
];

/// Runs all of them, or those that are named; `--short` with the counts of a trial.
pub(crate) fn prove(words: &[&str]) -> Result<()> {
    ensure!(
        has_postgres(),
        "there is no PostgreSQL on this machine, and nothing of it is proved: apt-get install postgresql"
    );
    let is_short = words.contains(&"--short");
    let named: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| *word != "--short")
        .collect();
    for word in &named {
        if !PROOFS.iter().any(|proof| proof.word == *word) {
            let all = PROOFS.map(|proof| proof.word).join(", ");
            bail!("no proof `{word}`: {all}");
        }
    }
    for proof in &PROOFS {
        if named.is_empty() || named.contains(&proof.word) {
            if proof.word == "cluster" && !has_patroni() {
                let packages = ["patroni", "etcd-server", "haproxy", "postgresql"];
                apt_install(&packages).map_err(Error::msg)?;
            }
            run(proof, is_short)?;
        }
    }
    Ok(())
}

fn run(proof: &Proof, is_short: bool) -> Result<()> {
    let (name, long, short) = proof.count;
    let count = if is_short { short } else { long };
    let trial = if is_short { "only a trial of: " } else { "" };
    println!("== {}: {trial}{} ({name}={count})", proof.word, proof.shows);
    let begin = Instant::now();
    let mut test = cargo(&["test", "--quiet", "-p", proof.package, "--test", "main"]);
    test.args(["--", "--exact", proof.test]);
    test.args(["--include-ignored", "--nocapture"]);
    let output = test
        .env(name, count.to_string())
        .stdout(Stdio::piped())
        .spawn()?
        .wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    // A test that has another name by now would pass as well.
    let has_run = said.contains("test result: ok. 1 passed");
    ensure!(
        output.status.success() && has_run,
        "{}: {} failed, or did not run",
        proof.word,
        proof.test
    );
    println!(
        "== {}: passed in {:.0} s",
        proof.word,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}
