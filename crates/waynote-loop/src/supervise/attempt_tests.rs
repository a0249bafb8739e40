//! Agents of every bad habit, as shell scripts.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::attempt::{AgentEnd, Attempt, AttemptReport, run};
use super::command::{AgentCommand, PreparedCommand};
use super::group::{Patience, adopt_orphans};
use super::signals::Signals;
use super::stop_text::StopText;
use crate::observer::{Observer, Stream};

/// Longer than any test may take: what waits for this, fails.
const NEVER: Duration = Duration::from_secs(300);
/// Soon, where a test waits for the time to pass.
const SOON: Duration = Duration::from_millis(50);

/// A folder, the screen, and the signals of one test.
struct Bench {
    folder: tempfile::TempDir,
    seen: Arc<OutputRecorder>,
    signals: Signals,
    patience: Patience,
    deadline: Option<Duration>,
    until: &'static str,
    log: Option<File>,
    observer: Option<Arc<dyn Observer>>,
}

impl Bench {
    fn new() -> Self {
        waynote_testing::default_signals();
        adopt_orphans();
        let seen = Arc::new(OutputRecorder::default());
        Self {
            folder: tempfile::tempdir().unwrap(),
            observer: Some(seen.clone()),
            seen,
            signals: Signals::none(),
            patience: Patience {
                until: NEVER,
                signal: NEVER,
                end: NEVER,
            },
            deadline: None,
            until: "",
            log: None,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A named pipe. A script opens it as `9>life`, and it ends with its last holder.
    fn fifo(&self, name: &str) -> Fifo {
        Fifo::new(&self.path(name))
    }

    /// A named pipe at which two of a script's processes wait for each other.
    fn meeting(&self, name: &str) {
        mkfifo(&self.path(name));
    }

    fn run(&mut self, script: &str) -> AttemptReport {
        self.run_with(script, "The prompt.", &mut |_| false)
    }

    fn run_with(
        &mut self,
        script: &str,
        prompt: &str,
        tick: &mut dyn FnMut(Duration) -> bool,
    ) -> AttemptReport {
        let prepared = sh(script, prompt);
        let attempt = Attempt {
            prepared: &prepared,
            environment: &[("NUMBER".into(), "4".into())],
            directory: Some(self.folder.path()),
            observer: self.observer.clone(),
            log: self.log.take(),
            until: StopText::new(self.until),
            deadline: self.deadline.map(|after| Instant::now() + after),
            patience: self.patience,
        };
        run(attempt, &self.signals, None, tick).unwrap()
    }

    fn out(&self) -> String {
        String::from_utf8(self.seen.bytes(Stream::Out)).unwrap()
    }

    /// Sends signals when the agent has printed something.
    fn on_output(&mut self, signals: &'static [i32]) {
        let send = self.signals.sender();
        let mut is_first = true;
        self.observer = Some(OnOutput::new(move |_| {
            if std::mem::take(&mut is_first) {
                signals.iter().for_each(|signal| send(*signal));
            }
        }));
    }
}

fn sh(script: &str, prompt: &str) -> PreparedCommand {
    AgentCommand::new(&["sh", "-c", script])
        .unwrap()
        .with_prompt(prompt)
        .unwrap()
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

pub(super) struct Fifo(File);

impl Fifo {
    pub(super) fn new(path: &Path) -> Self {
        mkfifo(path);
        // Without waiting for a writer.
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        let flags = i32::try_from(flags).unwrap();
        Self(
            File::options()
                .read(true)
                .custom_flags(flags)
                .open(path)
                .unwrap(),
        )
    }

    /// Waits until it has something to say, or its last writer has left.
    fn wait(&self) {
        let time = Timespec::try_from(NEVER).unwrap();
        let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&time)).unwrap();
        assert!(ready > 0, "somebody holds the pipe and says nothing");
    }

    /// The text written until its last writer closes it.
    pub(super) fn rest(&mut self) -> String {
        self.until(None)
    }

    /// The next line.
    pub(super) fn line(&mut self) -> String {
        self.until(Some(b'\n'))
    }

    /// The text before a byte, or before its last writer closes it.
    fn until(&mut self, end: Option<u8>) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        loop {
            self.wait();
            match self.0.read(&mut byte) {
                Ok(1) if Some(byte[0]) != end => text.push(byte[0]),
                Ok(_) => return String::from_utf8(text).unwrap(),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
    }
}

/// Keeps an agent's output.
#[derive(Default)]
struct OutputRecorder(Mutex<Vec<(Stream, Vec<u8>)>>);

impl OutputRecorder {
    fn bytes(&self, of: Stream) -> Vec<u8> {
        let pieces = self.0.lock();
        let pieces = pieces.iter().filter(|(stream, _)| *stream == of);
        pieces.flat_map(|(_, bytes)| bytes.clone()).collect()
    }
}

impl Observer for OutputRecorder {
    fn output(&self, stream: Stream, bytes: &[u8]) {
        self.0.lock().push((stream, bytes.to_owned()));
    }
}

/// An observer that does something each time.
struct OnOutput(Mutex<Action>);

type Action = Box<dyn FnMut(&[u8]) + Send>;

impl OnOutput {
    fn new(act: impl FnMut(&[u8]) + Send + 'static) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Box::new(act))))
    }
}

impl Observer for OnOutput {
    fn output(&self, _: Stream, bytes: &[u8]) {
        (self.0.lock())(bytes);
    }
}

#[test]
fn it_gets_prompt_environment_and_directory() {
    let mut bench = Bench::new();
    bench.log = Some(File::create(bench.path("log")).unwrap());
    let ended = bench.run_with(
        "cat; echo \" $NUMBER\"; basename \"$PWD\" >&2; exit 7",
        "One\r\ntwo",
        &mut |_| false,
    );
    assert_eq!((ended.how, ended.until_seen), (AgentEnd::Exited(7), false));
    assert_eq!(bench.out(), "One\r\ntwo 4\n");
    let name = bench.folder.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(
        bench.seen.bytes(Stream::Err),
        format!("{name}\n").as_bytes()
    );
    let log = std::fs::read_to_string(bench.path("log")).unwrap();
    // The streams come through pipes of their own, so that where they meet is not certain.
    assert!(
        log.contains("One\r\ntwo 4\n") && log.contains(name),
        "{log}"
    );
    assert!(ended.log_error.is_none());
}

#[test]
fn input_that_nobody_reads_holds_nothing_up() {
    let prompt = "x".repeat(5_000_000);
    for (script, code) in [
        ("test $(wc -c) = 5000000", 0),
        ("exec <&-; echo closed; exit 4", 4),
        ("head -c 10; exit 5", 5),
        ("echo no reading here; exit 6", 6),
    ] {
        let ended = Bench::new().run_with(script, &prompt, &mut |_| false);
        assert_eq!(ended.how, AgentEnd::Exited(code), "{script}");
    }
}

#[test]
fn much_output_passes_in_little_memory() {
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok())
            .unwrap_or(0)
    };
    let mut bench = Bench::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    bench.observer = Some(OnOutput::new(move |bytes| {
        counted.fetch_add(bytes.len(), Ordering::Relaxed);
    }));
    bench.until = "never printed";
    let before = peak();
    let ended = bench.run("yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c 100000000");
    assert_eq!(ended.how, AgentEnd::Exited(0));
    assert_eq!(count.load(Ordering::Relaxed), 100_000_000);
    // Other tests run at the same time; the output alone would be 97,656.
    let grown = peak().saturating_sub(before);
    assert!(grown < 70_000, "{grown} KiB more");
}

#[test]
fn children_that_are_left_behind_end_with_it() {
    for script in [
        "sleep 1000 & (sleep 1000 & sleep 1000) & exit 0",
        // One that is deaf.
        "(trap '' TERM; echo > ready; sleep 1000) & read line < ready; exit 0",
        // One in a session of its own that never stops writing: writing without a reader ends it.
        "setsid sh -c 'echo > ready; exec yes' & read line < ready; exit 0",
    ] {
        let mut bench = Bench::new();
        bench.patience.end = SOON;
        bench.meeting("ready");
        let mut life = bench.fifo("life");
        let ended = bench.run(&format!("exec 9>life; {script}"));
        assert_eq!(ended.how, AgentEnd::Exited(0), "{script}");
        assert_eq!(life.rest(), "", "{script}");
    }
}

#[test]
fn a_child_that_is_left_behind_may_say_goodbye() {
    let mut bench = Bench::new();
    bench.meeting("ready");
    bench.meeting("go");
    let mut life = bench.fifo("life");
    // Its outputs are elsewhere, so that nothing but its end tells that it has ended.
    let ended = bench.run(
        "exec 9>life 8<>go
         (trap 'echo bye >&9; exit' TERM; echo > ready; read line <&8) >/dev/null 2>&1 &
         read line < ready; exit 2",
    );
    assert_eq!(ended.how, AgentEnd::Exited(2));
    assert_eq!(life.rest(), "bye\n");
}

#[test]
fn one_that_never_ends_is_ended_at_its_deadline() {
    for script in [
        "exec 9>life; sleep 1000",
        "exec 9>life; sleep 1000 & sleep 1000 & wait",
        "exec 9>life; kill -STOP $$",
        "exec 9>life; exec >&- 2>&-; sleep 1000",
        // One that is deaf is killed.
        "exec 9>life; trap '' TERM; sleep 1000; sleep 1000",
    ] {
        let mut bench = Bench::new();
        let mut life = bench.fifo("life");
        (bench.patience.end, bench.deadline) = (SOON, Some(SOON));
        assert_eq!(bench.run(script).how, AgentEnd::TimedOut, "{script}");
        assert_eq!(life.rest(), "");
    }
}

#[test]
fn a_signal_interrupts_it() {
    let mut bench = Bench::new();
    bench.meeting("go");
    let mut life = bench.fifo("life");
    bench.on_output(&[SIGTERM]);
    let ended = bench
        .run("exec 9>life 8<>go; trap 'echo cleaned >&9; exit 0' TERM; echo ready; read line <&8");
    assert_eq!(ended.how, AgentEnd::Interrupted(SIGTERM));
    assert_eq!(life.rest(), "cleaned\n");
    // The next one does not begin.
    let ended = bench.run("exec 9>life; echo ran >&9");
    assert_eq!(ended.how, AgentEnd::Interrupted(SIGTERM));
    assert_eq!(life.rest(), "");
}

#[test]
fn a_second_interrupt_does_not_wait() {
    let mut bench = Bench::new();
    let mut life = bench.fifo("life");
    bench.on_output(&[SIGINT, SIGINT]);
    let ended = bench.run("exec 9>life; trap '' TERM; echo ready; sleep 1000; sleep 1000");
    assert_eq!(ended.how, AgentEnd::Interrupted(SIGINT));
    assert_eq!(life.rest(), "");
}

#[test]
fn the_text_that_ends_the_loop_is_seen_in_either_stream() {
    for script in ["echo DONE >&2", "printf DO; printf NE"] {
        let mut bench = Bench::new();
        bench.until = "DONE";
        let ended = bench.run(script);
        assert_eq!(
            (ended.how, ended.until_seen),
            (AgentEnd::Exited(0), true),
            "{script}"
        );
    }
    let mut bench = Bench::new();
    bench.until = "DONE";
    let ended = bench.run_with(
        "cat; echo DONE is next",
        "Print DONE when all is done.\n",
        &mut |_| false,
    );
    assert!(!ended.until_seen, "that was the prompt");
}

#[test]
fn one_that_says_it_is_done_and_stays_is_ended() {
    // By a text in its output, or by a signal to its loop.
    for (script, until_seen) in [("echo DONE; sleep 1000", true), ("sleep 1000", false)] {
        let mut bench = Bench::new();
        let mut life = bench.fifo("life");
        bench.until = "DONE";
        (bench.patience.until, bench.patience.signal) = (SOON, SOON);
        let script = format!("exec 9>life; {script}");
        let ended = bench.run_with(&script, "", &mut |_| !until_seen);
        assert!(ended.was_dismissed, "{ended:?}");
        assert_eq!(ended.until_seen, until_seen);
        assert_eq!(life.rest(), "");
    }
}

#[test]
fn an_output_that_nobody_watches_is_logged_and_searched_all_the_same() {
    let mut bench = Bench::new();
    bench.observer = None;
    bench.log = Some(File::create(bench.path("log")).unwrap());
    bench.until = "DONE";
    let ended = bench.run("head -c 1000000 /dev/zero; echo to nobody >&2; echo; echo DONE");
    assert_eq!((ended.how, ended.until_seen), (AgentEnd::Exited(0), true));
    assert_eq!(
        std::fs::metadata(bench.path("log")).unwrap().len(),
        1_000_000 + 10 + 6
    );
}

/// An observer that stands still until the sender of the answer goes.
fn still(then: impl Fn() + Send + 'static) -> (Arc<OnOutput>, Sender<()>) {
    let (go, wait): (_, Receiver<()>) = channel();
    let observer = OnOutput::new(move |_| {
        then();
        let _ = wait.recv();
    });
    (observer, go)
}

#[test]
fn an_observer_that_stands_still_keeps_neither_a_signal_nor_the_deadline_out() {
    for script in ["yes", "echo x; sleep 1000"] {
        let mut bench = Bench::new();
        bench.patience.end = SOON;
        let send = bench.signals.sender();
        let (observer, _go) = still(move || send(SIGINT));
        bench.observer = Some(observer);
        let ended = bench.run(script);
        assert_eq!(ended.how, AgentEnd::Interrupted(SIGINT), "{script}");
    }
    // Nor the deadline.
    let mut bench = Bench::new();
    (bench.patience.end, bench.deadline) = (SOON, Some(SOON));
    let (observer, _go) = still(|| {});
    bench.observer = Some(observer);
    assert_eq!(bench.run("yes").how, AgentEnd::TimedOut);
}

#[test]
fn a_log_that_fails_is_told_and_does_not_matter() {
    let mut bench = Bench::new();
    std::fs::write(bench.path("log"), "").unwrap();
    bench.log = Some(File::open(bench.path("log")).unwrap());
    let ended = bench.run("echo one; echo two");
    assert_eq!(ended.how, AgentEnd::Exited(0));
    assert!(ended.log_error.is_some());
    assert_eq!(bench.out(), "one\ntwo\n");
}
