//! The texts of errors about clients' files, hooks and the environment: a code for programs, a message with its reason,
//! and a hint.

use std::path::Path;

use waynote_clients::{Error, Lacking, Refusal};
use waynote_system::shell::quoted;
use waynote_system::{EnvironmentError, FileError};

use crate::error::Failure;

const SET_HOME: &str = "set HOME to your home directory";
const MEND: &str = "repair it or move it away";

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
        let owner_of = |path: &Path, option: &str| {
            let path = quoted(&path.to_string_lossy());
            format!("`ls {option} {path}` shows who owns it")
        };
        let (kind, hint) = match error {
            FileError::Library(error) => return Self::Library(error),
            FileError::NotUtf8 { .. } => ("damaged_file", MEND.into()),
            FileError::TooLong { .. } => ("file_too_long", MEND.into()),
            FileError::Unreadable { path } => ("unreadable_file", owner_of(&path, "-l")),
            FileError::InTheWay { .. } => ("not_a_file", "move it away".into()),
            FileError::Outside { .. } => (
                "outside_project",
                "the link may have come with the project: remove it, or install without `--project`".into(),
            ),
            FileError::ReadOnly { target, .. } => (
                "read_only_file",
                format!(
                    "{}; if another program manages it, make the change there: `--dry-run` shows it",
                    owner_of(&target, "-l")
                ),
            ),
            FileError::ReadOnlyFolder { folder, .. } => {
                ("read_only_folder", owner_of(&folder, "-ld"))
            }
            FileError::ChangedMeanwhile { .. } => (
                "changed_meanwhile",
                "run the command again; nothing was written to it".into(),
            ),
            _ => ("file", "run the command again".into()),
        };
        Self::refused(kind, what, hint)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let what = error.to_string();
        let hint = match error {
            Error::Library(error) => return Self::Library(error),
            Error::Environment(error) => return error.into(),
            Error::File(error) => return error.into(),
            Error::NotEdited { refusal, .. } => {
                let (kind, hint) = match refusal {
                    Refusal::Damaged { .. } => ("damaged_file", MEND),
                    Refusal::Taken { .. } => ("name_taken", "rename or remove it"),
                    _ => ("not_editable", "change it by hand"),
                };
                return Self::refused(kind, what, hint);
            }
            Error::NoHome { .. } => return Self::refused("no_home", what, SET_HOME),
            Error::NoProject { .. } => {
                let hint = "go to the project's directory first, or leave out `--project`";
                return Self::refused("no_project", what, hint);
            }
            Error::NotOurs { .. } => "name a new or an empty folder",
            Error::Lacks {
                part: Lacking::Files,
                ..
            } => "`waynote plugin FOLDER` writes one, and says how it is installed",
            Error::Lacks { .. } => "leave that option out",
            Error::Payload(_) => "it is what the client sends",
            Error::NoEvent { .. } => "`waynote install` writes the hooks that work",
            _ => "`waynote install --help` says what can be set up",
        };
        Self::usage(what, hint)
    }
}
