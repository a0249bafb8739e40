//! The rules of an import: what becomes of an incoming note beside the one in the store.
//!
//! Both sides may have written since they were last the same. Then one text is current and the other is a revision
//! of the same note, so that `history` shows it and `restore` brings it back.

use jiff::Timestamp;
use waynote::change::{Applied, Expect, Origin};
use waynote::text::shell_word;
use waynote::{
    Action, Address, Change, FlaggedNote, Limits, Name, Note, Result, Revision, Stamp, Store,
};

use crate::incoming_note::{IncomingNote, Mode, Precedence};
use crate::own_keys::gives_way;
use crate::report::{Conflict, CurrentSide, ImportReport, Renamed};

/// A note that is to be written: the changes that do it.
pub(crate) struct PlannedNote {
    address: Address,
    changes: Vec<Change>,
    /// True if there is a note already.
    existed: bool,
    conflict: Option<Conflict>,
}

/// Who wrote a text, and when; none: the importer.
fn origin(author: Option<Name>, created_at: Timestamp, updated_at: Timestamp) -> Option<Origin> {
    Some(Origin {
        is_synced: false,
        cites: Vec::new(),
        author,
        created_at,
        updated_at,
    })
}

/// A note as it is in the store before the import.
#[derive(Clone, Debug)]
pub(crate) struct ExistingNote {
    pub(crate) current: Option<Note>,
    /// Oldest first.
    pub(crate) history: Vec<Revision>,
}

impl ImportReport {
    /// The changes for a note; none when it is counted as unchanged or skipped. A text that an older revision holds is
    /// not brought again, so that it undoes no change or deletion made since.
    pub(crate) fn merge(
        &mut self,
        before: &ExistingNote,
        incoming: IncomingNote,
        precedence: Precedence,
        stamp: &Stamp,
    ) -> Option<PlannedNote> {
        let current = before.current.as_ref();
        if incoming.name.is_none()
            && let (Some(other), Some(way)) = (current, gives_way(before))
            && other.content != incoming.content
        {
            let mut planned = planned(incoming, current, None, stamp);
            planned.changes.push(moved(other, way.clone()));
            self.renamed.push(Renamed {
                address: way,
                instead_of: other.address.clone(),
            });
            return Some(planned);
        }
        // Texts that only a synced file holds are not in the store yet.
        let history = before.history.iter();
        let history: Vec<&Revision> = history
            .filter(|revision| revision.position.is_some())
            .collect();
        let says = |note: &Note| note.content == incoming.content;
        let (_, updated_at) = incoming.times.created_and_updated(stamp.now);
        let is_later = current.is_none_or(|note| updated_at > note.updated_at);
        let stored = history.last().and_then(|last| last.note());
        if let Some(note) = stored.filter(|note| says(note)) {
            let moves_pin = is_later
                && precedence == Precedence::Later
                && incoming.pin.is_some_and(|pin| pin != note.pinned);
            if !moves_pin {
                self.unchanged += 1;
                return None;
            }
            return Some(planned(incoming, current, None, stamp));
        }
        let is_forgotten = |revision: &&Revision| revision.forgotten().is_some();
        if history.iter().any(is_forgotten) {
            let reason = "what it said before was forgotten, and this may be it; save it by hand if it is not";
            self.skip(incoming.address.to_string(), reason);
            return None;
        }
        // The file that the store is kept in sync with may say the same.
        if current.is_some_and(says) {
            return Some(planned(incoming, current, None, stamp));
        }
        // The last change took back what had made the note: whoever asks for it once more gets it.
        let is_undo = |last: &&Revision| last.action == Action::Undo;
        let is_undone = stored.is_none() && history.last().is_some_and(is_undo);
        let mut latest_first = history.iter().copied().rev();
        // An older revision says the same, so the other program has written nothing new.
        if let Some(older) = latest_first
            .clone()
            .find(|revision| revision.note().is_some_and(says))
            && !is_undone
        {
            let reason = why_older(older, stamp, &incoming.address, current.is_some());
            self.skip(incoming.address.to_string(), reason);
            return None;
        }
        // The last import's text is still there: only the other program has written since.
        let imported = latest_first.find(|revision| *revision.author() == stamp.author);
        let imported = imported.and_then(Revision::note);
        let was_written_here = current
            .is_some_and(|note| imported.is_none_or(|imported| imported.content != note.content));
        let conflict = match precedence {
            // The times say which is later, so a later text is no conflict but a change.
            Precedence::Later => (!is_later).then_some(CurrentSide::Here),
            Precedence::Imported => was_written_here.then_some(CurrentSide::Imported),
            Precedence::Here => was_written_here.then_some(CurrentSide::Here),
        };
        Some(planned(incoming, current, conflict, stamp))
    }

    /// Writes notes in one step and counts them; a dry run only counts them.
    pub(crate) fn finish(
        &mut self,
        store: &dyn Store,
        notes: Vec<PlannedNote>,
        stamp: &Stamp,
        mode: Mode,
    ) -> Result<()> {
        let mut applied = match mode {
            Mode::DryRun => Vec::new(),
            Mode::Write => {
                let changes = notes.iter().flat_map(|note| note.changes.iter().cloned());
                store.apply(&changes.collect::<Vec<_>>(), stamp)?
            }
        }
        .into_iter();
        for note in notes {
            let of_this: Vec<Applied> = applied.by_ref().take(note.changes.len()).collect();
            match (note.conflict, of_this.first()) {
                (Some(conflict), saved) => {
                    let saved = saved.and_then(|saved| saved.note.as_ref());
                    self.secrets.extend(saved.and_then(FlaggedNote::of));
                    self.conflicts.push(conflict);
                }
                (None, Some(saved)) => self.count(saved),
                (None, None) if note.existed => self.updated += 1,
                (None, None) => self.added += 1,
            }
            if mode == Mode::DryRun {
                self.planned.push(note.address);
            }
        }
        Ok(())
    }
}

/// Why a text that an older revision holds is left out.
fn why_older(revision: &Revision, stamp: &Stamp, address: &Address, is_there: bool) -> String {
    let was = match *revision.author() == stamp.author {
        true => "it was imported before and",
        false => "it is an older text of this note, which was",
    };
    let since = if is_there { "changed" } else { "deleted" };
    let number = revision.number();
    let note = shell_word(&format!("{address}@{number}"));
    format!("{was} {since} since; `waynote restore {note}` brings it back")
}

fn planned(
    incoming: IncomingNote,
    current: Option<&Note>,
    conflict: Option<CurrentSide>,
    stamp: &Stamp,
) -> PlannedNote {
    let (created_at, updated_at) = incoming.times.created_and_updated(stamp.now);
    let conflict = current.zip(conflict);
    let mut changes = vec![Change::Save {
        address: incoming.address.clone(),
        content: incoming.content,
        pin: incoming.pin,
        limits: Limits::NONE,
        // The write is for the revision that was compared.
        expect: Expect::Revision(current.map_or(0, |note| note.revision)),
        origin: origin(None, created_at, updated_at),
    }];
    if let Some((note, CurrentSide::Here)) = conflict {
        changes.push(make_current_again(note));
    }
    PlannedNote {
        conflict: conflict.map(|(note, current)| Conflict {
            address: incoming.address.clone(),
            current,
            revision: note.revision + u64::from(current == CurrentSide::Here),
        }),
        address: incoming.address,
        changes,
        existed: current.is_some(),
    }
}

/// The change that saves a note under another address, as it is.
fn moved(note: &Note, address: Address) -> Change {
    Change::Save {
        address,
        content: note.content.clone(),
        pin: Some(note.pinned),
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: origin(Some(note.author.clone()), note.created_at, note.updated_at),
    }
}

/// The change that makes a note the current one again, as it was, after a text that was only journaled. It takes
/// that text back, so that an undo later on reaches what the note's own author did.
pub(crate) fn make_current_again(note: &Note) -> Change {
    Change::Undo {
        address: note.address.clone(),
        origin: origin(Some(note.author.clone()), note.created_at, note.updated_at),
        last: None,
    }
}
