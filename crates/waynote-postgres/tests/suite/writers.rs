//! Writers that write while something breaks, and the proof that each acknowledged write is there once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use waynote::{Content, EntryType, OperationId, SessionLog, Stamp, Store as _};
use waynote_postgres::{Options, is_away, open};

/// How long a writer may wait.
const PATIENCE: Duration = Duration::from_secs(180);

/// What the writers have done so far.
#[derive(Debug)]
pub(crate) struct Writers {
    acknowledged: Vec<AtomicU32>,
    texts: Mutex<Vec<String>>,
    longest: Mutex<Duration>,
    is_over: AtomicBool,
}

impl Writers {
    /// Waits until so many more writes of each are acknowledged.
    pub(crate) fn until_each_has_more(&self, count: u32) {
        let now = || {
            self.acknowledged
                .iter()
                .map(|count| count.load(Ordering::SeqCst))
        };
        let wanted: Vec<u32> = now().map(|before| before + count).collect();
        let begin = Instant::now();
        while now().zip(&wanted).any(|(has, wanted)| has < *wanted) {
            assert!(
                begin.elapsed() < PATIENCE,
                "the writers do not go on: {:?}",
                self.acknowledged
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The longest wait of a writer since this was last asked.
    pub(crate) fn longest(&self) -> Duration {
        std::mem::take(&mut *self.longest.lock().unwrap())
    }

    fn write(&self, writer: usize, options: Options, pace: Duration) {
        let store = open(options).unwrap();
        let log = SessionLog::new(&store, "s".parse().unwrap());
        for number in 0.. {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let said = format!("writer {writer} note {number}");
            let begin = Instant::now();
            // The same call, by the same id, until it is acknowledged.
            let operation = OperationId::of(&said);
            loop {
                let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
                let content = Content::text(said.as_str()).unwrap();
                match log.add(
                    EntryType::Tip,
                    Some(1),
                    content,
                    &stamp.of_operation(operation),
                ) {
                    Ok(_) => break,
                    Err(error) => {
                        let is_right = is_away(&error) || error.kind() == "read_only";
                        assert!(is_right, "{error}: {error:?}");
                    }
                }
                assert!(begin.elapsed() < PATIENCE);
            }
            let mut longest = self.longest.lock().unwrap();
            *longest = (*longest).max(begin.elapsed());
            drop(longest);
            self.texts.lock().unwrap().push(said);
            self.acknowledged[writer].fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(pace);
        }
    }

    /// Each acknowledged write is there once, and nothing else.
    fn check(&self, options: Options) -> usize {
        let store = open(options).unwrap();
        let log = SessionLog::new(&store, "s".parse().unwrap());
        let there = log.list(None).unwrap();
        let texts = there
            .iter()
            .map(|note| (note.content.shown().into_owned(), note.revision));
        let texts: HashMap<String, u64> = texts.collect();
        let acknowledged = self.texts.lock().unwrap();
        for said in acknowledged.iter() {
            assert_eq!(texts.get(said), Some(&1), "{said}");
        }
        assert_eq!(
            (texts.len(), there.len()),
            (acknowledged.len(), acknowledged.len())
        );
        let report = store.verify().unwrap();
        assert!(report.is_clean(), "{report:?}");
        acknowledged.len()
    }
}

/// Ends the writers also when a test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Lets a writer with each of the options write at a pace during some trouble. Returns the number of the acknowledged
/// writes, all of them found once, and what the trouble returns.
pub(crate) fn write_under<T>(
    options: Vec<Options>,
    reader: Options,
    pace: Duration,
    trouble: impl FnOnce(&Writers) -> T,
) -> (usize, T) {
    let writers = Writers {
        acknowledged: options.iter().map(|_| AtomicU32::new(0)).collect(),
        texts: Mutex::default(),
        longest: Mutex::default(),
        is_over: AtomicBool::new(false),
    };
    let told = std::thread::scope(|scope| {
        for (writer, options) in options.into_iter().enumerate() {
            let writers = &writers;
            scope.spawn(move || writers.write(writer, options, pace));
        }
        let _ends = Ends(&writers.is_over);
        trouble(&writers)
    });
    (writers.check(reader), told)
}
