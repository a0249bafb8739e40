//! No text of another is replaced unread.
//!
//! A tool, an API call or an agent's command that would replace or remove a text of another author has to expect its
//! revision. That is another person, an import, or another holder of a token with his agents.
//! Another agent of the same person is not: one person's agents share their notes.
//!
//! A text is of everyone who wrote a part of it. Who adds to it, saves it again or takes it back does not make it his.

use super::pending::PendingStore;
use crate::author::Author;
use crate::change::Expect;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::key::Name;
use crate::note::{Note, Replaces, Revision, Stamp};

/// Refuses a change that would replace or remove the text of this note, unless the stamp and the expected revision
/// allow it. Whether the expected revision is the current one was checked before.
///
/// # Errors
/// [`Error::OthersText`]; those of reading the store.
pub(super) fn check(
    note: &Note,
    expect: Expect,
    before: &PendingStore<'_>,
    stamp: &Stamp,
) -> Result<()> {
    let is_careful = matches!(stamp.replaces, Replaces::Read | Replaces::Own);
    if !is_careful || expect != Expect::Any {
        return Ok(());
    }
    let mut next = before.revision(&note.address, note.revision)?;
    while let Some(revision) = next {
        let earlier = revision.earlier(|number| before.revision(&note.address, number))?;
        let begin = earlier.as_ref().and_then(Revision::content);
        if begin != revision.content() && !is_own(&revision, stamp) {
            return Err(refusal(note, revision.author().clone(), revision.token));
        }
        let stands = |of: &Content| {
            let text = revision.content().map(Content::as_bytes);
            !of.is_blank() && text.is_some_and(|text| text.starts_with(of.as_bytes()))
        };
        if !begin.is_some_and(stands) {
            break;
        }
        next = earlier;
    }
    Ok(())
}

/// The refusal of a text of this author in place of the note.
pub(crate) fn refusal(note: &Note, author: Name, holder: Option<Name>) -> Error {
    Error::OthersText {
        address: note.address.clone(),
        author,
        holder,
        revision: note.revision,
        current: Some(Box::new(note.clone())),
    }
}

/// True if the writer of a revision is who writes now, or another agent of the same holder.
fn is_own(revision: &Revision, stamp: &Stamp) -> bool {
    // An author is a claim; the holder is known.
    let is_agents = matches!(Author::of(revision.author()), Author::Agent(_));
    revision.token == stamp.token && (is_agents || *revision.author() == stamp.author)
}
