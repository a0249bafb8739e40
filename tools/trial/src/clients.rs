//! The clients whose hooks deliver, and the command of an agent.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The events at tools, in the words of all clients.
const AT_TOOLS: [&str; 4] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "AfterTool",
];

/// A client, as waynote's word for it, its command without a person, which reads the task, and its file of hooks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) word: &'static str,
    command: &'static str,
    hooks: Option<&'static str>,
}

const CLIENTS: [Client; 4] = [
    Client {
        word: "claude-code",
        command: "claude -p --permission-mode acceptEdits --allowedTools Bash,Read,Edit,Write",
        hooks: Some(".claude/settings.json"),
    },
    Client {
        word: "codex",
        // A person would trust the hooks in `/hooks`.
        command: "codex exec --dangerously-bypass-hook-trust --sandbox workspace-write -",
        hooks: Some(".codex/hooks.json"),
    },
    Client {
        word: "gemini",
        command: "gemini --approval-mode yolo",
        hooks: Some(".gemini/settings.json"),
    },
    Client {
        word: "opencode",
        command: "opencode run",
        hooks: None,
    },
];

impl Client {
    pub(crate) fn named(word: &str) -> Result<Self> {
        let word = if word == "claude" {
            "claude-code"
        } else {
            word
        };
        let found = CLIENTS.into_iter().find(|client| client.word == word);
        found.with_context(|| {
            let words: Vec<&str> = CLIENTS.iter().map(|client| client.word).collect();
            format!("no client `{word}`: {}", words.join(", "))
        })
    }

    /// Takes the hooks at tools out of the client's file, so that only a start delivers.
    pub(crate) fn only_start(self, home: &Path) -> Result<()> {
        let hooks = self.hooks.with_context(|| {
            format!(
                "the hooks of {} cannot be told apart: leave out the arm `start` by --arms none,placebo,both",
                self.word
            )
        })?;
        let file = home.join(hooks);
        let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        let events = settings["hooks"].as_object_mut().context("no hooks")?;
        let before = events.len();
        events.retain(|event, _| !AT_TOOLS.contains(&event.as_str()));
        ensure!(events.len() < before, "{hooks} has no hooks at tools");
        Ok(std::fs::write(file, settings.to_string())?)
    }
}

/// How often the scripted agent makes the mistake without a note, and how often it overlooks one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) slip: f64,
    pub(crate) miss: f64,
}

/// The agent that does the tasks.
#[derive(Clone, Debug)]
pub(crate) enum Agent {
    /// The rule-following one of this program.
    Scripted(Rates),
    /// A command that gets the task on its standard input.
    Command(String),
}

impl Agent {
    /// The agent of a command line: a command, a client's own command, or the scripted one.
    pub(crate) fn of(command: Option<&str>, with: Option<Client>, rates: Rates) -> Self {
        let command = command.or(with.map(|client| client.command));
        command.map_or(Self::Scripted(rates), |line| Self::Command(line.to_owned()))
    }

    /// Its process.
    pub(crate) fn command(&self, trap: &str, seed: u64) -> Result<(PathBuf, Vec<String>)> {
        Ok(match self {
            Self::Command(line) => ("sh".into(), vec!["-c".into(), line.clone()]),
            Self::Scripted(Rates { slip, miss }) => {
                let (seed, slip, miss) = (seed.to_string(), slip.to_string(), miss.to_string());
                let words = vec!["scripted".into(), trap.to_owned(), seed, slip, miss];
                (std::env::current_exe()?, words)
            }
        })
    }

    pub(crate) fn is_scripted(&self) -> bool {
        matches!(self, Self::Scripted(_))
    }
}
