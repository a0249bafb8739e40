//! Completions: the shell asks this program for the values that fit, while a person types. They never make a store,
//! never wait long, and say nothing where they fail.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::time::Duration;

use clap::{Arg, Command, CommandFactory};
use clap_complete::env::{EnvCompleter, Fish, Zsh};
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, Shell};
use waynote::{Filter, Scope, ScopeKind, ScopeSummary, SessionLog, Store};

use crate::args::{Cli, Global};
use crate::error::Outcome;
use crate::opened::{OpenStore, Wait};
use crate::settings::Settings;
use crate::{error, home};

/// Set by the shell's function that asks.
const ASKED: &str = "WAYNOTE_COMPLETE";

/// How long a value may take.
const WAIT: Duration = Duration::from_millis(400);

/// Changes among which addresses are looked for.
const CHANGES: usize = 500;

/// A kind of values.
#[derive(Clone, Copy)]
enum Values {
    Keys,
    /// Keys, and the addresses of the notes that were changed last.
    Notes,
    Sessions,
    Agents,
}

/// Answers a shell that asks for completions. False if none does.
pub(crate) fn answered() -> bool {
    if home::variable(ASKED).ok().flatten().is_none() {
        return false;
    }
    error::silence();
    let factory = || {
        let mut root = Cli::command();
        root.build();
        with_values(root)
    };
    let words = std::env::args_os();
    let directory = std::env::current_dir().ok();
    // What it cannot complete stays as it was typed.
    let _ = CompleteEnv::with_factory(factory)
        .var(ASKED)
        .try_complete(words, directory.as_deref());
    true
}

/// The commands with the values of their arguments.
fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|arg| match values_of(&name, &arg) {
            Some(values) => {
                let complete = move |typed: &OsStr| candidates(values, typed);
                arg.add(ArgValueCompleter::new(complete))
            }
            None => arg,
        })
        .mut_subcommands(with_values)
}

/// The values of an argument, by its name.
fn values_of(command: &str, arg: &Arg) -> Option<Values> {
    let shown = arg.get_value_names().and_then(|names| names.first());
    match (command, arg.get_id().as_str(), shown.map(AsRef::as_ref)) {
        (_, "key", _) => Some(Values::Keys),
        (_, "address" | "resolves" | "note" | "notes", _)
        | ("mv" | "cp", "from", _)
        | (_, _, Some("ADDRESS" | "ADDRESS|FILE" | "NOTE[@REVISION]")) => Some(Values::Notes),
        ("why" | "pause", ..) => None,
        (_, "session", _) | (_, _, Some("SESSION")) => Some(Values::Sessions),
        (_, "agent", Some("NAME")) => Some(Values::Agents),
        _ => None,
    }
}

/// The values that begin with what was typed.
fn candidates(values: Values, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else {
        return Vec::new();
    };
    let mut all = all(values).unwrap_or_default();
    all.retain(|value| value.starts_with(typed) && !value.chars().any(char::is_control));
    all.into_iter().map(CompletionCandidate::new).collect()
}

fn all(values: Values) -> Outcome<Vec<String>> {
    let global = Global {
        store: typed_option("--store"),
        agent: typed_option("--agent"),
        ..Global::default()
    };
    let settings = Settings::read(&global)?;
    let is_file = settings.remote().is_none() && settings.database().is_none();
    if is_file && !settings.store.value.exists() {
        return Ok(Vec::new());
    }
    let lineage = settings.lineage(&home::base()?.cwd())?;
    let mut scopes = lineage.scopes();
    scopes.push(Scope::Agent(settings.agent.value.clone()));
    let keys = |store: &dyn Store| {
        let notes = store.select(&Filter::Scopes(scopes.clone()))?;
        let keys = notes.iter().filter_map(|note| note.address.key());
        Outcome::Ok(keys.collect::<Vec<String>>())
    };
    let names = |scopes: Vec<ScopeSummary>| {
        let names = scopes.iter().map(|of| of.scope.name().to_owned());
        names.collect::<Vec<String>>()
    };
    let opened = OpenStore::of(&settings, false, Wait::Within(WAIT))?;
    opened.beside(&lineage, None);
    opened.work(|store| {
        Ok(match values {
            Values::Keys => keys(store)?,
            Values::Notes => {
                let changes = store.journal(None, CHANGES)?.into_iter();
                let addresses = changes.map(|change| change.address().to_string());
                let changed: BTreeSet<String> = addresses.collect();
                keys(store)?.into_iter().chain(changed).collect()
            }
            Values::Sessions => names(SessionLog::listed(store)?),
            Values::Agents => names(store.scopes(ScopeKind::Agent)?),
        })
    })
}

/// The value of an option in the words that are being completed.
fn typed_option(name: &str) -> Option<String> {
    let mut words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    words.find(|word| word == name)?;
    words.next()?.into_string().ok()
}

/// The text that a shell reads to complete the program's arguments.
pub(crate) fn script(shell: Shell) -> Outcome<String> {
    let mut text = Vec::new();
    let program = "waynote";
    match shell {
        Shell::Bash => text.extend(BASH.as_bytes()),
        Shell::Zsh => Zsh.write_registration(ASKED, program, program, program, &mut text)?,
        Shell::Fish => Fish.write_registration(ASKED, program, program, program, &mut text)?,
        _ => clap_complete::generate(shell, &mut Cli::command(), program, &mut text),
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Readline takes `:` for the end of a word, and addresses have it inside: the words are those of the line, and what a
/// reply begins with is what readline takes for an earlier word.
const BASH: &str = include_str!("completion.bash");
