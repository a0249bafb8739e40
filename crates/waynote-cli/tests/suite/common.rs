//! A scratch home and the binary in it, with a fixed clock.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use waynote_testing::{has, lacks};

/// The time at which tests happen unless they say otherwise.
pub(crate) const NOW: &str = "2026-05-17T12:00:00Z";

/// A home directory, and a working directory in it.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    ticks: Option<Ticks>,
    _limit: mpsc::Sender<()>,
}

/// A clock that goes on by a microsecond with each look at it.
#[derive(Default)]
pub(crate) struct Ticks(AtomicU32);

impl Ticks {
    pub(crate) fn next(&self) -> String {
        let ticks = self.0.fetch_add(1, Ordering::Relaxed);
        NOW.replace('Z', &format!(".{ticks:06}Z"))
    }
}

/// How long a test may take, on a machine however busy.
const LIMIT: Duration = Duration::from_secs(600);

impl Scratch {
    pub(crate) fn new() -> Self {
        waynote_testing::default_signals();
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        std::fs::create_dir_all(home.join("work")).unwrap();
        let _limit = limited(home, LIMIT);
        let ticks = None;
        Self {
            folder,
            ticks,
            _limit,
        }
    }

    /// A home in which each command runs a microsecond after the one before: what one command wrote, `undo` takes back
    /// together.
    pub(crate) fn ticking() -> Self {
        let ticks = Some(Ticks::default());
        Self {
            ticks,
            ..Self::new()
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        // A process sees its working directory with links resolved.
        self.folder.path().canonicalize().unwrap().join("home")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.home().join(".local/share/waynote/notes.db")
    }

    /// Writes a file below the home, and makes its folder. Returns its path.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a shell script that can be run. Returns its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.put(name, text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        path
    }

    /// `waynote` with arguments, from `~/work`.
    pub(crate) fn waynote<I: IntoIterator<Item = A>, A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: I,
    ) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_waynote"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env(
                "WAYNOTE_NOW",
                self.ticks.as_ref().map_or(NOW.into(), Ticks::next),
            )
            // For scripts that it runs.
            .env("WAYNOTE", env!("CARGO_BIN_EXE_waynote"))
            .current_dir(self.home().join("work"));
        Run {
            command,
            stdin: None,
            home: self.home(),
            is_patient: false,
        }
    }

    /// The command with these words, separated by blanks, for a test that talks to it while it runs.
    pub(crate) fn command(&self, words: &str) -> Command {
        self.run(words).command
    }

    /// Runs a command as it is typed: its words are separated by blanks, and one with blanks stands between single quotes.
    pub(crate) fn run(&self, typed: &str) -> Run {
        self.waynote(words(typed))
    }

    /// Runs a shell script in the folder of the home; it has the program as `$WAYNOTE`.
    pub(crate) fn shell(&self, script: &str) -> Output {
        let of_waynote = self.waynote::<_, &str>([]).command;
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).env_clear();
        for (name, value) in of_waynote.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        shell.current_dir(self.path("")).output().unwrap()
    }

    /// The standard output of words that must succeed.
    pub(crate) fn ok(&self, words: &str) -> String {
        self.run(words).ok()
    }

    /// The same, as JSON.
    pub(crate) fn json(&self, words: &str) -> Value {
        self.run(words).json()
    }
}

/// Ends a test that hangs: after the limit, all processes with this home are killed, so that the test fails. Dropping
/// the returned value cancels the limit.
fn limited(home: PathBuf, limit: Duration) -> mpsc::Sender<()> {
    let (ended, end) = mpsc::channel();
    let test = std::thread::current().name().map(str::to_owned);
    std::thread::spawn(move || {
        let mut wait = limit;
        while end.recv_timeout(wait) == Err(mpsc::RecvTimeoutError::Timeout) {
            let test = test.as_deref().unwrap_or("a test");
            eprintln!("{test} is not done after {limit:?}: what it started is killed");
            kill_those_in(&home);
            // A test may start more.
            wait = Duration::from_secs(1);
        }
    });
    ended
}

/// Kills every process with this home directory. Does nothing without `/proc`.
fn kill_those_in(home: &Path) {
    let home = format!("HOME={}", home.display());
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let pid = entry.file_name().to_str().and_then(|pid| pid.parse().ok());
        let mut variables = environment.split(|byte| *byte == 0);
        if variables.any(|variable| variable == home.as_bytes())
            && let Some(pid) = pid.and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_test_that_hangs_is_ended() {
    use std::os::unix::process::ExitStatusExt;

    let scratch = Scratch::new();
    let mut hangs = Command::new("sleep");
    let mut hangs = hangs
        .arg("1000")
        .env("HOME", scratch.home())
        .spawn()
        .unwrap();
    let _limit = limited(scratch.home(), Duration::ZERO);
    assert_eq!(hangs.wait().unwrap().signal(), Some(9));
}

/// A run to be.
pub(crate) struct Run {
    pub(crate) command: Command,
    stdin: Option<Vec<u8>>,
    home: PathBuf,
    is_patient: bool,
}

impl Run {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn unset(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn cwd(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Runs a hook again as long as the machine is too busy for it: a text that it did not print does not count as
    /// delivered.
    pub(crate) fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// Starts it, with pipes to all that it reads and writes.
    pub(crate) fn piped(mut self) -> Child {
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Starts it, and waits until it prints that line.
    pub(crate) fn begun(mut self, line: &str) -> Child {
        let command = self.command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|printed| printed.unwrap() == line));
        child
    }

    pub(crate) fn output(mut self) -> Output {
        let begin = Instant::now();
        loop {
            let output = self.once();
            let complaint = String::from_utf8_lossy(&output.stderr);
            let is_late =
                complaint.contains("took too long") || complaint.contains("no complete input");
            if !(self.is_patient && is_late) {
                return output;
            }
            assert!(begin.elapsed() < LIMIT / 2, "{complaint}");
        }
    }

    fn once(&mut self) -> Output {
        let stdin = if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        self.command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        if let (Some(bytes), Some(mut pipe)) = (&self.stdin, child.stdin.take()) {
            // A program that refuses its arguments does not read its input.
            let _ = pipe.write_all(bytes);
        }
        child.wait_with_output().unwrap()
    }

    /// Both streams, behind the exit code if it is not 0, for snapshots. The scratch home is written as `HOME` and the
    /// store's id as `ID`; the lines about usage and help that end clap's errors are left out.
    pub(crate) fn said(self) -> String {
        let home = self.home.to_string_lossy().into_owned();
        let output = self.output();
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).replace(&home, "HOME");
            without_id(&text)
        };
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let (err, _usage) = err.split_once("\n\nUsage: ").unwrap_or((err.as_str(), ""));
        let (err, _help) = err
            .split_once("\n\nFor more information")
            .unwrap_or((err, ""));
        match output.status.code() {
            Some(0) => format!("{out}{err}"),
            Some(code) => format!("exit {code}\n{out}{err}"),
            None => format!("exit by a signal\n{out}{err}"),
        }
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        let output = self.output();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {err}", output.status);
        output.stdout
    }

    pub(crate) fn ok(self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    pub(crate) fn json(self) -> Value {
        serde_json::from_slice(&self.bytes()).unwrap()
    }
}

/// The text without the id of a store, which is random.
fn without_id(text: &str) -> String {
    const BEFORE: &str = "store id ";
    const DIGITS: usize = 32;
    match text.split_once(BEFORE) {
        Some((before, rest)) if rest.len() >= DIGITS => {
            let (id, rest) = rest.split_at(DIGITS);
            assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
            format!("{before}{BEFORE}ID{rest}")
        }
        _ => text.to_owned(),
    }
}

/// Runs git in a folder; the tests need it.
pub(crate) fn git(folder: &Path, words: &str) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let git = git.args(words.split(' ')).current_dir(folder);
    let output = git.env("HOME", folder).output().expect("git");
    assert!(output.status.success(), "git {words}: {output:?}");
}

/// Waits until a condition holds, for at most five minutes; looking costs little.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT / 2, "{what}: it does not come");
        std::thread::yield_now();
    }
}

/// A fixture of the reference cases.
pub(crate) fn reference(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../waynote/tests/fixtures/reference")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

pub(crate) fn cases(name: &str) -> Value {
    // One recorded reply ends in half a surrogate pair, which no JSON reader of Rust takes.
    serde_json::from_str(&reference(name).replace("\\ud83e...", "...")).unwrap()
}

/// What is left of a child's output.
pub(crate) fn rest(output: Option<impl std::io::Read>) -> String {
    let mut rest = String::new();
    output.unwrap().read_to_string(&mut rest).unwrap();
    rest
}

/// The values of some fields, separated by blanks; `of/part` is a field of a field.
pub(crate) fn fields(value: &Value, names: &str) -> String {
    let field = |name: &str| match value.pointer(&format!("/{name}")) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "(none)".to_owned(),
    };
    names.split(' ').map(field).collect::<Vec<_>>().join(" ")
}

/// Sends a process a signal, such as `-TERM`.
pub(crate) fn signal(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    let status = Command::new("kill").args([signal, &pid]).status();
    assert!(status.unwrap().success());
}

/// A field of a case as text.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} of {value}"))
}

/// The words of a command, as it is typed: separated by single blanks, and a word with blanks between single quotes.
fn words(typed: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = Some(typed);
    while let Some(text) = rest {
        let quoted = text
            .strip_prefix('\'')
            .and_then(|text| text.split_once('\''));
        let (word, after) = match quoted {
            Some((word, after)) => (word, after.strip_prefix(' ')),
            None => match text.split_once(' ') {
                Some((word, after)) => (word, Some(after)),
                None => (text, None),
            },
        };
        words.push(word);
        rest = after;
    }
    words
}

/// The rows of a table of cases: a line each, its cells between bars.
pub(crate) fn rows<const CELLS: usize>(table: &str) -> Vec<[&str; CELLS]> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    let cells = lines.map(|line| line.trim().split(" | ").collect::<Vec<_>>());
    cells.map(|cells| cells.try_into().unwrap()).collect()
}

/// Runs a command for a transcript.
pub(crate) trait Plays {
    /// The output of a command, as [`Run::said`] has it.
    fn plays(&self, words: &str) -> String;
}

impl Plays for Scratch {
    fn plays(&self, words: &str) -> String {
        self.run(words).said()
    }
}

impl<F: Fn(&str) -> String> Plays for F {
    fn plays(&self, words: &str) -> String {
        self(words)
    }
}

/// The commands of a transcript, each with what it prints now.
pub(crate) fn played(plays: &impl Plays, transcript: &str) -> String {
    let commands = transcript.lines().map(str::trim_start);
    let commands = commands.filter_map(|line| line.strip_prefix("$ waynote "));
    let play = |words: &str| format!("$ waynote {words}\n{}\n\n", plays.plays(words).trim_end());
    commands.map(play).collect()
}

/// Runs the commands of a transcript, its lines that begin with `$ waynote`, and compares what they print with the
/// lines below them. `cargo insta accept` brings it up to date.
macro_rules! assert_transcript {
    ($plays:expr, @$transcript:literal) => {
        insta::assert_snapshot!($crate::suite::common::played(&$plays, $transcript), @$transcript)
    };
}
pub(crate) use assert_transcript;
