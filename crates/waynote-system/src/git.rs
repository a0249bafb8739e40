//! The one way to ask git. No other file of waynote starts it.
//!
//! A repository's own files name programs that git runs: `core.fsmonitor`, hooks, filters, `core.sshCommand`, credential
//! helpers, `gpg.program`. git also fetches what a partial clone lacks. Anyone may have made a repository, so none of
//! that may happen: each question switches it off, and only commands that convert no file and contact no one are asked.
//! A named pipe in the place of one of git's files costs the time limit, and nothing else.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use thiserror::Error;

/// The commands that may be asked. Each of them reads, and none of them compares or converts a file of the working tree.
const QUESTIONS: [&str; 8] = [
    "cat-file",
    "diff-index",
    "for-each-ref",
    "grep",
    "ls-files",
    "rev-list",
    "rev-parse",
    "worktree",
];

/// The settings of every question; they win over those of the repository.
const SETTINGS: [&str; 14] = [
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.askPass=",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "credential.helper=",
    "diff.external=false",
    "diff.orderFile=/dev/null",
    "log.showSignature=false",
    "submodule.recurse=false",
];

/// The variables of every question. `GIT_ALLOW_PROTOCOL` also wins over `protocol.NAME.allow` of the repository.
const VARIABLES: [(&str, &str); 6] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("LC_ALL", "C"),
];

/// Variables of the person's own that say where git and its settings are. All others (`GIT_DIR`, `GIT_CONFIG_COUNT`,
/// `GIT_ALTERNATE_OBJECT_DIRECTORIES`, `GIT_TRACE` …) are removed: they are about another repository, or write files.
const KEPT: [&str; 4] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
];

/// As much of git's reason is read as fills a line or two.
const REASON_BYTES: u64 = 2048;

/// Why git did not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GitError {
    /// git is not installed, or the system started no process.
    #[error("git cannot be started: {0}")]
    NotStarted(#[source] io::Error),
    /// The time limit was over. git was ended, with all that it started.
    #[error("git took longer than {:.1} s", .0.as_secs_f64())]
    Late(Duration),
    /// The answer is longer than the limit.
    #[error("git's answer is longer than {} MiB", .0 >> 20)]
    Long(u64),
    /// git refused, or found nothing.
    #[error("{reason}")]
    Refused {
        /// Its exit code; none if a signal ended it.
        code: Option<i32>,
        /// The first line of its reason.
        reason: String,
    },
}

/// git, for questions about one working tree.
#[derive(Clone, Copy, Debug)]
pub struct Git<'d> {
    /// The tree's top directory, without links: `.git` is in it.
    directory: &'d Path,
    /// The longest that an answer may take.
    limit: Duration,
    /// The longest answer in bytes.
    most: u64,
}

impl<'d> Git<'d> {
    /// git in the top directory of a working tree. An answer may take so long, and have so many bytes.
    pub fn new(directory: &'d Path, limit: Duration, most: u64) -> Self {
        Self {
            directory,
            limit,
            most,
        }
    }

    /// Asks one of the commands above. Paths in the arguments are literal, and relative to the directory.
    ///
    /// # Errors
    /// [`GitError::NotStarted`], [`GitError::Late`], [`GitError::Long`], and [`GitError::Refused`] for an exit code above 0.
    pub fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        debug_assert!(
            arguments
                .first()
                .is_some_and(|word| QUESTIONS.contains(word))
        );
        let mut child = self
            .command(arguments)
            .spawn()
            .map_err(GitError::NotStarted)?;
        let group = Pid::from_child(&child);
        bound_memory(group);
        let (sender, answer) = channel();
        let (out, err, most) = (child.stdout.take(), child.stderr.take(), self.most);
        // In a thread: something that git started may hold a pipe open.
        std::thread::spawn(move || {
            let said = collected(out, most + 1);
            let mut reason = Vec::new();
            if said.len() as u64 <= most {
                reason = collected(err, REASON_BYTES);
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                let _ = waitid(WaitId::Pid(group), options);
            }
            let _ = sender.send((said, reason));
        });
        let answer = answer.recv_timeout(self.limit);
        // Not reaped yet, so that the group's number is still its own. What git left behind ends too.
        let _ = kill_process_group(group, Signal::KILL);
        let status = child.wait().map_err(GitError::NotStarted)?;
        let (said, reason) = answer.map_err(|_| GitError::Late(self.limit))?;
        if said.len() as u64 > self.most {
            return Err(GitError::Long(self.most));
        }
        if status.success() {
            return Ok(said);
        }
        let reason = String::from_utf8_lossy(&reason);
        let reason = reason.lines().next().unwrap_or_default();
        let reason = reason.strip_prefix("fatal: ").unwrap_or(reason);
        Err(GitError::Refused {
            code: status.code(),
            reason: match reason {
                "" => format!("git ended with {status}"),
                reason => format!("git: {reason}"),
            },
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        let is_gits = |name: &OsStr| name.as_encoded_bytes().starts_with(b"GIT_");
        for (name, _) in std::env::vars_os() {
            if is_gits(&name) && !KEPT.iter().any(|kept| name == *kept) {
                git.env_remove(name);
            }
        }
        // The tree is this directory, whatever `core.worktree` says, and no repository above it is looked for.
        git.env("GIT_WORK_TREE", self.directory)
            .env(
                "GIT_CEILING_DIRECTORIES",
                self.directory.parent().unwrap_or(self.directory),
            )
            .envs(VARIABLES)
            .arg("-C")
            .arg(self.directory)
            .args(["--no-pager", "--literal-pathspecs"]);
        for setting in SETTINGS {
            git.args(["-c", setting]);
        }
        git.args(arguments)
            // A relative folder in PATH must not be one of the tree.
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        git
    }
}

/// The names between NULs of an answer. One that is not UTF-8 is left out.
pub fn names(said: &[u8]) -> Vec<String> {
    let names = said.split(|byte| *byte == 0);
    let names = names.filter_map(|name| String::from_utf8(name.to_vec()).ok());
    names.filter(|name| !name.is_empty()).collect()
}

/// As much of a pipe as the limit allows.
fn collected(from: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut said = Vec::new();
    if let Some(from) = from {
        let _ = from.take(most).read_to_end(&mut said);
    }
    said
}

/// A device without an end in the place of one of git's files must not fill the memory within the time limit.
#[cfg(target_os = "linux")]
fn bound_memory(process: Pid) {
    use rustix::process::{Resource, Rlimit, prlimit};

    const BYTES: u64 = 1 << 30;
    let limit = Rlimit {
        current: Some(BYTES),
        maximum: Some(BYTES),
    };
    // Best effort: the time limit holds all the same.
    let _ = prlimit(Some(process), Resource::Data, limit);
}

#[cfg(not(target_os = "linux"))]
fn bound_memory(_: Pid) {}

#[cfg(test)]
mod tests;
