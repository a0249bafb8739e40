//! A note as it is typed: a key of the agent's notebook, a path, `#3` of the session, the end of an id, an address.

use std::path::Path;

use waynote::named::{self, Typist};
pub(crate) use waynote::stands::in_shell;
use waynote::visible::visible;
use waynote::{Address, AddressAt, Error, Place, Result, Store};

use crate::error::{Failure, Outcome};
use crate::home;
use crate::invocation::Context;

/// What a command does with the note.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reads or changes it. A key is the nearest note that has it, and comes before a directory of the same name.
    Keep,
    /// Takes it away: it must be the only one that is meant.
    TakeAway,
    /// Makes it. A key without a scope is the project's.
    Make,
}

impl Context<'_> {
    /// The note that a text stands for, with the revision if it names one.
    pub(crate) fn note_at(&self, typed: &str, purpose: Use) -> Outcome<AddressAt> {
        if Address::is_meant(typed) {
            return crate::input::address(typed);
        }
        let (base, session) = (home::base().ok(), self.session().ok());
        let lineage = match &base {
            Some(base) => Some(self.settings.lineage(&base.cwd())?),
            None => None,
        };
        let typist = Typist {
            agent: &self.settings.agent.value,
            session: session.as_ref().map(|(session, _)| session),
            base: base.as_ref(),
            lineage: lineage.as_ref(),
            is_directory: &is_directory,
        };
        if purpose == Use::Make
            && let Ok(key) = typed.parse()
        {
            let made = self.read(|store| Ok(typist.to_save(store, &key)?))?;
            return Ok(AddressAt::new(made.address, None));
        }
        let meant = self.read(|store| Ok(typist.meant(store, typed)?))?;
        // Only a directory stands behind the others.
        let is_alike = |at: &&AddressAt| !matches!(at.address, Address::Place(_));
        let several =
            meant.iter().filter(is_alike).count() > 1 || (meant.len() > 1 && purpose != Use::Keep);
        match meant.first() {
            Some(first) if !several => Ok(first.clone()),
            Some(_) => {
                let said: Vec<String> = meant.iter().map(|at| self.said(at)).collect();
                Err(Failure::refused(
                    "several_notes",
                    format!("`{}` matches {} notes", visible(typed), said.len()),
                    format!("use one of:\n    {}", said.join("\n    ")),
                ))
            }
            None => Err(Failure::refused(
                "not_found",
                format!("there is no entry `{}`", visible(typed)),
                "`waynote log list` lists the entries of the session",
            )),
        }
    }

    /// The same with a revision that is named in it or beside it.
    pub(crate) fn note_and_revision(
        &self,
        typed: &str,
        revision: Option<u64>,
        purpose: Use,
    ) -> Outcome<AddressAt> {
        let named = self.note_at(typed, purpose)?;
        match (named.revision, revision) {
            (Some(named), Some(revision)) if named != revision => {
                let what = format!("two revisions are given: {named} and {revision}");
                let hint = "give one: `@N` or `--revision N`";
                Err(Failure::usage(what, hint))
            }
            (in_address, beside) => Ok(AddressAt::new(named.address, beside.or(in_address))),
        }
    }

    /// The same for a command about the note itself; a revision is refused.
    pub(crate) fn note(&self, typed: &str, purpose: Use) -> Outcome<Address> {
        let AddressAt { address, revision } = self.note_at(typed, purpose)?;
        match revision {
            None => Ok(address),
            Some(_) => {
                Err(Error::invalid_address(typed, "name the note without a revision").into())
            }
        }
    }

    /// A note among several: an entry with its first line.
    fn said(&self, at: &AddressAt) -> String {
        let Address::Session(_, id) = &at.address else {
            return at.address.masked();
        };
        let note = self
            .read(|store| Ok(store.get(&at.address)?))
            .ok()
            .flatten();
        let preview = note.map_or(String::new(), |note| note.preview);
        let preview = waynote::secrets::masked(&preview).into_owned();
        format!("{}: {}", named::end_of_id(*id), visible(&preview))
    }
}

/// True if a place is a directory of this machine.
pub(crate) fn is_directory(place: &Place) -> bool {
    home::expanded(place.as_str()).is_ok_and(|path| Path::is_dir(&path))
}

/// The result of work on a note. For one that is not there the error says what there is instead.
pub(crate) fn found<T>(store: &dyn Store, named: &AddressAt, result: Result<T>) -> Outcome<T> {
    result.map_err(|error| match &error {
        Error::NotFound { .. } => not_there(store, named, error),
        _ => error.into(),
    })
}

/// The error about a note that is not there.
fn not_there(store: &dyn Store, named: &AddressAt, error: Error) -> Failure {
    match named::instead_of(store, named) {
        Ok(Some(hint)) => Failure::refused("not_found", error.to_string(), hint),
        _ => error.into(),
    }
}
