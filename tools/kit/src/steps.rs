//! Commands that must succeed. Builds have no limit of time: a slow machine would reach any.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A call of the cargo that runs this.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// The program of a profile of cargo; `WAYNOTE_PROGRAM` names another build.
pub fn program(profile: &str) -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("WAYNOTE_PROGRAM") {
        return Ok(PathBuf::from(program).canonicalize()?);
    }
    let target = crate::registries::target();
    let (folder, mut build) = match profile {
        // Those of the whole workspace: the tests have built it with them.
        "dev" => ("debug", cargo(&["build", "--workspace"])),
        profile => (profile, cargo(&["rustc", "--package", "waynote-cli"])),
    };
    build.args(["--bin", "waynote", "--quiet", "--profile", profile]);
    if profile == "dist" && cfg!(target_os = "linux") {
        let layout = layout(&target)?;
        build.args(["--", "-C"]);
        build.arg(format!("link-arg=-Wl,-T,{}", layout.display()));
    }
    step("program", build)?;
    let program = target.join(folder).join("waynote");
    program.canonicalize().context("the program was not built")
}

/// A script for the linker: the functions that a server for an agent runs lie side by side (`tools/layout/make.py`).
fn layout(target: &Path) -> Result<PathBuf> {
    let names = include_str!("../../layout/agent.txt").lines();
    let sections = names.map(|name| format!("*(.text.{name} .text.unlikely.{name})\n"));
    let script = format!(
        "SECTIONS {{ .text.agent : {{\n{}}} }} INSERT BEFORE .text;\n",
        sections.collect::<String>()
    );
    let file = target.join("layout.ld");
    std::fs::create_dir_all(target)?;
    std::fs::write(&file, script)?;
    Ok(file.canonicalize()?)
}

/// Runs a command of the gate, and says how long it took.
pub fn step(name: &str, mut command: Command) -> Result<()> {
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
pub fn kill_with_children(pid: u32) {
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
