//! The last blocks, kept on disk for the start of a session while the server is away.
//!
//! A block is found again only by the same store, token and request. Only its owner can read it. It is gone after a
//! day, and whatever is kept of a store is gone when something in it is forgotten through this machine.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use waynote::Error;
use waynote::context::{BlockAnswer, BlockAsk, BlockPart};

use crate::files::{LONGEST, read, write};
use crate::url::Url;

/// How long a block is kept.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The cache of the last blocks.
#[derive(Clone)]
pub struct Keep {
    folder: PathBuf,
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keep").field(&self.folder).finish()
    }
}

/// A kept block.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// When it was made.
    at: Timestamp,
    answer: BlockAnswer,
}

/// The place of one block.
pub(crate) struct Place<'k> {
    keep: &'k Keep,
    /// None if the block is not kept.
    file: Option<PathBuf>,
}

impl Keep {
    /// Keeps blocks in this folder, which is made when it is needed. `now` is asked for the time.
    pub fn new(
        folder: impl Into<PathBuf>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        Self {
            folder: folder.into(),
            now: Arc::new(now),
        }
    }

    pub(crate) fn of(&self, url: &Url, token: Option<&str>, ask: &BlockAsk) -> Place<'_> {
        let mut ask = ask.clone();
        let file = match &mut ask.part {
            // The version that a caller has does not change its request.
            BlockPart::Block { unless } => {
                *unless = None;
                true
            }
            BlockPart::BlockAndNotes => true,
            BlockPart::Changed { .. } | BlockPart::Matching { .. } => false,
        };
        // The time of the request is another one each time; the past is not.
        ask.request.now = Timestamp::UNIX_EPOCH;
        let file = file.then(|| {
            let whole = serde_json::json!({ "token": token.map(hash), "ask": ask });
            let name = format!("{}-{}", store(url.as_str()), hash(&whole.to_string()));
            self.folder.join(name)
        });
        Place { keep: self, file }
    }

    /// Removes all blocks of a store.
    pub(crate) fn forget(&self, url: &Url) {
        let store = store(url.as_str());
        self.remove(|name, _| name.starts_with(&store));
    }

    /// Removes the blocks of every store that were kept for too long.
    fn sweep(&self) {
        let now = (self.now)();
        self.remove(|_, file| {
            let written = file.metadata().ok().and_then(|data| data.modified().ok());
            let written = written.and_then(|time| Timestamp::try_from(time).ok());
            written.is_some_and(|written| is_old(written, now))
        });
    }

    fn remove(&self, which: impl Fn(&str, &fs::DirEntry) -> bool) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| which(name, &entry)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A time in the future counts as too old: somebody has set a clock.
fn is_old(at: Timestamp, now: Timestamp) -> bool {
    let age = now.duration_since(at);
    age > DAY || age < -SignedDuration::from_mins(5)
}

fn hash(text: &str) -> String {
    waynote::text::hex(&Sha256::digest(text))
}

/// The part of a file's name that stands for the store.
fn store(url: &str) -> String {
    hash(url)[..16].to_owned()
}

impl Place<'_> {
    /// Keeps a block. Nothing depends on whether that works.
    pub(crate) fn put(&self, answer: &BlockAnswer) {
        let Some(file) = &self.file else {
            return;
        };
        if matches!(answer, BlockAnswer::Unchanged) {
            return;
        }
        let now = (self.keep.now)();
        let kept = Kept {
            at: now,
            answer: answer.clone(),
        };
        if let Ok(text) = serde_json::to_vec(&kept)
            && text.len() as u64 <= LONGEST
        {
            let _ = write(&self.keep.folder, file, &text, now);
            self.keep.sweep();
        }
    }

    /// The kept block, with a first line that says so; none if there is none, or if it is too old.
    pub(crate) fn take(&self, why: &Error) -> Option<BlockAnswer> {
        let file = self.file.as_ref()?;
        let kept: Kept = serde_json::from_slice(&read(file)?).ok()?;
        let at = kept.at;
        if is_old(at, (self.keep.now)()) {
            let _ = fs::remove_file(file);
            return None;
        }
        let mut answer = kept.answer;
        if let BlockAnswer::Block { block, .. } | BlockAnswer::BlockAndNotes { block, .. } =
            &mut answer
        {
            // Nothing to show is nothing to explain.
            if !block.text.is_empty() {
                let line = line(at, why);
                block.text = format!("{line}\n\n{}", block.text);
            }
        }
        Some(answer)
    }
}

/// The line above a cached block: its age, and the reason that it was not made anew.
fn line(at: Timestamp, why: &Error) -> String {
    let at = waynote::text::minute(at);
    format!("(These notes are of {at} UTC and may be out of date: {why}.)")
}
