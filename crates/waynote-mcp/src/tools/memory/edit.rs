//! The commands that change files. Each is one transaction, with the revision that it read as its precondition.

use waynote::text::line_of;
use waynote::visible::{dropped, without_hidden};
use waynote::{Change, Error, Expect, Limits};

use super::files::{Files, PathTarget};
use super::path::{self, Path};
use super::view::{lines, missing, numbered};
use crate::reply::Refusal;

/// How often an edit is tried again when others change the file meanwhile.
const TRIES: usize = 20;

/// Lines around a change that are shown.
const AROUND: i64 = 2;

pub(super) fn create(files: &Files<'_>) -> Result<String, Refusal> {
    let (path, text) = (files.path("path")?, files.argument("file_text")?);
    let exists = || Refusal::only(format!("File {path} already exists"));
    if !matches!(files.find(&path)?, PathTarget::Nothing) {
        return Err(exists());
    }
    files.check_above(&path)?;
    match files.apply(&[files.save(&path, text, 0)?]) {
        Err(Error::Conflict { .. }) => Err(exists()),
        done => {
            done?;
            let dropped = dropped(text);
            Ok(format!("File created successfully at: {path}{dropped}"))
        }
    }
}

/// Changes a file's text: the reply that `work` returns with the new text. Starts again from the current text when
/// another writer was faster.
fn edit(
    files: &Files<'_>,
    path: &Path,
    work: impl Fn(&str) -> Result<(String, String), Refusal>,
) -> Result<String, Refusal> {
    let mut tries = 0;
    loop {
        let note = match files.find(path)? {
            PathTarget::File(note) => note,
            PathTarget::Directory => {
                return Err(Refusal::only(format!("The path {path} is not a file.")));
            }
            PathTarget::Nothing => return Err(missing(path)),
        };
        let (text, said) = work(&without_hidden(&note.content.shown()))?;
        match files.apply(&[files.save(path, &text, note.revision)?]) {
            Err(Error::Conflict { .. }) if tries < TRIES => tries += 1,
            done => return Ok(done.map(|()| said)?),
        }
    }
}

pub(super) fn str_replace(files: &Files<'_>) -> Result<String, Refusal> {
    let (path, old) = (files.path("path")?, files.argument("old_str")?);
    let new = files.call.arguments.text("new_str").unwrap_or_default();
    if old.is_empty() {
        return Err(Refusal::only("`old_str` is empty"));
    }
    edit(files, &path, |text| {
        let hits: Vec<usize> = text.match_indices(old).map(|(at, _)| at).collect();
        let [hit] = hits[..] else {
            let what = match hits[..] {
                [] => format!("old_str `{old}` did not appear verbatim in {path}."),
                _ => {
                    let lines = hits.iter().map(|hit| line_of(text, *hit).to_string());
                    let lines: Vec<String> = lines.collect();
                    format!(
                        "Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                        lines.join(", ")
                    )
                }
            };
            let separator = if hits.is_empty() { ',' } else { '.' };
            let what = format!("No replacement was performed{separator} {what}");
            return Err(Refusal::only(what));
        };
        let edited = [&text[..hit], new, &text[hit + old.len()..]].concat();
        let first = line_of(text, hit) as i64;
        let last = first + lines(new).len().saturating_sub(1) as i64;
        let snippet = numbered(&lines(&edited), first - AROUND, last + AROUND);
        let dropped = dropped(new);
        Ok((
            edited,
            format!("The memory file has been edited{dropped}.{snippet}"),
        ))
    })
}

pub(super) fn insert(files: &Files<'_>) -> Result<String, Refusal> {
    let path = files.path("path")?;
    let Some(line) = files.call.arguments.number("insert_line") else {
        return Err(files.lacks("insert_line"));
    };
    let inserted = files.argument("insert_text")?;
    edit(files, &path, |text| {
        let all = lines(text).len();
        let Some(at) = usize::try_from(line).ok().filter(|at| *at <= all) else {
            return Err(Refusal::only(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {all}]."
            )));
        };
        let at = text.split_inclusive('\n').take(at).map(str::len).sum();
        let (before, after) = text.split_at(at);
        let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
        let begin = if is_open(before) { "\n" } else { "" };
        let goes_on = !after.is_empty() || text.ends_with('\n');
        let end = match goes_on && !inserted.ends_with('\n') {
            true => "\n",
            false => "",
        };
        let edited = [before, begin, inserted, end, after].concat();
        let dropped = dropped(inserted);
        Ok((edited, format!("The file {path} has been edited{dropped}.")))
    })
}

pub(super) fn delete(files: &Files<'_>) -> Result<String, Refusal> {
    let path = not_root(files.path("path")?, "delete")?;
    let mut gone = files.below(&path)?;
    if files.file(&path)?.is_some() {
        gone.push(path.clone());
    }
    if gone.is_empty() {
        return Err(Refusal::only(format!("The path {path} does not exist")));
    }
    let changes = gone
        .iter()
        .map(|path| Ok(Change::delete(files.address(path)?)));
    files.apply(&changes.collect::<Result<Vec<_>, Refusal>>()?)?;
    Ok(format!("Successfully deleted {path}"))
}

fn not_root(path: Path, command: &str) -> Result<Path, Refusal> {
    match path.is_root() {
        true => {
            let what = format!("Cannot {command} the {} directory itself", path::ROOT);
            Err(Refusal::only(what))
        }
        false => Ok(path),
    }
}

pub(super) fn rename(files: &Files<'_>) -> Result<String, Refusal> {
    let from = not_root(files.path("old_path")?, "rename")?;
    let to = files.path("new_path")?;
    let exists = || Refusal::only(format!("The destination {to} already exists"));
    let paths = match files.find(&from)? {
        PathTarget::File(_) => vec![from.clone()],
        PathTarget::Directory => files.below(&from)?,
        PathTarget::Nothing => {
            return Err(Refusal::only(format!("The path {from} does not exist")));
        }
    };
    if from == to || !matches!(files.find(&to)?, PathTarget::Nothing) {
        return Err(exists());
    }
    if to.below(&from).is_some() {
        return Err(Refusal::only(format!("{to} lies in {from} itself")));
    }
    files.check_above(&to)?;
    let (mut changes, mut old) = (Vec::new(), Vec::new());
    for (path, note) in files.notes(&paths)? {
        let Some(new) = path.moved(&from, &to) else {
            continue;
        };
        changes.push(Change::Save {
            address: files.address(&new)?,
            content: note.content,
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Revision(0),
            origin: None,
        });
        // A text that somebody else writes meanwhile does not go with the old name.
        changes.push(Change::Delete {
            address: note.address.clone(),
            expect: Expect::Revision(note.revision),
        });
        old.push(note.address);
    }
    match files.apply(&changes) {
        Err(Error::Conflict { address, .. }) if old.contains(&address) => {
            Err(Refusal::only(format!(
                "{from} was changed meanwhile, so nothing was renamed. View it, then try again"
            )))
        }
        Err(Error::Conflict { .. }) => Err(exists()),
        done => Ok(done.map(|()| format!("Successfully renamed {from} to {to}"))?),
    }
}
