//! `waynote demo`: the real loop in a store that is thrown away. Three iterations of a small agent learn from each
//! other.

use std::process::{Command, ExitCode, Stdio};

use crate::error::{Failure, Outcome};
use crate::output::Output;
use crate::{program, variables};

pub(super) fn run(output: &mut Output) -> Outcome<ExitCode> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::file("temporary folder", "made", error))?;
    let exe = program::own()?;
    let waynote = || {
        let mut command = Command::new(&exe);
        // The demo must not see this machine's settings, nor change its notes.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(variables::decides) {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .args(["--agent", "importer", "--session", "nightly", "--store"])
            .arg(folder.path().join("notes.db"));
        command
    };
    let agent = [exe.as_os_str(), "demo-agent".as_ref()];
    let mut looping = waynote();
    looping
        .args(["loop", "--iterations", "5", "--"])
        .args(agent);
    output
        .line("A scripted agent imports orders in a loop; the store is thrown away afterwards.")?;
    output.line("  waynote loop --session nightly --iterations 5 -- AGENT\n")?;
    output.flush()?;
    // One stream keeps the output in its order.
    looping.stderr(std::io::stdout());
    let status = status(looping)?;
    if !status.success() {
        let what = "the demo's loop failed";
        return Err(Failure::refused("demo", what, "its error is above"));
    }
    output.line("\nThe session afterwards:\n  waynote --session nightly log show")?;
    output.flush()?;
    let mut show = waynote();
    show.args(["log", "show"]).stderr(Stdio::inherit());
    self::status(show)?;
    Ok(ExitCode::SUCCESS)
}

fn status(mut command: Command) -> Outcome<std::process::ExitStatus> {
    command
        .status()
        .map_err(|error| Failure::file("this program", "started", error))
}
