//! What a loop is to do, from its arguments: nothing here has begun yet.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use waynote::context::{Renderer, Request, Style};
use waynote::event::{fresh_answer, open_question};
use waynote::looping::next_iteration;
use waynote::{Name, Store};

use crate::args::LoopArgs;
use crate::clients::rights::{Rights, missing};
use crate::error::{Failure, Outcome};
use crate::home;
use crate::iterate::backoff::Backoff;
use crate::iterate::command::{AgentCommand, Preset};
use crate::iterate::prompt::{self, Parts, Template};
use crate::iterate::tree::{self, Own, Tree};
use crate::settings::Settings;

/// A loop that has not begun.
pub(super) struct Plan {
    pub(super) settings: Settings,
    pub(super) session: Name,
    pub(super) agent: AgentCommand,
    /// What lets it use waynote's own tools.
    pub(super) rights: Rights,
    /// What else its client does not let it do.
    pub(super) missing: Vec<String>,
    /// The directory it runs in, absolute.
    pub(super) directory: PathBuf,
    /// How many more iterations; none: as many as it takes.
    pub(super) iterations: Option<u64>,
    pub(super) time: Option<Duration>,
    pub(super) iteration_time: Option<Duration>,
    pub(super) until: Option<String>,
    /// How often without anything new is too often; 0: never.
    pub(super) stall: usize,
    pub(super) backoff: Backoff,
    /// The folder of the agent's output, a file an iteration.
    pub(super) logs: Option<PathBuf>,
    spec: Option<PathBuf>,
    tasks: Option<PathBuf>,
    template: Option<(String, String)>,
    /// Further instructions of the user.
    extra: Option<String>,
    request: Request,
}

impl Plan {
    pub(super) fn new(settings: &Settings, args: &LoopArgs) -> Outcome<Self> {
        let directory = std::env::current_dir()
            .map_err(|error| Failure::file("the working directory", "read", error))?;
        let session = settings.session()?.clone();
        // The variable is a loop's own, from further up.
        if settings.iteration.origin == "--iteration" {
            return Err(Failure::usage(
                "a loop counts its iterations itself",
                "leave `--iteration` out; `--iterations N` says how many there shall be",
            ));
        }
        let place = crate::input::place(None)?;
        let template = match &args.prompt {
            Some(path) => Some((path.display().to_string(), read("--prompt", path)?)),
            None => None,
        };
        let request = Request {
            session: Some(session.clone()),
            style: Style::Stable,
            budget: settings.budget(args.budget),
            also: home::main_checkout(&place)?.into_iter().collect(),
            ..Request::new(settings.agent.value.clone(), place, crate::clock::now()?)
        };
        let client = args.with.map(Preset::client);
        let rights = match client {
            Some(client) => Rights::of(client, &args.command)?,
            None => Rights::default(),
        };
        let plan = Self {
            settings: settings.clone(),
            agent: AgentCommand::new(args.with, &[&rights.arguments[..], &args.command].concat())?,
            missing: client.map_or(Vec::new(), |client| missing(client, &args.command)),
            rights,
            directory,
            iterations: args.iterations,
            time: args.time,
            iteration_time: args.iteration_time,
            until: args.until.clone(),
            stall: args.stall,
            backoff: Backoff::new(args.retry_wait, args.retries),
            logs: args.logs.clone(),
            spec: args.spec.clone(),
            tasks: args.tasks.clone(),
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
    pub(super) fn next_prompt(&self, store: &dyn Store, answer: Option<&str>) -> Outcome<String> {
        let iteration = next_iteration(store, &self.session)?;
        let asked = open_question(store, &self.session)?;
        match (asked, answer) {
            (Some(asked), Some(answer)) => {
                let notes = self.notes(store, &mut Renderer::default(), iteration)?;
                self.filled(iteration, &notes, Some((&asked.question, answer)), true)
            }
            (None, Some(_)) => Err(waynote::Error::NothingAsked {
                session: self.session.clone(),
            }
            .into()),
            (_, None) => self.prompt(store, &mut Renderer::default(), iteration),
        }
    }

    /// The prompt of an iteration, with what its files say now.
    pub(super) fn prompt(
        &self,
        store: &dyn Store,
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
        store: &dyn Store,
        renderer: &mut Renderer,
        iteration: i64,
    ) -> Outcome<String> {
        let request = Request {
            iteration: Some(iteration),
            now: crate::clock::now()?,
            ..self.request.clone()
        };
        Ok(renderer.render(store, &request)?.text.clone())
    }

    fn filled(
        &self,
        iteration: i64,
        notes: &str,
        answer: Option<(&str, &str)>,
        is_first: bool,
    ) -> Outcome<String> {
        let file = |option, path: &Option<PathBuf>| {
            path.as_deref()
                .map_or(Ok(String::new()), |path| read(option, path))
        };
        let spec = file("--spec", &self.spec)?;
        let tasks = match file("--tasks", &self.tasks) {
            // An agent that is through with its tasks may remove the file.
            Err(_) if !is_first && self.tasks.as_ref().is_some_and(|file| !file.exists()) => {
                String::new()
            }
            tasks => tasks?,
        };
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
        let own = [Some(&self.settings.store.value), self.logs.as_ref()];
        let own: Vec<&Path> = own.into_iter().flatten().map(PathBuf::as_path).collect();
        let outputs = [
            std::io::stdout().as_fd().try_clone_to_owned(),
            std::io::stderr().as_fd().try_clone_to_owned(),
        ];
        let outputs: Vec<File> = outputs.into_iter().flatten().map(File::from).collect();
        let outputs: Vec<&File> = outputs.iter().collect();
        tree::state(&self.directory, &Own::of(&own, &outputs))
    }
}

/// A file's text. Anything but UTF-8 is said before an agent gets it.
fn read(option: &'static str, path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| {
        let what = format!("`{option} {}` cannot be read: {error}", path.display());
        let from = std::env::current_dir().unwrap_or_default();
        let hint = format!(
            "name a file of text; a relative path starts from {}",
            from.display()
        );
        Failure::refused("no_file", what, hint)
    })
}
