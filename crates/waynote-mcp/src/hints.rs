//! Hints for a model about the library's errors: the tool to use, or the change that a person has to make.

use waynote::Error;

/// The hint for an error. For a conflict it shows the current note, so that the next call can succeed.
pub(crate) fn hint(error: &Error) -> String {
    let advice = error.advice().unwrap_or_default();
    let current = error.current_text().unwrap_or_default();
    match error {
        Error::NotFound { .. } => "note_list shows what exists".into(),
        Error::Conflict {
            current: Some(note),
            ..
        } => format!(
            "look at the current text, then write again with `if_revision` {}\n{current}",
            note.revision
        ),
        Error::UnknownRepository { .. } => {
            "a person has to make it readable; until then save with `scope` agent, or name the directory as `place:PATH`".into()
        }
        Error::Conflict { current: None, .. } => "`if_revision` 0 creates it".into(),
        Error::OthersText { revision, .. }
        | Error::OthersNote {
            expect: Some(revision),
            ..
        } => format!(
            "nothing was changed; save yours under a key of its own, or read this text and call again with \
             `if_revision` {revision}\n{current}"
        ),
        Error::OthersNote { .. } => {
            "nothing was changed: a person changes it; leave a note of your own, or say what should be changed".into()
        }
        Error::NoteTooLarge { limit, .. } => format!("{advice}; only a person can raise `{limit}`"),
        Error::TooManyNotes { .. } => format!("{advice}; only a person can raise `max_notes`"),
        Error::NoSuchStuck { candidates, .. } if candidates.is_empty() => {
            format!("{advice}: leave out `resolves`")
        }
        Error::ForeignStore { .. } | Error::NotAStore { .. } => {
            "a person has to set another file as the store of this server".into()
        }
        Error::ReadOnly { .. } => {
            "a person has to make the file and its folder writable; until then notes can only be read".into()
        }
        Error::StoreLost { .. } => {
            "a person has to put the file back, or restart this server".into()
        }
        Error::LostWrites { .. } => {
            "a person has to restore a backup, or to accept the loss; until then notes can only be read".into()
        }
        _ => advice,
    }
}
