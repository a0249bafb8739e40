//! The plan of a loop. Nothing of it has begun yet.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use waynote::context::Request;
use waynote::{Name, SecretPolicy, Stamp, Store};

use crate::backoff::Backoff;
use crate::error::{Error, Result};
use crate::logs::Logs;
use crate::prompt::{PromptParts, SourceFile};
use crate::stall::Work;
use crate::supervise::command::AgentCommand;
use crate::tree::{self, FileId, LookOptions, OwnFiles};

/// The plan of a loop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The session that it works in.
    pub session: Name,
    /// The command of the agent.
    pub agent: AgentCommand,
    /// The directory that the agent runs in, absolute and without links.
    pub directory: PathBuf,
    /// The author of the agent's notes: they count as progress.
    pub agent_author: Name,
    /// The author of the loop's own records.
    pub author: Name,
    /// Credentials that may be recorded.
    pub secrets: SecretPolicy,
    /// The parts of its prompts.
    pub prompt: PromptParts,
    /// The store's file: the agent is told of it, and it is no change of the work tree.
    pub store_file: Option<PathBuf>,
    /// Further variables for the agent.
    pub environment: Vec<(String, OsString)>,
    /// How many iterations the run shall have; none: as many as it takes.
    pub iterations: Option<u64>,
    /// The loop stops after this time.
    pub time: Option<Duration>,
    /// An attempt of the agent that takes longer is ended, and counts as failed.
    pub iteration_time: Option<Duration>,
    /// How many iterations without progress are a stall; 0: the loop never stalls.
    pub stall: usize,
    /// How often, and after which waits, an agent that failed is tried again.
    pub backoff: Backoff,
    /// The folder for the agent's output, one file for each iteration; none: the observer gets it.
    pub logs: Option<Logs>,
    /// True if the last lines of an agent that ended with exit code 0 report a failure.
    pub reports_failure: Option<fn(&[String]) -> bool>,
    /// Files that this process's own output is redirected to: they are no change of the work tree.
    pub outputs: Vec<FileId>,
}

impl Plan {
    /// A loop with the usual limits: it stalls after 3 iterations without progress, and an agent that fails is tried again
    /// as [`Backoff::default`] says. `notes` says which notes a prompt has, and when the plan is made.
    pub fn new(
        session: Name,
        agent: AgentCommand,
        directory: impl AsRef<Path>,
        agent_author: Name,
        notes: Request,
    ) -> Self {
        let notes = notes.author(agent_author.clone());
        Self {
            session,
            agent,
            directory: directory.as_ref().to_owned(),
            author: agent_author.clone(),
            agent_author,
            secrets: SecretPolicy::RefuseAll,
            prompt: PromptParts::new(notes),
            store_file: None,
            environment: Vec::new(),
            iterations: None,
            time: None,
            iteration_time: None,
            stall: 3,
            backoff: Backoff::default(),
            logs: None,
            reports_failure: None,
            outputs: Vec::new(),
        }
    }

    /// Finds what is wrong with the files, the template and the text to wait for before anything begins.
    ///
    /// # Errors
    /// [`Error::InvalidUntil`], [`Error::Template`], [`Error::UnreadableSource`] or [`Error::LinkedSource`].
    pub fn check(&self) -> Result {
        let until = self.prompt.until.as_ref();
        if until.is_some_and(|until| until.trim().lines().count() != 1) {
            return Err(Error::InvalidUntil);
        }
        self.prompt.check(&self.session)
    }

    /// The prompt of the next iteration, as things stand; `answer` is what a person answers to the open question.
    ///
    /// # Errors
    /// [`waynote::LoopError::NothingAsked`] for an answer where no question is open; what [`Self::check`] finds;
    /// [`waynote::Error::Busy`], [`waynote::Error::DamagedStore`] or [`waynote::Error::Engine`] when the store cannot be
    /// read.
    pub fn next_prompt(
        &self,
        store: &dyn Store,
        answer: Option<&str>,
        now: Timestamp,
    ) -> Result<String> {
        self.prompt.next(store, &self.session, answer, now)
    }

    /// A line for each file that a prompt cuts.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        let files = [&self.prompt.spec, &self.prompt.tasks];
        files.into_iter().flatten().filter_map(SourceFile::notice)
    }

    /// Author and time of what the loop records.
    pub(crate) fn stamp(&self, now: Timestamp) -> Stamp {
        Stamp::new(now, self.author.clone()).allowing(self.secrets.clone())
    }

    /// The state of the work, without the loop's own files.
    pub(crate) fn work(&self) -> Work {
        if self.stall == 0 {
            return Work::default();
        }
        let own = [
            self.store_file.as_deref(),
            self.logs.as_ref().map(Logs::folder),
        ];
        let own: Vec<&Path> = own.into_iter().flatten().collect();
        let options = LookOptions {
            own: OwnFiles::of(&own, &self.outputs),
            since: self.prompt.notes.now.into(),
        };
        Work {
            tree: tree::state(&self.directory, &options),
            tasks: self.prompt.tasks.as_ref().map(SourceFile::print),
        }
    }
}
