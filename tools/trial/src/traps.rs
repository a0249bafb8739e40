//! Traps: small repositories with a task, in which the obvious way is the mistake that a note warns of.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use kit::process::RunningProgram;
use serde::Deserialize;

/// The longest that a test may take: scripts of an agent may never end.
const TEST: Duration = Duration::from_secs(60);

/// The file of the visible test, if an agent has changed it.
const CHECK: &str = "check.sh";

/// Stands for lines of numbers in a file of a trap.
const NUMBERS: &str = "@numbers ";

const ALL: [(&str, &str); 10] = [
    ("money", include_str!("../traps/money.toml")),
    ("migrations", include_str!("../traps/migrations.toml")),
    ("lock", include_str!("../traps/lock.toml")),
    ("merge", include_str!("../traps/merge.toml")),
    ("spool", include_str!("../traps/spool.toml")),
    ("slug", include_str!("../traps/slug.toml")),
    ("batch", include_str!("../traps/batch.toml")),
    ("window", include_str!("../traps/window.toml")),
    ("colour", include_str!("../traps/colour.toml")),
    ("region", include_str!("../traps/region.toml")),
];

/// Files of a repository with their texts.
pub(crate) type Files = BTreeMap<String, String>;

/// A trap, as its file has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trap {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) kind: String,
    /// The text that the agent gets.
    pub(crate) task: String,
    /// A shell script that says whether the task is done. The agent can run it.
    visible: String,
    /// A shell script that fails where the mistake was made. The agent never sees it.
    hidden: String,
    pub(crate) note: TrapNote,
    files: Files,
    /// Looked at by the scripted agent before it decides.
    pub(crate) steps: Vec<Step>,
    /// Files as they are with the mistake, and without it.
    pub(crate) mistake: Files,
    pub(crate) right: Files,
}

/// The note that fits a trap, and another one of the same length that says nothing about the decision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrapNote {
    pub(crate) key: String,
    /// The directory whose note it is; without one, it is found by the failure that it names.
    pub(crate) place: Option<String>,
    pub(crate) text: String,
    /// The words of the text that decide.
    pub(crate) decisive: String,
    pub(crate) placebo: String,
}

/// A step of the scripted agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Step {
    Read(String),
    Run(String),
}

impl Trap {
    /// Every trap, in the order of the kinds.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let read = |(name, text): &(&str, &str)| {
            let mut trap: Self = toml::from_str(text).with_context(|| format!("trap {name}"))?;
            (*name).clone_into(&mut trap.name);
            Ok(trap)
        };
        ALL.iter().map(read).collect()
    }

    /// The trap of this name.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let found = Self::all()?.into_iter().find(|trap| trap.name == name);
        found.with_context(|| {
            let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
            format!("no trap `{name}`: {}", names.join(", "))
        })
    }

    /// Makes the repository in a folder.
    pub(crate) fn lay_out(&self, folder: &Path) -> Result<()> {
        write(folder, &self.files)?;
        let mut git = Command::new("git");
        git.args(["init", "--quiet"]).current_dir(folder);
        let made = git.status().context("cannot run git")?;
        ensure!(made.success(), "git init: {made}");
        Ok(())
    }

    /// True if the task is done.
    pub(crate) fn is_done(&self, folder: &Path) -> Result<bool> {
        let check = self.files.get_key_value(CHECK).into_iter();
        write(
            folder,
            &check
                .map(|(name, text)| (name.clone(), text.clone()))
                .collect(),
        )?;
        passes(&self.visible, folder)
    }

    /// True if the mistake was avoided.
    pub(crate) fn is_right(&self, folder: &Path) -> Result<bool> {
        passes(&self.hidden, folder)
    }

    /// When the first of the files that decide was changed for the last time, in milliseconds since 1970; none if
    /// none was.
    pub(crate) fn decided_at(&self, folder: &Path) -> Option<u128> {
        let changed = self.mistake.keys().chain(self.right.keys()).filter(|name| {
            let text = std::fs::read_to_string(folder.join(name)).ok();
            text != self.files.get(*name).map(|text| whole(text))
        });
        let times = changed.filter_map(|name| folder.join(name).metadata().ok()?.modified().ok());
        let first = times.min()?;
        Some(first.duration_since(UNIX_EPOCH).ok()?.as_millis())
    }
}

/// Writes files into a folder.
pub(crate) fn write(folder: &Path, files: &Files) -> Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::write(path, whole(text))?;
    }
    Ok(())
}

/// The text of a file.
pub(crate) fn whole(text: &str) -> String {
    match text.strip_prefix(NUMBERS).map(str::parse) {
        Some(Ok(last)) => (1..=last)
            .map(|number: u32| format!("{number}\n"))
            .collect(),
        _ => text.to_owned(),
    }
}

/// Runs a test in a folder. One that does not end has failed.
fn passes(test: &str, folder: &Path) -> Result<bool> {
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", test])
        .current_dir(folder)
        .env("LC_ALL", "C");
    let running = RunningProgram::start(shell, "")?;
    Ok(running.wait(TEST).is_ok_and(|(code, _)| code == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_fails_the_hidden_test_alone() {
        let all = Trap::all().unwrap();
        for trap in &all {
            let (name, folder) = (&trap.name, tempfile::tempdir().unwrap());
            let tried = |files: &Files| {
                let folder = tempfile::tempdir_in(&folder).unwrap();
                trap.lay_out(folder.path()).unwrap();
                write(folder.path(), files).unwrap();
                let done = trap.is_done(folder.path()).unwrap();
                let decided = trap.decided_at(folder.path());
                (
                    done,
                    trap.is_right(folder.path()).unwrap(),
                    decided.is_some(),
                )
            };
            assert_eq!(tried(&trap.mistake), (true, false, true), "{name}: mistake");
            assert_eq!(tried(&trap.right), (true, true, true), "{name}: right");
            let (done, _, decided) = tried(&Files::new());
            assert!(!done && !decided, "{name}: done before it begins");
        }
        let mut kinds: Vec<&str> = all.iter().map(|trap| trap.kind.as_str()).collect();
        kinds.dedup();
        assert_eq!((all.len(), kinds.len()), (10, 5));
    }

    #[test]
    fn a_placebo_is_as_long_as_its_note_and_decides_nothing() {
        let mut unequal = Vec::new();
        for trap in Trap::all().unwrap() {
            let (name, note) = (&trap.name, &trap.note);
            let [tokens, other] =
                [&note.text, &note.placebo].map(|text| waynote_tokens::count(text));
            if tokens.abs_diff(other) * 20 > tokens {
                unequal.push(format!("{name}: {tokens} tokens, placebo {other}"));
            }
            assert!(note.text.contains(&note.decisive), "{name}");
            assert!(!note.placebo.contains(&note.decisive), "{name}");
            let first = |text: &str| text.lines().next().map(str::len);
            assert!(first(&note.text) < Some(60), "{name}: a heading");
        }
        assert!(unequal.is_empty(), "{unequal:?}");
    }
}
