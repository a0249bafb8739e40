//! Directories with notes that are not there any more, and where they may be now.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use waynote::text::plural;
use waynote::{Note, Place, Places, Scope};

use super::moves;
use crate::error::Outcome;
use crate::home;
use crate::invocation::Context;
use crate::typed::{in_shell, is_directory};

/// The places of these notes that are no directories of this machine. None for a store of several machines: the
/// directory may be on another one.
pub(super) fn among(context: &Context<'_>, notes: &[Note]) -> Outcome<Vec<Place>> {
    if context.opened()?.is_of_several_machines() {
        return Ok(Vec::new());
    }
    let places = notes.iter().filter_map(|note| match note.address.scope() {
        Scope::Place(place) => Some(place),
        _ => None,
    });
    let mut places: Vec<Place> = places.collect();
    places.dedup();
    places.retain(|place| !is_directory(place));
    Ok(places)
}

/// Prints, for each directory that is gone, the command that moves its notes to where it is now; or moves them.
pub(super) fn run(context: &mut Context<'_>, yes: bool) -> Outcome {
    let notes = context.read(|store| Ok(Places::new(store).list()?))?;
    let gone = among(context, &notes)?;
    let base = home::base_of_home()?;
    let mut found = Vec::new();
    // A directory below one that is gone too moves with it.
    let is_below = |place: &Place| {
        gone.iter()
            .any(|of| of != place && place.below(of).is_some())
    };
    for old in gone.iter().filter(|place| !is_below(place)) {
        let now: Vec<Place> = candidates(&home::expanded(old.as_str())?)
            .iter()
            .filter_map(|path| Place::resolve(path.to_str()?, &base).ok())
            .collect();
        let moved = match &now[..] {
            [new] if yes => moves::relocated(context, old, new)?.len(),
            _ => 0,
        };
        found.push((old, now, moved));
    }
    if context.output.json {
        let found = found
            .iter()
            .map(|(old, now, moved)| json!({ "from": old, "to": now, "moved": moved }));
        return context.value(&found.collect::<Vec<_>>());
    }
    if found.is_empty() {
        return context.line("every directory with notes is there");
    }
    for (old, now, moved) in found {
        let shown = in_shell(old);
        let commands = now.iter().map(|new| {
            let new = in_shell(new);
            match moved {
                0 => format!("waynote place mv {shown} {new}"),
                moved => format!(
                    "moved {} from {shown} to {new}",
                    plural(moved as u64, "note")
                ),
            }
        });
        let lines: Vec<String> = match now.is_empty() {
            true => vec![format!(
                "{shown} is gone, and no directory of its name was found"
            )],
            false => commands.collect(),
        };
        context.line(lines.join("\n"))?;
    }
    Ok(())
}

/// Where a directory may be now: where git renamed it to, else every directory of its name near its old place.
fn candidates(old: &Path) -> Vec<PathBuf> {
    let (Some(above), Some(name)) = (old.ancestors().find(|of| of.is_dir()), old.file_name())
    else {
        return Vec::new();
    };
    if let Some(renamed) = renamed(above, old).filter(|new| new.is_dir()) {
        return vec![renamed];
    }
    let home = home::if_any().ok().flatten();
    let (mut left, mut found) = (LOOKED_AT, Vec::new());
    // The nearest directory that has one of the name; not above home.
    for folder in above.ancestors().filter(|of| of.parent().is_some()) {
        collect(folder, name, DEPTH, &mut left, &mut found);
        if !found.is_empty() || home.as_ref().is_some_and(|home| folder == Path::new(home)) {
            break;
        }
    }
    found.sort();
    found
}

/// How far below a directory a name is looked for, and among how many directories.
const DEPTH: usize = 4;
const LOOKED_AT: usize = 20_000;

fn collect(
    folder: &Path,
    name: &std::ffi::OsStr,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<PathBuf>,
) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        // A link is not followed.
        let is_folder = entry.file_type().is_ok_and(|of| of.is_dir());
        let entry_name = entry.file_name();
        let hidden = entry_name.as_encoded_bytes().starts_with(b".");
        if !is_folder || hidden || entry_name == "node_modules" || *left == 0 {
            continue;
        }
        *left -= 1;
        if entry_name == name {
            found.push(entry.path());
        } else if depth > 1 {
            collect(&entry.path(), name, depth - 1, left, found);
        }
    }
}

/// Where the last commits of a repository renamed the files of a directory to.
fn renamed(above: &Path, old: &Path) -> Option<PathBuf> {
    let below = format!("{}/", old.strip_prefix(above).ok()?.to_str()?);
    let mut git = Command::new("git");
    git.args([
        "-c",
        "core.quotePath=false",
        "log",
        "-n",
        "300",
        "-M",
        "--diff-filter=R",
    ]);
    let git = git.args(["--name-status", "--format=", "--relative"]);
    let output = git.current_dir(above).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split('\t').skip(1);
        let (from, to) = (fields.next()?, fields.next()?);
        let rest = from.strip_prefix(below.as_str())?;
        let new = to.strip_suffix(rest)?.strip_suffix('/')?;
        Some(above.join(new))
    })
}
