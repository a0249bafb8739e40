//! What one section, or one type of entry, has to show: looked at from the first claim on, and no further than asked.

use super::budget::steady;
use super::gather::Pool;
use super::pieces::{Form, Pieces};
use super::receipt::{Shown, Why};
use crate::address::Address;
use crate::error::Result;
use crate::note::Note;

/// What becomes of a note.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Its place in the order of claims.
    pub(super) place: usize,
    /// How it is shown; none when it is not.
    pub(super) form: Option<Form>,
    pub(super) tokens: usize,
    pub(super) why: Why,
}

impl Slot {
    pub(super) fn shown(&self) -> Shown {
        match self.form {
            Some(Form::Whole) => Shown::Whole,
            Some(Form::Cut | Form::Listed) => Shown::Line,
            None => Shown::LeftOut,
        }
    }
}

/// In which order notes claim, and so what the number is by which a full list makes room in steps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Each for itself: one that does not fit leaves room for the next.
    Own,
    /// The latest first, by the order of adding.
    Added,
    /// The latest first, by the time of the last change.
    Updated,
    /// Best match first.
    Relevance,
}

/// Notes in the order of their claims.
pub(super) struct Stock<'s> {
    pool: Pool<'s>,
    order: Order,
    /// How they are shown when there is room.
    full: Form,
    /// The tokens of what stands above them.
    head: usize,
    /// What the first of them take.
    tokens: Vec<usize>,
    times: Vec<u64>,
    sum: usize,
    /// What became of those that were looked at.
    pub(super) slots: Vec<Slot>,
    /// How often an entry was noted, for those that were noted more than once.
    repeats: &'s dyn Fn(&Note) -> Result<u64>,
}

impl<'s> Stock<'s> {
    pub(super) fn new(
        pool: Pool<'s>,
        order: Order,
        full: Form,
        head: usize,
        repeats: &'s dyn Fn(&Note) -> Result<u64>,
    ) -> Self {
        Self {
            pool,
            order,
            full,
            head,
            tokens: Vec::new(),
            times: Vec::new(),
            sum: 0,
            slots: Vec::new(),
            repeats,
        }
    }

    /// What it takes to show all, looked at until that is more than `most`.
    pub(super) fn asks(&mut self, pieces: &Pieces<'_>, most: usize) -> Result<usize> {
        while (self.tokens.is_empty() || self.head + self.sum <= most)
            && self.look(pieces, self.tokens.len())?
        {}
        Ok(if self.tokens.is_empty() {
            0
        } else {
            self.head + self.sum
        })
    }

    /// Looks at one more note; whether there is one.
    fn look(&mut self, pieces: &Pieces<'_>, place: usize) -> Result<bool> {
        if place < self.tokens.len() {
            return Ok(true);
        }
        if !self.pool.has(place + 1)? {
            return Ok(false);
        }
        let times = self.pool.with(place, |note| (self.repeats)(note))?;
        let tokens = self
            .pool
            .with(place, |note| pieces.tokens(note, times, self.full));
        self.times.push(times);
        self.tokens.push(tokens);
        self.sum += tokens;
        Ok(true)
    }

    /// Shows as much as `most` tokens hold; what that takes.
    pub(super) fn claim(&mut self, pieces: &Pieces<'_>, most: usize) -> Result<usize> {
        let mut used = self.head;
        let mut place = 0;
        let mut fits = 0;
        while self.look(pieces, place)? {
            let slot = self.slot(pieces, place, most.saturating_sub(used));
            if slot.form.is_some() {
                used += slot.tokens;
                fits += 1;
            }
            self.slots.push(slot);
            place += 1;
            if slot.form.is_none() && self.order != Order::Own {
                self.make_room(fits);
                break;
            }
        }
        Ok(self.uses())
    }

    /// What is shown takes so many tokens.
    pub(super) fn uses(&self) -> usize {
        let shown = self.slots.iter().filter(|slot| slot.form.is_some());
        let tokens: usize = shown.map(|slot| slot.tokens).sum();
        if tokens == 0 { 0 } else { self.head + tokens }
    }

    /// Shows more in what the other sections left over; what that takes.
    pub(super) fn claim_more(&mut self, pieces: &Pieces<'_>, left: usize) -> usize {
        let is_empty = self.slots.iter().all(|slot| slot.form.is_none());
        let head = if is_empty { self.head } else { 0 };
        let mut used = 0;
        for index in 0..self.slots.len() {
            let before = self.slots[index];
            // What made room on purpose stays behind.
            if matches!(before.why, Why::Behind) {
                break;
            }
            if matches!(before.form, Some(Form::Whole | Form::Listed)) {
                continue;
            }
            let head = if used == 0 { head } else { 0 };
            let left = (left + before.tokens).saturating_sub(used + head);
            let slot = self.slot(pieces, before.place, left);
            if slot.tokens > before.tokens {
                used += head + slot.tokens - before.tokens;
                self.slots[index] = slot;
            }
        }
        used
    }

    /// How a note is shown in so many tokens.
    fn slot(&self, pieces: &Pieces<'_>, place: usize, left: usize) -> Slot {
        let whole = self.tokens[place];
        let slot = |form, tokens, why| Slot {
            place,
            form,
            tokens,
            why,
        };
        if whole <= left {
            let why = if self.full == Form::Listed {
                Why::Listed
            } else {
                Why::Fits
            };
            return slot(Some(self.full), whole, why);
        }
        if self.full == Form::Listed {
            return slot(None, 0, Why::NoRoom { takes: whole, left });
        }
        let line = self.pool.with(place, |note| {
            pieces.tokens(note, self.times[place], Form::Cut)
        });
        if line <= left {
            slot(Some(Form::Cut), line, Why::TooLong { takes: whole, left })
        } else {
            slot(
                None,
                0,
                Why::NoRoom {
                    takes: line.min(whole),
                    left,
                },
            )
        }
    }

    /// Drops the oldest of a list that is full, in steps.
    fn make_room(&mut self, fits: usize) {
        let kept = match self.order {
            Order::Own | Order::Relevance => fits,
            Order::Added => steady(fits, |place| {
                self.pool.with(place, |note| match note.address {
                    Address::Session(_, id) => id.order(),
                    _ => 0,
                })
            }),
            Order::Updated => steady(fits, |place| {
                let micros = self
                    .pool
                    .with(place, |note| note.updated_at.as_microsecond());
                // From the first time there is, so that it is not negative.
                u128::from(micros.abs_diff(jiff::Timestamp::MIN.as_microsecond()))
            }),
        };
        for slot in self.slots.iter_mut().take(fits).skip(kept) {
            *slot = Slot {
                form: None,
                tokens: 0,
                why: Why::Behind,
                ..*slot
            };
        }
    }

    /// How many notes there are, shown or not, when that is known.
    pub(super) fn total(&self) -> Result<Option<u64>> {
        self.pool.total()
    }

    /// Says of every note what became of it, also of those that were not looked at.
    pub(super) fn say_all(&mut self) -> Result<()> {
        self.pool.read_all()?;
        while self.pool.has(self.slots.len() + 1)? {
            let place = self.slots.len();
            self.slots.push(Slot {
                place,
                form: None,
                tokens: 0,
                why: Why::Behind,
            });
        }
        Ok(())
    }

    /// The text of a note that is shown.
    pub(super) fn text(&self, pieces: &Pieces<'_>, slot: &Slot) -> Option<String> {
        let times = self.times.get(slot.place).copied().unwrap_or(1);
        slot.form.map(|form| {
            self.pool
                .with(slot.place, |note| pieces.text(note, times, form))
        })
    }

    /// Does something with the note of a slot.
    pub(super) fn with<T>(&self, slot: &Slot, work: impl FnOnce(&Note) -> T) -> T {
        self.pool.with(slot.place, work)
    }
}
