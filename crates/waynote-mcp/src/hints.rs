//! What to do next about an error of the library, as a model can: with the tools, and what only a person can change.

use waynote::Error;
use waynote::secrets::masked;

/// What to do next. A conflict shows the note as it is now, so that the next call can be right.
pub(crate) fn hint(error: &Error) -> String {
    let advice = error.advice().unwrap_or_default();
    match error {
        Error::NotFound { .. } => "note_list shows what is there".into(),
        Error::Conflict {
            current: Some(note),
            ..
        } => format!(
            "look at the current text, then write again with `if_revision` {revision}\n\
             the current text, revision {revision}:\n{text}",
            revision = note.revision,
            text = masked(&note.content.shown())
        ),
        Error::Conflict { current: None, .. } => "`if_revision` 0 creates it".into(),
        Error::NoteTooLarge { limit, .. } => format!("{advice}; only a person can raise `{limit}`"),
        Error::TooManyNotes { .. } => format!("{advice}; only a person can raise `max_notes`"),
        Error::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
            format!("{advice}: leave `resolves` out")
        }
        Error::ForeignStore { .. } | Error::NotAStore { .. } => {
            "a person has to name another file as the store of this server".into()
        }
        Error::StoreLost { .. } => {
            "a person has to put the file back, or restart this server".into()
        }
        _ => advice,
    }
}
