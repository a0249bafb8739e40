//! Why another program's file is not read. It is left as it is.

use std::path::PathBuf;

use crate::error::{CustomError, ErrorClass, safe};

/// Why another program's file is not read. It is left as it is.
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

impl CustomError for FormatError {
    fn kind(&self) -> &'static str {
        match self {
            Self::DamagedFile { .. } => "damaged_file",
            Self::NothingToImport { .. } => "nothing_to_import",
        }
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::DamagedFile { .. } => ErrorClass::Damaged,
            Self::NothingToImport { .. } => ErrorClass::NotFound,
        }
    }

    fn advice(&self) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

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
        nothing_to_import (NotFound): /s/[masked: github-token] has nothing to import: it has no table `notes`
          name the memory.db of an openotters agent
        ");
    }
}
