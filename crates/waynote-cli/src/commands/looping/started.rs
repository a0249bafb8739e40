//! The loops that the user started on this machine, and how they go on. Their commands are kept here and never in the
//! store: a shared store must not run anything.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

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
use crate::session_view;
use crate::settings::Settings;

/// Options for one start only.
const ONCE: [&str; 4] = ["--answer", "--take-over", "--dry-run", "--continue"];

/// Where the start of a session's loop is remembered; none where it cannot be.
fn file(store: &dyn Store, session: &Name) -> Outcome<Option<Remembered>> {
    let id = store.store_id()?;
    let file = id.map(|id| Remembered::new("loops", id, session.as_str()));
    Ok(file.transpose()?.flatten())
}

/// Remembers how the loop of this process was started: the directory, then the words after the program.
pub(super) fn remember(settings: &Settings, store: &dyn Store, session: &Name) -> Outcome {
    let Some(file) = file(store, session)? else {
        return Ok(());
    };
    let directory = crate::home::environment().working_directory()?;
    let mut parts: Vec<OsString> = vec![
        directory.into(),
        "--session".into(),
        session.as_str().into(),
    ];
    let named = unseen::named(settings, InstallScope::User)?.into_iter();
    for (option, value) in named.filter(|(option, _)| option != "--session") {
        parts.extend([option.into(), value.into()]);
    }
    parts.push("loop".into());
    parts.extend(typed(std::env::args_os().skip(1)));
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    // No argument holds a zero byte. Without the file, the whole command continues the loop.
    let _ = file.write(&parts.join(&0));
    Ok(())
}

/// The directory and the words of the session's loop, if the user started it here.
fn find(store: &dyn Store, session: &Name) -> Outcome<Option<(PathBuf, Vec<OsString>)>> {
    let bytes = file(store, session)?.and_then(|file| file.read());
    Ok(bytes.and_then(|bytes| {
        let parts = bytes.split(|byte| *byte == 0);
        let mut parts = parts.map(|part| OsString::from_vec(part.to_vec()));
        Some((parts.next()?.into(), parts.collect()))
    }))
}

/// Starts the loop of a session again, as the user started it here. Returns only with a failure.
pub(super) fn go_on(context: &Context<'_>, args: &LoopArgs, session: &Name) -> Outcome<Failure> {
    let stamp = context.stamp()?;
    let (directory, mut words) = context.read(|store| {
        person::only(store, &stamp, PersonalAct::Continue)?;
        match find(store, session)? {
            Some(found) => Ok(found),
            None => Err(not_ours(store, session)?),
        }
    })?;
    for (option, value) in [
        ("--iterations", args.iterations.map(|all| all.to_string())),
        ("--time", args.time.map(in_seconds)),
        ("--iteration-time", args.iteration_time.map(in_seconds)),
    ] {
        if let Some(value) = value {
            let mut kept = without(&words, option);
            let at = end(&kept);
            kept.splice(at..at, [option.into(), value.into()]);
            words = kept;
        }
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
        say(&format!("in {}: {}", directory.display(), quoted(&words)));
    }
    let end = end(&words);
    words.splice(end..end, once);
    let gone = |error| Failure::file(&directory, "entered", error);
    std::env::set_current_dir(&directory).map_err(gone)?;
    let error = Command::new(program::own()?).args(words).exec();
    Ok(Failure::file("the loop", "started", error))
}

/// The end of the loop's own words: the agent's follow.
fn end(words: &[OsString]) -> usize {
    let end = words.iter().position(|word| word == "--");
    end.unwrap_or(words.len())
}

fn in_seconds(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}

/// The words without an option of the loop, which has a value.
fn without(words: &[OsString], option: &str) -> Vec<OsString> {
    let (own, agent) = words.split_at(end(words));
    let (mut own, mut kept) = (own.iter(), Vec::new());
    while let Some(word) = own.next() {
        let text = word.to_string_lossy();
        match text.strip_prefix(option) {
            Some("") => drop(own.next()),
            Some(value) if value.starts_with('=') => {}
            _ => kept.push(word.clone()),
        }
    }
    [kept, agent.to_vec()].concat()
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
    let session = session_view::named(session);
    let (what, there) = match start {
        Some(start) => (
            format!("you did not start the loop of session {session} on this machine: {start}"),
            "continue it there; or ",
        ),
        None => (format!("no loop has run in session {session}"), ""),
    };
    Ok(Failure::refused(
        "not_started_here",
        what,
        format!(
            "{there}start it here with its whole command: `{} --session {session} loop -- AGENT`",
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
        let long = Some(name.strip_prefix("--")?);
        let mut known = command.get_arguments();
        let known = known.find(|known| known.get_long() == long)?;
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

    #[test]
    fn a_new_limit_replaces_the_old_one() {
        let words = "loop --iterations 3 --time=2h --iteration-time 5m -- sh --iterations 3";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let words = without(&without(&words, "--iterations"), "--time");
        assert_eq!(
            quoted(&words),
            "waynote loop --iteration-time 5m -- sh --iterations 3"
        );
    }
}
