//! The rules of an import: what becomes of an incoming note beside the one in the store.
//!
//! Both sides may have written since they were last the same. Then one text is current and the other is a revision
//! of the same note, so that `history` shows it and `restore` brings it back.

use jiff::Timestamp;
use waynote::change::{Applied, Expect, Origin};
use waynote::store::Ask;
use waynote::text::shell_word;
use waynote::{
    Action, Address, Change, Content, FlaggedNote, Limits, Name, Note, Result, Revision, Stamp,
    Store,
};

use crate::incoming_note::{IncomingNote, Mode, Precedence};
use crate::own_keys::gives_way;
use crate::report::{Conflict, CurrentSide, ImportReport, Renamed};

/// A note that is to be written: the changes that do it.
pub(crate) struct PlannedNote {
    changes: Vec<Change>,
    address: Address,
    /// True if there is a note already.
    existed: bool,
    conflict: Option<Conflict>,
    renamed: Option<Renamed>,
}

impl PlannedNote {
    /// The same, of a note that was to have another address.
    pub(crate) fn instead_of(mut self, wanted: &Address) -> Self {
        if self.address != *wanted {
            self.renamed = Some(Renamed {
                address: self.address.clone(),
                instead_of: wanted.clone(),
            });
        }
        self
    }
}

impl PlannedNote {
    /// The same, of a note that keeps its key: the note of another import there gives way, as it is.
    fn beside(mut self, other: Note, way: Address) -> Self {
        self.renamed = Some(Renamed {
            address: way.clone(),
            instead_of: other.address,
        });
        self.changes.push(Change::Save {
            address: way,
            content: other.content,
            pin: Some(other.pinned),
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: origin(Some(other.author), other.created_at, other.updated_at),
        });
        self
    }
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
        before: ExistingNote,
        incoming: IncomingNote,
        precedence: Precedence,
        stamp: &Stamp,
    ) -> Option<PlannedNote> {
        let importer = &stamp.author;
        if incoming.name.is_none()
            && let Some(way) = gives_way(&before)
            && let Some(other) = before.current.clone()
            && other.content != incoming.content
        {
            return Some(merged(incoming, Some(&other), None, stamp).beside(other, way));
        }
        let ExistingNote { current, history } = before;
        let says = |revision: &Revision, content: &Content| {
            revision.note().is_some_and(|note| note.content == *content)
        };
        let (_, updated_at) = incoming.times.created_and_updated(stamp.now);
        let is_later = current
            .as_ref()
            .is_none_or(|note| updated_at > note.updated_at);
        let stored = history.last().and_then(Revision::note);
        if let Some(note) = stored.filter(|note| note.content == incoming.content) {
            let moves_pin = is_later
                && precedence == Precedence::Later
                && incoming.pin.is_some_and(|pin| pin != note.pinned);
            if !moves_pin {
                self.unchanged += 1;
                return None;
            }
            return Some(merged(incoming, current.as_ref(), None, stamp));
        }
        if history
            .iter()
            .any(|revision| revision.forgotten().is_some())
        {
            let reason = "what it said before was forgotten, and this may be it; save it by hand if it is not";
            self.skip(incoming.address.to_string(), reason);
            return None;
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
            && !is_undone(&history)
        {
            let reason = why_older(before, importer, &incoming.address, current.is_some());
            self.skip(incoming.address.to_string(), reason);
            return None;
        }
        let Some(note) = other else {
            return Some(merged(incoming, current.as_ref(), None, stamp));
        };
        // The last import's text is still there: only the other program has written since.
        let was_written_here = !history
            .iter()
            .rev()
            .find(imported)
            .is_some_and(|revision| says(revision, &note.content));
        let conflict = match precedence {
            // The times say which is later, so a later text is no conflict but a change.
            Precedence::Later if is_later => None,
            Precedence::Later => Some(CurrentSide::Here),
            _ if !was_written_here => None,
            Precedence::Imported => Some(CurrentSide::Imported),
            Precedence::Here => Some(CurrentSide::Here),
        };
        Some(merged(incoming, current.as_ref(), conflict, stamp))
    }

    /// Writes notes in one step and counts them; a dry run only counts them.
    pub(crate) fn finish(
        &mut self,
        store: &dyn Store,
        notes: Vec<PlannedNote>,
        stamp: &Stamp,
        mode: Mode,
    ) -> Result<()> {
        if mode == Mode::DryRun {
            notes.into_iter().for_each(|note| self.count_planned(note));
            return Ok(());
        }
        let changes: Vec<Change> = notes
            .iter()
            .flat_map(|note| note.changes.iter().cloned())
            .collect();
        let mut applied = store.apply(&changes, stamp)?.into_iter();
        for PlannedNote {
            changes,
            conflict,
            renamed,
            ..
        } in notes
        {
            self.renamed.extend(renamed);
            let of_this: Vec<Applied> = applied.by_ref().take(changes.len()).collect();
            let Some(saved) = of_this.first() else {
                continue;
            };
            match conflict {
                None => self.count(saved),
                Some(mut conflict) => {
                    if let (CurrentSide::Here, Some(note)) = (conflict.current, &saved.note) {
                        conflict.revision = note.revision;
                    }
                    self.conflicts.push(conflict);
                    self.secrets
                        .extend(saved.note.as_ref().and_then(FlaggedNote::of));
                }
            }
        }
        Ok(())
    }

    fn count_planned(&mut self, note: PlannedNote) {
        self.renamed.extend(note.renamed);
        match note.conflict {
            Some(conflict) => self.conflicts.push(conflict),
            None if note.existed => self.updated += 1,
            None => self.added += 1,
        }
        self.planned.push(note.address);
    }

    /// Adds entries of session logs, each a [`Change::Append`] with an id. One that is there already changes nothing.
    pub(crate) fn import_entries(
        &mut self,
        store: &dyn Store,
        entries: &[Change],
        stamp: &Stamp,
        mode: Mode,
    ) -> Result<()> {
        if mode == Mode::Write {
            for applied in store.apply(entries, stamp)? {
                self.count(&applied);
            }
            return Ok(());
        }
        let addresses: Vec<Address> = entries
            .iter()
            .filter_map(|entry| match entry {
                Change::Append {
                    session,
                    id: Some(id),
                    ..
                } => Some(Address::Session(session.clone(), *id)),
                _ => None,
            })
            .collect();
        let stored = store.read(&Ask {
            notes: addresses.clone(),
            ..Ask::default()
        })?;
        for (address, stored) in addresses.into_iter().zip(stored.notes) {
            if stored.is_some() {
                self.unchanged += 1;
            } else {
                self.added += 1;
                self.planned.push(address);
            }
        }
        Ok(())
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
    let note = shell_word(&format!("{address}@{number}"));
    format!("{was} {since} since; `waynote restore {note}` brings it back")
}

fn merged(
    incoming: IncomingNote,
    current: Option<&Note>,
    conflict: Option<CurrentSide>,
    stamp: &Stamp,
) -> PlannedNote {
    let conflict = current.zip(conflict).map(|(note, current)| Conflict {
        address: incoming.address.clone(),
        current,
        revision: match current {
            CurrentSide::Imported => note.revision,
            CurrentSide::Here => note.revision + 1,
        },
    });
    let (created_at, updated_at) = incoming.times.created_and_updated(stamp.now);
    let mut changes = vec![Change::Save {
        address: incoming.address.clone(),
        content: incoming.content,
        pin: incoming.pin,
        limits: Limits::NONE,
        // The write is for the revision that was compared.
        expect: Expect::Revision(current.map_or(0, |note| note.revision)),
        origin: origin(None, created_at, updated_at),
    }];
    if let (Some(note), Some(CurrentSide::Here)) =
        (current, conflict.as_ref().map(|conflict| conflict.current))
    {
        changes.push(make_current_again(note));
    }
    PlannedNote {
        changes,
        address: incoming.address,
        existed: current.is_some(),
        conflict,
        renamed: None,
    }
}

/// True if the last change took back what had made the note: whoever asks for it once more gets it.
fn is_undone(history: &[Revision]) -> bool {
    let last = history.last();
    last.is_some_and(|last| last.action == Action::Undo && last.note().is_none())
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
