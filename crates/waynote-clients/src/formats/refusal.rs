//! Why a client's file is not edited.

use std::fmt;

/// Why a file is not edited. It is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It cannot be read as what it should be.
    Damaged {
        /// From 1.
        line: Option<usize>,
        /// The fault, in words.
        reason: String,
    },
    /// An entry of our name is another program's.
    Taken {
        /// The kind of the entry.
        what: &'static str,
    },
    /// A name that we need stands in it twice, on these lines; readers take the last.
    Twice {
        /// The name.
        name: String,
        /// From 1.
        lines: [usize; 2],
    },
    /// It is written in a form that only a person can edit.
    ByHand {
        /// From 1.
        line: Option<usize>,
        /// The name of the value in that form.
        name: &'static str,
        /// The edit that a person makes.
        edit: ManualEdit,
    },
}

/// An edit that a person makes to a file that waynote cannot edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManualEdit {
    /// Takes our entry out.
    TakeOut,
    /// Adds an entry.
    Add {
        /// The member below which it goes.
        below: &'static str,
        /// Its lines.
        entry: String,
        /// The word of the client whose file it is.
        client: &'static str,
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

/// The words behind the name of the file.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { line, reason } => {
                f.write_str("is damaged: ")?;
                if let Some(line) = line {
                    write!(f, "line {line}: ")?;
                }
                f.write_str(reason)
            }
            Self::Taken { what } => write!(f, "has {what} that waynote did not write"),
            Self::Twice { name, lines } => {
                write!(
                    f,
                    "has `{name}` twice, on lines {} and {}",
                    lines[0], lines[1]
                )
            }
            Self::ByHand { line, name, .. } => {
                write!(f, "has `{name}`")?;
                if let Some(line) = line {
                    write!(f, " on line {line}")?;
                }
                f.write_str(" in a form that waynote cannot edit")
            }
        }
    }
}
