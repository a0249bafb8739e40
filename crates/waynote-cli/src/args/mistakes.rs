//! What is said of arguments that cannot be read, where the parser's own words would mislead.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use waynote::text::nearest;

use super::{Cli, borrowed};

/// Commands that take something away. A typing error must not lead to one.
const DESTRUCTIVE: [&str; 3] = ["delete", "forget", "uninstall"];

/// The error with hints that help, from the arguments that it is about.
pub(crate) fn explained(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    match error.kind() {
        ErrorKind::InvalidSubcommand => with_harmless_names(&mut error, arguments),
        ErrorKind::UnknownArgument => with_own_tip(&mut error, arguments),
        _ => {}
    }
    error
}

/// All commands with their arguments: a parse has built only those that it went through.
fn whole() -> Command {
    let mut root = Cli::command();
    root.build();
    root
}

/// Names what fits instead of a command of another program. Else the nearest command, unless it takes something away or
/// is not for people.
fn with_harmless_names(error: &mut clap::Error, arguments: &[OsString]) {
    let root = whole();
    let is_hidden = |name: &str| {
        let command = root.find_subcommand(name);
        command.is_some_and(Command::is_hide_set)
    };
    error.remove(ContextKind::SuggestedSubcommand);
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let (above, words) = command(&root, arguments);
    let names = above.get_subcommands().map(Command::get_name);
    let near = nearest(typed, names).filter(|name| !DESTRUCTIVE.contains(name) && !is_hidden(name));
    if let Some(fits) = borrowed::instead(words.last().unwrap_or(&""), typed) {
        let tips = vec![StyledStr::from(fits)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    } else if let Some(name) = near {
        let name = ContextValue::String(name.to_owned());
        error.insert(ContextKind::SuggestedSubcommand, name);
    } else if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips.is_empty()
    {
        // Else two blank lines stand where nothing is suggested.
        error.remove(ContextKind::Suggested);
    }
}

/// The parser proposes `-- VALUE` wherever a positional argument is taken, with the part of the value that it takes for
/// flags; in `loop`, the positional argument is the agent.
fn with_own_tip(error: &mut clap::Error, arguments: &[OsString]) {
    let root = whole();
    let (command, _) = command(&root, arguments);
    let takes_agent = command.get_positionals().any(clap::Arg::is_last_set);
    let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    let names_scope = command
        .get_arguments()
        .any(|of| of.get_long() == Some("notebook"));
    let of_others = unknown.as_deref().filter(|_| names_scope).and_then(instead);
    if of_others.is_some() {
        error.remove(ContextKind::SuggestedArg);
    }
    let tip = if let Some(tip) = of_others {
        tip
    } else if takes_agent && arguments.iter().all(|of| of != "--") {
        "the agent and its words go after `--`, a session before `loop`: `waynote --session NAME loop -- AGENT`"
    } else if unknown.is_some_and(|of| of.starts_with('-')) {
        "a text that begins with `-` goes after `--`, the value of an option after `=`"
    } else {
        "a text of several words is quoted: 'like this'"
    };
    let tips = vec![StyledStr::from(tip)];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
}

/// The words for an option that other programs have for a note's key and scope.
fn instead(option: &str) -> Option<&'static str> {
    match option.split(['=', ' ']).next()? {
        "-k" => Some("the key of a note is `--key KEY`"),
        "--scope" | "--global" | "--project" => Some(
            "a key is the project's; `--notebook` is the agent's, in every project; `--at PATH` a directory's",
        ),
        _ => None,
    }
}

/// Whether an option of the command takes a value.
fn takes_value(root: &Command, command: &Command, flag: &str) -> bool {
    let mut known = root.get_arguments().chain(command.get_arguments());
    known.any(|of| of.get_long() == Some(flag) && of.get_action().takes_values())
}

/// The command that the arguments name, and its words.
fn command<'r>(root: &'r Command, arguments: &[OsString]) -> (&'r Command, Vec<&'r str>) {
    let (mut command, mut typed) = (root, vec!["waynote"]);
    let mut words = arguments.iter().skip(1).filter_map(|of| of.to_str());
    while let Some(word) = words.next() {
        if let Some(flag) = word.strip_prefix("--") {
            if takes_value(root, command, flag) {
                words.next();
            }
        } else if let Some(below) = command.find_subcommand(word) {
            command = below;
            typed.push(below.get_name());
        }
    }
    (command, typed)
}
