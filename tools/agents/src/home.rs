//! A scratch home for one client: its configuration as a person has it, a project, a scripted model, and nothing else.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kit::process::{self, RunningProgram, TypingSession};
use serde_json::Value;

use super::clients::{Agent, Turn};
use super::model::{Model, Request};

/// The longest that a client may take over a turn.
const TURN: Duration = Duration::from_secs(150);
/// The longest that a loop may take over all of its turns.
const LOOP: Duration = Duration::from_secs(400);
/// The longest that a command of ours may take.
const COMMAND: Duration = Duration::from_secs(30);

/// A person's note from before the agent starts.
pub(super) const CANARY: &str = "canary-7361: prices are integers, in cents";

/// The file that gets a line at each start of the client by its name.
const RUNS: &str = "bin/runs";

/// A home directory with a project in it, for one client.
pub(super) struct Bench {
    pub(super) agent: Agent,
    pub(super) model: Model,
    program: PathBuf,
    folder: tempfile::TempDir,
    /// Requests that were looked at already.
    seen: Cell<usize>,
    /// The clients' output.
    heard: RefCell<String>,
    /// More environment for the client.
    environment: RefCell<Vec<(&'static str, String)>>,
    /// Another client of this home, and its program.
    joined: RefCell<Option<(Agent, PathBuf)>>,
}

impl Bench {
    /// A home in which the client is configured and nothing of waynote is installed.
    pub(super) fn bare(agent: Agent, program: &Path, waynote: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("waynote-agents-")
            .tempdir()?;
        let bench = Self {
            agent,
            model: Model::start()?,
            program: program.to_owned(),
            folder,
            seen: Cell::new(0),
            heard: RefCell::default(),
            environment: RefCell::default(),
            joined: RefCell::default(),
        };
        let home = bench.home()?;
        for folder in ["run", "bin", "project"] {
            std::fs::create_dir_all(home.join(folder))?;
        }
        // As a login makes it.
        let run = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(home.join("run"), run)?;
        symlink(waynote, home.join("bin/waynote"))?;
        // Found by its name, as by a person's shell, and counted.
        let named = home.join("bin").join(agent.program);
        let starts = format!(
            "#!/bin/sh\necho >> '{}'\nexec '{}' \"$@\"\n",
            home.join(RUNS).display(),
            program.display()
        );
        std::fs::write(&named, starts)?;
        std::fs::set_permissions(&named, std::fs::Permissions::from_mode(0o755))?;
        bench.git(&["init", "--quiet"])?;
        bench.configured(&agent)?;
        Ok(bench)
    }

    /// Writes a client's configuration as a person has it.
    fn configured(&self, agent: &Agent) -> Result<()> {
        let (path, text) = self.configuration(agent)?;
        let folder = path.parent().context("a folder")?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, text)?;
        if agent.client == "opencode" {
            Agent::brings_package(folder)?;
        }
        Ok(())
    }

    /// Configures another client in this home, and installs waynote into it.
    pub(super) fn joins(&self, agent: Agent) -> Result<()> {
        self.configured(&agent)?;
        *self.joined.borrow_mut() = Some((agent, agent.installed()?));
        self.waynote(&["install", agent.client])?;
        Ok(())
    }

    /// As [`Self::bare`], with waynote installed and a note on the project.
    pub(super) fn new(agent: Agent, program: &Path, waynote: &Path) -> Result<Self> {
        let bench = Self::bare(agent, program, waynote)?;
        bench.waynote(&["place", "write", CANARY])?;
        bench.waynote(&["install", agent.client])?;
        Ok(bench)
    }

    pub(super) fn home(&self) -> Result<PathBuf> {
        Ok(self.folder.path().canonicalize()?.join("home"))
    }

    /// The program waynote, as it is found in this home.
    pub(super) fn waynote_program(&self) -> Result<PathBuf> {
        Ok(self.home()?.join("bin/waynote").canonicalize()?)
    }

    /// A folder outside of the home, for another machine's.
    pub(super) fn folder_of_its_own(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    pub(super) fn project(&self) -> Result<PathBuf> {
        Ok(self.home()?.join("project"))
    }

    /// Counts how often the client was started by its name.
    pub(super) fn runs(&self) -> Result<impl Fn() -> usize + Send + Sync + 'static> {
        let path = self.home()?.join(RUNS);
        Ok(move || std::fs::read(&path).map_or(0, |lines| lines.len()))
    }

    /// The client's configuration file, and a person's configuration for it, with comments.
    fn configuration(&self, agent: &Agent) -> Result<(PathBuf, String)> {
        let home = self.home()?;
        let port = self.model.port;
        Ok(match agent.client {
            "codex" => (
                home.join(".codex/config.toml"),
                format!(
                    "# mine\nmodel = \"scripted\"\nmodel_provider = \"loopback\"\n\n[model_providers.loopback]\nname = \"loopback\" # scripted\n\
                     base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
                ),
            ),
            "gemini" => (
                home.join(".gemini/settings.json"),
                "{\n  // mine\n  \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } },\n  \"privacy\": { \"usageStatisticsEnabled\": false },\n  \
                 \"general\": { \"enableAutoUpdate\": false }\n}\n"
                    .into(),
            ),
            "opencode" => (
                home.join(".config/opencode/opencode.jsonc"),
                format!(
                    "{{\n  // mine\n  \"model\": \"loopback/m\",\n  \"provider\": {{\n    \"loopback\": {{\n      \"npm\": \"@ai-sdk/openai-compatible\",\n      \
                     \"options\": {{ \"baseURL\": \"http://127.0.0.1:{port}/v1\", \"apiKey\": \"none\" }},\n      \"models\": {{ \"m\": {{ \"name\": \"m\", \
                     \"limit\": {{ \"context\": 60000, \"output\": 4000 }} }} }}\n    }}\n  }}\n}}\n"
                ),
            ),
            "goose" => (
                home.join(".config/goose/config.yaml"),
                format!(
                    "# mine\nGOOSE_PROVIDER: openai\nGOOSE_MODEL: scripted\nOPENAI_HOST: http://127.0.0.1:{port}\nGOOSE_TELEMETRY_ENABLED: false\n"
                ),
            ),
            "copilot" => (
                home.join(".copilot/config.json"),
                format!("{{ \"trustedFolders\": [\"{}\"] }}\n", home.join("project").display()),
            ),
            "qwen" => (
                home.join(".qwen/settings.json"),
                format!(
                    "{{\n  // mine\n  \"$version\": 4,\n  \"security\": {{ \"auth\": {{ \"selectedType\": \"openai\", \"apiKey\": \"none\", \"baseUrl\": \"http://127.0.0.1:{port}/v1\" }} }},\n  \
                     \"model\": {{ \"name\": \"scripted\", \"generationConfig\": {{ \"contextWindowSize\": 60000 }} }},\n  \
                     // Declared to the model at once, so that it can call them.\n  \"tools\": {{ \"toolSearch\": {{ \"enabled\": false }} }},\n  \
                     \"memory\": {{ \"enableManagedAutoMemory\": false }},\n  \"privacy\": {{ \"usageStatisticsEnabled\": false }},\n  \"general\": {{ \"enableAutoUpdate\": false }}\n}}\n"
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

    /// Sets a variable for the client from now on.
    pub(super) fn sets(&self, name: &'static str, value: &str) {
        let mut environment = self.environment.borrow_mut();
        environment.push((name, value.to_owned()));
    }

    /// Adds a line to the front of the client's configuration, where lines stand by themselves.
    pub(super) fn configures(&self, line: &str) -> Result<()> {
        let (path, _) = self.configuration(&self.agent)?;
        let old = std::fs::read_to_string(&path)?;
        Ok(std::fs::write(path, format!("{line}\n{old}"))?)
    }

    /// A program as a person's shell starts it, talking to our model alone.
    fn command(&self, program: &str, folder: &Path) -> Result<Command> {
        let home = self.home()?;
        let mut path = home.join("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let url = format!("http://127.0.0.1:{}", self.model.port);
        let mut command = Command::new(match program {
            "waynote" => home.join("bin/waynote"),
            _ if program == self.agent.program => self.program.clone(),
            _ => match &*self.joined.borrow() {
                Some((agent, path)) if agent.program == program => path.clone(),
                _ => program.into(),
            },
        });
        command
            .env_clear()
            .env("HOME", &home)
            .env("PATH", path)
            .env("TMPDIR", self.folder.path())
            .env("XDG_RUNTIME_DIR", home.join("run"))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("ANTHROPIC_BASE_URL", &url)
            .env("ANTHROPIC_API_KEY", "none")
            .env("GOOGLE_GEMINI_BASE_URL", &url)
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_TYPE", "openai")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{url}/v1"))
            .env("COPILOT_PROVIDER_API_KEY", "none")
            .env("COPILOT_MODEL", "scripted")
            .env("GEMINI_API_KEY", "none")
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            // Its second start for more memory would only cost time.
            .env("GEMINI_CLI_NO_RELAUNCH", "true")
            .env("OPENAI_API_KEY", "none")
            .env("GOOSE_DISABLE_KEYRING", "1")
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .env("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1")
            .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .current_dir(folder);
        for (name, value) in self.environment.borrow().iter() {
            command.env(name, value);
        }
        Ok(command)
    }

    pub(super) fn git(&self, words: &[&str]) -> Result<()> {
        let mut command = self.command("git", &self.project()?)?;
        command.args(words);
        process::run(command, COMMAND)?;
        Ok(())
    }

    /// The output of `waynote` with arguments, which must succeed.
    pub(super) fn waynote(&self, words: &[&str]) -> Result<String> {
        let said = self.waynote_in(&self.project()?, words)?;
        // Its user adds the lines that are printed, and takes them out.
        if let [command @ ("install" | "uninstall"), "goose", more @ ..] = words {
            let (path, mut text) = self.configuration(&self.agent)?;
            if *command == "install" {
                let words = [&["install", "goose", "--json"], more].concat();
                let json: Value =
                    serde_json::from_str(&self.waynote_in(&self.project()?, &words)?)?;
                let lines = json["add"]["lines"].as_str().context("no lines")?;
                text += &format!("extensions:\n{lines}\n");
            }
            std::fs::write(path, text)?;
        }
        Ok(said)
    }

    /// As [`Self::waynote`], in another folder.
    pub(super) fn waynote_in(&self, folder: &Path, words: &[&str]) -> Result<String> {
        let mut command = self.command("waynote", folder)?;
        command.args(words);
        process::run(command, COMMAND).with_context(|| format!("waynote {}", words.join(" ")))
    }

    /// A line that a person types into a shell; its exit code and what it prints.
    pub(super) fn shell(&self, line: &str) -> Result<(i32, String)> {
        let mut command = self.command("sh", &self.project()?)?;
        command.args(["-c", line]);
        let heard = RunningProgram::start(command, "")?.wait(LOOP)?;
        self.heard.borrow_mut().push_str(&heard.1);
        Ok(heard)
    }

    /// A loop of this client; its exit code and what it prints.
    pub(super) fn looping(&self, words: &[&str]) -> Result<(i32, String)> {
        let mut command = self.command("waynote", &self.project()?)?;
        command
            .args(["--session", "night", "loop", "--with", self.agent.client])
            .args(words)
            .arg("--")
            .args(self.agent.loop_words());
        let heard = RunningProgram::start(command, "")?.wait(LOOP)?;
        self.heard.borrow_mut().push_str(&heard.1);
        Ok(heard)
    }

    /// The loop's iterations, as `log show` says.
    pub(super) fn iterations(&self) -> Result<Vec<serde_json::Value>> {
        let shown = self.waynote(&["--session", "night", "log", "show", "--json"])?;
        let shown: serde_json::Value = serde_json::from_str(&shown)?;
        let iterations = shown["iterations"].as_array();
        Ok(iterations.context("no iterations")?.clone())
    }

    /// Runs the client for one turn, to its end; the requests that it made.
    pub(super) fn turn(&self, turn: Turn<'_>) -> Result<Vec<Request>> {
        let words = self.agent.words(turn);
        let (code, printed) = self.started(&words, "", &self.project()?)?.wait(TURN)?;
        self.heard.borrow_mut().push_str(&printed);
        ensure!(
            code == 0,
            "{} {}: exit code {code}: {printed}",
            self.agent.program,
            words.join(" ")
        );
        let requests = self.fresh();
        ensure!(
            !requests.is_empty(),
            "the client asked its model nothing: {printed}"
        );
        Ok(requests)
    }

    /// Starts the client with arguments and a standard input of its own.
    pub(super) fn started(
        &self,
        words: &[&str],
        input: &str,
        folder: &Path,
    ) -> Result<RunningProgram> {
        self.starts(&self.agent, words, input, folder)
    }

    /// As [`Self::started`], this client or the one that joined.
    pub(super) fn starts(
        &self,
        agent: &Agent,
        words: &[&str],
        input: &str,
        folder: &Path,
    ) -> Result<RunningProgram> {
        let mut command = self.command(agent.program, folder)?;
        command.args(words);
        RunningProgram::start(command, input)
    }

    /// Starts the client on a terminal.
    pub(super) fn typed(&self, words: &str) -> Result<TypingSession> {
        let command = self.command("script", &self.project()?)?;
        let group = self.home()?.join("run/terminal");
        TypingSession::start(command, &format!("{} {words}", self.agent.program), group)
    }

    /// The requests since the last look.
    pub(super) fn fresh(&self) -> Vec<Request> {
        let requests = self.model.requests();
        let seen = self.seen.replace(requests.len());
        requests.into_iter().skip(seen).collect()
    }

    /// The clients' output.
    pub(super) fn heard(&self) -> String {
        self.heard.borrow().clone()
    }

    /// Every file of the home with its text, but what waynote itself keeps.
    pub(super) fn files(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut files = BTreeMap::new();
        let home = self.home()?;
        let mut folders = vec![home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                let inside = path.strip_prefix(&home)?.to_owned();
                let is_ours = [".local/share/waynote", "run", "bin"]
                    .iter()
                    .any(|ours| inside.starts_with(ours));
                let kind = path.symlink_metadata()?;
                if kind.is_dir() && !is_ours {
                    folders.push(path);
                } else if kind.is_file() && !is_ours {
                    files.insert(inside, std::fs::read(path)?);
                }
            }
        }
        Ok(files)
    }

    /// Processes of this home that still run, by what they are.
    pub(super) fn left_running(&self) -> Result<Vec<String>> {
        let mark = format!("HOME={}", self.home()?.display());
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            // Another user's, or one that has just gone.
            let Ok(environment) = std::fs::read(entry.path().join("environ")) else {
                continue;
            };
            let mut variables = environment.split(|byte| *byte == 0);
            if variables.any(|variable| variable == mark.as_bytes()) {
                let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                left.push(String::from_utf8_lossy(&words).replace('\0', " "));
            }
        }
        Ok(left)
    }

    /// Keeps the home and writes the requests into it, for a developer to look at.
    pub(super) fn keep(self, name: &str) -> Result<PathBuf> {
        let path = self.folder.keep();
        let write = |name: String, text: String| std::fs::write(path.join(name), text);
        for (kind, requests) in [
            ("request", self.model.requests()),
            ("beside", self.model.beside()),
        ] {
            for (number, request) in requests.iter().enumerate() {
                write(
                    format!("{kind}-{number}.json"),
                    format!("{:#}", request.body),
                )?;
            }
        }
        write(format!("{name}.printed"), self.heard.borrow().clone())?;
        Ok(path)
    }
}
