//! The program is killed at every system call that it makes, and every call that touches files fails in turn. All
//! writes that it acknowledged, before or after, have to be there; the next write has to work.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};

use super::strace;
use super::truth::{self, Truth};
use super::work::{self, Base, STORE};
use super::{Row, Setup};

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
            tried(setup, run, &chosen, &mut row)?;
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

/// Carries out trials, several at once: they spend most of their time waiting.
fn tried(setup: &Setup, run: &Run, trials: &[Trial], row: &mut Row) -> Result<()> {
    const AT_ONCE: usize = 8;
    let next = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some((call, at, fault)) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
                failures.extend(trial(setup, run, call, *at, *fault)?);
            }
            Ok::<_, anyhow::Error>(failures)
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| {
            let joined = worker.join();
            joined.unwrap_or_else(|_| Err(anyhow::anyhow!("a trial panicked")))
        });
        joined.collect::<Result<Vec<_>>>()
    })?;
    row.trials += trials.len() as u64;
    for failure in failures.into_iter().flatten() {
        row.fail(failure);
    }
    Ok(())
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
    let forget = Run {
        what: "forget",
        words: ["forget", &truth::address(&named)?.to_string(), "--yes"]
            .map(ToOwned::to_owned)
            .into(),
        writes: None,
        after,
        base: forgets,
    };
    // Files made by the runs.
    let makes = |what, words: &[&str]| -> Result<Run> {
        let base = base(what)?;
        Ok(Run {
            what,
            words: words.iter().map(ToString::to_string).collect(),
            writes: None,
            after: base.truth.clone(),
            base,
        })
    };
    let restores = base("restore")?;
    let words = ["backup", MADE].map(ToOwned::to_owned);
    let output = work::run(&mut work::waynote(setup, &restores.home, &words))?;
    ensure!(output.status.success(), "the backup failed: {output:?}");
    let restore = Run {
        what: "restore",
        words: ["restore", MADE, "--replace"].map(ToOwned::to_owned).into(),
        writes: None,
        after: restores.truth.clone(),
        base: restores,
    };
    Ok(vec![
        write("the first note", empty, "k1"),
        write("a keyed note", base("key")?, "k3"),
        write("an entry", base("entry")?, "e999"),
        forget,
        makes("backup", &["backup", MADE])?,
        makes("copy", &["copy", STORE, MADE])?,
        restore,
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
    let store = home.join(STORE);
    let seen = match work::look(&store, truth) {
        Ok(seen) => seen,
        Err(panic) => return Some(panic),
    };
    if !seen.is_whole() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Some(format!(
            "{}; it said {:?}",
            seen.first(),
            said.lines().next()
        ));
    }
    // A backup or a copy with its final name is complete.
    let made = home.join(MADE);
    if run.what != "restore" && made.exists() {
        let seen = match work::look(&made, truth) {
            Ok(seen) => seen,
            Err(panic) => return Some(panic),
        };
        if !seen.is_whole() {
            return Some(format!("what it made: {}", seen.first()));
        }
    }
    let refused = work::accepts_a_write(&store).err()?;
    Some(format!("the next write: {refused}"))
}
