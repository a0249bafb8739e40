//! Settings of a client that keep the block of notes or the tools from its model, although all of ours is in its files.

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod others;

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Findings;
use super::sources::Source;
use crate::clients::Client;
use crate::clients::change::NAME;
use crate::clients::files::{Plan, Reach};
use crate::error::{Failure, Outcome};

/// What Claude Code and Codex call a tool of ours begins with this.
const TOOLS: &str = "mcp__waynote";

/// What is looked at, and where findings go.
struct Check<'f> {
    title: &'static str,
    reach: Reach,
    /// The working directory, and the top of its repository where that is another.
    folders: Vec<PathBuf>,
    /// The client's own files of the user, as `install` writes them.
    user: Vec<PathBuf>,
    findings: &'f mut Findings,
}

pub(super) fn check(plan: &Plan, findings: &mut Findings) -> Outcome {
    let here = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let top = here.ancestors().find(|folder| folder.join(".git").exists());
    let top = top.filter(|top| *top != here).map(Path::to_owned);
    let user = super::super::install::plan(plan.client, Reach::User, false)?.pieces()?;
    let mut check = Check {
        title: plan.client.title(),
        reach: plan.reach,
        folders: std::iter::once(here).chain(top).collect(),
        user: user.into_iter().map(|piece| piece.path).collect(),
        findings,
    };
    match plan.client {
        Client::ClaudeCode => check.claude_code(),
        Client::Codex => check.codex(),
        Client::Gemini => check.gemini()?,
        Client::Opencode => check.opencode()?,
        Client::Goose => check.goose()?,
        Client::Cursor => check.cursor()?,
        Client::Vscode => check.vscode(),
    }
    Ok(())
}

impl Check<'_> {
    fn wrong(&mut self, what: &str, place: &str, next: &str) {
        let what = format!("{}: {what}: {place}", self.title);
        self.findings.wrong(what, next);
    }

    fn note(&mut self, what: &str, place: &str, next: &str) {
        let what = format!("{}: {what}: {place}", self.title);
        self.findings.note(what, next);
    }

    /// Files of these names in the project's folders.
    fn of_project<'n>(&self, names: &'n [&'n str]) -> impl Iterator<Item = PathBuf> {
        let folders = self.folders.clone();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        folders.into_iter().flat_map(move |folder| {
            let names = names.clone();
            names.into_iter().map(move |name| folder.join(name))
        })
    }

    /// An entry with `enabled` set to false.
    fn switched_off(&mut self, file: &Source, path: &[&str]) {
        if file.at(path) == &json!(false) {
            let place = file.place(path);
            self.wrong(
                "the server is switched off",
                &place,
                "take it out, or set it to true",
            );
        }
    }

    /// A setting by which an organization lets no hooks run but its own.
    fn managed_hooks_only(&mut self, file: &Source, name: &str) {
        if file.at(&[name]) == &json!(true) {
            let place = file.place(&[name]);
            self.wrong(
                "only hooks of the organization run",
                &place,
                "ask whoever manages that file to add waynote's hooks",
            );
        }
    }

    /// Lists of tools that are offered, and that are not.
    fn tool_lists(&mut self, file: &Source, entry: &[&str], offered: &str, withheld: &str) {
        let path: Vec<&str> = entry.iter().copied().chain([offered]).collect();
        if file.at(&path).is_array() {
            let place = file.place(&path);
            match file.texts(&path).as_slice() {
                [] => self.wrong("none of the tools is offered", &place, "take it out"),
                tools => self.note(
                    &format!("only these tools are offered: {}", tools.join(", ")),
                    &place,
                    "take it out to have all; a loop needs session_complete and blocked",
                ),
            }
        }
        let path: Vec<&str> = entry.iter().copied().chain([withheld]).collect();
        let tools = file.texts(&path);
        if !tools.is_empty() {
            let place = file.place(&path);
            self.note(
                &format!("these tools are not offered: {}", tools.join(", ")),
                &place,
                "take out those that the agent should have",
            );
        }
    }
}

/// Whether a rule of Claude Code's is about tools of ours.
fn covers_a_tool(rule: &str) -> bool {
    match rule.strip_prefix(TOOLS) {
        Some(rest) => rest.is_empty() || rest.starts_with("__") || rest.starts_with('('),
        None => matches!(rule, "*" | "mcp__*"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_our_tools_are_told_from_others() {
        for ours in [
            "mcp__waynote",
            "mcp__waynote__*",
            "mcp__waynote__note_add",
            "mcp__*",
            "*",
        ] {
            assert!(covers_a_tool(ours), "{ours}");
        }
        for other in ["Bash(*)", "mcp__waynotes__x", "mcp__other", "waynote"] {
            assert!(!covers_a_tool(other), "{other}");
        }
    }
}
