//! The loops that the user started on this machine, and how they go on. Their commands are kept here and never in the
//! store: a shared store must not run anything.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use waynote::error::PersonalAct;
use waynote::text::shell_word;
use waynote::{Name, Store, person};
use waynote_clients::InstallScope;

use crate::args::LoopArgs;
use crate::commands::unseen;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::program;
use crate::remembered::Remembered;
use crate::session_view;
use crate::settings::Settings;

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
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut parts = vec![
        directory.into(),
        "--session".into(),
        session.as_str().into(),
    ];
    for (option, value) in unseen::named(settings, InstallScope::User)? {
        words = without(&words, &option, true);
        if option != "--session" {
            parts.extend([option.into(), value.into()]);
        }
    }
    // These are for one start only.
    words = without(&words, "--answer", true);
    words = without(&words, "--take-over", false);
    words = without(&words, "--json", false);
    parts.extend(words);
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
        find(store, session)?.ok_or_else(|| {
            let (program, session) = (program::called(), session_view::named(session));
            let what = format!("you did not start the loop of session {session} on this machine");
            let whole = format!("`{program} --session {session} loop -- AGENT`");
            let hint = format!("start it with its whole command: {whole}");
            Failure::refused("not_started_here", what, hint)
        })
    })?;
    let mut added: Vec<OsString> = Vec::new();
    for (option, value) in [
        ("--iterations", args.iterations.map(|all| all.to_string())),
        ("--time", args.time.map(in_seconds)),
        ("--iteration-time", args.iteration_time.map(in_seconds)),
    ] {
        if let Some(value) = value {
            words = without(&words, option, true);
            added.extend([option.into(), value.into()]);
        }
    }
    let answer = args.answer.as_ref();
    added.extend(answer.map(|answer| format!("--answer={answer}").into()));
    for (flag, is_set) in [
        ("--take-over", args.take_over),
        ("--dry-run", args.dry_run),
        ("--json", context.output.json),
    ] {
        added.extend(is_set.then(|| flag.into()));
    }
    let end = end(&words);
    words.splice(end..end, added);
    if !context.output.json {
        say(&format!("in {}: {}", directory.display(), quoted(&words)));
    }
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

/// The words without an option of our own.
fn without(words: &[OsString], option: &str, takes_value: bool) -> Vec<OsString> {
    let (own, agent) = words.split_at(end(words));
    let (mut own, mut kept) = (own.iter(), Vec::new());
    while let Some(word) = own.next() {
        let text = word.to_string_lossy();
        match text.strip_prefix(option) {
            Some("") if takes_value => drop(own.next()),
            Some("") => {}
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

/// The command that continues a session's loop, for a next step; none if the user did not start it here.
pub(crate) fn next(store: &dyn Store, session: &Name) -> Outcome<Option<String>> {
    let (program, name) = (program::called(), shell_word(session.as_str()));
    Ok(find(store, session)?.map(|_| format!("{program} loop --continue {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_left_out_of_our_words_alone() {
        for (words, option, takes_value, expected) in [
            (
                "loop --answer yes --iterations 3 --answer=no -- sh --answer x",
                "--answer",
                true,
                "waynote loop --iterations 3 -- sh --answer x",
            ),
            (
                "loop --json --iteration-time 5m -- sh --json",
                "--json",
                false,
                "waynote loop --iteration-time 5m -- sh --json",
            ),
            (
                "loop --time=2h --iteration-time 5m",
                "--time",
                true,
                "waynote loop --iteration-time 5m",
            ),
        ] {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            assert_eq!(quoted(&without(&words, option, takes_value)), expected);
        }
    }
}
