//! The actions on a session: answering its question, stopping its loop, taking it off the list.

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
    let session = session(fields)?;
    let answer = fields
        .text("answer")
        .unwrap_or_default()
        .replace("\r\n", "\n");
    loops::answer(store, &session, &answer, stamp)?;
    Ok(done(site, &session, "answered"))
}

/// Asks the loop of a session to stop after its iteration.
///
/// # Errors
/// As [`loops::stop`].
pub(crate) fn stop(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let session = session(fields)?;
    loops::stop(store, &session, site.is_dead, stamp)?;
    Ok(done(site, &session, "stops"))
}

/// Takes a session off the list, or puts it back.
///
/// # Errors
/// As [`loops::archive`].
pub(crate) fn archive(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let session = session(fields)?;
    let undo = fields.get("undo").is_some();
    loops::archive(store, &session, !undo, stamp)?;
    Ok(done(
        site,
        &session,
        ["archived", "listed"][usize::from(undo)],
    ))
}

fn session(fields: &Fields) -> Result<Name> {
    fields.get("session").unwrap_or_default().parse()
}

fn done(site: &Site<'_>, session: &Name, what: &str) -> Outcome {
    let link = site.view(View::Sessions).with("session", session);
    Outcome::Done(link.with("done", what).href())
}
