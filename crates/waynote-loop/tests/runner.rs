//! Loops as a program of its own runs them: over a store in its hands, with agents that are lines of shell.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use waynote::context::Request;
use waynote::{Content, EntryType, Options, Place, SessionLog, SqliteStore, Stamp};
use waynote_loop::{AgentCommand, Backoff, Host, LoopRunner, Notice, Observer, Plan, Stop};
use waynote_loop::{Stream, Summary};

fn clock() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

fn stamp() -> Stamp {
    Stamp::new(clock(), "agent:builder".parse().unwrap())
}

/// A store and a folder to work in.
struct Bench {
    _folder: tempfile::TempDir,
    directory: PathBuf,
    store: Arc<SqliteStore>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().canonicalize().unwrap();
        let store = SqliteStore::open(directory.join("notes.db"), &Options::default()).unwrap();
        Self {
            _folder: folder,
            directory,
            store: Arc::new(store),
        }
    }

    fn plan(&self, script: &str) -> Plan {
        let agent = AgentCommand::new(&["sh", "-c", script]).unwrap();
        let notes = Request::new("builder".parse().unwrap(), Place::home(), clock());
        let author = "agent:builder".parse().unwrap();
        let mut plan = Plan::new("s".parse().unwrap(), agent, &self.directory, author, notes);
        plan.backoff = Backoff::new(Duration::ZERO, 0);
        plan
    }

    fn run(&self, plan: &Plan, host: Host<'_>) -> Summary {
        plan.check().unwrap();
        let mut runner = LoopRunner::begin(plan, &*self.store, host, None).unwrap();
        let stop = runner.run();
        runner.end(stop).unwrap()
    }
}

/// Keeps what it hears, and does something for the agent at the start of each iteration.
struct Recorder {
    lines: Mutex<Vec<String>>,
    act: Box<dyn Fn(i64) + Send + Sync>,
}

impl Recorder {
    fn new(act: impl Fn(i64) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            lines: Mutex::default(),
            act: Box::new(act),
        })
    }

    fn lines(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }
}

impl Observer for Recorder {
    fn notice(&self, notice: &Notice<'_>) {
        let line = match notice {
            Notice::StatusEnded | Notice::FilesDoNotCount { .. } => return,
            Notice::IterationStarted { iteration } => {
                (self.act)(*iteration);
                format!("iteration {iteration}")
            }
            Notice::Retrying { next, outcome, .. } => {
                format!("{outcome}: attempt {} of {}", next.number, next.limit)
            }
            Notice::Resumed { done, all } => format!("{done} of {all} are done"),
            other => format!("{other:?}"),
        };
        self.lines.lock().unwrap().push(line);
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        let line = format!("  {stream:?}: {text}");
        self.lines.lock().unwrap().push(line);
    }
}

#[test]
fn an_iteration_reads_what_an_earlier_one_noted() {
    let bench = Bench::new();
    let store = Arc::clone(&bench.store);
    let heard = Recorder::new(move |iteration| {
        let log = SessionLog::new(&*store, "s".parse().unwrap());
        let text = Content::text(format!("lesson {iteration}")).unwrap();
        log.add(EntryType::Tip, Some(iteration), text, &stamp())
            .unwrap();
    });
    let mut plan = bench.plan("grep -c lesson; test -e tried || { touch tried; exit 7; }");
    plan.iterations = Some(3);
    plan.backoff = Backoff::new(Duration::ZERO, 1);
    let mut host = Host::new(&clock);
    host.observer = heard.clone();
    let summary = bench.run(&plan, host);
    assert_eq!(summary.stop, Stop::Iterations(3));
    assert_eq!(summary.notes[2], (EntryType::Tip, 3));
    insta::assert_snapshot!(heard.lines(), @"
    iteration 1
      Out: 0
    failed (exit code 7): attempt 2 of 2
      Out: 0
    iteration 2
      Out: 1
    iteration 3
      Out: 2
    ");
}

#[test]
fn another_thread_ends_it_in_order() {
    let bench = Bench::new();
    let mut host = Host::new(&clock);
    let send = Mutex::new(host.signals.sender());
    host.observer = Recorder::new(move |_| (send.lock().unwrap())(15));
    let summary = bench.run(&bench.plan("sleep 1000"), host);
    assert_eq!(summary.stop, Stop::Interrupted(15));
}

#[test]
fn what_an_agent_leaves_behind_ends_though_orphans_are_not_adopted() {
    let bench = Bench::new();
    let mut plan = bench.plan("sleep 1000 & echo $! > left; exit 0");
    plan.iterations = Some(1);
    let summary = bench.run(&plan, Host::new(&clock));
    assert_eq!(summary.stop, Stop::Iterations(1));
    let left = std::fs::read_to_string(bench.directory.join("left")).unwrap();
    let left = left.trim().parse().ok();
    let left = left.and_then(rustix::process::Pid::from_raw).unwrap();
    // Killed, it does not run: at most it waits to be reaped.
    let until = std::time::Instant::now() + Duration::from_secs(300);
    while rustix::process::test_kill_process(left).is_ok() && !is_zombie(left) {
        assert!(std::time::Instant::now() < until, "it still runs");
        std::thread::yield_now();
    }
}

fn is_zombie(pid: rustix::process::Pid) -> bool {
    let process = waynote_system::process::Process::numbered(pid.as_raw_pid().unsigned_abs());
    process.is_none_or(|process| !process.is_alive())
}
