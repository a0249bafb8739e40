//! The git repositories of this machine, as far as citations of their code need them (see [`waynote::cites`]).
//!
//! Git is asked for names ([`crate::git`]). Files are opened without following links, and only those that git tracks.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use waynote::cites::{CandidateFiles, Checkouts, CodeFile, Standing};
use waynote::{Citation, Content, Lineage, Place};
use waynote_files::worktree::path_named_in;

use crate::git::{self, Git, GitError};
use crate::repository::Naming;
use crate::{Environment, plain};

/// A longer file is not looked into.
const FILE_BYTES: u64 = 1 << 20;

/// So much of what git says is read.
const ANSWER_BYTES: u64 = 8 << 20;

/// How many files are searched for a text that is no longer in its own.
const FILES: usize = 200;

/// How long an answer holds that other files have a part in: nothing tells that they changed.
const OTHERS_SECONDS: u64 = 60;

/// A longer record of answers is begun anew.
const RECORD_BYTES: u64 = 256 << 10;

/// The repositories that a program may look into, and what it found in them. One that has a name is cited by it: then a
/// second clone, a worktree and a folder that was renamed are looked into too.
pub struct GitCheckouts<'e> {
    environment: &'e Environment,
    naming: Naming,
    /// The system's time, which is that of files.
    clock: fn() -> SystemTime,
    /// The time of a reading.
    limit: Duration,
    /// The file with the answers of earlier programs.
    record: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    deadline: Option<Instant>,
    known: Option<HashMap<String, Answer>>,
    /// Files that git tracks, found on the way.
    tracked: HashSet<(Place, String)>,
    /// The directories of repositories that have names.
    named: HashMap<Place, Option<PathBuf>>,
}

/// An answer, and what it was made from.
struct Answer {
    identity: String,
    at: u64,
    standing: Standing,
}

impl<'e> GitCheckouts<'e> {
    /// The repositories, each reading with a time limit.
    pub fn new(environment: &'e Environment, clock: fn() -> SystemTime, limit: Duration) -> Self {
        let state = environment.state().ok().flatten();
        Self {
            environment,
            naming: Naming::default(),
            clock,
            limit,
            record: state.map(|state| state.join("waynote/cited")),
            state: Mutex::default(),
        }
    }

    /// The same with the names of repositories that a person's settings give.
    #[must_use]
    pub fn named(self, naming: Naming) -> Self {
        Self { naming, ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seconds(&self) -> u64 {
        let since = (self.clock)().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| since.as_secs())
    }

    fn path(&self, place: &Place) -> Option<PathBuf> {
        self.environment.expanded(place.as_str()).ok()
    }

    fn place(&self, path: &Path) -> Option<Place> {
        Place::resolve(path.to_str()?, &self.environment.base().ok()?).ok()
    }

    /// The lineage of the working directory.
    fn here(&self) -> Option<Lineage> {
        let here = self.place(self.environment.working_directory().ok()?)?;
        self.environment.lineage(&here, &self.naming).ok()
    }

    /// The directory whose files are a repository's here: the checkout that the process works in, if it is one of it;
    /// else one that this machine has seen.
    fn directory(&self, repository: &Place) -> Option<PathBuf> {
        if let Some(known) = self.state().named.get(repository) {
            return known.clone();
        }
        let named = self.naming.counting(repository);
        let here = self.here();
        let mut here = here.iter().flat_map(|here| here.checkouts());
        let here = here.find(|here| here.name == named);
        let root = match (here, repository.in_repository()) {
            (Some(here), _) => Some(here.root.clone()),
            (None, Some(_)) => {
                let seen = self.environment.checkouts_seen(&self.naming, Some(&named));
                seen.into_iter().next().map(|of| of.root)
            }
            (None, None) => Some(repository.clone()),
        };
        let directory = root.and_then(|root| fs::canonicalize(self.path(&root)?).ok());
        let directory = directory.filter(|directory| directory.join(".git").exists());
        let found = directory.clone();
        self.state().named.insert(repository.clone(), found);
        directory
    }

    /// What git says; an error too if the time of the reading is over.
    fn git(&self, repository: &Place, arguments: &[&str]) -> Option<Result<Vec<u8>, GitError>> {
        let left = match self.state().deadline {
            Some(deadline) => deadline.checked_duration_since(Instant::now())?,
            None => self.limit,
        };
        let directory = self.directory(repository)?;
        Some(Git::new(&directory, left, ANSWER_BYTES).ask(arguments))
    }

    /// What git says between NULs, if it succeeds.
    fn names(&self, repository: &Place, arguments: &[&str]) -> Option<Vec<String>> {
        let said = self.git(repository, arguments)?.ok()?;
        Some(git::names(&said))
    }

    fn is_tracked(&self, repository: &Place, path: &str) -> bool {
        let key = (repository.clone(), path.to_owned());
        if self.state().tracked.contains(&key) {
            return true;
        }
        let named = self.names(repository, &["ls-files", "-z", "--", path]);
        let is_tracked = named.is_some_and(|named| named.iter().any(|name| name == path));
        if is_tracked {
            self.state().tracked.insert(key);
        }
        is_tracked
    }

    /// True if a file is gone of which git knows nothing yet, and a new one may be it: moved by hand.
    fn may_be_moved(&self, repository: &Place, path: &str) -> bool {
        let is_there = |directory: PathBuf| fs::symlink_metadata(directory.join(path)).is_ok();
        if self.directory(repository).is_none_or(is_there) || !self.is_tracked(repository, path) {
            return false;
        }
        let untracked = ["ls-files", "--others", "--exclude-standard", "-z", "--"];
        let untracked = self.names(repository, &untracked).unwrap_or_default();
        untracked.iter().any(|name| is_alike(name, path))
    }

    /// What a file and git's index are like now.
    fn identity(&self, citation: &Citation) -> Option<String> {
        let directory = self.directory(citation.repository.as_ref()?)?;
        let stat = |path: &Path| match fs::symlink_metadata(path) {
            Ok(of) => format!(
                "{}.{}.{}.{}",
                of.ino(),
                of.size(),
                of.mtime(),
                of.mtime_nsec()
            ),
            Err(_) => "none".into(),
        };
        let git = directory.join(".git");
        let git = path_named_in(&git, "gitdir:").unwrap_or(git);
        let file = citation.path().map(|path| stat(&directory.join(path)));
        let file = file.unwrap_or_default();
        Some(format!("{file}/{}", stat(&git.join("index"))))
    }

    fn load(&self) -> HashMap<String, Answer> {
        let record = self.record.as_deref().filter(|record| {
            let is_long = fs::metadata(record).is_ok_and(|of| of.len() > RECORD_BYTES);
            !is_long || fs::remove_file(record).is_err()
        });
        let text = record.and_then(|record| waynote_files::contents(record, 2 * RECORD_BYTES).ok());
        let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
        let answer = |line: &str| {
            let mut parts = line.splitn(5, ' ');
            let (key, identity) = (parts.next()?.to_owned(), parts.next()?.to_owned());
            let at = parts.next()?.parse().ok()?;
            let standing = match (parts.next()?, parts.next()) {
                ("same", _) => Standing::AsCited,
                ("changed", _) => Standing::Changed,
                ("moved", Some(code)) => Standing::Moved(code.to_owned()),
                _ => return None,
            };
            Some((
                key,
                Answer {
                    identity,
                    at,
                    standing,
                },
            ))
        };
        text.lines().filter_map(answer).collect()
    }
}

/// The directory with the repository's `.git` that a path is in. Home is no repository of notes about code.
fn root_of(path: &Path) -> Option<PathBuf> {
    let root = path
        .ancestors()
        .find(|root| fs::symlink_metadata(root.join(".git")).is_ok());
    root.map(Path::to_owned)
}

fn key(citation: &Citation) -> String {
    let Citation {
        code,
        repository,
        commit,
        said,
        ..
    } = citation;
    Content::imported(format!("{repository:?}\n{code}\n{commit:?}\n{said:?}"))
        .hash()
        .to_string()
}

/// True if a text may have moved from one file to the other: the same name, or the same extension.
fn is_alike(one: &str, other: &str) -> bool {
    let (one, other) = (Path::new(one), Path::new(other));
    one.file_name() == other.file_name()
        || one.extension().is_some() && one.extension() == other.extension()
}

impl Checkouts for GitCheckouts<'_> {
    fn repository(&self, directory: Option<&Place>) -> Option<(Place, String)> {
        let directory = match directory {
            Some(directory) => directory.clone(),
            None => self.place(self.environment.working_directory().ok()?)?,
        };
        let lineage = self.environment.lineage(&directory, &self.naming).ok()?;
        let named = lineage.named(directory.clone());
        let inner = lineage.checkouts().first().map(|of| &of.name);
        let repository = match inner.or(lineage.repository()) {
            Some(repository) => repository.clone(),
            // Of a home, or one whose name is not known.
            None => self.place(&root_of(&self.path(&directory)?)?)?,
        };
        let below = named.below(&repository).unwrap_or_default().to_owned();
        Some((repository, below))
    }

    fn commit(&self, repository: &Place) -> Option<String> {
        let said = self.git(repository, &["rev-parse", "--verify", "-q", "HEAD"])?;
        let commit = String::from_utf8(said.ok()?).ok()?.trim().to_owned();
        let is_hash = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then_some(commit)
    }

    fn file(&self, repository: &Place, path: &str) -> CodeFile {
        let Some(directory) = self.directory(repository) else {
            return CodeFile::Refused;
        };
        let whole = directory.join(path);
        if !waynote::cites::is_inside(path) || !whole.starts_with(&directory) {
            return CodeFile::Refused;
        }
        match fs::symlink_metadata(&whole) {
            Err(_) => return CodeFile::Gone,
            Ok(found) if !found.is_file() || found.len() > FILE_BYTES => return CodeFile::Refused,
            Ok(_) => {}
        }
        let opened = plain::open_without_links(&whole);
        let read = opened.and_then(|file| plain::read(file, FILE_BYTES));
        match read {
            Ok((bytes, _)) if self.is_tracked(repository, path) => CodeFile::Text(bytes),
            _ => CodeFile::Refused,
        }
    }

    fn has_word(&self, repository: &Place, word: &str) -> Option<bool> {
        let one_repository = "--no-recurse-submodules";
        let grep = ["grep", "-qIwF", one_repository, "-e", word, "--", "."];
        match self.git(repository, &grep)? {
            Ok(_) => Some(true),
            Err(GitError::Refused { code: Some(1), .. }) => Some(false),
            Err(_) => None,
        }
    }

    fn elsewhere(
        &self,
        repository: &Place,
        commit: Option<&str>,
        path: &str,
    ) -> Option<CandidateFiles> {
        if self.may_be_moved(repository, path) {
            return None;
        }
        let mut elsewhere = CandidateFiles::default();
        let changes = commit.and_then(|commit| {
            let diff = [
                "diff-index",
                "--cached",
                "-M",
                "-l400",
                "--name-status",
                "-z",
                commit,
                "--",
            ];
            self.names(repository, &diff)
        });
        let has_changes = changes.is_some();
        let mut changes = changes.unwrap_or_default().into_iter();
        while let (Some(status), Some(name)) = (changes.next(), changes.next()) {
            let other = match status.starts_with(['R', 'C']) {
                false => name,
                true => {
                    let renamed = changes.next()?;
                    if name == path && status.starts_with('R') {
                        elsewhere.renamed = Some(renamed.clone());
                    }
                    renamed
                }
            };
            if !status.starts_with('D') && other != path && is_alike(&other, path) {
                elsewhere.others.push(other);
            }
        }
        let changed = elsewhere.others.len();
        let tracked = self.names(repository, &["ls-files", "-z"])?;
        let mut known: HashSet<String> = elsewhere.others.iter().cloned().collect();
        let alike = |name: &&String| name.as_str() != path && is_alike(name, path);
        for name in tracked.iter().filter(alike) {
            if known.insert(name.clone()) {
                elsewhere.others.push(name.clone());
            }
        }
        elsewhere.is_whole = elsewhere.others.len() <= FILES || has_changes && changed <= FILES;
        elsewhere.others.truncate(FILES);
        let mut state = self.state();
        for name in tracked {
            if elsewhere.others.contains(&name) || elsewhere.renamed.as_ref() == Some(&name) {
                state.tracked.insert((repository.clone(), name));
            }
        }
        Some(elsewhere)
    }

    fn at_commit(&self, repository: &Place, commit: &str, path: &str) -> Option<Vec<u8>> {
        if !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let blob = format!("{commit}:{path}");
        self.git(repository, &["cat-file", "blob", &blob])?.ok()
    }

    fn known(&self, citation: &Citation) -> Option<Standing> {
        let identity = self.identity(citation)?;
        let mut state = self.state();
        let known = state.known.get_or_insert_with(|| self.load());
        let answer = known.get(&key(citation))?;
        let is_of_file = citation.path().is_some() && answer.standing == Standing::AsCited;
        let is_fresh = is_of_file || answer.at + OTHERS_SECONDS > self.seconds();
        (answer.identity == identity && is_fresh).then(|| answer.standing.clone())
    }

    fn keep(&self, citation: &Citation, standing: &Standing) {
        let word = match standing {
            Standing::AsCited => "same".to_owned(),
            Standing::Changed => "changed".to_owned(),
            Standing::Moved(code) => format!("moved {code}"),
            Standing::Unknown => return,
        };
        let Some(identity) = self.identity(citation) else {
            return;
        };
        let (key, at) = (key(citation), self.seconds());
        // Without a record, the next program looks again.
        if let Some(record) = &self.record {
            let _ = record.parent().map(fs::create_dir_all);
            let mut options = fs::OpenOptions::new();
            let options = options.append(true).create(true).mode(0o600);
            if let Ok(mut file) = options.open(record) {
                let _ = file.write_all(format!("{key} {identity} {at} {word}\n").as_bytes());
            }
        }
        if let Some(known) = &mut self.state().known {
            let standing = standing.clone();
            known.insert(
                key,
                Answer {
                    identity,
                    at,
                    standing,
                },
            );
        }
    }

    fn begin(&self) {
        let mut state = self.state();
        state.deadline = Some(Instant::now() + self.limit);
        // A long-lived program may be in another checkout by now.
        state.named.clear();
    }

    fn has_time(&self) -> bool {
        let deadline = self.state().deadline;
        deadline.is_none_or(|deadline| Instant::now() < deadline)
    }
}
