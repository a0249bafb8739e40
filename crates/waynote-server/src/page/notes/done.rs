//! The message after an action on a note, with the way to undo it.

use maud::{Markup, html};
use waynote::{Address, Result, Revision, Store};

use super::reader::{Found, action};
use super::{Asked, Reader};
use crate::page::fields::Fields;
use crate::page::site::Site;
use crate::page::words::{self, author};

/// An action that was carried out.
pub(crate) struct Done {
    what: String,
    /// The note, and the number of its last revision.
    note: Option<(Address, u64)>,
    /// The change that an undo took back.
    undone: Option<Revision>,
}

impl Done {
    /// Reads what the field `done` says; none when there is no such field.
    pub(crate) fn gather(
        store: &dyn Store,
        fields: &Fields,
        reader: Option<&Reader>,
    ) -> Result<Option<Self>> {
        let Some(what) = fields.get("done") else {
            return Ok(None);
        };
        let last = reader.and_then(|reader| match &reader.note {
            Found::Note(note) => Some((reader.address.clone(), note.revision)),
            Found::Gone(last) => Some((reader.address.clone(), last.number())),
            Found::Nothing(_) => None,
        });
        let undone = match &last {
            Some((address, _)) if what == "undone" => undone(store, address)?,
            _ => None,
        };
        Ok(Some(Self {
            what: what.to_owned(),
            note: last,
            undone,
        }))
    }
}

/// The change that the last revision of a note took back.
fn undone(store: &dyn Store, address: &Address) -> Result<Option<Revision>> {
    let last = store.history_before(address, None, 1)?.pop();
    let Some(number) = last.and_then(|last| last.undoes) else {
        return Ok(None);
    };
    Ok(store.history_before(address, Some(number + 1), 1)?.pop())
}

pub(crate) fn view(site: &Site<'_>, asked: &Asked, done: Option<&Done>) -> Markup {
    let Some(done) = done else {
        return html! {};
    };
    let said = match done.what.as_str() {
        "saved" => "Saved",
        "cleaned" => "Saved without its hidden characters",
        "pinned" => "Pinned: every prompt of this agent shows it whole",
        "unpinned" => "Unpinned: prompts show it as one line",
        "deleted" => "Deleted. Its history stays, and it can be brought back",
        "confirmed" => "Noted: it is still true",
        "undone" => "Undone",
        "redone" => "Redone",
        "restored" => "Restored",
        "unchanged" => "Nothing changed: it said that already",
        _ => return html! {},
    };
    let back = match done.what.as_str() {
        "deleted" => Some(("undo", "Undo")),
        "undone" => Some(("redo", "Redo")),
        _ => None,
    };
    html! {
        div.notice role="status" data-notice="" {
            span {
                (said)
                @if let (Some(undone), Some((address, _))) = (&done.undone, &done.note) {
                    ": the " (undone.action.as_str()) " of " (words::address(address)) " by " (author(undone.author()))
                    " (revision " (undone.number()) ")"
                }
                "."
            }
            @if let (true, Some((act, word)), Some((address, last))) = (site.may_write(), back, &done.note) {
                (action(site, asked, act, address, *last, html! { button.btn { (word) } }))
            }
        }
    }
}
