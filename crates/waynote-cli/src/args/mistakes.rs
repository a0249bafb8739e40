//! What is said of arguments that cannot be read, where the parser's own words would mislead.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use waynote::text::nearest;

use super::{Cli, borrowed};
use crate::shell::quoted;

/// Commands that take something away. A typing error must not lead to one.
const DESTRUCTIVE: [&str; 3] = ["delete", "forget", "uninstall"];

/// The positional arguments that are texts of the user's own, which may begin with `-`.
const TEXTS: [&str; 5] = ["text", "summary", "question", "query", "more"];

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

/// The parser proposes `-- VALUE` wherever a positional argument is taken: also where that is an address, and in `loop`,
/// where it is the agent.
fn with_own_tip(error: &mut clap::Error, arguments: &[OsString]) {
    error.remove(ContextKind::Suggested);
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let unknown = unknown.clone();
    let tip = as_value(&unknown, arguments)
        .or_else(|| as_session(&unknown, arguments))
        .or_else(|| as_text(&unknown, arguments))
        .or_else(|| as_agent(arguments));
    let Some(tip) = tip else {
        return;
    };
    let tips = vec![StyledStr::from(tip)];
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    // The parser names the first letter of what it takes for a bundle of short flags.
    let whole = arguments
        .iter()
        .filter_map(|argument| argument.to_str())
        .find(|argument| argument.starts_with(&unknown) && argument.contains(' '));
    if let Some(whole) = whole.filter(|_| unknown.starts_with('-')) {
        let whole = ContextValue::String(whole.to_owned());
        error.insert(ContextKind::InvalidArg, whole);
    }
}

/// The tip for a value that begins with `-`, behind an option that takes one.
fn as_value(unknown: &str, arguments: &[OsString]) -> Option<String> {
    let typed: Vec<&str> = arguments.iter().filter_map(|of| of.to_str()).collect();
    let is_it = |of: &&str| unknown.starts_with('-') && of.starts_with(unknown);
    let at = typed.iter().position(is_it)?;
    let flag = typed[at.checked_sub(1)?].strip_prefix("--")?;
    let root = whole();
    let (command, _) = command(&root, arguments);
    takes_value(&root, command, flag).then(|| {
        let value = quoted(typed[at]);
        format!("a value that begins with `-` goes after `=`: `--{flag}={value}`")
    })
}

/// Where a text is expected, what looks like a flag may be meant as one, or as the text.
fn as_text(unknown: &str, arguments: &[OsString]) -> Option<String> {
    let (command, takes_query) = takes_text(arguments)?;
    Some(match (unknown.starts_with('-'), takes_query) {
        (true, true) => format!(
            "a query that begins with `-` goes after `--`: `{command} -- -not-this`; or quote it: `{command} 'this -not-this'`"
        ),
        (true, false) => {
            format!("a text that begins with `-` goes after `--`: `{command} -- '- like this'`")
        }
        (false, _) => format!("a text of several words is quoted: `{command} 'like this'`"),
    })
}

/// The commands about a session's log take it before their own name.
fn as_session(unknown: &str, arguments: &[OsString]) -> Option<String> {
    let root = whole();
    let (_, typed) = command(&root, arguments);
    match typed.as_slice() {
        ["waynote", "log", verb @ ("show" | "list" | "tail")] if !unknown.starts_with('-') => {
            let session = quoted(unknown);
            Some(format!(
                "a session goes before the command: `waynote --session {session} log {verb}`"
            ))
        }
        _ => None,
    }
}

/// Where an agent's command is expected, its words without `--` before them.
fn as_agent(arguments: &[OsString]) -> Option<String> {
    let root = whole();
    let (command, _) = command(&root, arguments);
    let is_last = command.get_positionals().any(clap::Arg::is_last_set);
    (is_last && arguments.iter().all(|of| of != "--")).then(|| {
        "the agent and its words go after `--`, a session before `loop`: `waynote --session NAME loop -- AGENT`".into()
    })
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

/// The command that the arguments name, as it is typed, and whether its text is a query; none when it takes no text.
fn takes_text(arguments: &[OsString]) -> Option<(String, bool)> {
    let root = whole();
    let (command, typed) = command(&root, arguments);
    let mut positionals = command.get_positionals().map(|of| of.get_id().as_str());
    let text = positionals.find(|id| TEXTS.contains(id))?;
    let mut typed = typed.join(" ");
    if command.get_positionals().any(|of| of.get_id() == "key") {
        typed += " KEY";
    }
    Some((typed, text == "query"))
}
