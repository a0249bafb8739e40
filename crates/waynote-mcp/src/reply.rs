//! Why a tool refused a call. What a tool answers is one plain text: of a reply with structured content some clients
//! forward nothing else, and of several texts some forward only the first.

/// Why something was not done: what, why, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was refused, and why.
    pub what: String,
    /// What to do next; empty when there is nothing to say.
    pub hint: String,
}

impl Refusal {
    /// A refusal.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// One that says all there is to say in one sentence.
    pub(crate) fn only(what: impl Into<String>) -> Self {
        Self::new(what, "")
    }

    /// As a model reads it: clients keep what is answered, so what was sent comes back with its credentials masked.
    pub(crate) fn text(&self) -> String {
        let text = match self.hint.as_str() {
            "" => self.what.clone(),
            hint => format!("{}\n{hint}", self.what),
        };
        waynote::secrets::masked(&text).into_owned()
    }
}

/// What the library says. A conflict shows the note as it is now, so that the next call can be right.
impl From<waynote::Error> for Refusal {
    fn from(error: waynote::Error) -> Self {
        let mut hint = error.hint();
        // What a person can allow at the command line, a model cannot.
        if let waynote::Error::HoldsSecret { .. } | waynote::Error::NameHoldsSecret { .. } = &error
        {
            hint = "write where it is kept (a variable, a vault) instead of the credential itself"
                .into();
        }
        if let waynote::Error::Conflict {
            current: Some(note),
            ..
        } = &error
        {
            hint = format!(
                "{hint}\nthe current text, revision {}:\n{}",
                note.revision,
                waynote::secrets::masked(&note.content.shown())
            );
        }
        Self::new(waynote::visible::lines(&error.to_string()), hint)
    }
}

/// A reply as a model reads it: like a note in the block, with credentials masked, and nothing in it that is not seen or
/// that its client takes for a tag of its own.
pub(crate) fn for_model(text: &str) -> String {
    waynote::visible::for_model(&waynote::secrets::masked(text))
}
