//! Why another program's notes are not read or written.

use std::path::PathBuf;

use waynote::Name;
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
    #[error("{} has nothing to import: {}", safe(path.display()), match is_store {
        true => "it is a waynote store",
        false => "it has no table `notes` or `agent_notes`",
    })]
    NothingToImport {
        /// The database.
        path: PathBuf,
        /// True if it is one of our own stores.
        is_store: bool,
    },

    /// A database with the notes of several agents, and none is the one that was named.
    #[error("{} has no notes of an agent `{}`; it has those of {}", safe(path.display()), safe(agent), safe(agents.join(", ")))]
    NoAgent {
        /// The database.
        path: PathBuf,
        /// The agent that was named.
        agent: Name,
        /// The agents that have notes there.
        agents: Vec<String>,
    },

    /// No xs answers, or not as an xs does.
    #[error("no xs answers at {}: {}", safe(socket.display()), safe(reason))]
    NoXs {
        /// The socket of the xs store.
        socket: PathBuf,
        /// The failure, in words.
        reason: String,
    },

    /// A session whose name cannot be part of a topic.
    #[error("xs takes no topic `{}`", safe(topic))]
    NoTopic {
        /// The topic.
        topic: String,
    },

    /// An xs that filed a frame under another topic, where no program looks for it.
    #[error("xs filed frame {} under `{}` and not under `{}`; the frame {}", safe(frame), safe(filed), safe(topic),
        match removed {
            true => "was removed again",
            false => "is still there",
        })]
    WrongTopic {
        /// The frame's id.
        frame: String,
        /// The topic that it was filed under.
        filed: String,
        /// The topic that it was for.
        topic: String,
        /// True if the frame could be removed.
        removed: bool,
    },
}

impl CustomError for FormatError {
    fn kind(&self) -> &'static str {
        match self {
            Self::DamagedFile { .. } => "damaged_file",
            Self::NothingToImport { .. } | Self::NoAgent { .. } => "nothing_to_import",
            Self::NoXs { .. } | Self::NoTopic { .. } | Self::WrongTopic { .. } => "xs",
        }
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::DamagedFile { .. } => ErrorClass::Damaged,
            Self::NothingToImport { .. } | Self::NoAgent { .. } => ErrorClass::NotFound,
            Self::NoXs { .. } => ErrorClass::Unreachable,
            Self::NoTopic { .. } | Self::WrongTopic { .. } => ErrorClass::Refused,
        }
    }

    fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::DamagedFile { .. } => "mend it or move it away",
            Self::NothingToImport { is_store: true, .. } => "it can be used as it is",
            Self::NothingToImport {
                is_store: false, ..
            } => "name an openotters agent's memory.db, or its daemon's daemon.db",
            Self::NoAgent { .. } => "name one of these agents, or none to import all",
            Self::NoXs { .. } => "start it with `xs serve STORE`",
            Self::NoTopic { .. } => {
                "a topic has letters, digits, `_`, `-` and single dots alone; export under a session name of these"
            }
            Self::WrongTopic { .. } => {
                "this version of xs takes frames in another way; see docs/sources.md for the versions that are known"
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
        let path = || PathBuf::from(format!("/s/{token}"));
        let nothing = |is_store| FormatError::NothingToImport {
            path: path(),
            is_store,
        };
        let all = [
            FormatError::DamagedFile {
                path: path(),
                line: Some(4),
                reason: format!("x {token} y"),
            },
            nothing(true),
            nothing(false),
            FormatError::NoAgent {
                path: path(),
                agent: "c".parse().unwrap(),
                agents: vec!["a".into(), token.clone()],
            },
            FormatError::NoXs {
                socket: path(),
                reason: token.clone(),
            },
            FormatError::NoTopic {
                topic: token.clone(),
            },
            FormatError::WrongTopic {
                frame: token.clone(),
                filed: token.clone(),
                topic: token.clone(),
                removed: false,
            },
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
        nothing_to_import (NotFound): /s/[masked: github-token] has nothing to import: it is a waynote store
          it can be used as it is
        nothing_to_import (NotFound): /s/[masked: github-token] has nothing to import: it has no table `notes` or `agent_notes`
          name an openotters agent's memory.db, or its daemon's daemon.db
        nothing_to_import (NotFound): /s/[masked: github-token] has no notes of an agent `c`; it has those of a, [masked: github-token]
          name one of these agents, or none to import all
        xs (Unreachable): no xs answers at /s/[masked: github-token]: [masked: github-token]
          start it with `xs serve STORE`
        xs (Refused): xs takes no topic `[masked: github-token]`
          a topic has letters, digits, `_`, `-` and single dots alone; export under a session name of these
        xs (Refused): xs filed frame [masked: github-token] under `[masked: github-token]` and not under `[masked: github-token]`; the frame is still there
          this version of xs takes frames in another way; see docs/sources.md for the versions that are known
        ");
    }
}
