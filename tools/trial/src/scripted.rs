//! The scripted agent: a client of waynote's hooks that follows a rule. It runs the hooks that `waynote install
//! claude-code` wrote, with Claude Code's inputs, and reads what they answer as a model would: beside a tool's result,
//! before its next step. It knows the decisive words of a trap, as a model understands a language. Its only source of
//! them is an answer of a hook.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kit::process::RunningProgram;
use kit::random::Random;
use serde_json::{Value, json};

use crate::traps::{Step, Trap, whole};

/// The longest that a command or a hook may take.
const COMMAND: Duration = Duration::from_secs(60);

/// A session of the scripted agent.
struct ScriptedSession {
    id: String,
    project: PathBuf,
    hooks: Value,
    /// The answers of hooks so far.
    heard: String,
}

/// Does the task of a trap in the working directory.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let [name, seed, slip, miss] = words else {
        bail!("usage: trial scripted TRAP SEED SLIP MISS");
    };
    let (trap, seed) = (Trap::named(name)?, seed.parse()?);
    let home = PathBuf::from(std::env::var_os("HOME").context("no HOME")?);
    let settings = std::fs::read_to_string(home.join(".claude/settings.json"))?;
    let mut session = ScriptedSession {
        id: format!("scripted-{name}-{seed}"),
        project: std::env::current_dir()?,
        hooks: serde_json::from_str::<Value>(&settings)?["hooks"].take(),
        heard: String::new(),
    };
    session.hear("SessionStart", json!({ "source": "startup" }))?;
    session.hear("UserPromptSubmit", json!({ "prompt": trap.task }))?;
    for step in &trap.steps {
        match step {
            Step::Read(file) => session.reads(file)?,
            Step::Run(command) => session.runs(command)?,
        }
    }
    let mut random = Random(seed);
    let (draw, other) = (share(&mut random), share(&mut random));
    let has_heard = session.heard.contains(&trap.note.decisive);
    let heeds = has_heard && draw >= miss.parse()?;
    let is_mistaken = !heeds && other < slip.parse()?;
    println!("heard {has_heard}, mistaken {is_mistaken}");
    let files = if is_mistaken {
        &trap.mistake
    } else {
        &trap.right
    };
    for (file, text) in files {
        session.writes(file, &whole(text))?;
    }
    session.runs("sh check.sh")?;
    session.hear("Stop", json!({}))
}

/// A number from 0 up to 1.
fn share(random: &mut Random) -> f64 {
    random.below(1_000_000) as f64 / 1e6
}

impl ScriptedSession {
    /// Runs the hooks of an event, and hears what they answer.
    fn hear(&mut self, event: &str, more: Value) -> Result<()> {
        let tool = more["tool_name"].as_str().unwrap_or_default().to_owned();
        let mut input = json!({
            "session_id": self.id, "cwd": self.project, "hook_event_name": event, "permission_mode": "acceptEdits",
        });
        if let (Some(input), Value::Object(more)) = (input.as_object_mut(), more) {
            input.extend(more);
        }
        for entry in self.hooks[event].as_array().into_iter().flatten() {
            let matcher = entry["matcher"].as_str().unwrap_or_default();
            if !matcher.is_empty() && !matcher.split('|').any(|name| name == tool) {
                continue;
            }
            for hook in entry["hooks"].as_array().into_iter().flatten() {
                let line = hook["command"]
                    .as_str()
                    .context("a hook without a command")?;
                let (code, said) = self.shell(line, &input.to_string())?;
                if code == 0 && !said.is_empty() {
                    let said: Value = serde_json::from_str(&said).with_context(|| said.clone())?;
                    let text = said["hookSpecificOutput"]["additionalContext"].as_str();
                    self.heard.push_str(text.unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    fn shell(&self, line: &str, input: &str) -> Result<(i32, String)> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(&self.project);
        RunningProgram::start(shell, input)?.wait(COMMAND)
    }

    fn reads(&mut self, file: &str) -> Result<()> {
        let input = json!({ "file_path": self.project.join(file) });
        std::fs::read(self.project.join(file)).with_context(|| file.to_owned())?;
        self.hear(
            "PreToolUse",
            json!({ "tool_name": "Read", "tool_input": input }),
        )
    }

    fn runs(&mut self, command: &str) -> Result<()> {
        let mut call = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        self.hear("PreToolUse", call.clone())?;
        let (code, said) = self.shell(command, "")?;
        if code != 0 {
            call["error"] = format!("Exit code {code}\n{said}").into();
            call["is_interrupt"] = false.into();
            self.hear("PostToolUseFailure", call)?;
        }
        Ok(())
    }

    fn writes(&mut self, file: &str, text: &str) -> Result<()> {
        let path = self.project.join(file);
        let input = json!({ "file_path": path, "content": text });
        self.hear(
            "PreToolUse",
            json!({ "tool_name": "Write", "tool_input": input }),
        )?;
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above)?;
        }
        Ok(std::fs::write(path, text)?)
    }
}
