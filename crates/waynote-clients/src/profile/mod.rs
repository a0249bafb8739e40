//! The profile of a client: the trait that every file in `clients/` implements, and its building blocks.

pub(crate) mod answer;
pub(crate) mod check;
pub(crate) mod facts;
pub(crate) mod options;
pub(crate) mod permissions;
pub(crate) mod setup;
pub(crate) mod target;
pub(crate) mod words;

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::ledger::Channel;

use check::{Check, Findings};
use facts::Facts;
use permissions::{Invocation, MissingRight, Rights};
use setup::{ClientFile, InstallScope, Machine, Roots, Setup};
use target::Target;

/// The profile of a client. A new one is a file with this trait in `clients/`, a line in `clients/mod.rs` and a variant
/// in `client.rs`.
pub(crate) trait Profile: Sync {
    /// Its names, its events, the form of its answers.
    fn facts(&self) -> &'static Facts;

    /// Its files and what each gets, in the order in which they are written.
    fn files(&self, setup: &Setup<'_>) -> Result<Vec<ClientFile>>;

    /// A file of the user's whose folder shows that the client is on this machine.
    fn trace(&self, root: &Roots<'_>) -> Result<PathBuf>;

    /// Steps after an installation that only the user can do.
    fn next_steps(&self, reach: InstallScope, has_hooks: bool) -> Vec<String>;

    /// False if it reads no files of a project.
    fn has_project_files(&self) -> bool {
        true
    }

    /// The variable in which it tells hooks and servers its project's directory.
    fn project_variable(&self) -> Option<&'static str> {
        None
    }

    /// The variable that it sets for hooks, among them those that were written for Claude Code, which it runs too.
    fn hook_variable(&self) -> Option<&'static str> {
        None
    }

    /// The channel by which its hook brings a session the block.
    fn channel(&self) -> Channel {
        Channel::Hook
    }

    /// True if a session that begins for this reason has lost the texts of hooks.
    fn begins_anew(&self, source: &str) -> bool {
        matches!(source, "clear" | "compact")
    }

    /// True if the conversation of this transcript has lost the block, without any event that says so.
    fn has_lost_block(&self, _transcript: &Path) -> bool {
        false
    }

    /// Tells from the output of a command that it failed, where the client has no event for that and gives no code. Silent
    /// when unsure.
    fn reads_failure(&self) -> Option<fn(&str) -> bool> {
        None
    }

    /// Lets the agent of a loop use our tools. A client that does not run in loops, or that cannot be told so for one run,
    /// gets nothing.
    fn allow(&self, _: &Invocation<'_>, _: &mut Rights) -> Result {
        Ok(())
    }

    /// Rights that the agent of a loop lacks, by the client's command line and its settings. A right that needs the
    /// user's consent counts as lacking, since in a loop nobody answers.
    fn missing(&self, _: &Invocation<'_>, _: &mut Vec<MissingRight>) {}

    /// True if the client has our server in a place that `install` does not write to.
    fn has_server_elsewhere(&self, _: &Invocation<'_>) -> bool {
        false
    }

    /// Our plugin by the client's name for it, where it is switched on.
    fn plugin(&self, _: &Invocation<'_>) -> Option<String> {
        None
    }

    /// Settings that keep the notes or the tools from its model.
    fn check(&self, check: &mut Check<'_>) -> Result;

    /// Consent that the client still wants from its user, as far as its files tell.
    fn trust(&self, setup: &Setup<'_>, findings: &mut Findings) -> Result {
        for step in self.next_steps(setup.reach, setup.has_hooks()) {
            let title = self.facts().title;
            findings.note(
                format!("{title}: its files do not show whether it is switched on there"),
                step,
            );
        }
        Ok(())
    }
}

/// The target of a client's files in that scope; none where they have no entry of our server.
pub(crate) fn target(
    profile: &dyn Profile,
    machine: Machine<'_>,
    reach: InstallScope,
) -> Option<Target> {
    if !has_server(profile, machine, reach) {
        return None;
    }
    let setup = Setup::unchecked(machine, profile.facts(), reach).ok()?;
    setup.found_target().ok()
}

/// True if a client's files in that scope have an entry of our server.
pub(crate) fn has_server(profile: &dyn Profile, machine: Machine<'_>, reach: InstallScope) -> bool {
    let setup = Setup::unchecked(machine, profile.facts(), reach);
    let files = setup.and_then(|setup| profile.files(&setup));
    files.unwrap_or_default().iter().any(|file| {
        let has_ours = |text: String| {
            let without = file.edit.take_back(&text);
            without.is_ok_and(|without| without != text)
        };
        file.part.has_server() && permissions::text(&file.path).is_some_and(has_ours)
    })
}
