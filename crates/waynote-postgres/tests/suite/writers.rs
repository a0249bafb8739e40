//! Writers that write while something breaks, and the proof that each acknowledged write is there once and in order.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use waynote::store::{FeedContent, FeedEntry};
use waynote::{Content, EntryType, OperationId, Reader as _, SessionLog, Stamp, Store as _};
use waynote_postgres::{Options, is_away, open, stores};

/// How long a writer may wait.
const PATIENCE: Duration = Duration::from_secs(180);

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

/// What the writers have done so far.
#[derive(Debug)]
pub(crate) struct Writers {
    acknowledged: Vec<AtomicU32>,
    longest: Mutex<Duration>,
    /// The answers to the reader of the feed.
    pages: AtomicU32,
    is_over: AtomicBool,
    is_written: AtomicBool,
}

impl Writers {
    /// Waits until so many more writes of each are acknowledged, and the reader goes on.
    pub(crate) fn until_each_has_more(&self, count: u32) {
        let now = || self.acknowledged.iter().map(|of| of.load(Ordering::SeqCst));
        let wanted: Vec<u32> = now().map(|before| before + count).collect();
        // One of them may have been on its way.
        let pages = 2 + self.pages.load(Ordering::SeqCst);
        until("the writers or their reader do not go on", || {
            let do_write = now().zip(&wanted).all(|(has, wanted)| has >= *wanted);
            do_write && self.pages.load(Ordering::SeqCst) >= pages
        });
    }

    /// The longest wait of a writer since this was last asked.
    pub(crate) fn longest(&self) -> Duration {
        std::mem::take(&mut *self.longest.lock().unwrap())
    }

    /// Writes until it is over: the same call, by the same id, until it is acknowledged.
    fn write(&self, writer: usize, options: Options, pace: Duration) {
        let store = waynote_postgres::at(options).unwrap();
        let log = SessionLog::new(&store, "s".parse().unwrap());
        for number in 0.. {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let said = format!("writer {writer} note {number}");
            let operation = OperationId::of(&said);
            let begin = Instant::now();
            loop {
                let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
                let content = Content::text(said.as_str()).unwrap();
                let stamp = stamp.of_operation(operation);
                match log.add(EntryType::Tip, Some(1), content, &stamp) {
                    Ok(_) => break,
                    Err(error) => is_to_be_repeated(&error, begin),
                }
            }
            let mut longest = self.longest.lock().unwrap();
            *longest = longest.max(begin.elapsed());
            drop(longest);
            self.acknowledged[writer].fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(pace);
        }
    }

    /// Reads the feed as it grows, until it has everything.
    fn follow(&self, options: Options) -> Vec<FeedEntry> {
        let store = waynote_postgres::at(options).unwrap();
        let mut read: Vec<FeedEntry> = Vec::new();
        let mut begin = Instant::now();
        loop {
            // Looked at before, so that the page has all of it.
            let is_written = self.is_written.load(Ordering::SeqCst);
            let after = read.last().map(|last| last.at);
            match store.feed(after, 1_000) {
                Ok(page) if page.is_empty() && is_written => return read,
                Ok(page) => {
                    begin = Instant::now();
                    self.pages.fetch_add(1, Ordering::SeqCst);
                    read.extend(page);
                }
                Err(error) => is_to_be_repeated(&error, begin),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Each acknowledged write is there once, in the order of its writer, and nothing else. The feed has no gap.
    fn check(&self, options: Options) -> (u32, Vec<FeedEntry>) {
        let store = open(options).unwrap();
        let feed = store.feed(None, usize::MAX).unwrap();
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

/// A call that a server which is away, or a standby, has not answered.
fn is_to_be_repeated(error: &waynote::Error, begin: Instant) {
    let is_right = is_away(error) || error.kind() == "read_only";
    assert!(is_right && begin.elapsed() < PATIENCE, "{error}: {error:?}");
}

/// Ends the writers also when a test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Makes a store, lets threads write it at a pace during some trouble, and somebody follow the feed. Each has connections
/// of its own, as a process has. Returns the number of the acknowledged writes, all of them found once, and what the
/// trouble returns.
pub(crate) fn threads_write_under<T>(
    count: usize,
    options: impl Fn(usize) -> Options,
    pace: Duration,
    trouble: impl FnOnce(&Writers) -> T,
) -> (u32, T) {
    stores::create(options(0)).unwrap();
    let writers = Writers {
        acknowledged: (0..count).map(|_| AtomicU32::new(0)).collect(),
        longest: Mutex::default(),
        pages: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
        is_written: AtomicBool::new(false),
    };
    let reader = options(count);
    let (told, followed) = std::thread::scope(|scope| {
        let written = Ends(&writers.is_written);
        let over = Ends(&writers.is_over);
        let (writers, follower) = (&writers, reader.clone());
        let reading = scope.spawn(move || writers.follow(follower));
        let running = (0..count).map(|number| (number, options(number)));
        let running: Vec<_> = running
            .map(|(number, own)| scope.spawn(move || writers.write(number, own, pace)))
            .collect();
        let told = trouble(writers);
        drop(over);
        running.into_iter().for_each(|of| of.join().unwrap());
        drop(written);
        (told, reading.join().unwrap())
    });
    let (written, feed) = writers.check(reader);
    assert_eq!(followed, feed, "the feed that was followed");
    (written, told)
}
