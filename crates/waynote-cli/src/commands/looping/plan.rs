//! What a loop is to do, from its arguments: nothing here has begun yet.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use waynote::context::{Renderer, Request};
use waynote::loops::is_answered_by;
use waynote::loops::next_iteration;
use waynote::session_state::{fresh_answer, open_question};
use waynote::{LocalStore, LoopError, Name};
use waynote_clients::{MissingRight, Rights, missing_rights};

use crate::args::LoopArgs;
use crate::error::{Failure, Outcome};
use crate::home;
use crate::iterate::backoff::Backoff;
use crate::iterate::command::{AgentCommand, Preset};
use crate::iterate::logs::Logs;
use crate::iterate::prompt::{self, Parts, Template};
use crate::iterate::sources::SourceFile;
use crate::iterate::tree::{self, Looking, Own, Tree};
use crate::settings::{Origin, Settings};
use crate::variables::machine;

/// A loop that has not begun.
pub(super) struct Plan {
    pub(super) settings: Settings,
    pub(super) session: Name,
    pub(super) agent: AgentCommand,
    /// What lets it use waynote's own tools.
    pub(super) rights: Rights,
    /// What else its client does not let it do.
    pub(super) missing: Vec<MissingRight>,
    /// The client that it is, where one was named.
    pub(super) client: Option<Preset>,
    /// The directory it runs in, absolute.
    pub(super) directory: PathBuf,
    /// How many iterations the run shall have; none: as many as it takes.
    pub(super) iterations: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) iteration_time: Option<Duration>,
    pub(super) until: Option<String>,
    /// How often without anything new is too often; 0: never.
    pub(super) stall: usize,
    pub(super) backoff: Backoff,
    /// The folder of the agent's output, a file an iteration.
    pub(super) logs: Option<Logs>,
    spec: Option<SourceFile>,
    tasks: Option<SourceFile>,
    template: Option<(String, String)>,
    /// Further instructions of the user.
    extra: Option<String>,
    request: Request,
    /// When it was made.
    since: SystemTime,
    /// The person's own file of what git ignores everywhere.
    ignored: Option<PathBuf>,
}

impl Plan {
    pub(super) fn new(settings: &Settings, args: &LoopArgs) -> Outcome<Self> {
        let directory = std::env::current_dir()
            .map_err(|error| Failure::file("the working directory", "read", error))?;
        let session = settings.session()?.clone();
        // The variable is a loop's own, from further up.
        if matches!(settings.iteration.origin, Origin::Flag(_)) {
            return Err(Failure::usage(
                "a loop counts its iterations itself",
                "leave `--iteration` out; `--iterations N` says how many there shall be",
            ));
        }
        let place = crate::input::place(None)?;
        let now = crate::clock::now()?;
        let (style, budget) = settings.style_and_budget(args.style, args.budget)?;
        let file = |option, path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(|path| SourceFile::new(option, path, &directory))
        };
        let template = match (&args.prompt, file("--prompt", &args.prompt)) {
            (Some(path), Some(file)) => Some((path.display().to_string(), file.whole()?)),
            _ => None,
        };
        let request = Request {
            session: Some(session.clone()),
            style,
            budget,
            also: home::main_checkout(&place)?.into_iter().collect(),
            tools: Some(waynote_mcp::reader_tools()),
            ..Request::new(settings.agent.value.clone(), place, now)
        };
        let client = args.with.map(Preset::client);
        let rights = match client {
            Some(client) => waynote_clients::rights(machine(), client, &args.command)?,
            None => Rights::default(),
        };
        let plan = Self {
            settings: settings.clone(),
            agent: AgentCommand::new(args.with, &[&rights.arguments[..], &args.command].concat())?,
            missing: client.map_or(Vec::new(), |client| {
                missing_rights(machine(), client, &args.command)
            }),
            rights,
            client: args.with,
            logs: args.logs.as_deref().map(|logs| Logs::new(logs, &directory)),
            spec: file("--spec", &args.spec),
            tasks: file("--tasks", &args.tasks),
            directory: directory.clone(),
            since: now.into(),
            ignored: home::git_ignore(),
            iterations: args.iterations,
            time: args.time,
            iteration_time: args.iteration_time,
            until: args.until.clone(),
            stall: args.stall,
            backoff: Backoff::new(args.retry_wait, args.retries),
            template,
            extra: args.extra_instructions.clone(),
            request,
            session,
        };
        if plan
            .until
            .as_ref()
            .is_some_and(|until| until.trim().is_empty())
        {
            return Err(Failure::usage(
                "the text to wait for is empty",
                "name one with `--until TEXT`",
            ));
        }
        // A template or a file that is wrong is wrong before the night.
        plan.filled(1, "", None, true)?;
        Ok(plan)
    }

    /// The prompt of the next iteration, as things stand.
    pub(super) fn next_prompt(
        &self,
        store: &dyn LocalStore,
        answer: Option<&str>,
    ) -> Outcome<String> {
        let iteration = next_iteration(store, &self.session)?;
        let asked = open_question(store, &self.session)?;
        match (asked, answer) {
            (Some(asked), Some(answer)) => {
                let notes = self.notes(store, &mut Renderer::default(), iteration)?;
                self.filled(iteration, &notes, Some((&asked.question, answer)), true)
            }
            (None, Some(answer)) if !is_answered_by(store, &self.session, answer)? => {
                let session = self.session.clone();
                Err(waynote::Error::from(LoopError::NothingAsked { session }).into())
            }
            _ => self.prompt(store, &mut Renderer::default(), iteration),
        }
    }

    /// The prompt of an iteration, with what its files say now.
    pub(super) fn prompt(
        &self,
        store: &dyn LocalStore,
        renderer: &mut Renderer,
        iteration: i64,
    ) -> Outcome<String> {
        let notes = self.notes(store, renderer, iteration)?;
        let answered = fresh_answer(store, &self.session)?;
        let answered = answered
            .as_ref()
            .map(|(asked, answer)| (asked.question.as_str(), answer.as_str()));
        self.filled(iteration, &notes, answered, false)
    }

    /// The block: never over its budget.
    pub(super) fn notes(
        &self,
        store: &dyn LocalStore,
        renderer: &mut Renderer,
        iteration: i64,
    ) -> Outcome<String> {
        let request = Request {
            iteration: Some(iteration),
            now: crate::clock::now()?,
            ..self.request.clone()
        };
        Ok(waynote::visible::for_model(
            &renderer.render(store, &request)?.text,
        ))
    }

    fn filled(
        &self,
        iteration: i64,
        notes: &str,
        answer: Option<(&str, &str)>,
        is_first: bool,
    ) -> Outcome<String> {
        let text = |file: Option<&SourceFile>| {
            file.map_or_else(|| Ok(String::new()), SourceFile::for_prompt)
        };
        let spec = text(self.spec.as_ref())?;
        // An agent that is through with its tasks may remove the file.
        let tasks = self.tasks.as_ref();
        let tasks = text(tasks.filter(|file| is_first || !file.is_gone()))?;
        let template = self
            .template
            .as_ref()
            .map(|(name, source)| Template { name, source });
        let parts = Parts {
            session: self.session.as_str(),
            iteration,
            spec: &spec,
            notes,
            tasks: &tasks,
            answer,
            until: self.until.as_deref().unwrap_or_default(),
            extra: self.extra.as_deref().unwrap_or_default(),
        };
        prompt::render(template, &parts)
    }

    /// The working tree as it is, where there is one; what we write ourselves does not count.
    pub(super) fn tree(&self) -> Tree {
        if self.stall == 0 {
            return Tree::None;
        }
        let store = self.settings.store.value.as_path();
        let own = [Some(store), self.logs.as_ref().map(Logs::folder)];
        let own: Vec<&Path> = own.into_iter().flatten().collect();
        let outputs = [
            std::io::stdout().as_fd().try_clone_to_owned(),
            std::io::stderr().as_fd().try_clone_to_owned(),
        ];
        let outputs: Vec<File> = outputs.into_iter().flatten().map(File::from).collect();
        let outputs: Vec<&File> = outputs.iter().collect();
        let looking = Looking {
            own: Own::of(&own, &outputs),
            ignored: self.ignored.clone(),
            since: self.since,
        };
        tree::state(&self.directory, &looking)
    }

    /// What whoever starts the loop should know of its files.
    pub(super) fn notices(&self) -> impl Iterator<Item = String> {
        let files = [&self.spec, &self.tasks].into_iter().flatten();
        files.filter_map(SourceFile::notice)
    }
}
