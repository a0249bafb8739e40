//! The loops that the user started on this machine, and how they go on. Their commands are kept here and never in the
//! store: a shared store must not run anything.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use waynote::error::PersonalAct;
use waynote::event::SessionEvent;
use waynote::text::shell_word;
use waynote::{Name, Store, person};
use waynote_clients::InstallScope;

use crate::args::{Global, LoopArgs};
use crate::commands::unseen;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::program;
use crate::remembered::Remembered;
use crate::settings::Settings;

const KIND: &str = "loops";

/// Options for one start only.
const ONCE: [&str; 4] = ["--answer", "--take-over", "--dry-run", "--continue"];

/// How a loop was started.
struct Started {
    directory: PathBuf,
    /// The words after the program.
    words: Vec<OsString>,
}

/// Remembers how the loop of this process was started. True if it can be continued without its whole command.
pub(super) fn remember(settings: &Settings, store: &dyn Store, session: &Name) -> Outcome<bool> {
    let Some(id) = store.store_id()? else {
        return Ok(false);
    };
    let Some(file) = Remembered::new(KIND, id, session.as_str())? else {
        return Ok(false);
    };
    let mut words: Vec<OsString> = vec!["--session".into(), session.as_str().into()];
    for (option, value) in unseen::named(settings, InstallScope::User)? {
        words.extend([option.into(), value.into()]);
    }
    words.push("loop".into());
    words.extend(typed(std::env::args_os().skip(1)));
    let directory = crate::home::environment().working_directory()?;
    let parts: Vec<&[u8]> = std::iter::once(directory.as_os_str())
        .chain(words.iter().map(OsString::as_os_str))
        .map(OsStr::as_bytes)
        .collect();
    // No argument holds a zero byte.
    Ok(file.write(&parts.join(&0)).is_ok())
}

fn find(store: &dyn Store, session: &Name) -> Outcome<Option<Started>> {
    let Some(id) = store.store_id()? else {
        return Ok(None);
    };
    let bytes = Remembered::new(KIND, id, session.as_str())?.and_then(|file| file.read());
    Ok(bytes.and_then(|bytes| {
        let mut parts = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        Some(Started {
            directory: OsString::from_vec(parts.next()?).into(),
            words: parts.map(OsString::from_vec).collect(),
        })
    }))
}

/// Starts the loop of a session again, as the user started it here. Returns only with a failure.
pub(super) fn go_on(context: &Context<'_>, args: &LoopArgs, session: &Name) -> Outcome<Failure> {
    let stamp = context.stamp()?;
    let found = context.read(|store| {
        person::only(store, &stamp, PersonalAct::Continue)?;
        match find(store, session)? {
            Some(found) => Ok(found),
            None => Err(not_ours(store, session)?),
        }
    })?;
    if !found.directory.is_dir() {
        let directory = found.directory.display();
        return Ok(Failure::refused(
            "no_directory",
            format!("the loop of session {session} ran in {directory}, which is gone"),
            "run its whole command in the directory that took its place",
        ));
    }
    let mut once = Vec::new();
    if let Some(answer) = &args.answer {
        once.push(OsString::from(format!("--answer={answer}")));
    }
    let flags = [("--take-over", args.take_over), ("--dry-run", args.dry_run)];
    let flags = flags.iter().filter(|(_, is_set)| *is_set);
    once.extend(flags.map(|(flag, _)| OsString::from(flag)));
    if context.output.json {
        once.push("--json".into());
    } else {
        let shown = quoted(&found.words);
        say(&format!("in {}: {shown}", found.directory.display()));
    }
    let mut words = found.words;
    let end = words.iter().position(|word| word == "--");
    let end = end.unwrap_or(words.len());
    words.splice(end..end, once);
    let mut command = Command::new(program::own()?);
    let error = command.args(words).current_dir(&found.directory).exec();
    Ok(Failure::file("the loop", "started", error))
}

fn quoted(words: &[OsString]) -> String {
    let words = words.iter().map(|word| shell_word(&word.to_string_lossy()));
    let words: Vec<String> = words.collect();
    waynote::secrets::masked(&format!("waynote {}", words.join(" "))).into_owned()
}

/// The refusal to run what the user did not start here.
fn not_ours(store: &dyn Store, session: &Name) -> Outcome<Failure> {
    let events = store.events(session, None, usize::MAX)?;
    let start = events
        .into_iter()
        .find_map(|recorded| match recorded.event {
            SessionEvent::LoopStarted {
                holder, directory, ..
            } => Some(format!("it ran on {} in {directory}", holder.host)),
            _ => None,
        });
    let Some(start) = start else {
        return Ok(Failure::refused(
            "no_loop",
            format!("no loop has run in session {session}"),
            "`waynote log sessions` lists the sessions",
        ));
    };
    let session = shell_word(session.as_str());
    Ok(Failure::refused(
        "not_started_here",
        format!("you did not start the loop of session {session} on this machine: {start}"),
        format!(
            "continue it there; or start it here with its whole command: `{} --session {session} loop -- AGENT`",
            program::called()
        ),
    ))
}

/// The command that continues a session's loop, for a next step; none if the user did not start it here.
pub(crate) fn next(store: &dyn Store, session: &Name) -> Outcome<Option<String>> {
    let command = || {
        let session = shell_word(session.as_str());
        format!("{} loop --continue {session}", program::called())
    };
    Ok(find(store, session)?.map(|_| command()))
}

/// The options of the loop and the words of its agent, as they were typed: without the options of every command, which
/// the settings name, and without those for one start.
fn typed(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let of_loop = LoopArgs::augment_args(clap::Command::new("loop"));
    let of_all = Global::augment_args(clap::Command::new("waynote"));
    let option = |command: &clap::Command, name: &str| {
        let mut known = command.get_arguments();
        let known = known.find(|known| known.get_long() == name.strip_prefix("--"))?;
        Some(known.get_action().takes_values())
    };
    let (mut words, mut kept) = (words, Vec::new());
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word);
            kept.extend(words);
            break;
        }
        let text = word.to_string_lossy().into_owned();
        let (name, is_whole) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text.as_str(), false),
        };
        let own = option(&of_loop, name).filter(|_| !ONCE.contains(&name));
        let takes_value = option(&of_loop, name).or_else(|| option(&of_all, name));
        let value = match takes_value {
            Some(true) if !is_whole => words.next(),
            _ => None,
        };
        if own.is_some() {
            kept.push(word);
            kept.extend(value);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_one_start_only_is_left_out() {
        let kept = |words: &str| {
            let words = words.split(' ').map(OsString::from);
            quoted(&typed(words))
        };
        for (words, expected) in [
            (
                "--session loop loop --answer yes --iterations 3 --agent a -- sh --answer x",
                "waynote --iterations 3 -- sh --answer x",
            ),
            (
                "loop --with codex --take-over --until=--json --json --set budget=1",
                "waynote --with codex '--until=--json'",
            ),
        ] {
            assert_eq!(kept(words), expected);
        }
    }
}
