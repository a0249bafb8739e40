//! The actions on a session: answering its question, stopping its loop, taking it off the list.

use waynote::{Name, Result, loops};

use crate::page::forms::{Outcome, Sent};
use crate::page::site::View;

/// Records the answer to the open question of a session, which the next loop gets into its prompt (`answer`); asks its
/// loop to stop after its iteration (`stop`); takes it off the list, or puts it back (`archive`).
///
/// # Errors
/// As [`loops::answer`], [`loops::stop`] and [`loops::archive`].
pub(crate) fn change(sent: &Sent<'_>) -> Result<Outcome> {
    let (store, site, fields, stamp) = (sent.store, sent.site, sent.fields, sent.stamp);
    let session: Name = fields.get("session").unwrap_or_default().parse()?;
    let said = match sent.act {
        "answer" => {
            let answer = fields.text("answer").unwrap_or_default();
            loops::answer(store, &session, &answer.replace("\r\n", "\n"), stamp)?;
            "answered"
        }
        "stop" => {
            loops::stop(store, &session, site.is_dead, stamp)?;
            "stops"
        }
        "archive" => {
            let undo = fields.has("undo");
            loops::archive(store, &session, !undo, stamp)?;
            ["archived", "listed"][usize::from(undo)]
        }
        _ => return Err(sent.unknown()),
    };
    let link = site.view(View::Sessions).with("session", session);
    Ok(Outcome::Done(link.with("done", said).href()))
}
