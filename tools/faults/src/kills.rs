//! The program is killed at every system call that it makes, and every call that touches files fails in turn. All
//! writes that it acknowledged, before or after, have to be there; the next write has to work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Result, ensure};

use super::strace;
use super::truth::{self, Truth};
use super::work::{self, Base, STORE};
use super::{Row, Setup};
use kit::at_once::at_once;

/// A fault in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The process is killed before it.
    Kill,
    /// It fails once.
    Once(&'static str),
    /// It fails from then on.
    Always(&'static str),
    /// It writes nothing, and says so.
    Nothing,
}

impl Fault {
    fn injection(self, call: &str, at: u64) -> String {
        match self {
            Self::Kill => format!("inject={call}:signal=KILL:when={at}"),
            Self::Once(error) => format!("inject={call}:error={error}:when={at}"),
            Self::Always(error) => format!("inject={call}:error={error}:when={at}+"),
            Self::Nothing => format!("inject={call}:retval=0:when={at}"),
        }
    }
}

/// Calls that fail for reasons of the disk.
const FAILING: [&str; 18] = [
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fcntl",
    "flock",
    "mmap",
    "unlink",
    "rename",
    "mkdir",
    "newfstatat",
    "statx",
    "fstat",
    "link",
];

/// The file that a backup or a copy writes.
const MADE: &str = "made.db";

/// A run of the program on a store, and the note that it writes.
struct Run {
    what: &'static str,
    base: Base,
    words: Vec<String>,
    /// The note that is written, if one is.
    writes: Option<(String, u64)>,
    /// Notes that may be there afterwards.
    after: Truth,
}

pub(crate) fn killed(setup: &Setup) -> Result<Vec<Row>> {
    let what = "killed at each call";
    each_run(setup, what, setup.count(u64::MAX, 25), &|calls| {
        let at_each = |(call, (before, all)): (&'_ String, &(u64, u64))| {
            let call = call.clone();
            (before + 1..=*all).map(move |at| (call.clone(), at, Fault::Kill))
        };
        calls.iter().flat_map(at_each).collect()
    })
}

pub(crate) fn failed(setup: &Setup) -> Result<Vec<Row>> {
    let what = "failing calls";
    each_run(setup, what, setup.count(u64::MAX, 25), &|calls| {
        let mut trials = Vec::new();
        for (call, (before, all)) in calls {
            if !FAILING.contains(&call.as_str()) {
                continue;
            }
            for at in before + 1..=*all {
                for error in ["EIO", "ENOSPC"] {
                    trials.push((call.clone(), at, Fault::Once(error)));
                    trials.push((call.clone(), at, Fault::Always(error)));
                }
                if call.contains("write") {
                    trials.push((call.clone(), at, Fault::Nothing));
                }
            }
        }
        trials
    })
}

/// Spreads a limited number of trials over all.
fn is_chosen(number: u64, all: u64, limit: u64) -> bool {
    limit >= all || number * limit / all != (number - 1) * limit / all
}

/// How often a run makes each call, before it looks at its store and in all.
type Calls = BTreeMap<String, (u64, u64)>;

/// A call by its name and number, and its fault.
type Trial = (String, u64, Fault);

fn each_run(
    setup: &Setup,
    what: &str,
    limit: u64,
    trials: &dyn Fn(&Calls) -> Vec<Trial>,
) -> Result<Vec<Row>> {
    if let Err(why) = strace::ready() {
        return Ok(vec![Row::skipped(what, why)]);
    }
    runs(setup)?
        .iter()
        .map(|run| {
            let begin = Instant::now();
            let calls = calls_of(setup, run)?;
            let trials = trials(&calls);
            let all = trials.len() as u64;
            let chosen = (1_u64..).zip(trials);
            let chosen = chosen.filter(|(number, _)| is_chosen(*number, all, limit));
            let chosen: Vec<Trial> = chosen.map(|(_, trial)| trial).collect();
            let mut row = Row::new(format!("{}: {what}", run.what));
            row.says = format!("{all} in all");
            row.trials = chosen.len() as u64;
            // They spend most of their time waiting.
            let failures = at_once(8, chosen, |(call, at, fault)| {
                trial(setup, run, &call, at, fault)
            });
            for failure in failures {
                failure?.into_iter().for_each(|failure| row.fail(failure));
            }
            // The long form takes most of an hour: it prints its progress.
            let seconds = begin.elapsed().as_secs_f64();
            println!(
                "   {}: {} trials, {} failed, {seconds:.0} s",
                row.what, row.trials, row.failed
            );
            Ok(row)
        })
        .collect()
}

fn runs(setup: &Setup) -> Result<Vec<Run>> {
    let folder = tempfile::tempdir_in(setup.folder.path())?.keep();
    let write = |what, base: Base, name: &str| {
        let mut after = base.truth.clone();
        let write = after.begin(name);
        Run {
            what,
            words: truth::words(name, write),
            writes: Some((name.to_owned(), write)),
            after,
            base,
        }
    };
    let base = |name: &str| Base::make(folder.join(name), setup.seed, 20, 20);
    let empty = Base {
        home: folder.join("empty"),
        truth: Truth::default(),
    };
    std::fs::create_dir_all(&empty.home)?;
    let forgets = base("forget")?;
    let mut after = forgets.truth.clone();
    let named = after.first_key()?;
    after.forget(&named);
    let other = |what, base: Base, words: &[&str]| Run {
        what,
        words: words.iter().map(ToString::to_string).collect(),
        writes: None,
        after: base.truth.clone(),
        base,
    };
    let forgotten = truth::address(&named)?.to_string();
    let mut forget = other("forget", forgets, &["forget", &forgotten, "--yes"]);
    forget.after = after;
    let restores = base("restore")?;
    let output = work::run(&mut work::waynote(setup, &restores.home, &["backup", MADE]))?;
    ensure!(output.status.success(), "the backup failed: {output:?}");
    Ok(vec![
        write("the first note", empty, "k1"),
        write("a keyed note", base("key")?, "k3"),
        write("an entry", base("entry")?, "e999"),
        forget,
        other("backup", base("backup")?, &["backup", MADE]),
        other("copy", base("copy")?, &["copy", STORE, MADE]),
        other("restore", restores, &["restore", MADE, "--replace"]),
    ])
}

fn calls_of(setup: &Setup, run: &Run) -> Result<Calls> {
    let folder = setup.quick()?;
    run.base.copy(folder.path())?;
    let command = work::waynote(setup, folder.path(), &run.words);
    let (calls, output) = strace::record(&command, folder.path(), "all", None)?;
    ensure!(
        output.status.success(),
        "{}: {}",
        run.what,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(strace::counts(&calls, "waynote/"))
}

/// Tries a fault; the promise that it broke, if any.
fn trial(setup: &Setup, run: &Run, call: &str, at: u64, fault: Fault) -> Result<Option<String>> {
    let folder = setup.quick()?;
    let home = folder.path();
    run.base.copy(home)?;
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "--seccomp-bpf",
            "-e",
            &format!("trace={call}"),
            "-e",
        ])
        .arg(fault.injection(call, at))
        .arg(&setup.program)
        .args(&run.words);
    work::dressed(&mut command, home);
    let output = work::run(&mut command)?;
    let name = format!("{call} number {at}, {fault:?}");
    if fault != Fault::Kill
        && let Some(crash) = work::crash(&output)
    {
        return Ok(Some(format!("{name}: {crash}")));
    }
    let mut truth = run.after.clone();
    if let (true, Some((note, write))) = (output.status.success(), &run.writes) {
        truth.acknowledge(note, *write);
    }
    let broken = broken(home, &truth, &output, run);
    Ok(broken.map(|broken| format!("{name}: {broken}")))
}

/// The damage of a store after a fault.
fn broken(home: &Path, truth: &Truth, output: &Output, run: &Run) -> Option<String> {
    // A backup or a copy with its final name is complete.
    let made = home.join(MADE);
    if run.what != "restore" && made.exists() {
        let seen = work::look(&made, truth);
        if !seen.is_whole() {
            return Some(format!("what it made: {}", seen.first()));
        }
    }
    let broken = work::broken(&home.join(STORE), truth)?;
    let said = String::from_utf8_lossy(&output.stderr);
    Some(format!("{broken}; it said {:?}", said.lines().next()))
}
