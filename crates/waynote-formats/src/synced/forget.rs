//! Forgetting where a file is kept in sync: the text must be out of the file and its leftovers too.
//!
//! Texts of the file and its leftovers are journaled first, so that nothing brings them back later. Then the store
//! forgets, and then the file is replaced. Unlike a write, none of this goes on without the file.

use std::collections::HashMap;

use waynote::store::SideValue;
use waynote::{
    Action, Address, AddressAt, Content, Error, Forget, Forgotten, LocalStore, Reader, Result,
    Revision, Stamp,
};

use super::store::SyncedStore;
use super::write::without_operation;
use crate::zrb::exchange::{self, WRITER_RETRIES};

/// How often a text is forgotten again that other programs write back meanwhile.
const ROUNDS: usize = 5;

impl<S: LocalStore> SyncedStore<S> {
    pub(super) fn forget_with_file(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.drop_cached();
        if self.is_done(stamp)? {
            return self.inner.forget(request, stamp);
        }
        let only_in_file = self.text_only_in_file(request)?;
        let _lock = exchange::lock(self.file())?;
        let mut read = exchange::read(self.file(), WRITER_RETRIES)?;
        let mut known = self.known()?;
        let of_texts = without_operation(stamp);
        self.journal_leftovers(&mut known, &of_texts)?;
        self.journal_with_file(read.as_ref(), &[], &mut known, &of_texts)?;

        let request = self.journaled(request, only_in_file.as_ref())?;
        let said = self.said(&request)?;
        let mut forgotten = self.inner.forget(&request, stamp)?;
        if !said.is_empty() && !forgotten.revisions.iter().any(|at| said.contains_key(at)) {
            // An earlier try of this call ended between the store and the file, whose text was taken in again.
            forgotten.and(self.inner.forget(&request, &of_texts)?);
        }
        let texts: Vec<Content> = said.into_values().collect();
        for _ in 0..ROUNDS {
            if read.is_some() {
                self.write_file(read, &[], self.known()?, &of_texts)?;
            }
            self.no_leftovers()?;
            let back = self.brought_back(&forgotten.gone, &texts)?;
            if back.is_empty() {
                self.set_done(stamp)?;
                return Ok(self.without_own(forgotten));
            }
            for request in &back {
                forgotten.and(self.inner.forget(request, &of_texts)?);
            }
            read = exchange::read(self.file(), WRITER_RETRIES)?;
        }
        let busy = std::io::Error::other("other programs keep writing what is to be forgotten");
        Err(Error::file(self.file(), "cleared", busy))
    }

    /// The result that forgetting would have. A text that lies only in the file would be forgotten with the others.
    pub(super) fn would_forget_with_file(
        &self,
        request: &Forget,
        stamp: &Stamp,
    ) -> Result<Forgotten> {
        let mut forgotten = match self.inner.would_forget(request, stamp) {
            Err(Error::NotFound { .. }) => None,
            inner => Some(inner?),
        };
        let Some(AddressAt {
            address,
            revision: number,
        }) = request.note().cloned()
        else {
            let forgotten = forgotten.ok_or_else(|| request.not_found())?;
            return Ok(self.without_own(forgotten));
        };
        let history = self.history(&address)?;
        let is_meant = |revision: &&Revision| {
            revision.position.is_none() && number.is_none_or(|number| number == revision.number())
        };
        if let Some(pending) = history.last().filter(is_meant) {
            let forgotten = forgotten.get_or_insert_with(|| Forgotten::nothing(request));
            if forgotten.revisions.is_empty() {
                let says = |revision: &&Revision| revision.note().is_some();
                forgotten.kept = history.iter().filter(says).count() as u64 - 1;
            }
            forgotten
                .revisions
                .push(AddressAt::new(address.clone(), pending.number()));
            if !forgotten.gone.contains(&address) {
                forgotten.gone.push(address);
            }
        }
        let forgotten = forgotten.ok_or_else(|| request.not_found())?;
        Ok(self.without_own(forgotten))
    }

    /// Without the file of this store: the call clears it.
    fn without_own(&self, mut forgotten: Forgotten) -> Forgotten {
        let own = self.space();
        forgotten.spaces.retain(|space| *space != own);
        forgotten
    }

    /// The text of the revision that is named, when it lies only in the file.
    fn text_only_in_file(&self, request: &Forget) -> Result<Option<Content>> {
        let Some(AddressAt {
            address,
            revision: Some(number),
        }) = request.note()
        else {
            return Ok(None);
        };
        let number = *number;
        let history = self.history(address)?;
        let is_named =
            |revision: &&Revision| revision.number() == number && revision.position.is_none();
        let named = history.iter().find(is_named);
        Ok(named.and_then(|revision| Some(revision.note()?.content.clone())))
    }

    /// The request once the file's texts are journaled: one that lay only in the file may have got another number.
    fn journaled(&self, request: &Forget, only_in_file: Option<&Content>) -> Result<Forget> {
        let request = request.clone();
        if let (Some(text), Some(note)) = (only_in_file, request.note()) {
            let history = self.inner.history(&note.address)?;
            let says =
                |revision: &&Revision| revision.note().map(|note| &note.content) == Some(text);
            let number = history.iter().rev().find(says).map(Revision::number);
            return Ok(request.revision(number));
        }
        Ok(request)
    }

    /// The texts of the requested revisions.
    fn said(&self, request: &Forget) -> Result<HashMap<AddressAt, Content>> {
        let Some(note) = request.note() else {
            return Ok(HashMap::new());
        };
        let history = self.inner.history(&note.address)?;
        let (address, number) = (&note.address, note.revision);
        let is_meant = |revision: &&Revision| number.is_none_or(|meant| revision.number() == meant);
        let notes = history.iter().filter(is_meant).filter_map(Revision::note);
        let said = notes.map(|note| {
            let at = AddressAt::new(address.clone(), note.revision);
            (at, note.content.clone())
        });
        Ok(said.collect())
    }

    /// True if a call with this id has finished forgetting in the file too, not only in the store.
    fn is_done(&self, stamp: &Stamp) -> Result<bool> {
        let Some(operation) = stamp.operation else {
            return Ok(false);
        };
        let done = self.inner.side_values(&self.done_space())?;
        Ok(done.iter().any(|value| value.key == operation.to_string()))
    }

    fn set_done(&self, stamp: &Stamp) -> Result<()> {
        let Some(operation) = stamp.operation else {
            return Ok(());
        };
        let done = SideValue::new(operation.to_string(), Vec::new());
        self.inner.put_side_values(&self.done_space(), &[done], &[])
    }

    /// The side values of calls that have forgotten a text in the file too.
    fn done_space(&self) -> String {
        format!("forgotten-in:{}", self.file().display())
    }

    /// Texts that other programs wrote back while the file was replaced.
    fn brought_back(&self, gone: &[Address], texts: &[Content]) -> Result<Vec<Forget>> {
        let mut back = Vec::new();
        for address in gone {
            let history = self.inner.history(address)?;
            let since = history
                .iter()
                .rev()
                .take_while(|revision| revision.action != Action::Forget);
            for revision in since {
                if revision
                    .note()
                    .is_some_and(|note| texts.contains(&note.content))
                {
                    back.push(Forget::new(address.clone()).revision(Some(revision.number())));
                }
            }
        }
        Ok(back)
    }

    /// Refuses to call a text forgotten while a leftover may hold it.
    fn no_leftovers(&self) -> Result<()> {
        for file in exchange::leftovers(self.file()) {
            if std::fs::metadata(&file).is_ok_and(|file| file.len() > 0) {
                let why =
                    std::io::Error::other("it cannot be read, and may hold what was forgotten");
                return Err(Error::file(file, "cleared", why));
            }
        }
        Ok(())
    }
}
