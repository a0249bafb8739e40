//! Commands that must succeed. What only builds has no limit of time: a slow machine would reach any.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// A call of the cargo that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

static IS_BUILT: OnceLock<()> = OnceLock::new();

/// The tests of the workspace have built the program: it is not built again.
pub(crate) fn has_built_program() {
    let _ = IS_BUILT.set(());
}

/// The program of a profile of cargo; `WAYNOTE_PROGRAM` names another build.
pub(crate) fn program(profile: &str) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("WAYNOTE_PROGRAM") {
        return Ok(PathBuf::from(program).canonicalize()?);
    }
    let folder = if profile == "dev" { "debug" } else { profile };
    if profile != "dev" || IS_BUILT.get().is_none() {
        let build = [
            "build",
            "--quiet",
            "--profile",
            profile,
            "-p",
            "waynote-cli",
        ];
        step("program", cargo(&build))?;
    }
    let program = crate::tools::target().join(folder).join("waynote");
    program.canonicalize().context("the program was not built")
}

/// A program of tests that cargo has built.
pub(crate) struct Built {
    pub(crate) package: String,
    pub(crate) program: PathBuf,
    /// The folder of its package, in which its tests run.
    pub(crate) folder: PathBuf,
}

impl Built {
    /// The tests of the whole workspace, built with its features.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let words = [
            "test",
            "--workspace",
            "--no-run",
            "--quiet",
            "--message-format=json-render-diagnostics",
        ];
        let output = cargo(&words).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the tests cannot be built");
        let said = String::from_utf8(output.stdout)?;
        let messages = said
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Ok(messages.filter_map(|message| Self::of(&message)).collect())
    }

    /// The program that a message of cargo names.
    fn of(message: &Value) -> Option<Self> {
        let program = message["executable"].as_str()?;
        message["profile"]["test"]
            .as_bool()
            .filter(|is_test| *is_test)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        Some(Self {
            // A crate here is called as its folder is.
            package: folder.file_name()?.to_str()?.to_owned(),
            program: program.into(),
            folder: folder.to_owned(),
        })
    }
}

/// Runs a command of the gate, and says how long it took.
pub(crate) fn step(name: &str, mut command: Command) -> Result<()> {
    println!("== {name}");
    let begin = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("{name}: cannot run {command:?}"))?;
    ensure!(status.success(), "{name} failed: {status}");
    println!(
        "== {name}: passed in {:.0} s",
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Kills a process and what it started. They share a process group with us, so that Ctrl-C reaches all of them.
pub(crate) fn kill_with_children(pid: u32) {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    let threads = threads.into_iter().flatten().flatten();
    // Each thread has the processes that it started.
    let children: String = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .collect();
    let _ = kill(Pid::from_raw(pid.cast_signed()), Signal::SIGKILL);
    for child in children.split_whitespace().filter_map(|of| of.parse().ok()) {
        kill_with_children(child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_started_ends_with_it() {
        use std::io::Read;
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & echo started; wait"]);
        let mut child = shell.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut line = [0; 8];
        out.read_exact(&mut line).unwrap();
        kill_with_children(child.id());
        assert!(!child.wait().unwrap().success());
        // It ends when nothing has it open any more.
        assert_eq!(out.read_to_end(&mut Vec::new()).unwrap(), 0);
    }
}
