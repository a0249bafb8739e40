//! Hints for the errors of libraries: their general advice, and the command that helps here.

use waynote::error::{PersonalAct, StorageError};
use waynote::visible::visible;
use waynote::{Address, Error, LoopError, UndoError};
use waynote_formats::FormatError;
use waynote_loop::Error as RunnerError;
use waynote_remote::{Distrust, RemoteError};
use waynote_system::shell::quoted;

/// The hint for an error.
pub(crate) fn hint(error: &Error) -> String {
    if let Error::OthersText { revision, .. } = error {
        return format!(
            "give your text a key of its own; or read this one, and the same command with `--if-revision {revision}` \
             replaces or deletes it"
        );
    }
    match (error.advice(), command(error)) {
        (Some(advice), Some(command)) => format!("{advice}; {command}"),
        (advice, command) => advice.or(command).unwrap_or_default(),
    }
}

/// How a person changes a note of the team.
const OF_TEAM: &str =
    "the same command with `--store URL` does it; `waynote config` has the URL, as team.store";

/// How a person changes a shared note.
const OF_FILE: &str = "`waynote edit` without a text opens it, `git mv` renames it, `git rm` deletes it, \
                       `git log` has its history, `pinned: true` in its front matter pins it";

/// The command or the option that helps, as what follows the advice.
fn command(error: &Error) -> Option<String> {
    Some(match error {
        Error::HoldsSecret { rule, .. } => format!(
            "or allow it with `--allow-secret`, or always allow `{rule}` with the setting `allow_secrets`"
        ),
        Error::NameHoldsSecret { .. } => "`--allow-secret` allows it anyway".into(),
        Error::UnknownRepository { .. } => "`--path` keeps the path".into(),
        Error::OthersNote {
            expect: Some(revision),
            ..
        } => format!("`--if-revision {revision}` puts yours before it in this store"),
        Error::OthersNote {
            address, of_team, ..
        } => {
            let own = match address {
                Address::Place(_) => "; `note --replace` begins your own, which stands before it",
                _ => "",
            };
            [if *of_team { OF_TEAM } else { OF_FILE }, own].concat()
        }
        Error::NoteTooLarge { limit, .. } => raise(limit),
        Error::TooManyNotes { .. } => raise("max_notes"),
        Error::NotFound { what } if what.starts_with("session:") && !what.contains('#') => {
            "`waynote log sessions` lists the sessions".into()
        }
        Error::NotFound { .. } => "see `waynote place list`, `key list` or `log list`".into(),
        Error::Conflict { current, .. } => {
            let revision = current.as_ref().map_or(0, |note| note.revision);
            format!("that is `--if-revision {revision}`")
        }
        Error::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
            "leave out `--resolves`".into()
        }
        Error::ForeignStore { .. } => {
            "add `--attach` once to keep notes in it, in tables of their own; or give another file with `--store`".into()
        }
        Error::NotAStore { .. } => "give another file with `--store`".into(),
        Error::OtherVersion { .. } => {
            "that is `waynote export json FILE`, and `waynote import json FILE --store NEW`".into()
        }
        Error::DamagedNote { .. } => {
            "`waynote copy STORE NEW` does, and `waynote verify` lists all damage".into()
        }
        Error::DamagedStore { .. } => {
            "`sqlite3 STORE .recover` reads around what is broken (docs/backup.md)".into()
        }
        Error::DamagedIndex { .. } => "`waynote verify --repair-index` does too".into(),
        Error::LostWrites { .. } => "`waynote verify --accept-rollback` accepts it".into(),
        Error::ReadOnly { .. } => {
            "inside a sandbox, use the tools of waynote's MCP server: note_save, note_add".into()
        }
        Error::Storage(StorageError::DiskError { .. }) => "`waynote verify` checks it".into(),
        Error::Storage(StorageError::SecondName { path, .. }) => {
            let store = visible(&quoted(&path.to_string_lossy()));
            format!("`waynote copy {store} NEW` copies it")
        }
        Error::Loop(error) => return of_loop(error),
        Error::Undo(UndoError::Superseded { address, .. }) => {
            let note = quoted(&address.to_string());
            format!("that is `waynote history {note}`, then `waynote restore {note}@N`")
        }
        Error::Forgotten { .. } | Error::Undo(_) => {
            "`waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back".into()
        }
        Error::Custom(_) => return of_others(error),
        _ => return None,
    })
}

fn of_loop(error: &LoopError) -> Option<String> {
    Some(match error {
        LoopError::LoopRunning { .. } => {
            "if it is on another machine or in another container and known to be dead, use `--take-over`".into()
        }
        LoopError::LeaseLost { .. } => {
            "`waynote log show` shows what became of the session".into()
        }
        LoopError::Unanswered { session, .. } => format!(
            "`waynote answer {} TEXT`, or start the loop again with `--answer TEXT`",
            quoted(session.as_str())
        ),
        LoopError::NoLoop { .. } | LoopError::NothingAsked { .. } => {
            "`waynote log sessions` lists the sessions".into()
        }
        LoopError::NotAPerson {
            act: PersonalAct::Write,
        } => "leave out `--author` and WAYNOTE_AUTHOR: the loop has set the agent's own".into(),
        _ => return None,
    })
}

/// The same for errors of other crates than the library.
fn of_others(error: &Error) -> Option<String> {
    Some(match (error.downcast_ref(), error.downcast_ref()) {
        (
            Some(RemoteError::NotTrusted {
                reason: Distrust::UnknownAuthority,
                ..
            }),
            _,
        ) => "`waynote config set ca_file FILE` names the file that whoever runs the server gives you".into(),
        (
            Some(RemoteError::Unauthorized {
                had_token: false, ..
            }),
            _,
        ) => "put it into WAYNOTE_TOKEN, or into a file that the setting `token_file` names".into(),
        (_, Some(FormatError::NoXs { .. })) => {
            "or import what `xs cat STORE` prints, with --contents".into()
        }
        _ => return None,
    })
}

/// The hint for an error about a loop's plan, agent and files.
pub(crate) fn of_runner(error: &RunnerError) -> String {
    match error {
        RunnerError::Store(error) => hint(error),
        RunnerError::NoAgent => "name its command after `--`, as in `waynote loop -- my-agent --flag`, or use `--with claude-code`".into(),
        RunnerError::InvalidUntil => "name one line with `--until TEXT`: the agent prints it alone on a line".into(),
        RunnerError::NoProgram { .. } => "install it, add its folder to PATH, or name it by its path behind `--`".into(),
        RunnerError::NotExecutable { file } => {
            format!("`chmod +x {}` makes it executable", visible(&quoted(file)))
        }
        RunnerError::CannotStart { .. } => "try the words after `--` by themselves, in this directory".into(),
        RunnerError::PromptUnfit(_) => "write `{prompt_file}` where the agent takes a file, or leave `{prompt}` out and it gets the prompt on standard input".into(),
        RunnerError::Template { placeholders, .. } => format!(
            "the placeholders are {}; braces that are to stay go between {{% raw %}} and {{% endraw %}}",
            placeholders.join(", ")
        ),
        RunnerError::UnreadableSource { directory, .. } => format!(
            "name a file of text; a relative path starts from {}",
            directory.display()
        ),
        RunnerError::LinkedSource { option, target, .. } => {
            let file = quoted(&target.to_string());
            format!("if you mean that file, name it: `{option} {file}`")
        }
        RunnerError::Logs { .. } => "name a folder that is one, or a new one; links in the working directory are not followed".into(),
        _ => String::new(),
    }
}

fn raise(limit: &str) -> String {
    format!("raise the setting `{limit}` (zero or less: no limit)")
}
