//! Installing and uninstalling in a client's files: planned as a whole, shown, carried out.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use waynote_system::{FileError, text_file};

use super::record::Record;
use crate::client::Client;
use crate::error::{Error, Lacking, Result};
use crate::formats::edit::Edit;
use crate::formats::refusal::{EditResult, Refusal};
use crate::profile::has_server;
use crate::profile::setup::{ClientFile, InstallScope, Setup, kept_program};

/// How often a file that its client writes meanwhile is tried again.
const TRIES: u32 = 20;

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
    /// An entry of ours was there before `install`, and stays.
    WasThereBefore,
    /// The client does not load the file, for that reason.
    NotLoaded(String),
}

/// A file and its change.
pub struct Step {
    /// The file.
    pub file: ClientFile,
    /// Its text now; none: there is no file.
    pub before: Option<String>,
    /// Its text afterwards; none: it goes.
    pub after: Option<String>,
    /// The change.
    pub action: Action,
    /// A remark for the person.
    pub remark: Option<Remark>,
}

impl Step {
    /// True if an installation has entries in the file: one for an endpoint has no hooks.
    fn is_wanted(&self, setup: &Setup<'_>) -> bool {
        self.file.wanted(setup.has_hooks()).is_some()
    }

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
            Ok(()) => match file.edit.add(before.as_deref().unwrap_or_default()) {
                Err(Refusal::Taken { what }) => Some(Remark::TakenByOthers(what)),
                _ => None,
            },
        };
        Ok(Self {
            file,
            before,
            after,
            action,
            remark,
        })
    }
}

/// An installation in a client's files. All files are looked at before the first is written.
pub struct Installation<'s, 'e> {
    setup: &'s Setup<'e>,
    steps: Vec<Step>,
}

impl<'s, 'e> Installation<'s, 'e> {
    /// Looks at every file. One that cannot be written is refused, or noted in a dry run.
    ///
    /// # Errors
    /// [`Error::Lacks`], where the client cannot be set up so; [`Error::NotEdited`], [`Error::File`].
    pub fn plan(setup: &'s Setup<'e>, dry_run: bool) -> Result<Self> {
        let client = setup.client();
        let options = [
            (true, Lacking::Files),
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
            steps.push(addition(setup, file, is_new, dry_run)?);
        }
        steps.retain(|step| step.is_wanted(setup) || step.action != Action::Unchanged);
        Ok(Self { setup, steps })
    }

    /// The change of each file.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Writes the files, each with a record of what it held before.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::NotEdited`].
    pub fn carry_out(&self) -> Result {
        let setup = self.setup;
        setup.copy_program()?;
        let is_new = setup.target != setup.found_target()?;
        let steps = self.steps.iter();
        let (wanted, others): (Vec<&Step>, _) = steps.partition(|step| step.is_wanted(setup));
        for step in wanted {
            again(|| {
                let planned = addition(setup, step.file.clone(), is_new, false)?;
                put(setup, &planned)
            })?;
        }
        others.into_iter().try_for_each(|step| remove(setup, step))
    }
}

/// The addition of our entries to a file, or their removal from one that is to have none.
fn addition(setup: &Setup<'_>, file: ClientFile, is_new: bool, dry_run: bool) -> Result<Step> {
    let Some(wanted) = file.wanted(setup.has_hooks()) else {
        return removal(setup, file, dry_run);
    };
    let (before, after) = settled(&file, |text| {
        // An entry for another store is taken out first, with the hooks that an endpoint has no use for.
        let without = match is_new || !setup.has_hooks() {
            true => file.edit.take_back(text)?,
            false => text.to_owned(),
        };
        wanted.add(&without)
    })?;
    let unread = file.unread(setup.profile.reads, before.as_deref().unwrap_or_default());
    let mut step = Step::new(setup, file, before, Some(after), dry_run)?;
    step.remark = step.remark.or(unread.map(Remark::NotLoaded));
    Ok(step)
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
        let files = setup.files()?.into_iter();
        let steps = files.map(|file| removal(setup, file, dry_run));
        let steps = steps.collect::<Result<_>>()?;
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
        for step in self.steps.iter().rev() {
            remove(self.setup, step)?;
        }
        let machine = self.setup.machine;
        let is_used = |client: Client| has_server(client.profile(), machine, InstallScope::User);
        if !Client::ALL.into_iter().any(is_used) {
            // A copy of the program that no client starts any more; there may be none.
            let _ = std::fs::remove_file(kept_program(machine.environment)?);
        }
        Ok(())
    }
}

/// The removal of our entries from a file. An entry that the file had before `install` stays.
fn removal(setup: &Setup<'_>, file: ClientFile, dry_run: bool) -> Result<Step> {
    let record = Record::load(setup.machine.environment, &file.path)?;
    let own = entries_since(&file, record.as_ref());
    let without = |text: &str| match &own {
        Some(own) => own.take_back(text),
        None => Ok(text.to_owned()),
    };
    let (before, left) = settled(&file, without)?;
    let after = match (&before, &record) {
        (None, _) => None,
        (Some(text), Some(record)) if record.is_of(text) => record.before.clone(),
        (Some(_), record) => {
            // A file that `install` made goes when nothing else is in it.
            let made_here = record
                .as_ref()
                .is_some_and(|record| record.before.is_none());
            let is_ours = is_ours_alone(&file.path) || made_here;
            (!is_ours || !file.edit.is_nothing(&left)).then_some(left)
        }
    };
    let kept = after.as_deref().unwrap_or_default();
    let has_kept = file.edit.is_in(kept);
    let mut step = Step::new(setup, file, before, after, dry_run)?;
    step.remark = step.remark.or(has_kept.then_some(Remark::WasThereBefore));
    Ok(step)
}

/// The entries of an edit but those that the file had before `install`.
fn entries_since(file: &ClientFile, record: Option<&Record>) -> Option<Edit> {
    let before = record.and_then(|record| record.before.as_deref());
    let before = before.unwrap_or_default();
    file.edit.without(|edit| edit.is_in(before))
}

fn remove(setup: &Setup<'_>, step: &Step) -> Result {
    let environment = setup.machine.environment;
    again(|| {
        let step = removal(setup, step.file.clone(), false)?;
        let record = Record::load(environment, &step.file.path)?;
        match (&step.before, &step.after) {
            (Some(_), None) => {
                let made = record.as_ref().map(|record| record.made.as_slice());
                text_file::remove(&step.file.path, made.unwrap_or_default())?;
            }
            (Some(before), Some(after)) if before != after => {
                text_file::put(&step.file.path, after, Some(before), mode(setup.reach))?;
            }
            _ => {}
        }
        match (record, &step.after, &step.remark) {
            // It still says which entry was there before.
            (Some(record), Some(after), Some(Remark::WasThereBefore)) => Record {
                made: record.made,
                ..Record::new(&step.file.path, Some(after.clone()), after)
            }
            .save(environment),
            (Some(record), ..) => record.forget(environment),
            (None, ..) => Ok(()),
        }
    })
}

/// Writes a file, with the record of its text from before any entry of ours.
fn put(setup: &Setup<'_>, step: &Step) -> Result {
    let environment = setup.machine.environment;
    let (file, path) = (&step.file, &step.file.path);
    let earlier = Record::load(environment, path)?;
    let after = step.after.as_deref().unwrap_or_default();
    if step.action == Action::Unchanged && earlier.is_some() {
        return Ok(());
    }
    let before = match (&earlier, &step.before) {
        (Some(earlier), Some(before)) if earlier.is_of(before) => earlier.before.clone(),
        (Some(_), Some(before)) => {
            let without = match entries_since(file, earlier.as_ref()) {
                Some(own) => own.take_back(before),
                None => Ok(before.clone()),
            };
            let without = without.map_err(|refusal| not_edited(file, refusal))?;
            let is_made = file.edit.is_nothing(&without) && is_ours_alone(path);
            (!is_made).then_some(without)
        }
        (_, before) => before.clone(),
    };
    let mut record = Record {
        made: earlier.map(|earlier| earlier.made).unwrap_or_default(),
        ..Record::new(path, before, after)
    };
    // The record comes first: one without a change does no harm.
    record.save(environment)?;
    if step.action == Action::Unchanged {
        return Ok(());
    }
    let made = text_file::put(path, after, step.before.as_deref(), mode(setup.reach))?;
    if made.is_empty() {
        return Ok(());
    }
    record.made.extend(made);
    record.save(environment)
}

/// Runs again what another process was in the way of, by writing the same file: its text is read anew each time.
fn again(run: impl Fn() -> Result) -> Result {
    for _ in 1..TRIES {
        match run() {
            Err(Error::File(FileError::ChangedMeanwhile { .. })) => pause(),
            done => return done,
        }
    }
    run()
}

/// A file's text, and what an edit makes of it. A text that cannot be edited is read again: its client may be writing it.
fn settled(
    file: &ClientFile,
    edit: impl Fn(&str) -> EditResult,
) -> Result<(Option<String>, String)> {
    let mut text = text_file::read(&file.path)?;
    for _ in 1..TRIES {
        let edited = edit(text.as_deref().unwrap_or_default());
        let Err(refusal) = edited else {
            break;
        };
        pause();
        let now = text_file::read(&file.path)?;
        if now == text {
            return Err(not_edited(file, refusal));
        }
        text = now;
    }
    let edited = edit(text.as_deref().unwrap_or_default());
    let edited = edited.map_err(|refusal| not_edited(file, refusal))?;
    Ok((text, edited))
}

fn pause() {
    std::thread::sleep(Duration::from_millis(20));
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
    let mut folders = path.ancestors().skip(1).take(2);
    is_named(path.file_stem()) || folders.any(|folder| is_named(folder.file_name()))
}

fn mode(reach: InstallScope) -> u32 {
    match reach {
        // They may hold what a client keeps secret.
        InstallScope::User => 0o600,
        InstallScope::Project => 0o644,
    }
}
