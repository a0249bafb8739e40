//! The action on a session: answering its question.

use waynote::{Name, Result, Stamp, Store, loops};

use crate::page::fields::Fields;
use crate::page::forms::Outcome;
use crate::page::site::{Site, View};

/// Records the answer to the open question of a session. The next loop of the session gets it into its prompt.
///
/// # Errors
/// [`waynote::Error::Loop`] when no question is open; the others as [`Store::record`].
pub(crate) fn answer(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let session: Name = fields.get("session").unwrap_or_default().parse()?;
    let answer = fields
        .text("answer")
        .unwrap_or_default()
        .replace("\r\n", "\n");
    loops::answer(store, &session, &answer, stamp)?;
    let link = site.view(View::Sessions).with("session", &session);
    Ok(Outcome::Done(link.with("done", "answered").href()))
}
