//! Settings of a client that keep the notes or the tools from its model, although all our entries are in its files.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use waynote::visible::visible;
use waynote_system::Environment;

use super::setup::{InstallScope, Setup};
use crate::error::Result;
use crate::formats::source::Source;

/// How good or bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// It works.
    Ok,
    /// Not wrong, and perhaps wanted: only a person knows.
    Note,
    /// Something does not work.
    Wrong,
}

/// Something that was found.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How good or bad it is.
    pub verdict: Verdict,
    /// The finding, without control characters.
    pub what: String,
    /// The remedy.
    pub next: Option<String>,
}

/// Findings, in the order of the checks.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Something works.
    pub fn ok(&mut self, what: impl AsRef<str>) {
        self.push(Verdict::Ok, what.as_ref(), None);
    }

    /// Something is perhaps wanted, and perhaps not.
    pub fn note(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Note, what.as_ref(), Some(next.into()));
    }

    /// Something does not work.
    pub fn wrong(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Wrong, what.as_ref(), Some(next.into()));
    }

    fn push(&mut self, verdict: Verdict, what: &str, next: Option<String>) {
        self.0.push(Finding {
            verdict,
            what: visible(what),
            next,
        });
    }

    /// All of them.
    pub fn all(&self) -> &[Finding] {
        &self.0
    }

    /// True if nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.0
            .iter()
            .all(|finding| finding.verdict != Verdict::Wrong)
    }

    /// Adds the findings of another check.
    pub fn append(&mut self, mut more: Self) {
        self.0.append(&mut more.0);
    }
}

/// The subject of a check, and its findings.
pub(crate) struct Check<'e> {
    pub(crate) environment: &'e Environment,
    pub(crate) title: &'static str,
    pub(crate) reach: InstallScope,
    /// The working directory, and the top of its repository where that is another.
    pub(crate) folders: Vec<PathBuf>,
    /// The client's own files of the user, as `install` writes them.
    pub(crate) user: Vec<PathBuf>,
    pub(crate) findings: Findings,
}

impl<'e> Check<'e> {
    /// A look at a client in the working directory.
    pub(crate) fn new(setup: &Setup<'e>, user: Vec<PathBuf>) -> Result<Self> {
        let environment = setup.machine.environment;
        let here = environment.working_directory()?.to_owned();
        let top = here.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.filter(|top| *top != here).map(Path::to_owned);
        Ok(Self {
            environment,
            title: setup.profile.title,
            reach: setup.reach,
            folders: std::iter::once(here).chain(top).collect(),
            user,
            findings: Findings::default(),
        })
    }
}

impl Check<'_> {
    pub(crate) fn wrong(&mut self, what: &str, place: &str, next: &str) {
        let what = format!("{}: {what}: {place}", self.title);
        self.findings.wrong(what, next);
    }

    pub(crate) fn note(&mut self, what: &str, place: &str, next: &str) {
        let what = format!("{}: {what}: {place}", self.title);
        self.findings.note(what, next);
    }

    /// Files of these names in the project's folders.
    pub(crate) fn of_project(&self, names: &[&str]) -> Vec<PathBuf> {
        let files = |folder: &PathBuf| {
            names
                .iter()
                .map(|name| folder.join(name))
                .collect::<Vec<_>>()
        };
        self.folders.iter().flat_map(files).collect()
    }

    /// The files of these names in the project's folders, and the others.
    pub(crate) fn sources(
        &self,
        names: &[&str],
        others: impl IntoIterator<Item = PathBuf>,
    ) -> Vec<Source> {
        Source::all(self.of_project(names).into_iter().chain(others))
    }

    /// An entry with `enabled` set to false.
    pub(crate) fn switched_off(&mut self, file: &Source, path: &[&str]) {
        if file.at(path) == &json!(false) {
            self.wrong(
                "the server is switched off",
                &file.place(path),
                "take it out, or set it to true",
            );
        }
    }

    /// A setting by which an organization lets no hooks run but its own.
    pub(crate) fn managed_hooks_only(&mut self, file: &Source, name: &str) {
        if file.at(&[name]) == &json!(true) {
            self.wrong(
                "only the organization's hooks run",
                &file.place(&[name]),
                "ask the person who manages that file to add waynote's hooks",
            );
        }
    }

    /// Lists of tools that are offered, and that are not.
    pub(crate) fn tool_lists(
        &mut self,
        file: &Source,
        entry: &[&str],
        offered: &str,
        withheld: &str,
    ) {
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
            self.note(
                &format!("these tools are not offered: {}", tools.join(", ")),
                &file.place(&path),
                "take out those that the agent should have",
            );
        }
    }
}
