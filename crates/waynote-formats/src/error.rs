//! Why another program's notes are not read or written.

use std::path::{Path, PathBuf};

use waynote::error::{CustomError, ErrorClass, safe};

/// Why another program's notes are not read or written. Its files are left as they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// A file that cannot be read as what it should be.
    #[error("{} is damaged: {}{}", safe(path.display()), match line {
        Some(line) => format!("line {line}: "),
        None => String::new(),
    }, safe(reason))]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where there is one.
        line: Option<usize>,
        /// The fault, in words.
        reason: String,
    },

    /// A database that holds nothing that could be imported.
    #[error("{} has nothing to import: {}", safe(path.display()), safe(reason))]
    NothingToImport {
        /// The database.
        path: PathBuf,
        /// Why, in words.
        reason: String,
    },

    /// No xs answers, or not as an xs does.
    #[error("no xs answers at {}: {}", safe(socket.display()), safe(reason))]
    NoXs {
        /// The socket of the xs store.
        socket: PathBuf,
        /// The failure, in words.
        reason: String,
    },

    /// A topic that xs does not take, or not as it was meant.
    #[error("{}", safe(reason))]
    WrongTopic {
        /// The topic and the fault, in words.
        reason: String,
    },

    /// A file that cannot be written as a shared note.
    #[error("{} cannot be written: {}", safe(path.display()), safe(reason))]
    SharedFile {
        /// Its path in the checkout.
        path: PathBuf,
        /// Why, in words.
        reason: String,
    },
}

impl FormatError {
    pub(crate) fn shared_file(path: &Path, reason: &str) -> Self {
        let (path, reason) = (path.to_owned(), reason.to_owned());
        Self::SharedFile { path, reason }
    }
}

impl CustomError for FormatError {
    fn kind(&self) -> &'static str {
        match self {
            Self::DamagedFile { .. } => "damaged_file",
            Self::NothingToImport { .. } => "nothing_to_import",
            Self::NoXs { .. } | Self::WrongTopic { .. } => "xs",
            Self::SharedFile { .. } => "shared_file",
        }
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::DamagedFile { .. } => ErrorClass::Damaged,
            Self::NothingToImport { .. } => ErrorClass::NotFound,
            Self::NoXs { .. } => ErrorClass::Unreachable,
            Self::WrongTopic { .. } | Self::SharedFile { .. } => ErrorClass::Refused,
        }
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::DamagedFile { .. } => "mend it or move it away",
            Self::NothingToImport { .. } => {
                "name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none"
            }
            Self::NoXs { .. } => "start it with `xs serve STORE`",
            Self::WrongTopic { .. } => {
                "a topic has letters, digits, `_`, `-` and single dots alone; docs/sources.md has the versions of xs that are known"
            }
            Self::SharedFile { .. } => {
                "edit or rename the file by hand; docs/teams.md has the form of these files"
            }
        };
        Some(advice.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waynote::Error;

    #[test]
    fn each_error_has_a_kind_a_class_and_words_without_a_credential() {
        // Put together here, so that no scanner takes this file for a leak.
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let (path, reason) = (PathBuf::from(format!("/s/{token}")), token.clone());
        let all = [
            FormatError::DamagedFile {
                path: path.clone(),
                line: Some(4),
                reason: format!("x {token} y"),
            },
            FormatError::NothingToImport {
                path: path.clone(),
                reason: reason.clone(),
            },
            FormatError::NoXs {
                socket: path.clone(),
                reason: reason.clone(),
            },
            FormatError::WrongTopic {
                reason: reason.clone(),
            },
            FormatError::SharedFile { path, reason },
        ];
        let said = all.map(|error| {
            let error = Error::from(error);
            let (kind, class) = (error.kind(), error.class());
            let advice = error.advice().unwrap_or_else(|| "-".into());
            format!("{kind} ({class:?}): {error}\n  {advice}\n")
        });
        insta::assert_snapshot!(said.concat(), @"
        damaged_file (Damaged): /s/[masked: github-token] is damaged: line 4: x [masked: github-token] y
          mend it or move it away
        nothing_to_import (NotFound): /s/[masked: github-token] has nothing to import: [masked: github-token]
          name an openotters agent's memory.db, or its daemon's daemon.db with one of its agents or none
        xs (Unreachable): no xs answers at /s/[masked: github-token]: [masked: github-token]
          start it with `xs serve STORE`
        xs (Refused): [masked: github-token]
          a topic has letters, digits, `_`, `-` and single dots alone; docs/sources.md has the versions of xs that are known
        shared_file (Refused): /s/[masked: github-token] cannot be written: [masked: github-token]
          edit or rename the file by hand; docs/teams.md has the form of these files
        ");
    }
}
