//! Errors of the other side that this version has no type for.

use waynote::error::{CustomError, ErrorClass, safe};

/// An error of the other side, in its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", safe(detail))]
pub struct Remote {
    /// The stable word for it.
    pub kind: &'static str,
    /// Its family.
    pub class: ErrorClass,
    /// What went wrong.
    pub detail: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl CustomError for Remote {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn class(&self) -> ErrorClass {
        self.class
    }

    fn advice(&self) -> Option<String> {
        self.hint.as_ref().map(safe)
    }
}
