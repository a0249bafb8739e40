//! `waynote hook` in a checkout with 2,000 shared notes, beside the same checkout without them: the whole process, at a
//! session's start and at a prompt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use kit::measure::{below, median, run_on};
use kit::release;

const NOTES: usize = 2_000;
const ROUNDS: usize = 51;

pub(crate) fn run() -> Result<()> {
    let home = tempfile::tempdir_in("target")?;
    let home = home.path().canonicalize()?;
    let mut note = waynote(&home, &home);
    run_on(
        note.args(["note", "--notebook", "--key", "style", "short"]),
        "",
        1,
    )?;
    let without = checkout(&home, "without")?;
    // A folder for two notes, as in a large repository; and all of them in one folder.
    let spread = checkout(&home, "spread")?;
    let flat = checkout(&home, "flat")?;
    for number in 0..NOTES {
        let folder = spread.join(format!(".waynote/src/d{}/e{}", number % 40, number / 2));
        for folder in [folder, flat.join(".waynote")] {
            fs::create_dir_all(&folder)?;
            let text = format!("Fact {number}: run `make target{number}` before the release.\n");
            fs::write(folder.join(format!("key{number}.md")), text)?;
        }
    }
    println!(
        "hooks in a checkout with {NOTES} shared notes; {ROUNDS} rounds of whole processes in turn"
    );
    for (event, wanted) in [
        ("SessionStart", "at most x1.2"),
        ("UserPromptSubmit", "under 50 ms"),
    ] {
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..ROUNDS {
            for (times, folder) in times.iter_mut().zip([&without, &spread, &flat]) {
                times.push(hook(&home, folder, event, round)?);
            }
        }
        let [none, spread, flat] = times;
        for (name, with) in [("in many folders", &spread), ("in one folder", &flat)] {
            let ratio = median(with.iter().zip(&none).map(|(with, none)| with / none));
            println!(
                "  {event}, {name}: median {:.2} ms, slowest {:.2} ms; x{ratio:.2} of none (wanted: {wanted})",
                median(with.iter().copied()) * 1e3,
                below(with.iter().copied(), 1.0) * 1e3,
            );
        }
    }
    Ok(())
}

/// A checkout with a remote.
fn checkout(home: &Path, name: &str) -> Result<PathBuf> {
    let root = home.join(name);
    fs::create_dir_all(root.join(".git"))?;
    fs::create_dir_all(root.join("src/d1/e20"))?;
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let remote = format!("[remote \"origin\"]\n\turl = https://github.com/acme/{name}\n");
    fs::write(root.join(".git/config"), remote)?;
    Ok(root)
}

/// How long a hook of a new session takes, in seconds.
fn hook(home: &Path, folder: &Path, event: &str, round: usize) -> Result<f64> {
    let folder = folder.join("src/d1/e20");
    let mut command = waynote(home, &folder);
    command.args(["hook", "claude-code", event]);
    let said = serde_json::json!({
        "session_id": format!("{event}-{round}-{}", folder.display()),
        "cwd": folder,
        "hook_event_name": event,
        "source": "startup",
        "prompt": "which target do I make before the release, and what else is to be done",
    });
    Ok(run_on(&mut command, &said.to_string(), 0)?.wall)
}

/// The program in a folder, for a person who trusts the checkouts of this home.
fn waynote(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new(release::program());
    command
        .env_clear()
        .env("HOME", home)
        .env("WAYNOTE_TRUST", "~/*")
        .current_dir(folder);
    command
}
