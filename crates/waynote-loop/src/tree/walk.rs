//! A walk through the files of a repository that git would not ignore.

use std::fmt;
use std::fs::{DirEntry, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use gix_ignore::Search;
use gix_ignore::glob::pattern::Case;
use gix_ignore::search::Ignore;
use sha2::{Digest, Sha256};
use waynote::text::plural;
use waynote_system::plain;

use super::git::{GitFolder, Head};
use super::own::OwnFiles;

/// The longest that a look may take. A tree that takes longer is not looked at in every iteration.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A longer file of what is ignored is not read to its end.
const IGNORED_BYTES: u64 = 256 * 1024;

/// Lines with more stars take too long to match.
const MAX_STARS: usize = 16;

/// The most patterns: every file is matched with each of them.
pub(super) const MAX_PATTERNS: usize = 10_000;

/// Longer files are told apart by their length and the time of the last write.
const CONTENT_BYTES: u64 = 1024 * 1024;

/// The most bytes that one look reads.
const ALL_CONTENT_BYTES: u64 = 64 * 1024 * 1024;

/// How a tree is looked at.
#[derive(Clone, Debug)]
pub(crate) struct LookOptions {
    pub(crate) own: OwnFiles,
    /// The person's own file of what git ignores everywhere.
    pub(crate) ignored: Option<PathBuf>,
    /// Files written since then are compared by their text, others by the time of their last write: so rewriting a file
    /// with the same text is no change.
    pub(crate) since: SystemTime,
}

/// A fingerprint of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hash: [u8; 32],
    head: Head,
    files: usize,
}

/// In words, for evidence.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            Head::Commit(commit) => write!(f, "HEAD {commit}, ")?,
            Head::Unborn => f.write_str("no commit yet, ")?,
            Head::Elsewhere => {}
        }
        f.write_str(&plural(self.files as u64, "file"))
    }
}

/// A walk, with what it has seen.
pub(super) struct Walk<'l> {
    looking: &'l LookOptions,
    by: Instant,
    hash: Sha256,
    files: usize,
    /// How much may still be read.
    bytes: u64,
}

impl<'l> Walk<'l> {
    pub(super) fn new(looking: &'l LookOptions, by: Instant) -> Self {
        Self {
            looking,
            by,
            hash: Sha256::new(),
            files: 0,
            bytes: ALL_CONTENT_BYTES,
        }
    }

    /// The state of a repository; else why it cannot be told.
    pub(super) fn repository(mut self, root: &Path) -> Result<Fingerprint, String> {
        let root = root.canonicalize().map_err(|error| error.to_string())?;
        let git = GitFolder::of(&root)?;
        let (head, _) = git.head();
        self.inside(&root, &git)?;
        Ok(Fingerprint {
            hash: self.hash.finalize().into(),
            head,
            files: self.files,
        })
    }

    /// A repository: this one, or one in it.
    fn inside(&mut self, root: &Path, git: &GitFolder) -> Result<(), String> {
        self.note(git.head().1.as_bytes());
        self.note(&git.index());
        let mut ignored = Search::default();
        let files = [self.looking.ignored.clone(), Some(git.ignored())];
        for file in files.into_iter().flatten() {
            add(&mut ignored, &file, None)?;
        }
        self.folder(root, root, &mut ignored)
    }

    fn folder(&mut self, root: &Path, folder: &Path, ignored: &mut Search) -> Result<(), String> {
        self.in_time()?;
        let Ok(entries) = std::fs::read_dir(folder) else {
            self.note(b"unreadable");
            return Ok(());
        };
        let known = ignored.patterns.len();
        add(ignored, &folder.join(".gitignore"), Some(root))?;
        let mut listed: Vec<DirEntry> = Vec::new();
        for entry in entries.flatten() {
            self.in_time()?;
            listed.push(entry);
        }
        listed.sort_by_key(DirEntry::file_name);
        for entry in listed {
            self.entry(root, &entry, ignored)?;
        }
        ignored.patterns.truncate(known);
        Ok(())
    }

    /// Asked at every entry: one folder may have millions.
    fn in_time(&self) -> Result<(), String> {
        match Instant::now() > self.by {
            true => Err(too_long()),
            false => Ok(()),
        }
    }

    fn entry(&mut self, root: &Path, entry: &DirEntry, ignored: &mut Search) -> Result<(), String> {
        self.in_time()?;
        let path = entry.path();
        // It may be gone by now; a link is looked at, not followed.
        let Ok(what) = entry.metadata() else {
            return Ok(());
        };
        let inside = path.strip_prefix(root).unwrap_or(&path).as_os_str();
        if entry.file_name() == ".git"
            || is_ignored(ignored, inside.as_bytes(), what.is_dir())
            || self.looking.own.holds(&path, &what)
        {
            return Ok(());
        }
        if !what.is_dir() {
            self.files += 1;
            self.note(path.as_os_str().as_bytes());
            self.file(&path, &what);
            return Ok(());
        }
        // A submodule, or a repository that is not tracked; else a folder as any other.
        match GitFolder::of(&path) {
            Ok(git) => {
                self.note(path.as_os_str().as_bytes());
                self.inside(&path, &git)
            }
            Err(_) => self.folder(root, &path, ignored),
        }
    }

    /// Adds a file's fingerprint: its contents if it was written lately, else the time of its last write.
    fn file(&mut self, path: &Path, what: &Metadata) {
        let is_late = what.modified().is_ok_and(|at| at >= self.looking.since);
        let is_short = what.len() <= CONTENT_BYTES.min(self.bytes);
        if what.is_file()
            && is_late
            && is_short
            && let Ok((bytes, _)) =
                plain::open(path).and_then(|file| plain::read(file, CONTENT_BYTES))
        {
            self.bytes = self.bytes.saturating_sub(bytes.len() as u64);
            self.note(&what.mode().to_le_bytes());
            self.note(&bytes);
            return;
        }
        let told = [
            i64::from(what.mode()),
            i64::try_from(what.size()).unwrap_or(i64::MAX),
            what.mtime(),
            what.mtime_nsec(),
        ];
        for number in told {
            self.note(&number.to_le_bytes());
        }
    }

    /// Adds one value, separated from the next.
    fn note(&mut self, bytes: &[u8]) {
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

/// Adds the lines of a file, if it is one; `root` is where the paths in it start from, if not from where the file lies.
fn add(ignored: &mut Search, file: &Path, root: Option<&Path>) -> Result<(), String> {
    let read = plain::open(file).and_then(|open| plain::read(open, IGNORED_BYTES));
    let Ok((bytes, _)) = read else { return Ok(()) };
    let lines = bytes.split(|byte| *byte == b'\n');
    let harmless = |line: &&[u8]| line.iter().filter(|byte| **byte == b'*').count() <= MAX_STARS;
    let lines: Vec<&[u8]> = lines.filter(harmless).collect();
    // Impossible: the file lies below the root.
    let _ = ignored.add_patterns_buffer(&lines.join(&b'\n'), file, root, Ignore::default());
    let patterns: usize = ignored
        .patterns
        .iter()
        .map(|list| list.patterns.len())
        .sum();
    match patterns > MAX_PATTERNS {
        true => Err(format!(
            "git's files of what to ignore have more than {MAX_PATTERNS} patterns"
        )),
        false => Ok(()),
    }
}

fn is_ignored(ignored: &Search, path: &[u8], is_dir: bool) -> bool {
    let found = ignored.pattern_matching_relative_path(path.into(), Some(is_dir), Case::Sensitive);
    found.is_some_and(|found| !found.pattern.is_negative())
}

pub(super) fn too_long() -> String {
    format!("looking at it took longer than {} s", PATIENCE.as_secs())
}
