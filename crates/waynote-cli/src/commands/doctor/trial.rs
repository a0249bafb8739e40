//! Trial runs: whether a hook or the server really hands a note over, on a store of their own.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use waynote::{Content, LocalStore, Options, Places, SqliteStore, Stamp};

use super::{Findings, load};
use crate::clients::files::Plan;
use crate::clients::{Event, PROJECT_VARIABLES, answer, probe};
use crate::commands::hook;
use crate::error::Outcome;
use crate::variables;

/// What a hook must hand over.
const CANARY: &str = "waynote-canary: this note shows that a hook hands notes over";

/// The longest that a hook may take here; it takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the hook as the client does, on a store of its own that holds one note; several times, also while the processors are busy.
pub(super) fn canary(plan: &Plan, findings: &mut Findings) {
    let title = plan.client.title();
    match load::measured(|| hand_over(plan)) {
        Ok(measured) => {
            let limit = hook::longest_at_start();
            let figures = format!(
                "in {} ms, with busy processors in {} ms (limit: {} ms)",
                measured.calm.as_millis(),
                measured.busy.as_millis(),
                limit.as_millis()
            );
            if measured.busy < limit {
                findings.ok(format!(
                    "{title}: the hook hands a note over {figures}, as {title} reads it"
                ));
            } else {
                findings.wrong(
                    format!("{title}: the hook is too slow: it hands a note over {figures}, and past the limit a session begins without notes"),
                    format!("set WAYNOTE_HOOK_WAIT={} (seconds) in the environment of {title}, or put the store on a faster disk", measured.busy.as_secs() * 2 + 1),
                );
            }
        }
        Err(reason) => findings.wrong(
            format!("{title}: the hook: {reason}"),
            "run the hook's command by hand: what it prints on standard error is the reason",
        ),
    }
}

/// Starts the server as Goose does, on a store of its own that holds one note.
pub(super) fn instructed(plan: &Plan, server: &[String], findings: &mut Findings) {
    let title = plan.client.title();
    match instructions(server) {
        Ok(()) => findings.ok(format!("{title}: the server's instructions hold the notes")),
        Err(reason) => findings.wrong(
            format!("{title}: the server's instructions: {reason}"),
            "run the server's command by hand: what it prints on standard error is the reason",
        ),
    }
}

fn instructions(server: &[String]) -> Result<(), String> {
    let trial = Trial::new()?;
    let (program, args) = server.split_first().ok_or("it has no command")?;
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(&trial.project)
        .env(variables::STORE, &trial.store)
        .env_remove(variables::NOTES_FILE);
    let (_server, greeted) = probe::Conversation::start(command, "goose-cli")?;
    let instructions = greeted["instructions"].as_str().unwrap_or_default();
    match instructions.contains(CANARY) {
        true => Ok(()),
        false => Err("the note is not in them".into()),
    }
}

/// A store with one note of a project, gone with this.
struct Trial {
    _folder: tempfile::TempDir,
    folder: PathBuf,
    project: PathBuf,
    store: PathBuf,
}

impl Trial {
    fn new() -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        let made = tempfile::tempdir().map_err(|error| failed(&error))?;
        let folder = made.path().canonicalize().map_err(|error| failed(&error))?;
        let project = folder.join("project");
        std::fs::create_dir(&project).map_err(|error| failed(&error))?;
        let store = folder.join("notes.db");
        lay_canary(&store, &project).map_err(|failure| failure.line())?;
        Ok(Self {
            _folder: made,
            folder,
            project,
            store,
        })
    }
}

fn hand_over(plan: &Plan) -> Result<Duration, String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let trial = Trial::new()?;
    let Trial {
        folder,
        project,
        store,
        ..
    } = &trial;
    let event = Event::of_block(plan.client).ok_or("it has no event")?;
    let command = plan.hook_command(event).ok_or("it has no event")?;
    let said = json!({
        "session_id": "waynote-doctor", "hook_event_name": event.word(plan.client), "source": "startup",
        "cwd": project, "workspace_roots": [project], "working_dir": project,
    });
    let begin = std::time::Instant::now();
    let mut child = Command::new("sh");
    child
        .args(["-c", &command])
        .current_dir(project)
        .env(variables::STORE, store)
        // Nothing of this is left in the user's folders.
        .env(variables::STATE_FOLDER, folder.join("state"))
        .env(variables::DATA_FOLDER, folder.join("data"))
        .env(variables::HOOK_WAIT, PATIENCE.as_secs().to_string())
        .env_remove(variables::NOTES_FILE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    for (_, variable) in PROJECT_VARIABLES {
        child.env_remove(variable);
    }
    child.env_remove("CURSOR_VERSION");
    let mut child = child.spawn().map_err(|error| failed(&error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that reads nothing says so below.
        let _ = stdin.write_all(said.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| failed(&error))?;
    let took = begin.elapsed();
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, complaint.trim()));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let text = answer::read(plan.client, event, &printed)?;
    if !text.contains(CANARY) {
        return Err(format!(
            "the note is not in its answer; {}",
            complaint.trim()
        ));
    }
    Ok(took)
}

fn lay_canary(path: &Path, project: &Path) -> Outcome {
    let store = SqliteStore::open(path, &Options::default())?;
    let place = crate::input::place(Some(project.as_os_str()))?;
    let stamp = Stamp::new(crate::clock::now()?, "waynote-doctor".parse()?);
    Places::new(&store as &dyn LocalStore).write(&place, Content::text(CANARY)?, &stamp)?;
    Ok(())
}
