//! Writers that write while something breaks, and the proof that each acknowledged write is there once and in order.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use waynote::store::{Cursor, FeedContent, FeedEntry};
use waynote::{Content, EntryType, OperationId, Reader as _, SessionLog, Stamp, Store as _};
use waynote_postgres::{Options, is_away, open, stores};

/// How long a writer may wait.
const PATIENCE: Duration = Duration::from_secs(180);

/// What a server may answer to a call that is repeated.
const REFUSALS: [&str; 3] = ["read_only", "older_tables", "newer_store"];

/// The number of rounds: `WAYNOTE_TEST_ROUNDS`.
pub(crate) fn rounds() -> u32 {
    waynote_testing::number("WAYNOTE_TEST_ROUNDS", 1)
}

/// Waits until something holds.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A writer: a thread with these options, or a process that [`process`] has started.
#[derive(Debug)]
pub(crate) enum Writer {
    Thread(Box<Options>),
    Process(Child),
}

/// The outcome of a call.
#[derive(Clone, Copy)]
enum Called<'e> {
    /// The write is acknowledged, after this wait.
    Acknowledged(Duration),
    /// Nobody has answered; the same call is repeated.
    Failed(&'e str),
}

/// What the writers have done so far.
#[derive(Debug)]
pub(crate) struct Writers {
    acknowledged: Vec<AtomicU32>,
    longest: Vec<Mutex<Duration>>,
    /// By the number of the writer, or the next one for the reader.
    failures: Mutex<BTreeMap<(usize, String), u32>>,
    /// The answers to the reader of the feed.
    pages: AtomicU32,
    is_over: AtomicBool,
    is_written: AtomicBool,
}

impl Writers {
    /// Waits until so many more writes of each are acknowledged, and the reader goes on.
    pub(crate) fn until_each_has_more(&self, count: u32) {
        self.until_others_have_more(usize::MAX, count);
    }

    /// The same for all but one.
    pub(crate) fn until_others_have_more(&self, but: usize, count: u32) {
        let now = || self.acknowledged.iter().map(|of| of.load(Ordering::SeqCst));
        let wanted: Vec<u32> = now().map(|before| before + count).collect();
        // One of them may have been on its way.
        let pages = 2 + self.pages.load(Ordering::SeqCst);
        until("the writers or their reader do not go on", || {
            let mut all = now().zip(&wanted).enumerate();
            let do_write = all.all(|(writer, (has, wanted))| writer == but || has >= *wanted);
            do_write && self.pages.load(Ordering::SeqCst) >= pages
        });
    }

    /// The longest wait of a writer since this was last asked.
    pub(crate) fn longest(&self) -> Duration {
        self.longest_but(usize::MAX)
    }

    /// The same for all but one.
    pub(crate) fn longest_but(&self, but: usize) -> Duration {
        let taken = self.longest.iter().enumerate().map(|(writer, longest)| {
            let longest = std::mem::take(&mut *longest.lock().unwrap());
            if writer == but {
                Duration::ZERO
            } else {
                longest
            }
        });
        taken.max().unwrap()
    }

    /// The kinds of the writers' errors since this was last asked, and how often each was met.
    pub(crate) fn failures(&self) -> BTreeMap<String, u32> {
        let mut kinds = BTreeMap::new();
        for ((who, kind), count) in std::mem::take(&mut *self.failures.lock().unwrap()) {
            if who < self.acknowledged.len() {
                *kinds.entry(kind).or_default() += count;
            }
        }
        kinds
    }

    /// Waits until each writer has failed twice in this way, and the reader too, or not at all. Returns how often they
    /// have; nobody has failed in another way since the last question.
    pub(crate) fn until_refused(&self, kind: &str, with_reader: bool) -> u32 {
        let count = self.acknowledged.len() + usize::from(with_reader);
        until(kind, || {
            let failures = self.failures.lock().unwrap();
            (0..count).all(|who| failures.get(&(who, kind.to_owned())) >= Some(&2))
        });
        let failures = std::mem::take(&mut *self.failures.lock().unwrap());
        let mut met = failures.keys();
        let is_right = met.all(|(who, of)| *who < count && of == kind);
        assert!(is_right, "{kind}: {failures:?}");
        failures.values().sum()
    }

    fn called(&self, writer: usize, called: Called<'_>) {
        match called {
            Called::Acknowledged(wait) => {
                let mut longest = self.longest[writer].lock().unwrap();
                *longest = (*longest).max(wait);
                self.acknowledged[writer].fetch_add(1, Ordering::SeqCst);
            }
            Called::Failed(kind) => {
                let mut failures = self.failures.lock().unwrap();
                *failures.entry((writer, kind.to_owned())).or_default() += 1;
            }
        }
    }

    fn run(&self, number: usize, writer: Writer, pace: Duration) {
        let mut child = match writer {
            Writer::Thread(options) => {
                let mut called = |how: Called<'_>| self.called(number, how);
                return write(number, *options, pace, &self.is_over, &mut called);
            }
            Writer::Process(child) => child,
        };
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            match line.unwrap().split_once(": ") {
                Some(("acknowledged", micros)) => {
                    let wait = Duration::from_micros(micros.parse().unwrap());
                    self.called(number, Called::Acknowledged(wait));
                }
                Some(("failed", kind)) => self.called(number, Called::Failed(kind)),
                _ => {}
            }
        }
        assert!(child.wait().unwrap().success());
    }

    /// Reads the feed as it grows, until it has everything.
    fn follow(&self, options: Options) -> Vec<FeedEntry> {
        let store = waynote_postgres::at(options);
        let mut read: Vec<FeedEntry> = Vec::new();
        let mut begin = Instant::now();
        loop {
            // Looked at before, so that the page has all of it.
            let is_written = self.is_written.load(Ordering::SeqCst);
            let after = read.last().map_or(Cursor::START, |last| last.at);
            match store.feed(after, 1_000) {
                Ok(page) if page.is_empty() && is_written => return read,
                Ok(page) => {
                    begin = Instant::now();
                    self.pages.fetch_add(1, Ordering::SeqCst);
                    read.extend(page);
                }
                Err(error) => {
                    let is_right = is_away(&error) || REFUSALS.contains(&error.kind());
                    assert!(is_right && begin.elapsed() < PATIENCE, "{error}: {error:?}");
                    self.called(self.acknowledged.len(), Called::Failed(error.kind()));
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Each acknowledged write is there once, in the order of its writer, and nothing else. The feed has no gap.
    fn check(&self, options: Options) -> (u32, Vec<FeedEntry>) {
        let store = open(options).unwrap();
        let feed = store.feed(Cursor::START, usize::MAX).unwrap();
        let mut found = vec![0; self.acknowledged.len()];
        for (position, entry) in (1..).zip(&feed) {
            let FeedContent::Changed(revision) = &entry.happened else {
                panic!("{entry:?}");
            };
            assert_eq!(revision.position.unwrap().number(), position);
            let text = revision.note().unwrap().content.shown().into_owned();
            let numbers: Vec<usize> = text
                .split(' ')
                .filter_map(|word| word.parse().ok())
                .collect();
            assert_eq!(numbers[1], found[numbers[0]], "{text}");
            found[numbers[0]] += 1;
        }
        let acknowledged = self.acknowledged.iter();
        let acknowledged: Vec<usize> = acknowledged
            .map(|of| of.load(Ordering::SeqCst) as usize)
            .collect();
        assert_eq!(found, acknowledged);
        let log = SessionLog::new(&store, "s".parse().unwrap());
        assert_eq!(log.list(None).unwrap().len(), feed.len());
        let report = store.verify().unwrap();
        assert!(report.is_clean(), "{report:?}");
        (feed.len() as u32, feed)
    }
}

/// Writes until it is over: the same call, by the same id, until it is acknowledged.
fn write(
    writer: usize,
    options: Options,
    pace: Duration,
    is_over: &AtomicBool,
    called: &mut dyn FnMut(Called<'_>),
) {
    let store = waynote_postgres::at(options);
    let log = SessionLog::new(&store, "s".parse().unwrap());
    for number in 0.. {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let said = format!("writer {writer} note {number}");
        let operation = OperationId::of(&said);
        let begin = Instant::now();
        loop {
            let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
            let content = Content::text(said.as_str()).unwrap();
            let stamp = stamp.of_operation(operation);
            let error = match log.add(EntryType::Tip, Some(1), content, &stamp) {
                Ok(_) => break,
                Err(error) => error,
            };
            let is_right = is_away(&error) || REFUSALS.contains(&error.kind());
            assert!(is_right, "{error}: {error:?}");
            called(Called::Failed(error.kind()));
            assert!(begin.elapsed() < PATIENCE, "{error}");
        }
        called(Called::Acknowledged(begin.elapsed()));
        std::thread::sleep(pace);
    }
}

const JOB: &str = "WAYNOTE_TEST_WRITER";

/// Starts a writer in a process of its own. The server knows it as `writer-NUMBER`.
pub(crate) fn process(number: usize, url: &str, wait: Duration) -> Child {
    let job = format!("{number}\n{}\n{url}", wait.as_millis());
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "suite::writers::writer", "--nocapture"])
        .env(JOB, job)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The body of a process, which ends with its standard input; without a job there is nothing to do.
#[test]
fn writer() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let [number, wait, url] = job.split('\n').collect::<Vec<_>>()[..] else {
        panic!("{job}");
    };
    let options = Options::of_url(&format!("{url}&application_name=writer-{number}")).unwrap();
    let options = options.wait(Duration::from_millis(wait.parse().unwrap()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _ = std::io::stdin().lines().next();
            is_over.store(true, Ordering::SeqCst);
        });
        let mut called = |how: Called<'_>| match how {
            Called::Acknowledged(wait) => println!("acknowledged: {}", wait.as_micros()),
            Called::Failed(kind) => println!("failed: {kind}"),
        };
        let number = number.parse().unwrap();
        write(number, options, Duration::ZERO, &is_over, &mut called);
    });
}

/// Ends the writers also when a test fails.
struct Ends<'a>(&'a AtomicBool, Vec<ChildStdin>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        self.1.clear();
    }
}

/// Lets writers write at a pace during some trouble, and somebody follow the feed. Returns the number of the acknowledged
/// writes, all of them found once, and what the trouble returns.
pub(crate) fn write_under<T>(
    mut all: Vec<Writer>,
    reader: Options,
    pace: Duration,
    trouble: impl FnOnce(&Writers) -> T,
) -> (u32, T) {
    let writers = Writers {
        acknowledged: all.iter().map(|_| AtomicU32::new(0)).collect(),
        longest: all.iter().map(|_| Mutex::default()).collect(),
        failures: Mutex::default(),
        pages: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
        is_written: AtomicBool::new(false),
    };
    let inputs = all.iter_mut().filter_map(|writer| match writer {
        Writer::Thread(_) => None,
        Writer::Process(child) => child.stdin.take(),
    });
    let inputs = inputs.collect();
    let (told, followed) = std::thread::scope(|scope| {
        let written = Ends(&writers.is_written, Vec::new());
        let over = Ends(&writers.is_over, inputs);
        let (writers, options) = (&writers, reader.clone());
        let reading = scope.spawn(move || writers.follow(options));
        let running = all.into_iter().enumerate();
        let running: Vec<_> = running
            .map(|(number, writer)| scope.spawn(move || writers.run(number, writer, pace)))
            .collect();
        let told = trouble(writers);
        drop(over);
        running.into_iter().for_each(|of| of.join().unwrap());
        drop(written);
        (told, reading.join().unwrap())
    });
    let (count, feed) = writers.check(reader);
    assert_eq!(followed, feed, "the feed that was followed");
    (count, told)
}

/// Makes a store, and lets threads write it during some trouble. Each has connections of its own, as a process has.
pub(crate) fn threads_write_under<T>(
    count: usize,
    options: impl Fn(usize) -> Options,
    pace: Duration,
    trouble: impl FnOnce(&Writers) -> T,
) -> (u32, T) {
    let own = |number: usize| options(number).connections(1 + number);
    stores::create(own(0)).unwrap();
    let all = (0..count).map(|number| Writer::Thread(own(number).into()));
    write_under(all.collect(), own(count), pace, trouble)
}
