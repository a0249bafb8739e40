//! A scratch home for one agent, and processes with a deadline: whatever they start ends with them.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The longest that an agent may take over two turns.
const TURNS: Duration = Duration::from_secs(120);
/// The longest that a command of ours may take.
const COMMAND: Duration = Duration::from_secs(20);

/// A home directory with a project in it.
pub(super) struct Home {
    folder: tempfile::TempDir,
    waynote: PathBuf,
    /// What the last agent printed.
    heard: std::cell::RefCell<String>,
}

impl Home {
    pub(super) fn new(waynote: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("home/project"))?;
        Ok(Self {
            folder,
            waynote: waynote.to_owned(),
            heard: std::cell::RefCell::default(),
        })
    }

    fn path(&self) -> Result<PathBuf> {
        Ok(self.folder.path().canonicalize()?.join("home"))
    }

    /// Writes what the agent needs to talk to the model, as a person's own configuration: with comments.
    pub(super) fn prepare(&self, client: &str, port: u16) -> Result<()> {
        let (path, text) = self.configuration(client, port)?;
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        // A later session has another port, and what was installed stays.
        let text = match old.split_once("http://127.0.0.1:") {
            Some((before, after)) => {
                let after = after.trim_start_matches(|char: char| char.is_ascii_digit());
                format!("{before}http://127.0.0.1:{port}{after}")
            }
            None if old.is_empty() => text,
            None => old,
        };
        std::fs::write(path, text)?;
        Ok(())
    }

    fn configuration(&self, client: &str, port: u16) -> Result<(PathBuf, String)> {
        let home = self.path()?;
        Ok(match client {
            "codex" => (
                home.join(".codex/config.toml"),
                format!(
                    "# mine\nmodel = \"scripted\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \"loopback\" # scripted\n\
                     base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
                ),
            ),
            "gemini" => (
                home.join(".gemini/settings.json"),
                "{\n  // mine\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } }\n}\n".into(),
            ),
            "opencode" => (
                home.join(".config/opencode/opencode.jsonc"),
                format!(
                    "{{\n  // mine\n  \"model\": \"loopback/m\",\n  \"provider\": {{\n    \"loopback\": {{\n      \"npm\": \"@ai-sdk/openai-compatible\",\n      \
                     \"options\": {{ \"baseURL\": \"http://127.0.0.1:{port}/v1\", \"apiKey\": \"none\" }},\n      \"models\": {{ \"m\": {{ \"name\": \"m\" }} }}\n    }}\n  }}\n}}\n"
                ),
            ),
            _ => (
                home.join(".claude/settings.json"),
                format!(
                    "{{\n    \"env\": {{ \"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:{port}\" }}\n}}\n"
                ),
            ),
        })
    }

    /// Whether the configuration is as it was prepared, but for the port.
    pub(super) fn is_as_prepared(&self, client: &str) -> Result<()> {
        let (path, _) = self.configuration(client, 0)?;
        let now = std::fs::read_to_string(&path)?;
        let (_, prepared) = self.configuration(client, 0)?;
        let (now, prepared) = (without_port(&now), without_port(&prepared));
        ensure!(
            now == prepared || !now.contains("waynote"),
            "{} after uninstalling:\n{now}",
            path.display()
        );
        Ok(())
    }

    fn command(&self, program: &Path) -> Result<Command> {
        let home = self.path()?;
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TMPDIR", self.folder.path())
            // A machine that also builds may take longer over a hook than a person would wait.
            .env("WAYNOTE_HOOK_WAIT", "10")
            .current_dir(home.join("project"));
        Ok(command)
    }

    /// `waynote` with arguments, which must succeed; what it prints.
    pub(super) fn waynote(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.command(&self.waynote)?;
        command.args(arguments);
        run(command, COMMAND)
    }

    /// Runs the agent to its end.
    pub(super) fn agent(&self, program: &Path, arguments: &[&str], port: u16) -> Result<()> {
        let mut command = self.command(program)?;
        command.args(arguments);
        *self.heard.borrow_mut() = run(with_model(command, port), TURNS)?;
        Ok(())
    }

    /// Runs the agent in a loop of ours, found as a person's shell finds it; what the loop prints.
    pub(super) fn looping(&self, program: &Path, arguments: &[&str], port: u16) -> Result<String> {
        let mut command = self.command(&self.waynote)?;
        let mut path = program.parent().context("a folder")?.as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command.args(arguments).env("PATH", path);
        run(with_model(command, port), TURNS)
    }

    /// What the last agent printed.
    pub(super) fn heard(&self) -> String {
        self.heard.borrow().clone()
    }
}

/// The command of an agent that shall talk to our model, and to nobody else.
fn with_model(mut command: Command, port: u16) -> Command {
    command
        .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("ANTHROPIC_API_KEY", "none")
        .env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"))
        .env("GEMINI_API_KEY", "none")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        // Tools are offered at once, so that the script can call one.
        .env("ENABLE_TOOL_SEARCH", "false");
    command
}

fn without_port(text: &str) -> String {
    match text.split_once("http://127.0.0.1:") {
        Some((before, after)) => {
            let after = after.trim_start_matches(|char: char| char.is_ascii_digit());
            format!("{before}{after}")
        }
        None => text.to_owned(),
    }
}

/// Runs a command that must succeed before its deadline; what it prints. All that it started is ended with it.
pub(super) fn run(mut command: Command, longest: Duration) -> Result<String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    let (sender, receiver) = channel();
    let mut readers = Vec::new();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    for mut stream in streams.into_iter().flatten() {
        readers.push(std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read until it broke is what there is.
            let _ = stream.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        }));
    }
    std::thread::spawn(move || {
        // Nobody listens any more after the deadline.
        let _ = sender.send(child.wait());
    });
    let ended = receiver.recv_timeout(longest);
    // What it left running ends too, and with it the streams.
    let _ = killpg(group, Signal::SIGKILL);
    let printed: String = readers
        .into_iter()
        .filter_map(|reader| reader.join().ok())
        .collect::<Vec<_>>()
        .join("\n");
    match ended {
        Ok(status) => {
            let status = status?;
            ensure!(status.success(), "{status}: {}", printed.trim());
            Ok(printed)
        }
        Err(_) => bail!("it took over {} s: {}", longest.as_secs(), printed.trim()),
    }
}
