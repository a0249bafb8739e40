//! The notes of a block that are new to its reader. A running conversation gets them instead of the whole block.

use std::cell::RefCell;

use super::answer::{notes_of, shown_of, unexpected};
use super::pieces::{Form, Pieces};
use super::stable::{NoteText, group_title, title};
use super::{
    Block, BlockAnswer, BlockAsk, BlockPart, Matching, MatchingNote, Request, Section, Shown,
    ShownNote, Style, arrange, render_now,
};
use crate::error::Result;
use crate::note::Note;
use crate::rules::person::reading;
use crate::scope::Scope;
use crate::store::{Reader, ReaderExt};

/// The notes of these sections that a block shows and that are new to its reader, the most important of each section
/// first. `known` says how much of which revision the reader has been shown. The style is always stable.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn changed(
    store: &dyn Reader,
    request: &Request,
    sections: &[Section],
    known: &[ShownNote],
) -> Result<Matching> {
    let part = BlockPart::Changed {
        sections: sections.to_vec(),
        known: known.to_vec(),
    };
    if let Some(found) = notes_of(store, request, part)? {
        return Ok(found);
    }
    let known = shown_of(known);
    store.on_one_state(|store| changed_now(store, request, sections, &known))
}

/// Makes a block, and returns the notes that it shows, each with its revision and how much of it.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn block_and_notes(store: &dyn Reader, request: &Request) -> Result<(Block, Vec<ShownNote>)> {
    let ask = BlockAsk::new(request, BlockPart::BlockAndNotes);
    match store.rendered(&ask)? {
        Some(BlockAnswer::BlockAndNotes { block, notes }) => return Ok((*block, notes)),
        Some(_) => return Err(unexpected()),
        None => {}
    }
    store.on_one_state(|store| {
        let (block, _) = render_now(store, request)?;
        let notes = shown(store, request, &block)?;
        Ok((block, notes))
    })
}

fn changed_now(
    store: &dyn Reader,
    request: &Request,
    sections: &[Section],
    known: &dyn Fn(&Note) -> Option<Shown>,
) -> Result<Matching> {
    let request = reading(store, request)?.into_owned().style(Style::Stable);
    let counts = RefCell::default();
    let pieces = Pieces::new(&request, &counts);
    let (_, claimants, _) = arrange::arranged(store, &request, &pieces)?;
    let mut found = Matching::default();
    let mut begun = None;
    for section in sections {
        for (note, times, shown) in claimants.shown(*section) {
            let is_known = match known(note) {
                Some(Shown::Whole) => true,
                Some(Shown::Line) => shown == Shown::Line,
                Some(Shown::LeftOut) | None => false,
            };
            if is_known {
                continue;
            }
            let told = NoteText {
                note,
                times,
                request: &request,
            };
            let form = match (section, shown) {
                (Section::Index, _) => Form::Listed,
                (_, Shown::Whole) => Form::Whole,
                _ => Form::Cut,
            };
            let of = (*section, note.kind.clone());
            if begun.as_ref().is_none_or(|(begun, _)| begun != section) {
                end_with(&mut found.text, "\n\n");
                found.text.push_str(title(*section));
            }
            if let Some(kind) = note.kind.as_ref().filter(|_| begun.as_ref() != Some(&of)) {
                found.text.push_str(&group_title(kind));
            }
            begun = Some(of);
            found.text.push_str(&told.text(form));
            found.notes.push(MatchingNote {
                note: note.clone(),
                shown,
            });
        }
    }
    end_with(&mut found.text, "\n");
    Ok(found)
}

/// The notes that a block shows, if the store has not changed since the block was made.
fn shown(store: &dyn Reader, request: &Request, block: &Block) -> Result<Vec<ShownNote>> {
    if block.style == Style::Faithful {
        if block.text.is_empty() {
            return Ok(Vec::new());
        }
        // A faithful block shows every note, those of places whole; a stable one tells which these are.
        let all = request.clone().budget(request.budget.tokens(0));
        let mut every = changed_now(store, &all, &Section::ALL, &|_| None)?.pieces();
        for note in &mut every {
            if let Scope::Place(_) = note.address.scope() {
                note.shown = Shown::Whole;
            }
        }
        return Ok(every);
    }
    let claims = block.receipt.claims.iter();
    let shown = claims.filter(|claim| claim.shown != Shown::LeftOut);
    Ok(shown
        .map(|claim| ShownNote {
            address: claim.address.clone(),
            revision: claim.revision,
            shown: claim.shown,
        })
        .collect())
}

/// Ends a text with these line ends, unless it is empty.
fn end_with(text: &mut String, line_ends: &str) {
    let end = text.trim_end().len();
    text.truncate(end);
    if end > 0 {
        text.push_str(line_ends);
    }
}
