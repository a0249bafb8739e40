//! The texts of errors about clients' files, hooks and the environment: a code for programs, a message with its reason,
//! and a hint.

use waynote_clients::{Error, ManualEdit, Refusal};
use waynote_system::shell::quoted;
use waynote_system::{EnvironmentError, FileError};

use crate::error::Failure;

const SET_HOME: &str = "set HOME to your home directory";

impl From<EnvironmentError> for Failure {
    fn from(error: EnvironmentError) -> Self {
        let what = error.to_string();
        match error {
            EnvironmentError::Library(error) => Self::Library(error),
            EnvironmentError::NotText { .. } => {
                Self::usage(what, "set it to plain text, or unset it")
            }
            _ => Self::refused("no_home", what, SET_HOME),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let what = error.to_string();
        match error {
            FileError::Library(error) => Self::Library(error),
            FileError::NotUtf8 { .. } => {
                Self::left_as_it_is("damaged_file", what, "repair it or move it away")
            }
            FileError::TooLong { .. } => Self::left_as_it_is(
                "file_too_long",
                what,
                "find out what filled it, or move it away",
            ),
            FileError::Unreadable { path } => Self::left_as_it_is(
                "unreadable_file",
                what,
                format!(
                    "`ls -l {}` shows who owns it",
                    quoted(&path.to_string_lossy())
                ),
            ),
            FileError::InTheWay { .. } => Self::left_as_it_is(
                "not_a_file",
                what,
                "move it away, then run the command again",
            ),
            FileError::Outside { .. } => Self::left_as_it_is(
                "outside_project",
                what,
                "the link may have come with the project: remove it, or install without `--project`",
            ),
            FileError::ReadOnly { target, owner, .. } => {
                let how = match owner {
                    None => format!(
                        "`chmod u+w {}` makes it writable",
                        quoted(&target.to_string_lossy())
                    ),
                    Some(owner) => format!("it belongs to user {owner}, who can change it"),
                };
                let hint = format!(
                    "{how}; if another program manages it, make the change there: `--dry-run` shows it"
                );
                Self::left_as_it_is("read_only_file", what, hint)
            }
            FileError::ReadOnlyFolder { folder, .. } => Self::left_as_it_is(
                "read_only_folder",
                what,
                format!(
                    "`ls -ld {}` shows who owns it",
                    quoted(&folder.to_string_lossy())
                ),
            ),
            FileError::ChangedMeanwhile { .. } => Self::refused(
                "changed_meanwhile",
                what,
                "run the command again; nothing was written to it",
            ),
            _ => Self::left_as_it_is("file", what, "run the command again"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let what = error.to_string();
        match error {
            Error::Library(error) => Self::Library(error),
            Error::Environment(error) => error.into(),
            Error::File(error) => error.into(),
            Error::NotEdited { refusal, .. } => not_edited(what, refusal),
            Error::NoHome { .. } => Self::refused("no_home", what, SET_HOME),
            Error::NoProject { .. } => Self::refused(
                "no_project",
                what,
                "go to the project's directory first, or leave out `--project`",
            ),
            Error::NoPrompts { .. } => Self::usage(
                what,
                "leave out `--every-prompt`: only claude-code, codex and gemini take notes at prompts",
            ),
            Error::NoProjectFiles { client } => Self::usage(
                what,
                format!(
                    "leave out `--project`: the notes are those of the project that {} is started in",
                    client.title()
                ),
            ),
            Error::Payload(_) => Self::usage(what, "it is what the client sends"),
            Error::NoEvent { .. } => {
                Self::usage(what, "`waynote install` writes the hooks that work")
            }
            _ => Self::usage(what, "`waynote install --help` says what can be set up"),
        }
    }
}

fn not_edited(what: String, refusal: Refusal) -> Failure {
    let (kind, hint) = match refusal {
        Refusal::Damaged { .. } => ("damaged_file", "repair it or move it away".to_owned()),
        Refusal::Taken { .. } => (
            "name_taken",
            "rename or remove it, then run the command again".to_owned(),
        ),
        Refusal::Twice { .. } => (
            "duplicate_key",
            "programs that read it see only one of them: keep one, then run the command again"
                .to_owned(),
        ),
        Refusal::ByHand { edit, .. } => ("not_editable", by_hand(edit)),
        _ => ("not_editable", "change it by hand".to_owned()),
    };
    Failure::left_as_it_is(kind, what, hint)
}

fn by_hand(edit: ManualEdit) -> String {
    match edit {
        ManualEdit::TakeOut => "take the entry `waynote` out by hand".into(),
        ManualEdit::Add {
            below,
            entry,
            client,
        } => {
            format!("add this by hand below `{below}`, then run `waynote doctor {client}`\n{entry}")
        }
        _ => "change it by hand".into(),
    }
}
