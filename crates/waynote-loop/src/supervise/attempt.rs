//! One attempt: an agent runs, and is gone afterwards with all that it started.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use parking_lot::Mutex;
use std::time::{Duration, Instant};

use signal_hook::consts::SIGINT;

use super::command::PreparedCommand;
use super::group::{Exit, Group, Patience};
use super::guard::Guard;
use super::signals::Signals;
use super::stop_text::{Search, StopText};
use super::streams::{feed, pump};
use super::tail::Tail;
use crate::error::{Error, Result};
use crate::observer::{Observer, Stream};

/// Inputs of an attempt.
pub(crate) struct Attempt<'a> {
    pub(crate) prepared: &'a PreparedCommand,
    /// Variables that are added to our own environment.
    pub(crate) environment: &'a [(String, OsString)],
    /// Its working directory; none: ours.
    pub(crate) directory: Option<&'a Path>,
    /// Receives its output.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    /// The log of both its output streams, as they come.
    pub(crate) log: Option<File>,
    /// The text that it prints when everything is done.
    pub(crate) until: Option<StopText>,
    /// When it is ended.
    pub(crate) deadline: Option<Instant>,
    pub(crate) patience: Patience,
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct AttemptReport {
    pub(crate) how: AgentEnd,
    /// True if it printed the `until` text.
    pub(crate) until_seen: bool,
    /// True if it was ended because its work was done and it did not end by itself; `how` is then of no interest.
    pub(crate) was_dismissed: bool,
    /// Why the log is incomplete, if it is.
    pub(crate) log_error: Option<io::Error>,
    /// The end of what it printed.
    pub(crate) tail: Tail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentEnd {
    /// With this exit code.
    Exited(i32),
    /// By a signal that was not ours, or after the `until` text.
    Signalled(i32),
    /// It was ended at its deadline.
    TimedOut,
    /// It was ended because it waited for the terminal, which it never gets.
    WantsTerminal,
    /// It was ended because a signal asked the loop to end.
    Interrupted(i32),
}

/// Reports of the threads.
#[derive(Clone, Copy)]
enum Event {
    /// The agent has ended; what it started may not have.
    Exited(Exit),
    /// Nothing is left of its group.
    Alone,
    /// One of its outputs has been read to the end.
    Read,
    UntilSeen,
    /// It stopped to wait for the terminal.
    WantsTerminal,
    Asked(i32),
}

/// Runs an agent to its end. `tick` is called about every second, with the time since the start; it returns true when
/// the agent has said that its work is over.
pub(crate) fn run(
    attempt: Attempt<'_>,
    signals: &Signals,
    guard: Option<&Guard>,
    tick: &mut dyn FnMut(Duration) -> bool,
) -> Result<AttemptReport> {
    let begin = now();
    let (sender, events) = channel();
    let listener = sender.clone();
    let _listening = signals.each(move |signal| {
        let _ = listener.send(Event::Asked(signal));
    });
    if let Some(signal) = signals.asked() {
        return Ok(AttemptReport {
            how: AgentEnd::Interrupted(signal),
            until_seen: false,
            was_dismissed: false,
            log_error: None,
            tail: Tail::default(),
        });
    }
    let mark = guard.map(Guard::announce);
    let child = spawn(&attempt, mark.as_ref());
    if let (Err(_), Some(guard)) = (&child, guard) {
        guard.rest();
    }
    let mut child = child?;
    let group = Group::of(&child);
    if let (Some(guard), Some((_, mark))) = (guard, &mark) {
        guard.watch(group.number(), mark);
    }
    let (log, until_seen) = (Log::of(attempt.log), Arc::new(AtomicBool::new(false)));
    let tail = Tail::default();
    let (stop, stopper) = pipe().map_err(|error| broken(error, group))?;
    let streams = Streams {
        stop: Arc::new(stop),
        until: attempt.until.map(Arc::new),
        until_seen: Arc::clone(&until_seen),
        log: log.clone(),
        tail: tail.clone(),
        observer: attempt.observer,
        sender,
    };
    streams
        .attach(&mut child, attempt.prepared.stdin.clone(), group)
        .map_err(|error| broken(error, group))?;
    drop(streams);

    let mut run = Run {
        group,
        patience: attempt.patience,
        deadline: attempt.deadline,
        cause: None,
        asked: 0,
        is_hurried: false,
        exit: None,
        is_alone: false,
        reading: 2,
        until_by: None,
        was_dismissed: false,
        force_at: None,
        leave_at: None,
        stopper: Some(stopper),
    };
    run.until_the_end(&events, begin, tick);
    group.kill();
    group.reap();
    if let Some(guard) = guard {
        guard.rest();
    }
    Ok(AttemptReport {
        how: match (run.cause, run.exit) {
            (Some(cause), _) => cause,
            (None, Some(Exit::Code(code))) => AgentEnd::Exited(code),
            (None, Some(Exit::Signal(signal))) => AgentEnd::Signalled(signal),
            (None, None) => AgentEnd::Signalled(rustix::process::Signal::KILL.as_raw()),
        },
        until_seen: until_seen.load(Ordering::Relaxed),
        was_dismissed: run.was_dismissed && run.cause.is_none(),
        log_error: log.error(),
        tail,
    })
}

/// The state of a run.
struct Run {
    group: Group,
    patience: Patience,
    deadline: Option<Instant>,
    /// Why it was ended, when it did not end by itself.
    cause: Option<AgentEnd>,
    /// How many signals asked for its end.
    asked: usize,
    /// True if nothing is waited for longer than `patience` says.
    is_hurried: bool,
    exit: Option<Exit>,
    is_alone: bool,
    /// How many of its outputs are not read to the end.
    reading: usize,
    /// Until when it may run after it said that its work is over.
    until_by: Option<Instant>,
    /// True if it did not end by then.
    was_dismissed: bool,
    /// When it is ended by force.
    force_at: Option<Instant>,
    /// Its last deadline: the kernel cannot end it, or our own output stands still.
    leave_at: Option<Instant>,
    /// Closing it stops the streams.
    stopper: Option<PipeWriter>,
}

impl Run {
    fn until_the_end(
        &mut self,
        events: &Receiver<Event>,
        begin: Instant,
        tick: &mut dyn FnMut(Duration) -> bool,
    ) {
        let mut tick_at = begin + TICK;
        while !(self.is_alone && self.reading == 0) {
            let wakes = [self.deadline, self.until_by, self.force_at, self.leave_at];
            let wake = wakes.into_iter().flatten().chain([tick_at]).min();
            let wait = wake.unwrap_or(tick_at).saturating_duration_since(now());
            match events.recv_timeout(wait) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                // Every thread has ended: there is nothing left to wait for.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let now = now();
            let due = |at: &mut Option<Instant>| at.take_if(|at| *at <= now).is_some();
            if due(&mut self.deadline) {
                self.end(AgentEnd::TimedOut);
            }
            if due(&mut self.until_by) {
                self.was_dismissed |= self.exit.is_none();
                self.ask_to_end();
            }
            if due(&mut self.force_at) {
                self.force();
            }
            if due(&mut self.leave_at) {
                return;
            }
            if tick_at <= now {
                if tick(now - begin) && self.exit.is_none() && !self.was_dismissed {
                    self.until_by.get_or_insert(now + self.patience.signal);
                }
                tick_at = now + TICK;
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Exited(exit) => {
                self.exit = Some(exit);
                // The rest of its group works for no one any more.
                self.ask_to_end();
                self.look_around();
            }
            Event::Alone => self.alone(),
            Event::Read => {
                self.reading -= 1;
                self.look_around();
            }
            Event::UntilSeen if self.exit.is_none() => {
                let by = now() + self.patience.until;
                self.until_by = Some(self.until_by.map_or(by, |earlier| earlier.min(by)));
            }
            Event::UntilSeen => {}
            Event::WantsTerminal => self.end(AgentEnd::WantsTerminal),
            Event::Asked(signal) => {
                self.end(AgentEnd::Interrupted(signal));
                self.asked += 1;
                // A second Ctrl-C ends it at once.
                if self.asked > 1 && signal == SIGINT {
                    self.force();
                }
            }
        }
    }

    /// Ends it for a reason, unless it has ended by itself.
    fn end(&mut self, cause: AgentEnd) {
        if self.exit.is_none() {
            self.cause.get_or_insert(cause);
        }
        self.is_hurried = true;
        self.ask_to_end();
        if self.is_alone {
            // Only our own output is left to wait for, and it may stand still for ever.
            self.leave_at.get_or_insert(now() + self.patience.end);
        }
    }

    fn ask_to_end(&mut self) {
        if !self.is_alone && self.force_at.is_none() && self.leave_at.is_none() {
            self.group.ask_to_end();
            self.force_at = Some(now() + self.patience.end);
        }
    }

    fn force(&mut self) {
        self.force_at = None;
        if !self.is_alone {
            self.group.kill();
            self.leave_at.get_or_insert(now() + self.patience.end);
        }
        self.look_around();
    }

    /// The last process of the group has ended; its output is in the pipes.
    fn alone(&mut self) {
        self.is_alone = true;
        self.until_by = None;
        self.force_at = None;
        self.leave_at = None;
        self.stopper = None;
        if self.is_hurried {
            self.leave_at = Some(now() + self.patience.end);
        }
    }

    /// Checks after each event whether the group has ended, on systems that do not report it.
    #[cfg(not(target_os = "linux"))]
    fn look_around(&mut self) {
        if self.exit.is_some() && !self.is_alone && self.group.is_alone() {
            self.alone();
        }
    }

    #[cfg(target_os = "linux")]
    fn look_around(&mut self) {}
}

const TICK: Duration = Duration::from_secs(1);

/// State that the threads share.
struct Streams {
    stop: Arc<PipeReader>,
    until: Option<Arc<StopText>>,
    until_seen: Arc<AtomicBool>,
    log: Log,
    tail: Tail,
    observer: Option<Arc<dyn Observer>>,
    sender: Sender<Event>,
}

impl Streams {
    /// Starts the threads.
    fn attach(&self, child: &mut Child, stdin: Option<Vec<u8>>, group: Group) -> io::Result<()> {
        if let (Some(pipe), Some(bytes)) = (child.stdin.take(), stdin) {
            let stop = Arc::clone(&self.stop);
            thread("feed", move || feed(pipe, &stop, &bytes))?;
        }
        if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
            self.read(Stream::Out, out.into())?;
            self.read(Stream::Err, err.into())?;
        }
        let sender = self.sender.clone();
        thread("wait", move || {
            let exit = group.wait_for_leader(|| {
                let _ = sender.send(Event::WantsTerminal);
            });
            let _ = sender.send(Event::Exited(exit));
            #[cfg(target_os = "linux")]
            {
                group.wait_for_rest();
                let _ = sender.send(Event::Alone);
            }
        })
    }

    fn read(&self, stream: Stream, from: OwnedFd) -> io::Result<()> {
        let stop = Arc::clone(&self.stop);
        let (until, until_seen) = (self.until.clone(), Arc::clone(&self.until_seen));
        let (log, observer) = (self.log.clone(), self.observer.clone());
        let sender = self.sender.clone();
        let tail = self.tail.clone();
        thread("read", move || {
            let mut search = until.as_deref().map(Search::new);
            let seen = || {
                if !until_seen.swap(true, Ordering::Relaxed) {
                    let _ = sender.send(Event::UntilSeen);
                }
            };
            pump(File::from(from), &stop, |bytes| {
                // First what cannot stand still.
                if search.as_mut().is_some_and(|search| search.feed(bytes)) {
                    search = None;
                    seen();
                }
                tail.keep(bytes);
                log.write(bytes);
                if let Some(observer) = &observer {
                    observer.output(stream, bytes);
                }
            });
            if search.is_some_and(|mut search| search.finish()) {
                seen();
            }
            let _ = sender.send(Event::Read);
        })
    }
}

/// The file that keeps an agent's output, until it fails.
#[derive(Clone)]
struct Log(Option<Arc<(File, Mutex<Option<io::Error>>)>>);

impl Log {
    fn of(file: Option<File>) -> Self {
        Self(file.map(|file| Arc::new((file, Mutex::default()))))
    }

    fn write(&self, bytes: &[u8]) {
        if let Some((file, error)) = self.0.as_deref() {
            let mut error = error.lock();
            if error.is_none() {
                *error = (&*file).write_all(bytes).err();
            }
        }
    }

    fn error(&self) -> Option<io::Error> {
        let (_, error) = self.0.as_deref()?;
        error.lock().take()
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(work)
        .map(drop)
}

fn spawn(attempt: &Attempt<'_>, mark: Option<&(&str, String)>) -> Result<Child> {
    let PreparedCommand {
        program,
        arguments,
        stdin,
        ..
    } = attempt.prepared;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(attempt.environment.iter().cloned())
        .envs(mark.map(|(name, value)| (name, value)))
        .stdin(stdin.as_ref().map_or_else(Stdio::null, |_| Stdio::piped()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    if let Some(directory) = attempt.directory {
        command.current_dir(directory);
    }
    command.spawn().map_err(|error| {
        let is_gone = |path: &Path| !path.is_dir();
        let reason = match error.kind() {
            io::ErrorKind::ArgumentListTooLong => {
                let why = "the prompt makes the agent's command line too long";
                return Error::PromptUnfit(why.into());
            }
            io::ErrorKind::NotFound if attempt.directory.is_some_and(is_gone) => {
                "its working directory is gone".into()
            }
            io::ErrorKind::NotFound => "there is no such program".into(),
            io::ErrorKind::PermissionDenied => "it may not be executed".into(),
            _ => error.to_string(),
        };
        let program = program.to_string_lossy().into_owned();
        Error::CannotStart { program, reason }
    })
}

/// Ends the agent when the system refuses a thread or a pipe.
fn broken(error: io::Error, group: Group) -> Error {
    group.kill();
    group.wait_for_leader(|| {});
    group.reap();
    Error::file("the agent's output", "read", error)
}

/// For deadlines alone.
fn now() -> Instant {
    Instant::now()
}
