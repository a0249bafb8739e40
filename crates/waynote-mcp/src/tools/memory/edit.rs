//! The commands that change files. Each is one transaction, with the revision that it read as its precondition.

use waynote::text::line_of;
use waynote::visible::{dropped, without_hidden};
use waynote::{Change, Error, Expect, Limits};

use super::files::{Files, PathTarget};
use super::path::{Path, shown};
use super::view::{lines, missing, numbered};
use super::{needed, path};
use crate::call::{Call, content};
use crate::reply::Refusal;

/// How often an edit is tried again when others change the file meanwhile.
const TRIES: usize = 20;

/// Lines around a change that are shown.
const AROUND: i64 = 2;

fn save(
    files: &Files<'_>,
    path: &Path,
    text: &str,
    expected: u64,
    limits: Limits,
) -> Result<Change, Refusal> {
    Ok(Change::Save {
        address: files.address(path)?,
        content: content(text)?,
        pin: None,
        limits,
        expect: Expect::Revision(expected),
        origin: None,
    })
}

pub(super) fn create(call: &mut Call<'_>) -> Result<String, Refusal> {
    let path = Path::read(needed(&call.arguments, "path", "create")?)?;
    let text = needed(&call.arguments, "file_text", "create")?.to_owned();
    let exists = || Refusal::only(format!("File {path} already exists"));
    let (stamp, agent) = (call.stamp(), &call.here.caller.agent);
    let limits = call.here.caller.limits;
    let store = call.notes.writable()?;
    let files = Files { store, agent };
    if let PathTarget::Directory | PathTarget::File(_) = files.find(&path)? {
        return Err(exists());
    }
    files.check_above(&path)?;
    match store.apply(&[save(&files, &path, &text, 0, limits)?], &stamp) {
        Ok(_) => Ok(format!(
            "File created successfully at: {path}{}",
            dropped(&text)
        )),
        Err(Error::Conflict { .. }) => Err(exists()),
        Err(error) => Err(error.into()),
    }
}

/// Changes a file's text. Starts again from the current text when another writer was faster.
fn edit<T>(
    call: &mut Call<'_>,
    path: &Path,
    work: impl Fn(&str) -> Result<(String, T), Refusal>,
) -> Result<T, Refusal> {
    let (stamp, agent) = (call.stamp(), &call.here.caller.agent);
    let limits = call.here.caller.limits;
    let store = call.notes.writable()?;
    let files = Files { store, agent };
    let mut tries = 0;
    loop {
        let note = match files.find(path)? {
            PathTarget::File(note) => note,
            PathTarget::Directory => {
                return Err(Refusal::only(format!("The path {path} is not a file.")));
            }
            PathTarget::Nothing => return Err(missing(path)),
        };
        let (text, result) = work(&without_hidden(&note.content.shown()))?;
        let change = save(&files, path, &text, note.revision, limits)?;
        match store.apply(&[change], &stamp) {
            Ok(_) => return Ok(result),
            Err(Error::Conflict { .. }) if tries < TRIES => tries += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

pub(super) fn str_replace(call: &mut Call<'_>) -> Result<String, Refusal> {
    let path = Path::read(needed(&call.arguments, "path", "str_replace")?)?;
    let old = needed(&call.arguments, "old_str", "str_replace")?.to_owned();
    let new = call
        .arguments
        .text("new_str")
        .unwrap_or_default()
        .to_owned();
    if old.is_empty() {
        return Err(Refusal::only("`old_str` is empty"));
    }
    edit(call, &path, |text| {
        let hits: Vec<usize> = overlapping(text, &old).collect();
        let hit = match &hits[..] {
            [hit] => *hit,
            [] => {
                return Err(Refusal::only(format!(
                    "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
                )));
            }
            _ => {
                let lines = hits.iter().map(|hit| line_of(text, *hit).to_string());
                let numbers: Vec<String> = lines.collect();
                return Err(Refusal::only(format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                    numbers.join(", ")
                )));
            }
        };
        let edited = [&text[..hit], &new, &text[hit + old.len()..]].concat();
        let first = line_of(text, hit) as i64;
        let last = first + lines(&new).len().saturating_sub(1) as i64;
        let snippet = numbered(&lines(&edited), first - AROUND, last + AROUND);
        Ok((
            edited,
            format!("The memory file has been edited{}.{snippet}", dropped(&new)),
        ))
    })
}

/// The offsets of the pattern, overlapping ones too.
fn overlapping<'t>(text: &'t str, pattern: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + text[from..].find(pattern)?;
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

pub(super) fn insert(call: &mut Call<'_>) -> Result<String, Refusal> {
    let path = Path::read(needed(&call.arguments, "path", "insert")?)?;
    let Some(line) = call.arguments.number("insert_line") else {
        let what = "command `insert` needs the argument `insert_line`";
        return Err(Refusal::only(what));
    };
    let inserted = needed(&call.arguments, "insert_text", "insert")?.to_owned();
    edit(call, &path, |text| {
        let all = lines(text);
        let at = usize::try_from(line).ok().filter(|at| *at <= all.len());
        let Some(at) = at else {
            return Err(Refusal::only(format!(
                "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
                all.len()
            )));
        };
        let mut edited: String = all[..at].iter().flat_map(|line| [*line, "\n"]).collect();
        edited.push_str(&inserted);
        if at < all.len() {
            if !inserted.ends_with('\n') {
                edited.push('\n');
            }
            edited.push_str(&all[at..].join("\n"));
            if text.ends_with('\n') {
                edited.push('\n');
            }
        } else if text.ends_with('\n') && !inserted.ends_with('\n') {
            edited.push('\n');
        }
        Ok((
            edited,
            format!("The file {path} has been edited{}.", dropped(&inserted)),
        ))
    })
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<String, Refusal> {
    let path = Path::read(needed(&call.arguments, "path", "delete")?)?;
    if path.is_root() {
        let what = format!("Cannot delete the {} directory itself", path::ROOT);
        return Err(Refusal::only(what));
    }
    let (stamp, agent) = (call.stamp(), &call.here.caller.agent);
    let store = call.notes.writable()?;
    let files = Files { store, agent };
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
    store.apply(&changes.collect::<Result<Vec<_>, Refusal>>()?, &stamp)?;
    Ok(format!("Successfully deleted {path}"))
}

pub(super) fn rename(call: &mut Call<'_>) -> Result<String, Refusal> {
    let from = Path::read(needed(&call.arguments, "old_path", "rename")?)?;
    let to = Path::read(needed(&call.arguments, "new_path", "rename")?)?;
    if from.is_root() {
        let what = format!("Cannot rename the {} directory itself", path::ROOT);
        return Err(Refusal::only(what));
    }
    let exists = || Refusal::only(format!("The destination {to} already exists"));
    let (stamp, agent) = (call.stamp(), &call.here.caller.agent);
    let store = call.notes.writable()?;
    let files = Files { store, agent };
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
        let what = format!("{to} lies in {from} itself");
        return Err(Refusal::only(what));
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
    match store.apply(&changes, &stamp) {
        Ok(_) => Ok(format!(
            "Successfully renamed {} to {}",
            shown(&from.to_string()),
            shown(&to.to_string())
        )),
        Err(Error::Conflict { address, .. }) if old.contains(&address) => {
            Err(Refusal::only(format!(
                "{from} was changed by somebody else meanwhile, so nothing was renamed. View it, then try again"
            )))
        }
        Err(Error::Conflict { .. }) => Err(exists()),
        Err(error) => Err(error.into()),
    }
}
