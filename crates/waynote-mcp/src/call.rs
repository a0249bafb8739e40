//! A call of a tool, with the functions that the tools of several sets share.

use waynote::event::EventAddress;
use waynote::named::Saved;
use waynote::session_log::iteration_named;
use waynote::visible::visible;
use waynote::{
    Address, AddressAt, Citation, Content, Key, Lineage, Note, NoteAsOf, Scope, Stamp, Store,
    instead, single,
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

    /// The note that a save writes, and others with its key that apply here.
    pub(crate) fn to_save(&self) -> Result<Saved, Refusal> {
        let here = self.here;
        let (place, key) = (self.arguments.text("place"), self.arguments.text("key"));
        let address = match (self.exact()?, place, key) {
            (Some(exact), ..) => latest(exact)?,
            (None, Some(place), key) => self.at(place, key, true)?,
            (None, None, Some(key)) => {
                here.check_project()?;
                let (store, key) = (self.notes.store(), key.parse()?);
                return Ok(here.typist(None, &here.lineage()).to_save(store, &key)?);
            }
            (None, None, None) => return Err(no_note()),
        };
        let others = Vec::new();
        Ok(Saved { address, others })
    }

    /// The note that is named exactly: by its address, or in the notebook.
    fn exact(&self) -> Result<Option<AddressAt>, Refusal> {
        let text = |name| self.arguments.text(name);
        let (key, place, address) = (text("key"), text("place"), text("address"));
        let is_ours = text("scope").is_some();
        if (address.is_some() && (key.or(place).is_some() || is_ours))
            || (is_ours && place.is_some())
        {
            let what = "the note is named in several ways";
            let hint =
                "give `address` alone, or `key` with `scope` or with `place`; nothing was done";
            return Err(Refusal::new(what, hint));
        }
        if is_ours {
            let key = key.ok_or_else(no_note)?.parse()?;
            let address = Address::Agent(self.here.caller.agent.clone(), key);
            return Ok(Some(AddressAt::new(address, None)));
        }
        // An address in place of a key is taken as an address.
        let mut typed = address.or(key.filter(|_| place.is_none())).into_iter();
        let Some(typed) = typed.find(|typed| Address::is_meant(typed.trim_start())) else {
            return Ok(None);
        };
        let (base, lineage) = (self.here.base()?, self.here.lineage());
        Ok(Some(self.here.typist(Some(&base), &lineage).whole(typed)?))
    }

    /// The existing note that the arguments name. A key or an address alone may also be all that the command line
    /// takes: a path, `#3`. A key is the nearest note with it.
    pub(crate) fn existing(&self) -> Result<AddressAt, Refusal> {
        if let Some(exact) = self.exact()? {
            return Ok(exact);
        }
        let text = |name| self.arguments.text(name);
        if let Some(place) = text("place") {
            let address = self.at(place, text("key"), false)?;
            return Ok(AddressAt::new(address, None));
        }
        let word = text("key").or(text("address")).ok_or_else(no_note)?;
        let here = self.here;
        if word.parse::<Key>().is_ok() {
            here.check_roots()?;
        }
        let (base, lineage) = (here.base_of(word)?, here.lineage());
        let typist = here.typist(base.as_ref(), &lineage);
        let mut meant = typist.meant(self.notes.store(), word)?;
        match iteration_named(word) {
            Some(number) if meant.len() != 1 => {
                Err(of_iteration(self.notes.store(), number, &meant)?)
            }
            _ => Ok(meant.swap_remove(0)),
        }
    }

    /// The note on a place, or under a key there. The address of a place is exact; a path is looked up.
    fn at(&self, place: &str, key: Option<&str>, is_to_save: bool) -> Result<Address, Refusal> {
        let (here, store) = (self.here, self.notes.store());
        let key = key.map(str::parse::<Key>).transpose()?;
        let directory = here.place_of(place)?;
        let lineage = match Address::is_meant(place.trim()) {
            true => Lineage::new(directory.clone(), []),
            false => here.lineage_of(directory.clone()),
        };
        let typist = here.typist(None, &lineage);
        if is_to_save {
            typist.check_known()?;
        }
        Ok(typist.at(store, directory, key.as_ref())?)
    }

    /// The existing note that a change names.
    pub(crate) fn existing_note(&self) -> Result<Address, Refusal> {
        latest(self.existing()?)
    }

    /// The refusal for a missing note, with the near miss: of a key without a scope, among all that applies here.
    pub(crate) fn missing(&self, address: &Address) -> Result<Refusal, Refusal> {
        let store = self.notes.store();
        let is_exact = self.exact()?.is_some() || self.arguments.text("place").is_some();
        let hint = match (address, address.key()) {
            (Address::Session(..), _) => "note_list shows the log".into(),
            (_, None) => "note_list shows what applies here".into(),
            (_, Some(key)) if is_exact => keys_in_words(store, &address.scope(), Some(&key))?,
            (_, Some(key)) => {
                let keys = self
                    .here
                    .typist(None, &self.here.lineage())
                    .keys(store, &key)?;
                keys.unwrap_or_else(|| "no notes with keys apply here".into())
            }
        };
        Ok(Refusal::not_found(format!("there is no {address}"), hint))
    }

    /// A note, as it is or as a revision made it.
    pub(crate) fn note_at(&self, at: &AddressAt) -> Result<Note, Refusal> {
        let (store, AddressAt { address, revision }) = (self.notes.store(), at);
        let found = single::get(store, address, revision.map(NoteAsOf::Revision));
        match (found, revision) {
            (Err(waynote::Error::NotFound { .. }), None) => Err(self.missing(address)?),
            (Err(waynote::Error::NotFound { what }), Some(_)) => {
                let hint = instead::of_note(store, at)?.unwrap_or_default();
                Err(Refusal::not_found(format!("there is no {what}"), hint))
            }
            (found, _) => Ok(found?),
        }
    }
}

fn no_note() -> Refusal {
    Refusal::new(
        "no note is named",
        "give `key` for a note of this project, with `scope` agent for one of yours in every project, or `place` for the \
         note of a directory",
    )
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

/// The keys of a notebook in words, the most likely one first.
pub(crate) fn keys_in_words(
    store: &dyn Store,
    scope: &Scope,
    meant: Option<&str>,
) -> waynote::Result<String> {
    let keys = instead::keys(store, std::slice::from_ref(scope), meant)?;
    Ok(keys.unwrap_or_else(|| format!("no notes are stored in {scope}")))
}
