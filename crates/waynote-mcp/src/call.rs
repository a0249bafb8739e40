//! A call of a tool, with the functions that the tools of several sets share.

use waynote::event::EventAddress;
use waynote::{
    Address, AddressAt, Citation, Content, Note, NoteAsOf, Scope, Stamp, Store, named, single,
};

use crate::arguments::Arguments;
use crate::caller::ConnectedCaller;
use crate::notes::Notes;
use crate::reply::Refusal;

/// A call.
pub(crate) struct Call<'k> {
    pub(crate) notes: &'k mut Notes,
    pub(crate) here: &'k ConnectedCaller,
    pub(crate) arguments: Arguments,
}

/// The longest note that a client can write, in bytes. Notebooks have limits far below it; this one protects the
/// server's memory where the person has set none.
const NOTE_BYTES: usize = 256 * 1024;

/// The most keys that a message names.
pub(crate) const KEYS_SHOWN: usize = 20;

impl Call<'_> {
    /// The text of an argument as the content of a note.
    pub(crate) fn content(&self, name: &str) -> Result<Content, Refusal> {
        content(self.arguments.required(name))
    }

    /// The same, but refuses a blank text, which is a mistake or an attempt to delete. The tool sets of other programs
    /// accept it, as those programs do.
    pub(crate) fn nonblank_content(&self, name: &str) -> Result<Content, Refusal> {
        let content = self.content(name)?;
        if content.is_blank() {
            let hint = "send what the next run needs, or use note_delete to remove a note; nothing was done";
            return Err(Refusal::new(format!("`{name}` is empty"), hint));
        }
        Ok(content)
    }

    /// Author and time of a change.
    pub(crate) fn stamp(&self) -> Stamp {
        let cites = self.arguments.texts("cites");
        let cites = cites.map(|cites| cites.into_iter().map(Citation::new).collect::<Vec<_>>());
        self.notes.stamp(&self.here.caller.author).citing(cites)
    }

    /// The note that the arguments key, place and address name.
    pub(crate) fn named(&self) -> Result<AddressAt, Refusal> {
        let text = |name| self.arguments.text(name);
        self.here.note(text("key"), text("place"), text("address"))
    }

    /// The same for a change, which cannot name a revision.
    pub(crate) fn named_note(&self) -> Result<Address, Refusal> {
        let AddressAt { address, revision } = self.named()?;
        match revision {
            None => Ok(address),
            Some(revision) => {
                let what = format!("`@{revision}` names a revision, which cannot be changed");
                Err(Refusal::new(what, format!("leave out `@{revision}`")))
            }
        }
    }
}

/// A text for a note.
pub(crate) fn content(text: &str) -> Result<Content, Refusal> {
    if text.len() > NOTE_BYTES {
        let what = format!(
            "the note is too large: {} bytes, the limit is {NOTE_BYTES}",
            text.len()
        );
        return Err(Refusal::new(
            what,
            "keep what the next run needs; nothing was done",
        ));
    }
    Ok(Content::text(text)?)
}

/// A note, as it is or as a revision made it.
pub(crate) fn note_at(store: &dyn Store, at: &AddressAt) -> Result<Note, Refusal> {
    let AddressAt { address, revision } = at;
    match (
        single::get(store, address, revision.map(NoteAsOf::Revision)),
        revision,
    ) {
        (Err(waynote::Error::NotFound { .. }), None) => Err(missing(store, address)?),
        (Err(waynote::Error::NotFound { what }), Some(_)) => {
            let hint = named::instead_of(store, at)?.unwrap_or_default();
            Err(Refusal::not_found(format!("there is no {what}"), hint))
        }
        (found, _) => Ok(found?),
    }
}

/// The address of an event of a session, if it is one.
pub(crate) fn event_named(typed: &str) -> Option<EventAddress> {
    typed.trim().parse().ok()
}

/// The text of an event.
pub(crate) fn event_at(store: &dyn Store, address: &EventAddress) -> Result<String, Refusal> {
    if let Some(recorded) = store.event(address)? {
        return Ok(recorded.event.to_string());
    }
    let session = &address.session;
    let last = store.events(session, None, 1)?.pop();
    let hint = match last {
        Some(last) => format!("the last event of session {session} is {}", last.number),
        None => format!("session {session} has no events"),
    };
    Err(Refusal::not_found(format!("there is no {address}"), hint))
}

/// The refusal for a missing note, with the nearest key and the existing ones.
pub(crate) fn missing(store: &dyn Store, address: &Address) -> waynote::Result<Refusal> {
    let what = format!("there is no {address}");
    let Some(key) = address.key() else {
        return Ok(Refusal::not_found(
            what,
            "note_list shows what applies here",
        ));
    };
    if let Address::Session(..) = address {
        return Ok(Refusal::not_found(what, "note_list shows the log"));
    }
    Ok(Refusal::not_found(
        what,
        keys_in_words(store, &address.scope(), Some(&key))?,
    ))
}

/// The keys of a notebook in words, the most likely one first.
pub(crate) fn keys_in_words(
    store: &dyn Store,
    scope: &Scope,
    meant: Option<&str>,
) -> waynote::Result<String> {
    let keys = named::keys(store, scope, meant)?;
    Ok(keys.unwrap_or_else(|| format!("no notes are stored in {scope}")))
}
