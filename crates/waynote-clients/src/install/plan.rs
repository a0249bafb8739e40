//! Installing and uninstalling in a client's files: planned as a whole, shown, carried out.

use std::ffi::OsStr;
use std::path::Path;

use waynote_system::{Environment, text_file};

use super::record::Record;
use crate::client::Client;
use crate::error::{Error, Lacking, Result};
use crate::formats::refusal::Refusal;
use crate::profile::has_server;
use crate::profile::setup::{ClientFile, InstallScope, Setup, kept_program};

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
#[non_exhaustive]
pub enum Action {
    /// Nothing.
    Unchanged,
    /// It is made.
    Made,
    /// It goes.
    Removed,
    /// It gets another text.
    Changed,
}

/// A remark on a file, for the person.
#[derive(Debug)]
#[non_exhaustive]
pub enum Remark {
    /// The change would be refused: a dry run says so.
    WouldBeRefused(Error),
    /// An entry of our name is another program's, and stays.
    TakenByOthers(&'static str),
}

/// A file and its change.
pub struct Step {
    /// The file.
    pub file: ClientFile,
    /// Its text now; none: it is not there.
    pub before: Option<String>,
    /// Its text afterwards; none: it goes.
    pub after: Option<String>,
    /// The change.
    pub action: Action,
    /// A remark for the person.
    pub remark: Option<Remark>,
    /// Changes by hand that stay: each line says how to update one.
    pub kept: Vec<String>,
}

impl Step {
    /// Refused where it cannot be carried out; a dry run says so.
    fn new(
        setup: &Setup<'_>,
        file: ClientFile,
        before: Option<String>,
        after: Option<String>,
        dry_run: bool,
    ) -> Result<Self> {
        let action = match (&before, &after) {
            (before, after) if before == after => Action::Unchanged,
            (None, _) => Action::Made,
            (_, None) => Action::Removed,
            _ => Action::Changed,
        };
        let is_possible = || -> Result {
            if action == Action::Unchanged {
                return Ok(());
            }
            if setup.reach == InstallScope::Project {
                text_file::is_below(&file.path, &setup.roots()?.folder)?;
            }
            let may = match action {
                Action::Removed => text_file::may_remove,
                _ => text_file::may_write,
            };
            Ok(may(&file.path)?)
        };
        let remark = match is_possible() {
            Err(error) if !dry_run => return Err(error),
            Err(error) => Some(Remark::WouldBeRefused(error)),
            Ok(()) => {
                let text = before.as_deref().unwrap_or_default();
                match file.edit.add(text) {
                    Err(Refusal::Taken { what }) => Some(Remark::TakenByOthers(what)),
                    _ => None,
                }
            }
        };
        Ok(Self {
            file,
            before,
            after,
            action,
            remark,
            kept: Vec::new(),
        })
    }
}

/// An installation in a client's files. All files are looked at before the first is written.
pub struct Installation<'s, 'e> {
    setup: &'s Setup<'e>,
    steps: Vec<Step>,
    /// Files of an earlier version, which go.
    left_over: Vec<Step>,
}

impl<'s, 'e> Installation<'s, 'e> {
    /// Looks at every file. One that cannot be written is refused, or noted in a dry run.
    ///
    /// # Errors
    /// [`Error::Lacks`], where the client cannot be set up so; [`Error::NotEdited`], [`Error::File`].
    pub fn plan(setup: &'s Setup<'e>, dry_run: bool) -> Result<Self> {
        let client = setup.client();
        let options = [
            (setup.every_prompt, Lacking::Prompts),
            (setup.by_server, Lacking::Calls),
            (setup.asks, Lacking::Ending),
            (setup.target.is_endpoint(), Lacking::Endpoint),
            (setup.reach == InstallScope::Project, Lacking::ProjectFiles),
        ];
        for (is_given, part) in options {
            if is_given && client.lacks(part) {
                return Err(Error::Lacks { client, part });
            }
        }
        let is_new = setup.target != setup.found_target()?;
        let mut steps = Vec::new();
        for file in setup.files()? {
            let before = text_file::read(&file.path)?;
            // One for another store is taken out first.
            let without = match &before {
                Some(text) if is_new => Some(take_back(&file, text)?),
                _ => None,
            };
            let text = without.as_deref().or(before.as_deref()).unwrap_or_default();
            let record = Record::load(setup.machine.environment, &file.path)?;
            let renewed = file
                .edit
                .renew(text, record.as_ref())
                .map_err(|refusal| not_edited(&file, refusal))?;
            let mut step = Step::new(setup, file, before, Some(renewed.text), dry_run)?;
            step.kept = renewed.kept;
            steps.push(step);
        }
        Ok(Self {
            left_over: left_over(setup, dry_run)?,
            setup,
            steps,
        })
    }

    /// The change of each file.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().chain(&self.left_over)
    }

    /// Writes the files, each with a record of what it held before.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::NotEdited`].
    pub fn carry_out(&self) -> Result {
        let setup = self.setup;
        setup.copy_program()?;
        for step in &self.steps {
            put(setup.machine.environment, step, setup.reach)?;
        }
        carry_out_removals(setup, &self.left_over)
    }
}

/// The removal of all our entries from a client's files.
pub struct Removal<'s, 'e> {
    setup: &'s Setup<'e>,
    steps: Vec<Step>,
}

impl<'s, 'e> Removal<'s, 'e> {
    /// Looks at every file. One that cannot be written is refused, or noted in a dry run.
    ///
    /// # Errors
    /// [`Error::NotEdited`], [`Error::File`].
    pub fn plan(setup: &'s Setup<'e>, dry_run: bool) -> Result<Self> {
        let mut steps = Vec::new();
        for file in setup.files()? {
            steps.push(removal(setup, file, dry_run)?);
        }
        steps.extend(left_over(setup, dry_run)?);
        Ok(Self { setup, steps })
    }

    /// The change of each file.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Puts back what each file held before, where only we wrote to it; else takes out what is ours.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn carry_out(&self) -> Result {
        carry_out_removals(self.setup, &self.steps)?;
        let machine = self.setup.machine;
        let is_used = |client: Client| has_server(client.profile(), machine, InstallScope::User);
        if !Client::ALL.into_iter().any(is_used) {
            // A copy of the program that no client starts any more; there may be none.
            let _ = std::fs::remove_file(kept_program(machine.environment)?);
        }
        Ok(())
    }
}

/// The removal of what an earlier version wrote, where there is something.
fn left_over(setup: &Setup<'_>, dry_run: bool) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for file in setup.left_over()? {
        steps.push(removal(setup, file, dry_run)?);
    }
    steps.retain(|step| step.action != Action::Unchanged);
    Ok(steps)
}

/// The removal of our entries from a file.
fn removal(setup: &Setup<'_>, file: ClientFile, dry_run: bool) -> Result<Step> {
    let environment = setup.machine.environment;
    let before = text_file::read(&file.path)?;
    let record = Record::load(environment, &file.path)?;
    let after = match (&before, &record) {
        (None, _) => None,
        (Some(text), Some(record)) if record.is_of(text) => record.before.clone(),
        (Some(text), _) => {
            let left = take_back(&file, text)?;
            // A file that `install` made goes when nothing else is in it.
            let made_here = record
                .as_ref()
                .is_some_and(|record| record.before.is_none());
            let is_ours = is_ours_alone(&file.path) || made_here;
            let is_left = !(is_ours && file.edit.is_nothing(&left));
            is_left.then_some(left)
        }
    };
    Step::new(setup, file, before, after, dry_run)
}

fn carry_out_removals(setup: &Setup<'_>, steps: &[Step]) -> Result {
    let environment = setup.machine.environment;
    for step in steps.iter().rev() {
        let record = Record::load(environment, &step.file.path)?;
        match (&step.before, &step.after) {
            (None, _) => {}
            (Some(_), None) => {
                let made = record.as_ref().map(|record| record.made.as_slice());
                text_file::remove(&step.file.path, made.unwrap_or_default())?;
            }
            (Some(before), Some(after)) if before != after => {
                text_file::put(&step.file.path, after, Some(before), mode(setup.reach))?;
            }
            _ => {}
        }
        if let Some(record) = record {
            record.forget(environment)?;
        }
    }
    Ok(())
}

/// Writes a file, with the record of its text from before any entry of ours.
fn put(environment: &Environment, step: &Step, reach: InstallScope) -> Result {
    let file = &step.file;
    let path = &step.file.path;
    let earlier = Record::load(environment, path)?;
    let Some(after) = step
        .after
        .as_ref()
        .filter(|_| step.action != Action::Unchanged)
    else {
        return remember_entries(environment, step, earlier);
    };
    let entries = file.edit.written(after, earlier.as_ref());
    let before = match (&earlier, &step.before) {
        (Some(earlier), Some(before)) if earlier.is_of(before) => earlier.before.clone(),
        (_, Some(before)) => {
            let without = take_back(file, before)?;
            let was_there = !(file.edit.is_nothing(&without) && is_ours_alone(path));
            was_there.then_some(without)
        }
        (_, None) => None,
    };
    let mut record = Record {
        made: earlier.map(|earlier| earlier.made).unwrap_or_default(),
        entries,
        ..Record::new(path, before, after)
    };
    // The record comes first: one without a change does no harm.
    record.save(environment)?;
    let made = text_file::put(path, after, step.before.as_deref(), mode(reach))?;
    if made.is_empty() {
        return Ok(());
    }
    record.made.extend(made);
    record.save(environment)
}

/// Adds the file's entries to the record of an earlier version.
fn remember_entries(environment: &Environment, step: &Step, record: Option<Record>) -> Result {
    match (record, &step.before) {
        (Some(mut record), Some(text)) if record.is_of(text) => {
            let entries = step.file.edit.written(text, Some(&record));
            if record.entries == entries {
                return Ok(());
            }
            record.entries = entries;
            record.save(environment)
        }
        _ => Ok(()),
    }
}

fn take_back(file: &ClientFile, text: &str) -> Result<String> {
    let left = file.edit.take_back(text);
    left.map_err(|refusal| not_edited(file, refusal))
}

fn not_edited(file: &ClientFile, refusal: Refusal) -> Error {
    Error::NotEdited {
        path: file.path.clone(),
        refusal,
    }
}

/// True if a file is waynote's by its name, or by its folder's.
fn is_ours_alone(path: &Path) -> bool {
    let is_named = |part: Option<&OsStr>| part.is_some_and(|name| name == "waynote");
    is_named(path.file_stem())
        || path
            .ancestors()
            .skip(1)
            .take(2)
            .any(|folder| is_named(folder.file_name()))
}

fn mode(reach: InstallScope) -> u32 {
    match reach {
        // They may hold what a client keeps secret.
        InstallScope::User => 0o600,
        InstallScope::Project => 0o644,
    }
}
