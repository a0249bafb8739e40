//! The notes of one section, or of one type of entries, in the order in which they get room.

use super::gather::List;
use super::pieces::{Form, Pieces, Size};
use super::shares::steady;
use crate::address::Address;
use crate::block::receipt::{Shown, Why};
use crate::note::Note;

/// The outcome for one note.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Its place in the order of claims.
    pub(super) place: usize,
    /// How it is shown; none when it is not.
    pub(super) form: Option<Form>,
    /// Its tokens in print.
    pub(super) tokens: usize,
    /// Its room in the budget: its tokens, or more.
    pub(super) room: usize,
    pub(super) why: Why,
}

impl Slot {
    pub(super) fn left_out(place: usize, why: Why) -> Self {
        Self {
            place,
            form: None,
            tokens: 0,
            room: 0,
            why,
        }
    }

    pub(super) fn shown(&self) -> Shown {
        match self.form {
            Some(Form::Whole) => Shown::Whole,
            Some(Form::Cut | Form::Listed) => Shown::Line,
            None => Shown::LeftOut,
        }
    }
}

/// The order in which notes claim. It also gives the number by which a full list makes room in steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Each for itself: one that does not fit leaves room for the next.
    Own,
    /// The latest first, by the order of adding.
    Added,
    /// Those of the nearest scope first, in each the latest first by the time of the last change.
    Updated,
    /// Best match first.
    Relevance,
}

/// Notes by priority.
pub(super) struct Stock {
    list: List,
    order: Order,
    /// How they are shown when there is room.
    full: Form,
    /// The tokens of the heading above them.
    head: usize,
    /// The sizes of the first notes, as far as they were asked for.
    sizes: Vec<Size>,
    /// The outcomes for the notes that were looked at.
    pub(super) slots: Vec<Slot>,
    /// True if a note was needed that was not read.
    is_short: bool,
}

impl Stock {
    pub(super) fn new(list: List, order: Order, full: Form, head: usize) -> Self {
        Self {
            list,
            order,
            full,
            head,
            sizes: Vec::new(),
            slots: Vec::new(),
            is_short: false,
        }
    }

    pub(super) fn is_short(&self) -> bool {
        self.is_short
    }

    /// Begins the claims anew.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// The room that all notes together ask for, out of `room` in all. Counting stops above `most`.
    pub(super) fn asks(&mut self, pieces: &Pieces<'_>, most: usize, room: usize) -> usize {
        if self.list.notes.is_empty() {
            return 0;
        }
        let mut sum = self.head;
        for place in 0..self.list.notes.len() {
            if place > 0 && sum > most {
                break;
            }
            // The share of one section depends on the others: a note is counted as if this section got all the room.
            let size = self.look(pieces, place, room.saturating_sub(sum));
            sum = sum.saturating_add(size.room);
        }
        self.is_short |= sum <= most && self.list.goes_on;
        sum
    }

    /// The size of a note. Counting stops above `most`.
    fn look(&mut self, pieces: &Pieces<'_>, place: usize, most: usize) -> Size {
        let known = self.sizes.get(place);
        if let Some(known) = known.filter(|known| known.is_exact || known.room > most) {
            return *known;
        }
        let (note, times) = (&self.list.notes[place], self.list.times[place]);
        let size = pieces.size(note, times, self.full, most);
        match self.sizes.get_mut(place) {
            Some(known) => *known = size,
            None => self.sizes.push(size),
        }
        size
    }

    /// Shows as much as `most` tokens hold. Returns the room that it takes.
    pub(super) fn claim(&mut self, pieces: &Pieces<'_>, most: usize) -> usize {
        let mut used = self.head;
        let mut fits = 0;
        for place in 0..self.list.notes.len() {
            let slot = self.slot(pieces, place, most.saturating_sub(used));
            if slot.form.is_some() {
                used += slot.room;
                fits += 1;
            }
            self.slots.push(slot);
            if slot.form.is_none() && self.order != Order::Own {
                self.make_room(fits);
                return self.uses();
            }
        }
        self.is_short |= self.list.goes_on;
        self.uses()
    }

    /// The room that the shown notes take.
    pub(super) fn uses(&self) -> usize {
        let shown = self.slots.iter().filter(|slot| slot.form.is_some());
        let room: usize = shown.map(|slot| slot.room).sum();
        if room == 0 { 0 } else { self.head + room }
    }

    /// Shows more in the room that the other sections left. Returns the room that it takes.
    pub(super) fn claim_more(&mut self, pieces: &Pieces<'_>, left: usize) -> usize {
        let is_empty = self.slots.iter().all(|slot| slot.form.is_none());
        let head = if is_empty { self.head } else { 0 };
        let mut used = 0;
        for index in 0..self.slots.len() {
            let before = self.slots[index];
            // Notes that were left out to make room in steps stay out.
            if matches!(before.why, Why::Behind) {
                break;
            }
            if matches!(before.form, Some(Form::Whole | Form::Listed)) {
                continue;
            }
            let head = if used == 0 { head } else { 0 };
            let left = (left + before.room).saturating_sub(used + head);
            let slot = self.slot(pieces, before.place, left);
            if slot.room > before.room {
                used += head + slot.room - before.room;
                self.slots[index] = slot;
            }
        }
        used
    }

    /// How a note is shown in so much room.
    fn slot(&mut self, pieces: &Pieces<'_>, place: usize, left: usize) -> Slot {
        let whole = self.look(pieces, place, left);
        let shown = |form, size: Size, why| Slot {
            place,
            form: Some(form),
            tokens: size.tokens,
            room: size.room,
            why,
        };
        let left_out = |takes| Slot::left_out(place, Why::NoRoom { takes, left });
        let takes = whole.room;
        if takes <= left {
            let why = match self.full {
                Form::Listed => Why::Listed,
                _ => Why::Fits,
            };
            return shown(self.full, whole, why);
        }
        if self.full == Form::Listed {
            return left_out(takes);
        }
        let times = self.list.times[place];
        let line = pieces.size(self.note(place), times, Form::Cut, usize::MAX);
        match line.room <= left {
            true => shown(Form::Cut, line, Why::TooLong { takes, left }),
            false => left_out(line.room.min(takes)),
        }
    }

    /// Drops the oldest of a list that is full, in steps.
    fn make_room(&mut self, fits: usize) {
        let kept = match self.order {
            Order::Own | Order::Relevance => fits,
            Order::Added => steady(fits, |place| match self.note(place).address {
                Address::Session(_, id) => id.order(),
                _ => 0,
            }),
            Order::Updated => {
                let (mut ranks, mut nearer) = (vec![0; fits], 0_u128);
                for place in (0..fits).rev() {
                    let note = self.note(place);
                    let before = ranks.get(place + 1).map(|_| self.note(place + 1));
                    let is_other = |of: &Note| of.address.scope() != note.address.scope();
                    nearer += u128::from(before.is_some_and(is_other));
                    // From the first time there is, so that it is not negative.
                    let micros = note.updated_at.as_microsecond();
                    let micros = micros.abs_diff(jiff::Timestamp::MIN.as_microsecond());
                    ranks[place] = (nearer << 64) + u128::from(micros);
                }
                steady(fits, |place| ranks[place])
            }
        };
        for slot in self.slots.iter_mut().take(fits).skip(kept) {
            *slot = Slot::left_out(slot.place, Why::Behind);
        }
    }

    /// Gives the outcome for every note, also for those that were not looked at.
    pub(super) fn say_all(&mut self) {
        for place in self.slots.len()..self.list.notes.len() {
            self.slots.push(Slot::left_out(place, Why::Behind));
        }
    }

    /// The text of a note that is shown.
    pub(super) fn text(&self, pieces: &Pieces<'_>, slot: &Slot) -> Option<String> {
        let form = slot.form?;
        Some(pieces.text(self.note(slot.place), self.list.times[slot.place], form))
    }

    /// The notes that are shown, each with how often it was noted.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&Note, u64, Shown)> {
        let shown = self.slots.iter().filter(|slot| slot.form.is_some());
        shown.map(|slot| {
            let times = self.list.times[slot.place];
            (self.note(slot.place), times, slot.shown())
        })
    }

    pub(super) fn note(&self, place: usize) -> &Note {
        &self.list.notes[place]
    }
}
