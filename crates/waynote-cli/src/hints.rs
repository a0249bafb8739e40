//! Hints for the library's errors: their general advice, and the command that helps.

use waynote::error::{PersonalAct, SideFileProblem, StorageError};
use waynote::visible::visible;
use waynote::{Error, LoopError, UndoError};
use waynote_formats::FormatError;
use waynote_loop::Error as RunnerError;
use waynote_remote::{Distrust, RemoteError};

use waynote_system::shell::quoted;

use crate::program;

/// The hint for an error.
pub(crate) fn hint(error: &Error) -> String {
    let advice = error.advice().unwrap_or_default();
    match error {
        Error::HoldsSecret { rule, .. } => format!(
            "{advice}; or allow it with `--allow-secret`, or always allow `{rule}` with the setting `allow_secrets`"
        ),
        Error::NameHoldsSecret { .. } => {
            format!("{advice}; `--allow-secret` allows it anyway")
        }
        Error::NoteTooLarge { limit, .. } => format!("{advice}; or {}", raise(limit)),
        Error::TooManyNotes { .. } => format!("{advice}; or {}", raise("max_notes")),
        Error::NotFound { what } if what.starts_with("session:") && !what.contains('#') => {
            "`waynote log sessions` lists the sessions".into()
        }
        Error::NotFound { .. } => {
            "see `waynote place list`, `key list` or `log list`".into()
        }
        Error::Conflict { current, .. } => match current {
            Some(note) => format!(
                "look at the current text, then write again with `--if-revision {}`",
                note.revision
            ),
            None => "`--if-revision 0` creates it".into(),
        },
        Error::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
            format!("{advice}: leave out `--resolves`")
        }
        Error::Forgotten { .. } => format!(
            "{advice}; `waynote history ADDRESS` lists the revisions that are left, and `waynote restore` brings one back"
        ),
        Error::ForeignStore { .. } => {
            "add `--attach` once to keep notes in it, in tables of their own; or give another file with `--store`"
                .into()
        }
        Error::NotAStore { .. } => "give another file with `--store`".into(),
        Error::OtherVersion { .. } => {
            "run `waynote export json FILE` with the waynote that wrote the store, and import FILE with this one".into()
        }
        Error::DamagedNote { .. } => {
            "the other notes can still be read; `waynote copy STORE NEW` saves what is whole into a new store, and \
             `waynote verify` lists all damage"
                .into()
        }
        Error::DamagedStore { .. } => format!(
            "{advice}: `sqlite3 STORE .recover` reads around what is broken (docs/backup.md)"
        ),
        Error::DamagedIndex { .. } => "`waynote verify --repair-index` builds it again".into(),
        Error::StoreLost { .. } => {
            "put the file back, or restart this program to use the file that is there now".into()
        }
        Error::LostWrites { .. } => {
            "restore a backup; or `waynote verify --accept-rollback` goes on with the store as it is; until then it can only be read".into()
        }
        Error::ReadOnly { .. } => format!(
            "{advice}; inside a sandbox, use the tools of waynote's MCP server: note_save, note_add"
        ),
        Error::Storage(error) => of_storage(error, advice),
        Error::Loop(error) => of_loop(error, advice),
        Error::Undo(error) => of_undo(error, &advice),
        Error::Custom(_) => match error.downcast_ref() {
            Some(RemoteError::NotTrusted {
                reason: Distrust::UnknownAuthority,
                ..
            }) => format!(
                "{advice}: `waynote config set ca_file FILE`, or WAYNOTE_CA_FILE=FILE, with the file that whoever runs \
                 the server gives you"
            ),
            Some(RemoteError::Unauthorized {
                had_token: false, ..
            }) => format!(
                "{advice}, and put it into WAYNOTE_TOKEN, or into a file that the setting `token_file` names; the \
                 setting `token_command` names a command that prints it"
            ),
            _ => of_format(error.downcast_ref(), advice),
        },
        _ => advice,
    }
}

/// The same about a loop's plan, agent and files.
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
            format!(
                "if you mean that file, name it: `{option} {}`",
                quoted(&target.to_string())
            )
        }
        RunnerError::Logs { .. } => "name a folder that is one, or a new one; links in the working directory are not followed".into(),
        _ => String::new(),
    }
}

fn raise(limit: &str) -> String {
    format!("raise the setting `{limit}` (zero or less: no limit)")
}

fn of_format(error: Option<&FormatError>, advice: String) -> String {
    match error {
        Some(FormatError::DamagedFile { .. }) => format!("{advice}; nothing was written to it"),
        Some(FormatError::NoXs { .. }) => {
            format!("{advice}; or import what `xs cat STORE` prints, with --contents")
        }
        _ => advice,
    }
}

fn of_loop(error: &LoopError, advice: String) -> String {
    match error {
        LoopError::LoopRunning { .. } => {
            format!(
                "{advice}; if it is on another machine or in another container and known to be dead, use `--take-over`"
            )
        }
        LoopError::LeaseLost { .. } => {
            format!("{advice}; `waynote log show` shows what became of the session")
        }
        LoopError::Unanswered { session, .. } => format!(
            "answer with `{} answer {} TEXT`, or start the loop again with `--answer TEXT`",
            program::called(),
            quoted(session.as_str())
        ),
        LoopError::NoLoop { .. } => "`waynote log sessions` says how its last loop ended".into(),
        LoopError::NothingAsked { .. } => {
            "`waynote log sessions` lists the sessions; those that wait for an answer come first"
                .into()
        }
        LoopError::AlreadyAnswered { .. } => {
            "the next prompt has that answer; go on without another one".into()
        }
        LoopError::NotAPerson {
            act: PersonalAct::Write,
        } => "leave the author out (`--author`, WAYNOTE_AUTHOR): the loop has set the agent's own"
            .into(),
        _ => advice,
    }
}

fn of_storage(error: &StorageError, advice: String) -> String {
    match error {
        StorageError::FileSizeLimit { .. } => format!("{advice}; `ulimit -f` shows it"),
        StorageError::DiskError { .. } => format!("{advice} with `waynote verify`"),
        StorageError::SecondName { path, .. } => {
            let store = visible(&quoted(&path.to_string_lossy()));
            format!(
                "`waynote copy {store} NEW` makes a store with one name; or remove the other name, if nothing was saved under it"
            )
        }
        StorageError::SideFile { file, problem, .. } => {
            let file = visible(&quoted(&file.to_string_lossy()));
            match problem {
                SideFileProblem::OtherOwner { owner, group, .. } => {
                    format!("give it the store's owner: `sudo chown {owner}:{group} {file}`")
                }
                SideFileProblem::NotAFile => {
                    format!("remove it, and the next write makes it anew: `rm {file}`")
                }
                _ => advice,
            }
        }
        _ => advice,
    }
}

fn of_undo(error: &UndoError, advice: &str) -> String {
    const ANY: &str = "`waynote restore ADDRESS --revision N` brings back any revision";
    match error {
        UndoError::NothingToUndo {
            last: Some(last), ..
        } => format!(
            "{advice}: `waynote undo {}` undoes it",
            quoted(&last.0.to_string())
        ),
        UndoError::NothingToUndo { last: None, .. } => ANY.into(),
        UndoError::NothingToRedo { .. } => format!("{advice}; {ANY}"),
        UndoError::Superseded { address, .. } => format!(
            "look at `waynote history {}`, then undo it by its address, or restore a revision",
            quoted(&address.to_string())
        ),
        _ => advice.into(),
    }
}
