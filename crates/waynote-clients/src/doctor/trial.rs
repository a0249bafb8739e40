//! Trial runs: they check on a temporary store whether a hook or the server really delivers a note.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use waynote::{Content, LocalStore, Options, Place, Places, SqliteStore, Stamp};
use waynote_system::variables;

use super::probe::{Conversation, Reason};
use crate::client::{Client, Event};
use crate::profile::setup::Setup;
use crate::profile::target::Target;

/// The text that the hook or the server must deliver.
const CANARY: &str = "waynote-canary: this note shows that a hook hands notes over. \
                      `waynote-canary --fail` fails with WAYNOTE_E4711.";

/// A command that fails, and what it prints: the note matches both.
const COMMAND: &str = "waynote-canary --fail";
const ERROR: &str = "error: WAYNOTE_E4711: waynote-canary has failed";

/// The longest that a hook may take here. It usually takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

const NO_COMMAND: &str = "it has no command";

type Result<T = ()> = std::result::Result<T, Reason>;

/// Runs the hook as the client does, on a temporary store that holds one note, some times; the longest that it took.
pub(super) fn hook(setup: &Setup<'_>, now: Timestamp) -> Result<Duration> {
    let event = setup.profile.block_event.ok_or(NO_COMMAND)?;
    let mut longest = Duration::ZERO;
    for _ in 0..3 {
        longest = longest.max(hand_over(setup, now, event)?);
    }
    Ok(longest)
}

/// Runs the hook after a command that fails, with a note that matches its error.
pub(super) fn failure(setup: &Setup<'_>, now: Timestamp, event: Event) -> Result<Duration> {
    let [_, running] = setup.profile.tools;
    let tool = json!({
        "tool_name": running.split('|').next(), "tool_input": { "command": COMMAND }, "error": ERROR,
    });
    hand_over_at(setup, now, event, &tool)
}

/// Starts the server as a client of that name does, on a temporary store that holds one note.
pub(super) fn instructions(
    setup: &Setup<'_>,
    client: &str,
    server: &[String],
    now: Timestamp,
) -> Result {
    let trial = Trial::new(setup, now, "")?;
    let (program, args) = server.split_first().ok_or(NO_COMMAND)?;
    let mut command = Command::new(program);
    // Without the options: the trial has a store of its own.
    let options = Target::of(&json!({ "command": server })).options().len();
    command
        .args(&args[options..])
        .current_dir(&trial.project)
        .env(variables::STORE, &trial.store)
        // Leaves nothing in the user's folders, and works where hooks are switched off.
        .env(variables::STATE_FOLDER, trial.folder.join("state"))
        .env_remove(variables::HOOKS)
        .env_remove(variables::NOTES_FILE);
    let (_server, greeted) = Conversation::start(command, client)?;
    let instructions = greeted["instructions"].as_str().unwrap_or_default();
    match instructions.contains(CANARY) {
        true => Ok(()),
        false => Err("the note is not in them".into()),
    }
}

/// A store with one note of a project. It is deleted when this value is dropped.
struct Trial {
    _folder: tempfile::TempDir,
    folder: PathBuf,
    project: PathBuf,
    store: PathBuf,
}

impl Trial {
    /// `below` is the directory of the note, in the project.
    fn new(setup: &Setup<'_>, now: Timestamp, below: &str) -> Result<Self> {
        let made = tempfile::tempdir()?;
        let folder = made.path().canonicalize()?;
        let project = folder.join("project");
        std::fs::create_dir(&project)?;
        let trial = Self {
            store: folder.join("notes.db"),
            _folder: made,
            folder,
            project,
        };
        trial.lay_canary(setup, now, &trial.project.join(below))?;
        Ok(trial)
    }

    fn lay_canary(&self, setup: &Setup<'_>, now: Timestamp, at: &Path) -> Result {
        let store = SqliteStore::open(&self.store, &Options::default())?;
        let base = setup.machine.environment.base()?;
        let place = Place::resolve(&at.to_string_lossy(), &base)?;
        let stamp = Stamp::new(now, "waynote-doctor".parse()?);
        Places::new(&store as &dyn LocalStore).write(&place, Content::text(CANARY)?, &stamp)?;
        Ok(())
    }
}

/// Runs the hook of an event; at a tool, one that touches a file in a directory with one note.
pub(super) fn hand_over(setup: &Setup<'_>, now: Timestamp, event: Event) -> Result<Duration> {
    let tool = json!({ "tool_name": "Read", "tool_input": { "file_path": "below/file" } });
    hand_over_at(setup, now, event, &tool)
}

fn hand_over_at(setup: &Setup<'_>, now: Timestamp, event: Event, tool: &Value) -> Result<Duration> {
    let is_of_path = event.is_at_tool() && tool["tool_input"]["file_path"].is_string();
    let below = if is_of_path { "below" } else { "" };
    let trial = Trial::new(setup, now, below)?;
    let profile = setup.profile;
    let word = profile.event_word(event).ok_or(NO_COMMAND)?;
    let command = setup.hook_command_with(event, "").ok_or(NO_COMMAND)?;
    let project = &trial.project;
    let mut said = json!({
        "session_id": "waynote-doctor", "hook_event_name": word, "source": "startup",
        "cwd": project, "workspace_roots": [project], "working_dir": project,
    });
    for (field, value) in tool.as_object().into_iter().flatten() {
        said[field] = value.clone();
    }
    let begin = std::time::Instant::now();
    let mut child = Command::new("sh");
    child
        .args(["-c", &command])
        .current_dir(project)
        .env(variables::STORE, &trial.store)
        // Leaves nothing in the user's folders.
        .env(variables::STATE_FOLDER, trial.folder.join("state"))
        .env(variables::DATA_FOLDER, trial.folder.join("data"))
        .env(variables::HOOK_WAIT, PATIENCE.as_secs().to_string())
        .env_remove(variables::HOOKS)
        .env_remove(variables::NOTES_FILE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    for client in Client::ALL.map(Client::profile) {
        let variables = [client.project_variable, client.hook_variable].into_iter();
        for variable in variables.flatten() {
            child.env_remove(variable);
        }
    }
    let mut child = child.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A hook may end without reading its input; if it failed, that is reported below.
        let _ = stdin.write_all(said.to_string().as_bytes());
    }
    let output = child.wait_with_output()?;
    let took = begin.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(format!("{}: {stderr}", output.status).into());
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let text = profile.answer.read(profile.title, word, &printed)?;
    match text.contains(CANARY) {
        true => Ok(took),
        false => Err(format!("the note is not in its answer; {stderr}").into()),
    }
}
