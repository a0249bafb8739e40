//! `waynote import`: other programs' notes brought in.

use std::ffi::OsStr;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use waynote::text::shell_word;
use waynote::visible::visible;
use waynote::{Place, Scope};
use waynote_formats::openotters::Notebooks;
use waynote_formats::xs::ContentFolder;
use waynote_formats::zrb::NotesFile;
use waynote_formats::{
    Conflict, CurrentSide, Directory, FORMATS, ForeignNotes, Format, ImportReport, Mode, Progress,
    Project, Renamed, SkippedItem, SourceKind, openotters, xs, zrb,
};

use super::copy;
use super::import_progress::Bar;
use crate::args::ImportArgs;
use crate::error::{Failure, Outcome, say, warn_of_secrets};
use crate::invocation::Context;
use crate::settings::Origin;
use crate::typed::{self, Use};
use crate::{home, input, inside};

pub(super) fn run(context: &mut Context<'_>, args: &ImportArgs) -> Outcome<ExitCode> {
    let Some(format) = FORMATS.iter().find(|format| format.name == args.format) else {
        return copy::from_json(context, named(args)?).map(|()| ExitCode::SUCCESS);
    };
    let bar = Bar::start();
    let mut incoming = read(context, format, args)?;
    // Zrb knows paths alone.
    if format.name != zrb::FORMAT.name {
        by_name(context, &mut incoming, args.at.path.as_deref())?;
    }
    // The reply names what could not be read, and the exit code says that it was all.
    // A notes.json may have keys that are no paths, which Zrb passes over as well.
    let is_failure = incoming.is_unreadable() && format.name != zrb::FORMAT.name;
    let code = ExitCode::from(u8::from(is_failure));
    let incoming = incoming.inside(inside::told_lease(&context.settings)?);
    let now = crate::clock::now()?;
    let show = &mut |of: Progress| bar.show("importing notes", of.done, of.total);
    let mode = match args.dry_run {
        true => Mode::DryRun,
        false => Mode::Write,
    };
    let imported = match mode {
        Mode::Write => context.write(|store| Ok(incoming.import_shown(store, now, mode, show)?))?,
        Mode::DryRun => context.read(|store| Ok(incoming.import_shown(store, now, mode, show)?))?,
    };
    drop(bar);
    report(context, &imported, mode)?;
    let allowed = context.settings.secret_policy();
    warn_of_secrets(&imported.secrets, &allowed, context.output.json);
    Ok(code)
}

/// The source, for a format that needs one.
fn named(args: &ImportArgs) -> Outcome<&Path> {
    args.source.as_deref().ok_or_else(|| {
        let what = format!("`import {}` needs a file or a folder", args.format);
        Failure::usage(what, "name it after the format")
    })
}

/// Reads the notes of another program.
fn read(context: &Context<'_>, format: &Format, args: &ImportArgs) -> Outcome<ForeignNotes> {
    let (at, contents) = (args.at.path.as_deref(), args.contents.as_deref());
    let (takes_source, takes_at) = match format.takes {
        SourceKind::Files(_) | SourceKind::Project(_) => (false, true),
        SourceKind::Source(_) => (true, true),
        SourceKind::Own => (true, false),
    };
    let is_of_xs = format.name == xs::FORMAT.name;
    if (args.source.is_some() && !takes_source)
        || (at.is_some() && !takes_at)
        || (contents.is_some() && !is_of_xs)
    {
        return Err(Failure::usage(
            format!("an argument does not belong to `import {}`", format.name),
            "files of a project are found by `--at`, other notes are a file or a folder; `--contents` is for `xs`",
        ));
    }
    let incoming = match format.takes {
        SourceKind::Files(_) | SourceKind::Project(_) => {
            read_project(context, at, |project| Ok(format.read_project(project)?))?
        }
        SourceKind::Source(read) => {
            let scope = match at {
                Some(_) => Scope::Place(context.place(at)?),
                None => Scope::Agent(context.notebook()?.clone()),
            };
            read(named(args)?, &scope)?
        }
        SourceKind::Own if is_of_xs => return from_xs(context, named(args)?, contents),
        SourceKind::Own if format.name == zrb::FORMAT.name => {
            return from_zrb(context, args.source.as_deref());
        }
        SourceKind::Own => {
            let agent = context.notebook()?;
            let notebooks = match context.settings.agent.origin {
                Origin::Default => Notebooks::Each(agent),
                _ => Notebooks::One(agent),
            };
            return Ok(openotters::read(named(args)?, notebooks)?);
        }
    };
    if incoming.is_empty() {
        let hint = "name the directory with `--at`, or look at what is in the file or folder";
        let what = "there is nothing to import";
        return Err(Failure::refused("not_found", what, hint));
    }
    Ok(incoming)
}

/// Reads what applies in a directory: its files and those of the directories above it, up to the root of the repository;
/// in a linked worktree also the main checkout's, whose notes they become.
pub(super) fn read_project<T>(
    context: &Context<'_>,
    at: Option<&OsStr>,
    read: impl FnOnce(&Project<'_>) -> Outcome<T>,
) -> Outcome<T> {
    let lineage = context.settings.lineage(&context.place(at)?)?;
    let place = lineage.place();
    let (claude_folder, home) = (claude_folder()?, home::if_any()?);
    let path = home::expanded(place.as_str())?;
    let is_root = |path: &Path| path.join(".git").symlink_metadata().is_ok();
    // A home directory in git is no project.
    let root = path.ancestors().find(|path| is_root(path));
    let root = root.filter(|root| home.as_deref().map(Path::new) != Some(root));
    let mut directories = Vec::new();
    for path in path.ancestors() {
        let place = Place::resolve(&path.to_string_lossy(), &home::base_of_home()?)?;
        let main = home::environment().main_checkout(&place)?;
        let mut paths = vec![path.to_owned()];
        if let Some(main) = &main {
            paths.push(home::expanded(main.as_str())?);
        }
        let place = main.unwrap_or(place);
        directories.insert(0, Directory { paths, place });
        if root.is_none_or(|root| root == path) {
            break;
        }
    }
    read(&Project {
        directories: &directories,
        claude_folder: claude_folder.as_deref(),
        home: home.as_deref().map(Path::new),
    })
}

/// Gives notes on directories the names that new notes there get, unless the directory was named by its address. A note
/// that was on the path before stays there.
pub(super) fn by_name(
    context: &Context<'_>,
    incoming: &mut ForeignNotes,
    at: Option<&OsStr>,
) -> Outcome {
    if context.directory(at)?.is_exact {
        return Ok(());
    }
    incoming.readdress(|address| {
        let Some(place) = address.place() else {
            return Ok(address.clone());
        };
        let was_there = context.read(|store| Ok(!store.history(address)?.is_empty()))?;
        let directory = typed::Directory::of(place.clone()).by_path(was_there);
        let key = address.key().map(|key| key.parse()).transpose()?;
        context.on_directory(directory, key.as_ref(), Use::Make)
    })
}

/// The user's folder of Claude Code; none where there is no home directory.
fn claude_folder() -> Outcome<Option<PathBuf>> {
    Ok(match home::variable("CLAUDE_CONFIG_DIR")? {
        Some(folder) => Some(folder.into()),
        None => home::if_any()?.map(|home| Path::new(&home).join(".claude")),
    })
}

/// The notes.json that Zrb uses here: the configured one, or its default.
pub(super) fn zrb_file(context: &Context<'_>, named: Option<&Path>) -> Outcome<PathBuf> {
    match (named, &context.settings.notes_file.value) {
        (Some(named), _) => Ok(named.to_owned()),
        (None, Some(configured)) => Ok(configured.clone()),
        (None, None) => home::expanded("~/.zrb/notes.json"),
    }
}

fn from_zrb(context: &Context<'_>, source: Option<&Path>) -> Outcome<ForeignNotes> {
    let path = zrb_file(context, source)?;
    let file = if path == Path::new("-") {
        NotesFile::read(&input::standard_input()?, Path::new("standard input"))
            .map_err(waynote::Error::from)?
    } else {
        // A file that is not there is an error when it is to be imported; this one says so itself.
        std::fs::metadata(&path).map_err(|error| Failure::file(&path, "read", error))?;
        NotesFile::open(&path)?.unwrap_or_default()
    };
    Ok(zrb::read(&file, &home::base_of_home()?)?)
}

fn from_xs(context: &Context<'_>, source: &Path, contents: Option<&Path>) -> Outcome<ForeignNotes> {
    let only = context.settings.session.value.as_ref();
    let contents = contents.map(ContentFolder::of_store);
    Ok(if source == Path::new("-") {
        let contents = contents.ok_or_else(|| {
            let hint = "add `--contents FOLDER`: the xs store's folder";
            Failure::usage("the texts of frames from standard input are missing", hint)
        })?;
        xs::read(input::standard_input()?.as_slice(), &contents, only)?
    } else if source.is_dir() {
        let server = xs::Server::of_store(source);
        // Frames of all topics: those that are no notes are counted.
        let frames = server.frames(None)?;
        match contents {
            Some(contents) => xs::read(frames.as_slice(), &contents, only)?,
            None => xs::read(frames.as_slice(), &server, only)?,
        }
    } else {
        let frames = waynote_formats::open(source)?;
        let contents = contents
            .unwrap_or_else(|| ContentFolder::of_store(source.parent().unwrap_or(Path::new("."))));
        xs::read(BufReader::new(frames), &contents, only)?
    })
}

/// The most notes that the report of an import names; that of a dry run names all.
const NAMED: usize = 20;

/// Prints the counts. Skipped items go to standard error, because the import itself has succeeded.
fn report(context: &mut Context<'_>, imported: &ImportReport, mode: Mode) -> Outcome {
    let conflicts = imported.conflicts.len();
    if conflicts > 0 {
        say(&format!("conflicts {conflicts}:"));
        for conflict in &imported.conflicts {
            say(&line(conflict));
        }
    }
    say_skipped(&imported.skipped);
    say_reasons("not imported", &imported.not_imported);
    say_renamed(&imported.renamed);
    context.answer(imported, || {
        let mut text = String::new();
        for address in &imported.planned {
            text += &format!("would import {}\n", address.masked());
        }
        for note in imported.written.iter().take(NAMED) {
            text += &format!("imported {}\n", note.address.masked());
        }
        if let Some(more @ 1..) = imported.written.len().checked_sub(NAMED) {
            text += &format!("imported {more} more\n");
        }
        let (added, updated) = (imported.added, imported.updated);
        let conflicting = match conflicts {
            0 => String::new(),
            many => format!("{many} in conflict, "),
        };
        let changed = match mode {
            Mode::DryRun => format!("would add {added} and update {updated}; "),
            Mode::Write => format!("{added} added, {updated} updated, "),
        };
        let (unchanged, skipped) = (imported.unchanged, imported.skipped.len());
        text + &format!("{changed}{unchanged} unchanged, {conflicting}{skipped} skipped")
    })
}

/// A conflict: the side of the current text, and the address of the other one.
fn line(conflict: &Conflict) -> String {
    let revision = conflict.revision;
    let (current, other) = match conflict.current {
        CurrentSide::Imported => ("the imported text is current", "the one written here"),
        CurrentSide::Here => ("the text written here stays current", "the imported one"),
    };
    let address = visible(&conflict.address.to_string());
    let note = shell_word(&format!("{address}@{revision}"));
    format!(
        "  {address}: {current}; {other} is revision {revision}: `waynote restore {note}` makes it current"
    )
}

/// Prints the notes that got keys of their own on standard error.
pub(super) fn say_renamed(renamed: &[Renamed]) {
    let items = renamed.iter().map(|renamed| SkippedItem {
        what: renamed.address.masked(),
        reason: format!("{} is another note", renamed.instead_of.masked()),
    });
    let items: Vec<SkippedItem> = items.collect();
    say_reasons("under keys of their own", &items);
}

/// Prints the skipped items on standard error, each with its reason.
pub(super) fn say_skipped(skipped: &[SkippedItem]) {
    say_reasons(&format!("skipped {}", skipped.len()), skipped);
}

/// Prints items with their reasons on standard error, below a title.
pub(super) fn say_reasons(title: &str, skipped: &[SkippedItem]) {
    if skipped.is_empty() {
        return;
    }
    say(&format!("{title}:"));
    for SkippedItem { what, reason } in skipped {
        say(&format!("  {}: {}", visible(what), visible(reason)));
    }
}
