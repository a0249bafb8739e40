//! A text that an import brings in, beside the note that is there: what is new, and what becomes of a conflict.
//!
//! Both sides may have written since they were last the same. Then one text is current and the other is a revision
//! of the same note, so that `history` shows it and `restore` brings it back.

use jiff::Timestamp;

use super::{Conflict, Current, Imported};
use crate::address::Address;
use crate::change::{Applied, Change, Expect, Origin};
use crate::content::Content;
use crate::error::Result;
use crate::instep::again;
use crate::key::Name;
use crate::limits::Limits;
use crate::model::secret_policy::Flagged;
use crate::note::{Note, Revision, Stamp};
use crate::store::Store;

/// A text of another program and the note that it becomes.
pub(super) struct Incoming {
    pub(super) address: Address,
    pub(super) content: Content,
    /// Whether it is pinned there; none: nothing is said about that.
    pub(super) pin: Option<bool>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) precedence: Precedence,
}

/// Which text is current after a conflict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Precedence {
    /// The imported one: when it was written is not known, and it is what the user asks for now.
    Imported,
    /// The one that was written here.
    Here,
    /// The later one: both sides record when a note was written.
    Later,
}

/// Changes that bring in one text.
pub(super) struct Planned {
    changes: Vec<Change>,
    address: Address,
    /// Whether there is a note already.
    existed: bool,
    conflict: Option<Conflict>,
}

impl Imported {
    /// What is to be done about a text. None when nothing is: the text is counted as unchanged or skipped. A text
    /// that an older revision holds is not brought again, so that it undoes no change or deletion made since.
    pub(super) fn plan(
        &mut self,
        store: &dyn Store,
        incoming: Incoming,
        importer: &Name,
    ) -> Result<Option<Planned>> {
        let mut history = store.history(&incoming.address)?;
        // What lies only in a file that the store is kept in sync with is not in the store yet.
        history.retain(|revision| revision.position.is_some());
        let says = |revision: &Revision, content: &Content| {
            revision.note().is_some_and(|note| note.content == *content)
        };
        let current = store.get(&incoming.address)?;
        let is_later = current
            .as_ref()
            .is_none_or(|note| incoming.updated_at > note.updated_at);
        let stored = history.last().and_then(Revision::note);
        if let Some(note) = stored.filter(|note| note.content == incoming.content) {
            let moves_pin = is_later
                && incoming.precedence == Precedence::Later
                && incoming.pin.is_some_and(|pin| pin != note.pinned);
            if !moves_pin {
                self.unchanged += 1;
                return Ok(None);
            }
            return Ok(Some(incoming.planned(current.as_ref(), None)));
        }
        if history
            .iter()
            .any(|revision| revision.forgotten().is_some())
        {
            let reason = "what it said before was forgotten, and this may be it; save it by hand if it is not";
            self.skip(incoming.address.to_string(), reason);
            return Ok(None);
        }
        let imported = |revision: &&Revision| revision.author() == importer;
        // The file that the store is kept in sync with may say the same.
        let other = current
            .as_ref()
            .filter(|note| note.content != incoming.content);
        // An older revision says the same, so the other program has written nothing new.
        if (current.is_none() || other.is_some())
            && let Some(before) = history
                .iter()
                .rev()
                .find(|revision| says(revision, &incoming.content))
        {
            let reason = why_older(before, importer, &incoming.address, current.is_some());
            self.skip(incoming.address.to_string(), reason);
            return Ok(None);
        }
        let Some(note) = other else {
            return Ok(Some(incoming.planned(current.as_ref(), None)));
        };
        // The last import's text is still there: only the other program has written since.
        let was_written_here = !history
            .iter()
            .rev()
            .find(imported)
            .is_some_and(|revision| says(revision, &note.content));
        let conflict = match incoming.precedence {
            // The times say which is later, so a later text is no conflict but a change.
            Precedence::Later if is_later => None,
            Precedence::Later => Some(Current::Here),
            _ if !was_written_here => None,
            Precedence::Imported => Some(Current::Imported),
            Precedence::Here => Some(Current::Here),
        };
        Ok(Some(incoming.planned(current.as_ref(), conflict)))
    }

    /// Carries out what was planned, in one step, and counts it.
    pub(super) fn carry_out(
        &mut self,
        store: &dyn Store,
        planned: Vec<Planned>,
        stamp: &Stamp,
    ) -> Result<()> {
        let changes: Vec<Change> = planned
            .iter()
            .flat_map(|planned| planned.changes.iter().cloned())
            .collect();
        let mut applied = store.apply(&changes, stamp)?.into_iter();
        for Planned {
            changes, conflict, ..
        } in planned
        {
            let of_this: Vec<Applied> = applied.by_ref().take(changes.len()).collect();
            let Some(saved) = of_this.first() else {
                continue;
            };
            match conflict {
                None => self.count(saved),
                Some(mut conflict) => {
                    if let (Current::Here, Some(note)) = (conflict.current, &saved.note) {
                        conflict.revision = note.revision;
                    }
                    self.conflicts.push(conflict);
                    self.secrets
                        .extend(saved.note.as_ref().and_then(Flagged::of));
                }
            }
        }
        Ok(())
    }

    /// Counts what would be done.
    pub(super) fn rehearse(&mut self, planned: Planned) {
        match planned.conflict {
            Some(conflict) => self.conflicts.push(conflict),
            None if planned.existed => self.updated += 1,
            None => self.added += 1,
        }
        self.planned.push(planned.address);
    }
}

/// Why a text that an older revision holds is left out.
fn why_older(revision: &Revision, importer: &Name, address: &Address, is_there: bool) -> String {
    let was = match revision.author() == importer {
        true => "it was imported before and",
        false => "it is an older text of this note, which was",
    };
    let since = if is_there { "changed" } else { "deleted" };
    let number = revision.number();
    format!("{was} {since} since; `waynote restore {address}@{number}` brings it back")
}

impl Incoming {
    fn planned(self, current: Option<&Note>, conflict: Option<Current>) -> Planned {
        let conflict = current.zip(conflict).map(|(note, current)| Conflict {
            address: self.address.clone(),
            current,
            revision: match current {
                Current::Imported => note.revision,
                Current::Here => note.revision + 1,
            },
        });
        let mut changes = vec![Change::Save {
            address: self.address.clone(),
            content: self.content,
            pin: self.pin,
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: Some(Origin {
                is_synced: false,
                author: None,
                created_at: self.created_at,
                updated_at: self.updated_at,
            }),
        }];
        if let (Some(note), Some(Current::Here)) =
            (current, conflict.as_ref().map(|conflict| conflict.current))
        {
            changes.push(again(note));
        }
        Planned {
            changes,
            address: self.address,
            existed: current.is_some(),
            conflict,
        }
    }
}
