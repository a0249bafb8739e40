//! A look at repositories: what git says of them, and the files that it names.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use waynote::text::plural;
use waynote_system::git::{Git, GitError};
use waynote_system::plain;

use super::own::OwnFiles;
use super::too_long;

/// Longer files are told apart by their length and the time of the last write.
const CONTENT_BYTES: u64 = 1024 * 1024;

/// The most bytes of files that one look reads.
const ALL_CONTENT_BYTES: u64 = 64 * 1024 * 1024;

/// The longest list of names that git may give.
const NAMES_BYTES: u64 = 64 * 1024 * 1024;

/// Repositories within repositories, at most.
const LEVELS: usize = 8;

/// How work is looked at.
#[derive(Clone, Debug)]
pub(crate) struct LookOptions {
    pub(crate) own: OwnFiles,
    /// Files written since then are compared by their text, others by the time of their last write: so rewriting a file
    /// with the same text is no change.
    pub(crate) since: SystemTime,
}

/// A fingerprint of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    hash: [u8; 32],
    /// What was looked at: the commit of the one repository, or how many there are.
    of: String,
    files: usize,
}

/// In words, for evidence.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.of, plural(self.files as u64, "file"))
    }
}

/// A look, with what it has seen.
pub(super) struct Look<'l> {
    looking: &'l LookOptions,
    by: Instant,
    hash: Sha256,
    pub(super) files: usize,
    /// How much may still be read.
    bytes: u64,
}

impl<'l> Look<'l> {
    pub(super) fn new(looking: &'l LookOptions, by: Instant) -> Self {
        Self {
            looking,
            by,
            hash: Sha256::new(),
            files: 0,
            bytes: ALL_CONTENT_BYTES,
        }
    }

    /// The state of these repositories; else why it cannot be told.
    pub(super) fn at(mut self, roots: &[PathBuf]) -> Result<Fingerprint, String> {
        let of = match roots {
            [root] => match self.repository(root, LEVELS)? {
                Some(commit) => format!("HEAD {}", commit.get(..7).unwrap_or(&commit)),
                None => "no commit yet".into(),
            },
            several => {
                for root in several {
                    // One that git cannot read takes nothing from the others.
                    let _ = self.repository(root, LEVELS);
                }
                self.in_time()?;
                format!("{} repositories", several.len())
            }
        };
        Ok(Fingerprint {
            hash: self.hash.finalize().into(),
            of,
            files: self.files,
        })
    }

    /// A repository, and those within it. Returns its commit.
    fn repository(&mut self, root: &Path, levels: usize) -> Result<Option<String>, String> {
        let head = match self.ask(root, &["rev-parse", "--verify", "-q", "HEAD"]) {
            Ok(head) => Some(String::from_utf8_lossy(&head).trim().to_owned()),
            Err(GitError::Refused { code: Some(1), .. }) => None,
            Err(error) => return Err(why(error)),
        };
        self.note(root.as_os_str().as_bytes());
        self.note(head.as_deref().unwrap_or_default().as_bytes());
        // Also what is committed in another worktree, or to another branch.
        for asked in [
            ["for-each-ref", "--format=%(refname) %(objectname)"].as_slice(),
            &["worktree", "list", "--porcelain"],
        ] {
            let said = self.answer(root, asked)?;
            self.note(&said);
        }
        let staged = self.answer(root, &["ls-files", "-z", "--stage"])?;
        self.note(&staged);
        let others = ["ls-files", "-z", "--others", "--exclude-standard"];
        let others = self.answer(root, &others)?;
        // `MODE HASH STAGE`, a tab, and the name.
        let tracked = entries(&staged).filter_map(|entry| {
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            entry.get(tab + 1..)
        });
        for name in tracked.chain(entries(&others)) {
            self.in_time()?;
            self.entry(root, name, levels)?;
        }
        Ok(head)
    }

    /// Asked at every file: there may be millions.
    fn in_time(&self) -> Result<(), String> {
        match Instant::now() > self.by {
            true => Err(too_long()),
            false => Ok(()),
        }
    }

    /// A name that git gave: a file, or a repository within this one (a submodule, or one that is not tracked).
    pub(super) fn entry(&mut self, root: &Path, name: &[u8], levels: usize) -> Result<(), String> {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_));
        // A tree's entry may be called `..`.
        if !name.components().all(is_inside) {
            return Ok(());
        }
        let path = root.join(name);
        // It may be gone by now; a link is looked at, not followed.
        let Ok(what) = path.symlink_metadata() else {
            return Ok(());
        };
        if self.looking.own.holds(&path, &what) {
            return Ok(());
        }
        if what.is_dir() {
            let is_repository = path.join(".git").symlink_metadata().is_ok();
            // One that git cannot read is left out: its files are not this one's.
            if is_repository && levels > 0 && plain::folder(&path, false).is_ok() {
                let _ = self.repository(&path, levels - 1);
            }
            return Ok(());
        }
        self.files += 1;
        self.note(path.as_os_str().as_bytes());
        self.file(&path, &what);
        Ok(())
    }

    /// Adds a file's fingerprint: its contents if it was written lately, else the time of its last write.
    fn file(&mut self, path: &Path, what: &Metadata) {
        let is_late = what.modified().is_ok_and(|at| at >= self.looking.since);
        let is_short = what.len() <= CONTENT_BYTES.min(self.bytes);
        let read = || plain::read(plain::open_without_links(path)?, CONTENT_BYTES);
        if what.is_file()
            && is_late
            && is_short
            && let Ok((bytes, _)) = read()
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

    fn ask(&self, root: &Path, question: &[&str]) -> Result<Vec<u8>, GitError> {
        let left = self.by.saturating_duration_since(Instant::now());
        Git::new(root, left.max(Duration::from_millis(1)), NAMES_BYTES).ask(question)
    }

    fn answer(&self, root: &Path, question: &[&str]) -> Result<Vec<u8>, String> {
        self.ask(root, question).map_err(why)
    }

    /// Adds one value, separated from the next.
    fn note(&mut self, bytes: &[u8]) {
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
    }
}

fn why(error: GitError) -> String {
    match error {
        GitError::Late(_) => too_long(),
        other => other.to_string(),
    }
}

/// The parts between NULs.
fn entries(said: &[u8]) -> impl Iterator<Item = &[u8]> {
    said.split(|byte| *byte == 0)
        .filter(|entry| !entry.is_empty())
}
