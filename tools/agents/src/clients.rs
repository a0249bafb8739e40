//! The clients that are driven: their pinned versions, their programs and their command lines.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use kit::process;
use kit::registries::npm_with;

/// The longest that the registry may take over an answer.
const ASKING: Duration = Duration::from_secs(60);

/// The folder of the package that opencode wants beside its configuration.
const OPENCODE_PACKAGE: &str = "target/agents/opencode-plugin";

/// A client of the npm registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent {
    /// waynote's word for it.
    pub(super) client: &'static str,
    pub(super) title: &'static str,
    /// The package, `{os}` and `{cpu}` to be filled in, and its pinned version.
    pub(super) package: &'static str,
    pub(super) pinned: &'static str,
    /// The version that the program reports.
    pub(super) version: &'static str,
    pub(super) program: &'static str,
    /// True if it is started by the package's script, not by itself.
    by_script: bool,
}

pub(super) const AGENTS: [Agent; 7] = [
    Agent {
        client: "claude-code",
        title: "Claude Code",
        package: "@anthropic-ai/claude-code",
        pinned: "2.1.332",
        version: "2.1.332",
        program: "claude",
        by_script: false,
    },
    Agent {
        client: "codex",
        title: "Codex",
        package: "@openai/codex",
        pinned: "0.171.0",
        version: "0.171.0",
        program: "codex",
        by_script: false,
    },
    Agent {
        client: "gemini",
        title: "Gemini CLI",
        package: "@google/gemini-cli",
        pinned: "0.61.0",
        version: "0.61.0",
        program: "gemini",
        by_script: true,
    },
    Agent {
        client: "opencode",
        title: "opencode",
        package: "opencode-ai",
        pinned: "1.18.33",
        version: "1.18.33",
        program: "opencode",
        by_script: false,
    },
    Agent {
        client: "goose",
        title: "Goose",
        // The package below `@aaif/goose`, without its terminal interface; package versions are not the program's.
        package: "@aaif/goose-binary-{os}-{cpu}",
        pinned: "0.20.1",
        version: "1.34.0",
        program: "goose",
        by_script: false,
    },
    // VS Code's harness of Copilot answers the same hooks.
    Agent {
        client: "copilot",
        title: "Copilot CLI",
        package: "@github/copilot-{os}-{cpu}",
        pinned: "1.0.102",
        version: "1.0.102",
        program: "copilot",
        by_script: false,
    },
    Agent {
        client: "qwen",
        title: "Qwen Code",
        package: "@qwen-code/qwen-code",
        pinned: "0.24.4",
        version: "0.24.4",
        program: "qwen",
        by_script: true,
    },
];

/// A turn of a person.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn<'a> {
    /// In a new session.
    New(&'a str),
    /// In the last session, which another process had.
    Resume(&'a str),
}

impl Agent {
    /// The command line of a turn without a person at the terminal. It allows as much as a person would.
    pub(super) fn words<'a>(&self, turn: Turn<'a>) -> Vec<&'a str> {
        // A person would answer `/hooks` and its questions.
        const CODEX: [&str; 2] = [
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
        ];
        let (is_new, prompt) = match turn {
            Turn::New(prompt) => (true, prompt),
            Turn::Resume(prompt) => (false, prompt),
        };
        let mut words = Vec::new();
        match self.client {
            "claude-code" => {
                words.extend(["-p", prompt, "--allowedTools"]);
                words.push("mcp__waynote__note_save,mcp__waynote__note_context,Bash,Read");
                words.extend((!is_new).then_some("--continue"));
            }
            "codex" => {
                words.push("exec");
                words.extend((!is_new).then_some(["resume", "--last"]).iter().flatten());
                words.extend(CODEX);
                words.push(prompt);
            }
            "gemini" => {
                words.extend(["--approval-mode", "yolo", "-p", prompt]);
                words.extend((!is_new).then_some(["--resume", "latest"]).iter().flatten());
            }
            "opencode" => {
                words.push("run");
                words.extend((!is_new).then_some("--continue"));
                words.push(prompt);
            }
            "copilot" | "qwen" => {
                let allows = match self.client {
                    "qwen" => "--yolo",
                    _ => "--allow-all-tools",
                };
                words.extend([allows, "-p", prompt]);
                words.extend((!is_new).then_some("--continue"));
            }
            _ => {
                words.push("run");
                words.extend((!is_new).then_some("--resume"));
                words.extend(["-t", prompt]);
            }
        }
        words
    }

    /// A person's words behind `--` of a loop, as the documentation has them.
    pub(super) fn loop_words(&self) -> &'static [&'static str] {
        match self.client {
            "claude-code" => &["--permission-mode", "acceptEdits"],
            "codex" => &["--dangerously-bypass-hook-trust"],
            _ => &[],
        }
    }

    fn package(&self) -> String {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        let cpu = match std::env::consts::ARCH {
            "aarch64" => "arm64",
            _ => "x64",
        };
        self.package.replace("{os}", os).replace("{cpu}", cpu)
    }

    /// The pinned program, fetched once into the target folder.
    pub(super) fn installed(&self) -> Result<PathBuf> {
        if self.client == "opencode" {
            let package = format!("@opencode-ai/plugin@{}", self.pinned);
            fetch(&package, Path::new(OPENCODE_PACKAGE))?;
        }
        self.fetched(self.pinned, &Path::new("target/agents").join(self.client))
    }

    /// Puts the package into opencode's folder that it would fetch there from the registry at its first start, as soon as it
    /// has any plugin. A home that has been used has it, and no check waits for a registry.
    pub(super) fn brings_package(folder: &Path) -> Result<()> {
        let kept = Path::new(OPENCODE_PACKAGE).canonicalize()?;
        symlink(kept.join("node_modules"), folder.join("node_modules"))?;
        for file in ["package.json", "package-lock.json"] {
            std::fs::copy(kept.join(file), folder.join(file))?;
        }
        Ok(())
    }

    /// The newest version in the registry with its program, if it is not the pinned one.
    pub(super) fn newest(&self) -> Result<Option<(String, PathBuf)>> {
        let mut npm = Command::new("npm");
        npm.args(["view", "--loglevel", "error", &self.package(), "version"]);
        let version = process::run(npm, ASKING).context("npm could not ask the registry")?;
        let version = version.lines().next().unwrap_or_default().trim().to_owned();
        ensure!(!version.is_empty(), "the registry names no version");
        if version == self.pinned {
            return Ok(None);
        }
        let folder = Path::new("target/agents").join(format!("{}-{version}", self.client));
        let program = self.fetched(&version, &folder)?;
        Ok(Some((version, program)))
    }

    fn fetched(&self, version: &str, folder: &Path) -> Result<PathBuf> {
        fetch(&format!("{}@{version}", self.package()), folder)?;
        let modules = folder.join("node_modules");
        let found = match self.by_script {
            true => Some(modules.join(".bin").join(self.program)),
            false => find(&modules, self.program, 0),
        };
        found
            .with_context(|| format!("no program `{}` in {}", self.program, modules.display()))?
            .canonicalize()
            .context("the program is gone")
    }
}

/// Fetches a package into a folder, once. Nothing of it runs there.
fn fetch(package: &str, folder: &Path) -> Result<()> {
    let fetched = npm_with(folder, &[package], &["--ignore-scripts", "--save-exact"]);
    fetched.map(drop).map_err(anyhow::Error::msg)
}

/// A large executable of that name: the program itself, not the script that starts it.
fn find(folder: &Path, program: &str, depth: usize) -> Option<PathBuf> {
    const LARGE: u64 = 1 << 20;
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    // Of two builds the last is the one for any processor.
    entries.into_iter().rev().find_map(|entry| {
        if entry.is_dir() && depth < 8 {
            return find(&entry, program, depth + 1);
        }
        let is_large = entry.metadata().is_ok_and(|file| file.len() > LARGE);
        (is_large && entry.file_name().is_some_and(|name| name == program)).then_some(entry)
    })
}
