//! A throw-away home: a trap's repository, a store with notes, and the hooks that `waynote install` writes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kit::process::{self, RunningProgram};
use kit::random::Random;
use serde::{Deserialize, Serialize};
use waynote::{Change, Options, SqliteStore, Stamp, Store};
use waynote_testing::values::{save, save_pinned};

use crate::clients::Agent;
use crate::others;
use crate::outcome::Setting;
use crate::traps::Trap;

/// The longest that an agent may take over a task.
const AGENT: Duration = Duration::from_secs(900);

/// The longest that a command of waynote may take.
const COMMAND: Duration = Duration::from_secs(60);

const PROJECT: &str = "~/project";

/// Which note there is, and when it is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arm {
    /// No fitting note.
    #[default]
    None,
    /// As `Both`, with a text that decides nothing.
    Placebo,
    /// At the root of the repository, where a start delivers it. No hooks at tools.
    Start,
    /// At the root, and where an action or a failure finds it.
    Both,
}

impl Arm {
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Placebo, Self::Start, Self::Both];

    pub(crate) fn named(word: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|arm| arm.word() == word);
        found.context("no such arm: none, placebo, start, both")
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Placebo => "placebo",
            Self::Start => "start",
            Self::Both => "both",
        }
    }
}

/// The home of one run.
pub(crate) struct Home {
    folder: tempfile::TempDir,
    path: PathBuf,
    waynote: PathBuf,
    /// The addresses of the note that is tried.
    pub(crate) tried: Vec<String>,
}

/// Notes that a hook delivered, as `waynote why --json` lists them.
#[derive(Debug, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) at: u128,
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) action: String,
    pub(crate) tokens: usize,
    pub(crate) notes: Vec<DeliveredNote>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DeliveredNote {
    pub(crate) address: String,
    shown: String,
}

impl DeliveredNote {
    pub(crate) fn is_whole(&self) -> bool {
        self.shown == "whole"
    }
}

impl Home {
    /// A home for a trap, in which an agent of a client begins.
    pub(crate) fn new(setting: &Setting<'_>, trap: &Trap, arm: Arm, seed: u64) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("waynote-trial-")
            .tempdir()?;
        let path = folder.path().canonicalize()?.join("home");
        let mut home = Self {
            folder,
            path,
            waynote: setting.waynote.to_owned(),
            tried: Vec::new(),
        };
        std::fs::create_dir_all(home.project())?;
        trap.lay_out(&home.project())?;
        home.fill(trap, arm, setting.others, &mut Random(seed))?;
        home.waynote(&["install", setting.client.word])?;
        if arm == Arm::Start {
            setting.client.only_start(&home.path)?;
        }
        Ok(home)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path.join("project")
    }

    /// Saves the notes: other ones, and somewhere among them the one that is tried.
    fn fill(&mut self, trap: &Trap, arm: Arm, others: usize, random: &mut Random) -> Result<()> {
        let mut notes = others::notes(PROJECT, others, random)?;
        let note = &trap.note;
        let at_root = format!("place:{PROJECT}#{}", note.key);
        let at_action = match &note.place {
            Some(place) => format!("place:{PROJECT}/{place}"),
            None => format!("agent:default#{}", note.key),
        };
        self.tried = match arm {
            Arm::None => Vec::new(),
            Arm::Start => vec![at_root.clone()],
            Arm::Placebo | Arm::Both => vec![at_root.clone(), at_action],
        };
        let text = if arm == Arm::Placebo {
            &note.placebo
        } else {
            &note.text
        };
        for address in &self.tried {
            let place = random.below(notes.len() + 1);
            notes.insert(place, (address.clone(), text.clone()));
        }
        let store = self.path.join(".local/share/waynote/notes.db");
        std::fs::create_dir_all(store.with_file_name(""))?;
        let store = SqliteStore::open(store, &Options::default())?;
        // Pinned, the note at the root stands whole in the block of the start.
        let save = |(address, text): &(String, String)| {
            Ok(match *address == at_root {
                true => save_pinned(address.parse()?, text, true),
                false => save(address.parse()?, text),
            })
        };
        for (month, notes) in notes.chunks(notes.len() / 5 + 1).enumerate() {
            let time = format!("2026-{:02}-17T12:00:00Z", month + 1);
            let stamp = Stamp::new(time.parse()?, "person".parse()?);
            let changes: Vec<Change> = notes.iter().map(save).collect::<Result<_>>()?;
            store.apply(&changes, &stamp)?;
        }
        Ok(())
    }

    /// A program in the repository, which knows no other home and no other store.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            let is_a_home = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"].contains(&&*name);
            if is_a_home || ["XDG_", "WAYNOTE_"].iter().any(|of| name.starts_with(of)) {
                command.env_remove(&*name);
            }
        }
        command.env("HOME", &self.path).current_dir(self.project());
        // Measured to its end, however busy the machine is.
        command.env("WAYNOTE_HOOK_WAIT", "10");
        command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        command
    }

    fn waynote(&self, words: &[&str]) -> Result<String> {
        let mut command = self.command(&self.waynote);
        command.args(words);
        process::run(command, COMMAND)
    }

    /// Lets an agent do the task; its output. An agent that fails or does not end has done what it has done.
    pub(crate) fn does(&self, agent: &Agent, trap: &Trap, seed: u64) -> Result<String> {
        let (program, words) = agent.command(&trap.name, seed)?;
        let mut command = self.command(&program);
        command.args(words);
        let ended = RunningProgram::start(command, &trap.task)?.wait(AGENT);
        if agent.is_scripted() {
            let (code, said) = ended?;
            ensure!(
                code == 0,
                "the scripted agent failed at {}: {said}",
                trap.name
            );
            return Ok(said);
        }
        Ok(match ended {
            Ok((code, said)) => format!("{said}\nexit code {code}"),
            Err(error) => format!("{error:#}"),
        })
    }

    /// The deliveries of the session that was last.
    pub(crate) fn deliveries(&self) -> Result<Vec<Delivery>> {
        let listed = self.waynote(&["why", "--json"])?;
        Ok(serde_json::from_str(&listed)?)
    }

    /// Leaves the home where it is, with the agent's output.
    pub(crate) fn keep(self, said: &str) -> Result<PathBuf> {
        let path = self.folder.keep();
        std::fs::write(path.join("agent.log"), said)?;
        Ok(path)
    }
}
