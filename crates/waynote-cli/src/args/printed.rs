//! Every command that is printed anywhere can be typed: those in backticks in the sources, the snapshots of tests and the
//! docs, and those in the blocks of the docs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{Cli, parsed};

#[test]
fn every_command_that_is_printed_parses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for folder in ["crates", "docs", "examples"] {
        collect(&root.join(folder), &mut files);
    }
    let (mut all, mut problems) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let is_page = file.extension().is_some_and(|of| of == "md");
        let mut found = mentioned(&text);
        if is_page {
            found.extend(typed(&text));
        }
        for command in found {
            all += 1;
            if let Err(why) = parses(&command) {
                problems.push(format!("{}: `{command}`: {why}", file.display()));
            }
        }
    }
    assert!(all > 500, "only {all} commands were found");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|of| of == "rs" || of == "md")
            && !path.ends_with(file!())
        {
            files.push(path);
        }
    }
}

/// The commands in backticks, which may go on in the next line of a comment, a page or a string literal.
fn mentioned(text: &str) -> Vec<String> {
    let parts = text.split("`waynote").skip(1);
    let parts = parts.filter(|part| part.starts_with([' ', '\n']));
    let commands = parts.filter_map(|part| part.split('`').next());
    // A backtick that is no pair's first has much more behind it.
    let commands = commands.filter(|of| of.lines().count() <= 3 && !of.starts_with(" \""));
    let joined = |command: &str| {
        let comment: &[char] = &['/', '!', ' '];
        let lines = command.lines().enumerate();
        let lines = lines.map(|(number, line)| match number {
            0 => line,
            _ => line.trim_start_matches(comment),
        });
        let lines: Vec<&str> = lines
            .map(|line| line.trim_end_matches(['\\', ' ']))
            .collect();
        format!("waynote {}", lines.join(" ").trim())
    };
    commands.map(joined).collect()
}

/// The commands in the blocks of a page.
fn typed(page: &str) -> Vec<String> {
    let (mut found, mut language) = (Vec::new(), None);
    // What goes on in the next line.
    let page = page.replace("\\\n", " ");
    for line in page.lines() {
        if let Some(of) = line.trim_start().strip_prefix("```") {
            language = match language {
                None => Some(of),
                Some(_) => None,
            };
            continue;
        }
        let command = match language {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        let is_ours = |of: &&str| of.starts_with("waynote ");
        found.extend(command.filter(is_ours).map(str::to_owned));
    }
    found
}

/// Whether a command can be typed. One that is only named needs not be complete.
pub(super) fn parses(command: &str) -> Result<(), String> {
    let mut words = words(command);
    loop {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        let Err(error) = parsed(&arguments) else {
            return Ok(());
        };
        let refused = |kind| match error.get(kind) {
            Some(ContextValue::String(word)) => word.as_str(),
            _ => "",
        };
        // What stands for a number, or for one of some words.
        let valid = match (error.kind(), error.get(ContextKind::ValidValue)) {
            (
                ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelp
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                | ErrorKind::DisplayVersion,
                _,
            ) => return Ok(()),
            (ErrorKind::InvalidSubcommand, _) => {
                return match is_placeholder(refused(ContextKind::InvalidSubcommand)) {
                    true => Ok(()),
                    false => Err(first_line(&error)),
                };
            }
            (_, Some(ContextValue::Strings(valid))) => valid.first().cloned(),
            (ErrorKind::ValueValidation, _) => Some("1".into()),
            _ => None,
        };
        let given = refused(ContextKind::InvalidValue).to_owned();
        match (valid, words.iter().position(|word| *word == given)) {
            (Some(_), None) if given.is_empty() => return Ok(()),
            (Some(valid), Some(at)) if is_placeholder(&given) && valid != given => {
                words[at] = valid;
            }
            _ => return Err(first_line(&error)),
        }
    }
}

fn first_line(error: &clap::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().into()
}

/// Whether something has to be put in the place of a word.
fn is_placeholder(word: &str) -> bool {
    word == FILLED_IN || !word.is_empty() && word.chars().all(|char| char.is_ascii_uppercase())
}

/// What stands where the program fills something in.
const FILLED_IN: &str = "1";

/// The words of a command, each placeholder with something in its place.
fn words(command: &str) -> Vec<String> {
    let command = command.replace("\\\"", "\"");
    let (mut words, mut word, mut quote, mut is_word) = (Vec::new(), String::new(), None, false);
    let mut chars = command.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (Some(_), _) => word.push(char),
            (None, '\'' | '"') => (quote, is_word) = (Some(char), true),
            // Part of a string of the program: what it fills in.
            (None, '{') => {
                chars.by_ref().find(|char| *char == '}');
                word += FILLED_IN;
            }
            (None, '|') if is_word || !word.is_empty() => {
                // One of several words; the rest of them is left out.
                let rest = chars.as_str();
                let end = rest.find([' ', ']']).unwrap_or(rest.len());
                chars = rest[end..].chars();
            }
            (None, '[' | ']') => {}
            (None, '|' | '>' | '<' | ';' | '&' | '#') if word.is_empty() => break,
            (None, ' ') if is_word || !word.is_empty() => {
                words.push(std::mem::take(&mut word));
                is_word = false;
            }
            (None, ' ') => {}
            (None, _) => word.push(char),
        }
    }
    if is_word || !word.is_empty() {
        words.push(word);
    }
    words.retain(|word| !["…", "..."].contains(&word.as_str()));
    words
}

#[test]
fn the_words_of_commands_are_found() {
    let told = "a `waynote key save K \\\n    TEXT`, `waynote\nundo` and `waynote log add T --type tip|stuck [--resolves N]`";
    assert_eq!(
        mentioned(told),
        [
            "waynote key save K TEXT",
            "waynote undo",
            "waynote log add T --type tip|stuck [--resolves N]"
        ]
    );
    assert_eq!(
        words("waynote log add 'a b' --type tip|stuck [--resolves {}] …  # why"),
        [
            "waynote",
            "log",
            "add",
            "a b",
            "--type",
            "tip",
            "--resolves",
            "1"
        ]
    );
    assert!(parses("waynote key").is_ok() && parses("waynote kay").is_err());
    assert!(parses("waynote key list --pinnd").is_err());
    Cli::command().debug_assert();
}
