//! What is said of arguments that cannot be read, where the parser's own words would mislead.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::Cli;

/// Commands that take something away. A typing error must not lead to one.
const DESTRUCTIVE: [&str; 3] = ["delete", "forget", "uninstall"];

/// The positional arguments that are texts of the user's own, which may begin with `-`.
const TEXTS: [&str; 5] = ["text", "summary", "question", "query", "more"];

/// The error with hints that help, from the arguments that it is about.
pub(crate) fn explained(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    match error.kind() {
        ErrorKind::InvalidSubcommand => without_destructive(&mut error),
        ErrorKind::UnknownArgument => with_text_hint(&mut error, arguments),
        _ => {}
    }
    error
}

fn without_destructive(error: &mut clap::Error) {
    let kept: Vec<String> = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names,
        Some(ContextValue::String(name)) => vec![name],
        _ => return,
    };
    let kept: Vec<String> = kept
        .into_iter()
        .filter(|name| !DESTRUCTIVE.contains(&name.as_str()))
        .collect();
    if !kept.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(kept),
        );
    } else if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips.is_empty()
    {
        // Else two blank lines stand where nothing is suggested.
        error.remove(ContextKind::Suggested);
    }
}

/// Where a text is expected, what looks like a flag may be meant as one, or as the text.
fn with_text_hint(error: &mut clap::Error, arguments: &[OsString]) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let unknown = unknown.clone();
    let Some((command, takes_query)) = takes_text(arguments) else {
        return;
    };
    let tip = match (unknown.starts_with('-'), takes_query) {
        (true, true) => format!(
            "a query that begins with `-` goes after `--`: `{command} -- -not-this`; or quote it: `{command} 'this -not-this'`"
        ),
        (true, false) => {
            format!("a text that begins with `-` goes after `--`: `{command} -- '- like this'`")
        }
        (false, _) => format!("a text of several words is quoted: `{command} 'like this'`"),
    };
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![StyledStr::from(tip)]),
    );
    // The parser names the first letter of what it takes for a bundle of short flags.
    let whole = arguments
        .iter()
        .filter_map(|argument| argument.to_str())
        .find(|argument| argument.starts_with(&unknown) && argument.contains(' '));
    if let Some(whole) = whole.filter(|_| unknown.starts_with('-')) {
        error.insert(
            ContextKind::InvalidArg,
            ContextValue::String(whole.to_owned()),
        );
    }
}

/// The command that the arguments name, as it is typed, and whether its text is a query; none when it takes no text.
fn takes_text(arguments: &[OsString]) -> Option<(String, bool)> {
    let root = Cli::command();
    let (mut command, mut typed): (&Command, _) = (&root, vec!["waynote"]);
    let mut words = arguments.iter().skip(1).filter_map(|of| of.to_str());
    while let Some(word) = words.next() {
        if let Some(flag) = word.strip_prefix("--") {
            let mut known = root.get_arguments().chain(command.get_arguments());
            let takes_value =
                |of: &clap::Arg| of.get_long() == Some(flag) && of.get_action().takes_values();
            if known.any(takes_value) {
                words.next();
            }
        } else if let Some(below) = command.find_subcommand(word) {
            command = below;
            typed.push(below.get_name());
        }
    }
    let mut positionals = command.get_positionals().map(|of| of.get_id().as_str());
    let text = positionals.find(|id| TEXTS.contains(id))?;
    let mut typed = typed.join(" ");
    if command.get_positionals().any(|of| of.get_id() == "key") {
        typed += " KEY";
    }
    Some((typed, text == "query"))
}
