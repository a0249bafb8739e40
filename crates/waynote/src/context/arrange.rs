//! Fills a block within its budget: decides how each note is shown, and makes the text.
//!
//! Notes get room in this order: the own notes of places from the nearest outward, pinned notes, the entries of the
//! session by type (latest first), the index. Keyed notes, pinned or of the index, are those of the places from the
//! nearest outward and then those of the notebook; in each, the pinned ones by key, the others latest first. They are
//! printed in this order: pinned notes, places outermost first, the index by scope and key, entries oldest first, then
//! the status line. If everything fits, everything is shown. If not, each section is sure of its share, and what it
//! does not need goes to the others in steps, so that one more note in a section seldom changes another.

use super::counted::CountedText;
use super::gather::{Candidates, List, ReadLimit, gather, nearness, notebooks};
use super::pieces::{Form, Pieces};
use super::shares::{share_out, step};
use super::stable::{group_title, title};
use super::stock::{Order, Slot, Stock};
use super::{Request, Section, SectionText};
use crate::block::receipt::{Claim, Receipt, Shown, damaged_line, status};
use crate::error::Result;
use crate::note::Note;
use crate::scope::Scope;
use crate::store::{Reader, Version};

/// The sections in the order in which they get room, with the shares that they are sure of, in percent. The own notes
/// of places are first: however many keyed notes there are, they push out none.
const CLAIMS: [(Section, usize); 4] = [
    (Section::Places, 30),
    (Section::Pinned, 30),
    (Section::Iterations, 25),
    (Section::Index, 15),
];

/// The same for the types of entries. Types of other programs get the rest.
const TYPE_SHARES: [usize; 4] = [35, 30, 20, 15];

/// Everything that claims.
pub(super) struct Claimants {
    /// The parts of each section, in the order of claims. Entries have one for each type, the others one.
    sections: [(Section, Vec<Part>); 4],
    /// The scopes with keyed notes, the nearest first.
    scopes: Vec<Scope>,
    /// How many notes apply, including those for which there is no room.
    total: u64,
    damaged: Vec<String>,
}

/// Notes below one heading.
struct Part {
    head: String,
    stock: Stock,
}

impl Part {
    fn new(
        head: impl Into<String>,
        list: List,
        order: Order,
        full: Form,
        pieces: &Pieces<'_>,
    ) -> Self {
        let head = head.into();
        let stock = Stock::new(list, order, full, head_tokens(pieces, &head));
        Self { head, stock }
    }
}

/// Text and receipt.
pub(super) struct Arrangement {
    pub(super) sections: Vec<SectionText>,
    pub(super) text: String,
    pub(super) receipt: Receipt,
}

/// The tokens that the sections share. Room for the longest status line is set aside, so that the choice of notes
/// cannot depend on that line.
fn room(request: &Request) -> usize {
    request.budget.limit().map_or(usize::MAX, |limit| {
        let kept_back = crate::tokens::count(&status(request, limit, 999, 99_999));
        limit.saturating_sub(kept_back)
    })
}

/// Reads the notes of a block and arranges them. Also returns the sections with all their notes.
pub(super) fn arranged(
    store: &dyn Reader,
    request: &Request,
    pieces: &Pieces<'_>,
) -> Result<(Arrangement, Claimants, Version)> {
    let room = room(request);
    let mut reach = ReadLimit::Usual;
    loop {
        let gathered = gather(store, request, room, reach)?;
        let version = gathered.version;
        let mut all = Claimants::new(gathered, request, pieces);
        match arrange(&mut all, room, request, pieces) {
            Some(arranged) => return Ok((arranged, all, version)),
            None => reach = ReadLimit::Full,
        }
    }
}

/// Arranges notes in this much room; none when there is room for notes that were not read.
fn arrange(
    all: &mut Claimants,
    mut room: usize,
    request: &Request,
    pieces: &Pieces<'_>,
) -> Option<Arrangement> {
    loop {
        all.claim(pieces, room);
        if all.stocks().any(|(_, stock)| stock.is_short()) {
            return None;
        }
        let arranged = all.print(request, pieces);
        match request.budget.limit() {
            // The blank lines between parts were counted at their maximum. Still, the limit must hold.
            Some(limit) if arranged.receipt.counted > limit => {
                let over = arranged.receipt.counted - limit;
                if room == 0 {
                    return Some(all.nothing(request));
                }
                room = room.saturating_sub(over);
            }
            _ => return Some(arranged),
        }
    }
}

impl Claimants {
    fn new(gathered: Candidates, request: &Request, pieces: &Pieces<'_>) -> Self {
        let Candidates {
            mut pinned,
            places,
            index,
            index_goes_on,
            groups,
            total,
            damaged,
            ..
        } = gathered;
        let scopes = notebooks(request);
        pinned.sort_by_cached_key(|note| (nearness(&scopes, note), note.address.key()));
        let by = match request.query {
            Some(_) => Order::Relevance,
            None => Order::Updated,
        };
        let index = List {
            goes_on: index_goes_on,
            ..List::once(index)
        };
        let part = |section, list, order, form| {
            let part = Part::new(title(section), list, order, form, pieces);
            (section, vec![part])
        };
        let entries = groups.into_iter().map(|(kind, list)| {
            Part::new(group_title(&kind), list, Order::Added, Form::Whole, pieces)
        });
        Self {
            sections: [
                part(Section::Places, List::once(places), Order::Own, Form::Whole),
                part(Section::Pinned, List::once(pinned), Order::Own, Form::Whole),
                (Section::Iterations, entries.collect()),
                part(Section::Index, index, by, Form::Listed),
            ],
            scopes,
            total,
            damaged,
        }
    }

    /// The room that a section asks for, by its number in the order of claims, out of `room` in all. Counting stops
    /// above `most`.
    fn asks(&mut self, section: usize, pieces: &Pieces<'_>, most: usize, room: usize) -> usize {
        let (section, parts) = &mut self.sections[section];
        if *section != Section::Iterations {
            let mut parts = parts.iter_mut();
            return parts
                .next()
                .map_or(0, |part| part.stock.asks(pieces, most, room));
        }
        let head = head_tokens(pieces, title(*section));
        let shares = type_shares(parts);
        let sum = sum_asked(&shares, most.saturating_sub(head), &mut |part, most| {
            parts[part].stock.asks(pieces, most, room)
        });
        if sum == 0 { 0 } else { head + sum }
    }

    /// Begins the claims anew: everything if it fits in so much room, else each section its share.
    fn claim(&mut self, pieces: &Pieces<'_>, room: usize) {
        for (_, stock) in self.stocks() {
            stock.clear();
        }
        let shares = CLAIMS.map(|(_, share)| share);
        let sum = sum_asked(&shares, room, &mut |section, most| {
            self.asks(section, pieces, most, room)
        });
        if sum > room {
            return self.claim_shares(pieces, room);
        }
        for (_, stock) in self.stocks() {
            stock.claim(pieces, usize::MAX);
        }
    }

    /// Not everything fits: each section gets its share, and what others leave of theirs.
    fn claim_shares(&mut self, pieces: &Pieces<'_>, room: usize) {
        let step = step(room);
        let shares = CLAIMS.map(|(_, share)| share);
        let given = share_out(room, &shares, &mut |section, most| {
            let asked = self.asks(section, pieces, most, room);
            asked.next_multiple_of(step).min(room)
        });
        // Room left by a note that did not fit goes to the next section, rounded to steps so that small changes move
        // nothing.
        let mut carried = 0;
        for (section, given) in given.into_iter().enumerate() {
            let most = given + carried;
            let asked = self
                .asks(section, pieces, most, room)
                .next_multiple_of(step);
            let most = most.min(asked.max(given));
            let (of, parts) = &mut self.sections[section];
            let used = match &mut parts[..] {
                [part] if *of != Section::Iterations => part.stock.claim(pieces, most),
                parts => {
                    claim_entries(parts, pieces, most, room);
                    // How full they are changes with every entry, which must not move the index.
                    most.min(asked)
                }
            };
            carried = (given + carried).saturating_sub(used) / step * step;
        }
        self.claim_rest(pieces, room, step);
    }

    /// Shares that are too small for a large note stay empty. Their room goes to any section that can use it, in the
    /// order of claims.
    fn claim_rest(&mut self, pieces: &Pieces<'_>, room: usize, step: usize) {
        let used: usize = self.stocks().map(|(_, stock)| stock.uses()).sum();
        let mut left = room.saturating_sub(used) / step * step;
        if left < 2 * step {
            return;
        }
        for (_, stock) in self.stocks() {
            left -= stock.claim_more(pieces, left);
        }
    }

    /// The text as it is printed, and the outcome for every note.
    fn print(&mut self, request: &Request, pieces: &Pieces<'_>) -> Arrangement {
        let mut receipt = self.receipt(request);
        let mut sections = Vec::new();
        let mut block = CountedText::default();
        for section in Section::ALL {
            let part = self.section(section, pieces);
            if !part.is_empty() {
                block.append(&part, pieces);
                let text = part.text;
                sections.push(SectionText { section, text });
            }
        }
        let damaged = damaged_line(&receipt.damaged);
        if !damaged.is_empty() {
            block.append(&CountedText::new(damaged), pieces);
        }
        // With nothing shown and nothing left out there is nothing to say.
        let says = receipt.shown + receipt.lines + receipt.left_out > 0;
        if request.budget.limit().is_some() && says {
            receipt.last_line = block.end(request, receipt.lines, receipt.left_out, pieces);
        } else if block.text.ends_with("\n\n") {
            block.text.pop();
            block.tokens = pieces.count(&block.text);
        }
        receipt.counted = block.tokens;
        // The line end that a note ends with may be one token with a blank line after it.
        let notes: usize = receipt.claims.iter().map(|claim| claim.tokens).sum();
        receipt.headings = block.tokens.saturating_sub(notes + receipt.last_line);
        receipt.tokens = request.budget.charged(block.tokens);
        Arrangement {
            sections,
            text: block.text,
            receipt,
        }
    }

    /// A section in the order of print.
    fn section(&self, section: Section, pieces: &Pieces<'_>) -> CountedText {
        let mut text = CountedText::default();
        for Part { head, stock } in self.parts(section) {
            let shown = stock.slots.iter().filter(|slot| slot.form.is_some());
            let mut slots: Vec<Slot> = shown.copied().collect();
            match section {
                Section::Pinned => {}
                Section::Places | Section::Iterations => slots.reverse(),
                Section::Index => slots.sort_by_cached_key(|slot| {
                    let note = stock.note(slot.place);
                    (nearness(&self.scopes, note), note.address.key())
                }),
            }
            if slots.is_empty() {
                continue;
            }
            if section == Section::Iterations && text.is_empty() {
                text.push(title(section), pieces.count(title(section)));
            }
            let mut part = CountedText::default();
            part.push(head, pieces.count(head));
            for slot in &slots {
                part.push(&stock.text(pieces, slot).unwrap_or_default(), slot.tokens);
            }
            text.append(&part, pieces);
        }
        text
    }

    fn receipt(&mut self, request: &Request) -> Receipt {
        let mut receipt = Receipt {
            budget: request.budget.tokens,
            damaged: self.damaged.clone(),
            ..Receipt::default()
        };
        for (section, stock) in self.stocks() {
            if request.explain {
                stock.say_all();
            }
            for slot in &stock.slots {
                match slot.form {
                    Some(Form::Cut) => receipt.lines += 1,
                    Some(Form::Whole | Form::Listed) => receipt.shown += 1,
                    None => {}
                }
                let note = stock.note(slot.place);
                receipt.cites += u64::from(slot.form.is_some() && !note.cites.is_empty());
                receipt.claims.push(Claim {
                    section,
                    address: note.address.clone(),
                    revision: note.edition(),
                    shown: slot.shown(),
                    tokens: slot.tokens,
                    why: slot.why,
                });
            }
        }
        let shown = receipt.shown + receipt.lines;
        receipt.left_out = self.total.saturating_sub(shown);
        receipt
    }

    /// The notes of each section, by priority.
    fn stocks(&mut self) -> impl Iterator<Item = (Section, &mut Stock)> {
        let sections = self.sections.iter_mut();
        sections
            .flat_map(|(section, parts)| parts.iter_mut().map(|part| (*section, &mut part.stock)))
    }

    fn parts(&self, section: Section) -> impl Iterator<Item = &Part> {
        let parts = self.sections.iter().filter(move |(of, _)| *of == section);
        parts.flat_map(|(_, parts)| parts)
    }

    /// A budget in which not even the status line has room.
    fn nothing(&mut self, request: &Request) -> Arrangement {
        for (_, stock) in self.stocks() {
            for slot in &mut stock.slots {
                *slot = Slot::left_out(slot.place, slot.why);
            }
        }
        Arrangement {
            sections: Vec::new(),
            text: String::new(),
            receipt: self.receipt(request),
        }
    }

    /// The notes of a section that are shown, each with how often it was noted, by priority.
    pub(super) fn shown(&self, section: Section) -> impl Iterator<Item = (&Note, u64, Shown)> {
        self.parts(section).flat_map(|part| part.stock.shown())
    }
}

fn claim_entries(parts: &mut [Part], pieces: &Pieces<'_>, most: usize, room: usize) {
    let most = most.saturating_sub(head_tokens(pieces, title(Section::Iterations)));
    let given = share_out(most, &type_shares(parts), &mut |part, most| {
        parts[part].stock.asks(pieces, most, room)
    });
    let mut carried = 0;
    for (part, given) in parts.iter_mut().zip(given) {
        // The text after a new entry is new to a prompt cache anyway, so nothing is lost by using all the room.
        carried += given;
        carried -= part.stock.claim(pieces, carried);
    }
}

/// The guaranteed shares of the types of entries, in percent.
fn type_shares(parts: &[Part]) -> Vec<usize> {
    let shares = TYPE_SHARES.into_iter().chain(std::iter::repeat(0));
    shares.take(parts.len()).collect()
}

/// The room that all claimants ask for together. Counting stops above `most`. Each claimant is first asked up to its
/// share: if all have much to show, no further.
fn sum_asked(percent: &[usize], most: usize, asks: &mut dyn FnMut(usize, usize) -> usize) -> usize {
    let shares = percent.iter().map(|percent| most / 100 * percent);
    let mut asked: Vec<usize> = shares
        .enumerate()
        .map(|(index, share)| asks(index, share))
        .collect();
    for index in 0..asked.len() {
        let others = asked.iter().sum::<usize>() - asked[index];
        if others > most {
            break;
        }
        asked[index] = asks(index, most - others);
    }
    asked.into_iter().fold(0, usize::saturating_add)
}

/// The tokens of a heading, with the blank line before it.
fn head_tokens(pieces: &Pieces<'_>, head: &str) -> usize {
    pieces.count(head) + 1
}
