//! Why a client's file is not edited.

use thiserror::Error;

/// Why a file is not edited, in words behind the name of the file. It is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It cannot be read as what it should be.
    #[error("is damaged: {}{reason}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    Damaged {
        /// From 1.
        line: Option<usize>,
        /// The fault, in words.
        reason: String,
    },
    /// An entry of our name is another program's.
    #[error("has {what} that waynote did not write")]
    Taken {
        /// The kind of the entry.
        what: &'static str,
    },
}

/// An edited text, or the reason why there is none.
pub(crate) type EditResult<T = String> = Result<T, Refusal>;

impl Refusal {
    pub(crate) fn damaged(line: Option<usize>, reason: impl Into<String>) -> Self {
        Self::Damaged {
            line,
            reason: reason.into(),
        }
    }
}
