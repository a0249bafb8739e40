//! A call of a tool, with the functions that the tools of several sets share.

use waynote::event::EventAddress;
use waynote::named::Typist;
use waynote::session_log::iteration_named;
use waynote::visible::visible;
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

    /// The note to write.
    pub(crate) fn named_note(&self) -> Result<Address, Refusal> {
        latest(self.named()?)
    }

    /// The existing note that the arguments name. A key or an address alone may also be all that the command line
    /// takes: a key of a directory here, a path, `#3`.
    pub(crate) fn existing(&self) -> Result<AddressAt, Refusal> {
        let text = |name| self.arguments.text(name);
        let word = match (text("key"), text("place"), text("address")) {
            (Some(word), None, None) | (None, None, Some(word)) => word,
            _ => return self.named(),
        };
        let (here, store) = (self.here, self.notes.store());
        let (base, lineage) = (here.base_of(word)?, here.lineage());
        let typist = Typist {
            agent: &here.caller.agent,
            session: here.caller.session.as_ref(),
            base: base.as_ref(),
            lineage: lineage.as_ref(),
            is_directory: &|_| false,
        };
        let mut meant = typist.meant(store, word)?;
        match iteration_named(word) {
            Some(number) if meant.len() != 1 => Err(of_iteration(store, number, &meant)?),
            // The note of the notebook, else that of the nearest directory.
            _ => Ok(meant.swap_remove(0)),
        }
    }

    /// The existing note that a change names.
    pub(crate) fn existing_note(&self) -> Result<Address, Refusal> {
        latest(self.existing()?)
    }
}

/// Refuses a revision, which cannot be changed.
fn latest(named: AddressAt) -> Result<Address, Refusal> {
    let AddressAt { address, revision } = named;
    match revision {
        None => Ok(address),
        Some(revision) => {
            let what = format!("`@{revision}` names a revision, which cannot be changed");
            Err(Refusal::new(what, format!("leave out `@{revision}`")))
        }
    }
}

/// The refusal of `#3` where no entry of the log, or several, can be meant.
fn of_iteration(store: &dyn Store, number: i64, meant: &[AddressAt]) -> Result<Refusal, Refusal> {
    if meant.is_empty() {
        let what = format!("the session has no entry of iteration {number}");
        return Ok(Refusal::not_found(what, "note_list shows the log"));
    }
    let mut lines = String::new();
    for AddressAt { address, .. } in meant.iter().take(KEYS_SHOWN) {
        if let Some(entry) = store.get(address)? {
            lines.push_str(&format!("\n- {address}: {}", visible(&entry.preview)));
        }
    }
    let what = format!("iteration {number} has {} entries", meant.len());
    Ok(Refusal::new(
        what,
        format!("name one by its address:{lines}"),
    ))
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
    let keys = named::keys(store, std::slice::from_ref(scope), meant)?;
    Ok(keys.unwrap_or_else(|| format!("no notes are stored in {scope}")))
}
