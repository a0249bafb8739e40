//! Why another program's file is not read. It is left as it is.

use std::path::PathBuf;

use crate::error::{ErrorClass, safe};

/// Why another program's file is not read. It is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
        /// What is wrong there.
        reason: String,
    },

    /// A database that holds nothing that could be imported.
    #[error("{} has nothing to import: {}", safe(path.display()), match is_store {
        true => "it is a waynote store",
        false => "it has no table `notes`",
    })]
    NothingToImport {
        /// The database.
        path: PathBuf,
        /// Whether it is one of our own stores.
        is_store: bool,
    },
}

impl FormatError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::DamagedFile { .. } => "damaged_file",
            Self::NothingToImport { .. } => "nothing_to_import",
        }
    }

    /// The family of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::DamagedFile { .. } => ErrorClass::Damaged,
            Self::NothingToImport { .. } => ErrorClass::NotFound,
        }
    }

    /// What would be right, in words that hold for every program.
    pub fn advice(&self) -> Option<String> {
        let advice = match self {
            Self::DamagedFile { .. } => "mend it or move it away",
            Self::NothingToImport { is_store: true, .. } => "it can be used as it is",
            Self::NothingToImport {
                is_store: false, ..
            } => "name the memory.db of an openotters agent",
        };
        Some(advice.into())
    }
}
