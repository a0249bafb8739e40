//! The prompt block: the notes that apply to an agent at a place, in a session and iteration, as text.

mod action;
mod again;
mod age;
mod answer;
mod arrange;
#[cfg(all(test, feature = "sqlite"))]
mod bounded_tests;
mod changed;
mod counted;
mod failure;
mod faithful;
mod gather;
mod matching;
mod pieces;
mod shares;
mod stable;
mod stock;
mod telling;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::rules::person::reading;
use crate::scope::Scope;
use crate::store::{Reader, ReaderExt, Version};

pub use crate::block::{
    Block, BlockAnswer, BlockAsk, BlockPart, Budget, Claim, IterationBlock, Matching, MatchingNote,
    ReaderTools, Receipt, Request, Section, SectionText, Shown, ShownNote, Style, TokenFactor, Why,
};
pub use action::{Action, MOST_PATHS, at_action, named_in};
pub use changed::{block_and_notes, changed};
pub use failure::{Failure, after_failure};
pub use matching::matching;

use pieces::{Counts, Pieces};

/// Makes the block.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn render(store: &dyn Reader, request: &Request) -> Result<Block> {
    let block = Renderer::default().render(store, request)?;
    Ok(Arc::unwrap_or_clone(block))
}

/// Makes the block from one state of a store, and returns the version of that state.
fn render_now(store: &dyn Reader, request: &Request) -> Result<(Block, Version)> {
    Renderer::default().of_one_state(store, request)
}

/// Makes blocks from the same store one after another, for example at every step of an agent. It counts the tokens of
/// each note only once, and returns the last block again if nothing has changed.
#[derive(Default)]
pub struct Renderer {
    last: Option<LastBlock>,
    counts: RefCell<Counts>,
}

struct LastBlock {
    request: Request,
    version: Version,
    block: Arc<Block>,
}

impl Renderer {
    /// Makes the block, or returns the last one. Use one renderer for one store.
    ///
    /// # Errors
    /// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be
    /// read.
    pub fn render(&mut self, store: &dyn Reader, request: &Request) -> Result<Arc<Block>> {
        if let Some(last) = &mut self.last {
            // In style stable the time does not matter.
            if last.request.style == Style::Stable {
                last.request.now = request.now;
            }
        }
        let last = self.last.as_ref();
        let last = last.filter(|last| last.request == *request);
        let unless = last.map(|last| last.version);
        let part = BlockPart::Block { unless };
        match (store.rendered(&BlockAsk::new(request, part))?, last) {
            (Some(BlockAnswer::Unchanged), Some(last)) => return Ok(Arc::clone(&last.block)),
            (Some(BlockAnswer::Block { block, version }), _) => {
                return Ok(self.keep(*block, version, request));
            }
            (Some(_), _) => return Err(answer::unexpected()),
            (None, Some(last)) if last.version == store.version()? => {
                return Ok(Arc::clone(&last.block));
            }
            (None, _) => {}
        }
        // A write in the meantime is seen the next time.
        let (block, version) = store.on_one_state(|store| self.of_one_state(store, request))?;
        Ok(self.keep(block, version, request))
    }

    fn of_one_state(&self, store: &dyn Reader, request: &Request) -> Result<(Block, Version)> {
        let request = &*reading(store, request)?;
        match request.style {
            Style::Stable => self.stable(store, request),
            Style::Faithful => faithful(store, request),
        }
    }

    fn keep(&mut self, block: Block, version: Version, request: &Request) -> Arc<Block> {
        let block = Arc::new(block);
        // A file may be written again within the same tick of its clock.
        const TICK: Duration = Duration::from_secs(2);
        let settled = version
            .written_at
            .is_none_or(|written| written + TICK < request.now)
            && block.receipt.cites == 0;
        self.last = settled.then(|| LastBlock {
            request: request.clone(),
            version,
            block: Arc::clone(&block),
        });
        block
    }

    fn stable(&self, store: &dyn Reader, request: &Request) -> Result<(Block, Version)> {
        let pieces = Pieces::new(request, &self.counts);
        let (arranged, _, version) = arrange::arranged(store, request, &pieces)?;
        let block = Block {
            text: arranged.text,
            style: request.style,
            sections: arranged.sections,
            receipt: arranged.receipt,
            position: version.position,
        };
        Ok((block, version))
    }
}

/// The scopes of the place and every place above it, by path and by name in the repository, outermost first.
fn own_chain(request: &Request) -> Vec<Scope> {
    let lineage = &request.lineage;
    let own = lineage.path_of(lineage.place()).chain();
    let mut scopes = lineage.scopes();
    scopes.retain(
        |scope| matches!(scope, Scope::Place(place) if own.contains(&lineage.path_of(place))),
    );
    scopes
}

/// All sections in full, as the source programs write them.
fn faithful(store: &dyn Reader, request: &Request) -> Result<(Block, Version)> {
    let scopes = request.scopes(own_chain(request));
    let gather::All {
        notes: [notebook, places, iterations],
        version,
        damaged,
    } = gather::all_of(store, request, scopes)?;
    let mut notes = faithful::Notes {
        notebook,
        places,
        iterations,
    };
    crate::model::lists::latest_first(&mut notes.notebook);
    notes.places.retain(|note| !note.content.is_blank());
    let earlier = |of: i64| request.iteration.is_none_or(|iteration| of < iteration);
    // A resolved entry leaves the prompt in every style: its source knows no such entries.
    notes
        .iterations
        .retain(|note| note.resolved_by.is_none() && note.iteration.is_some_and(earlier));
    let sections: Vec<SectionText> = Section::ALL
        .into_iter()
        .filter(|section| request.wants(*section))
        .map(|section| SectionText {
            section,
            text: faithful::section(section, &notes, request),
        })
        .filter(|section| !section.text.is_empty())
        .collect();
    let mut text = match request.only {
        // A single section is exactly what its source program prints.
        Some(_) => sections
            .iter()
            .map(|section| section.text.as_str())
            .collect(),
        None => join(&sections),
    };
    text.push_str(&crate::block::receipt::damaged_line(&damaged));
    let counted = match request.explain {
        true => crate::tokens::count(&text),
        false => 0,
    };
    let block = Block {
        receipt: Receipt {
            tokens: request.budget.charged(counted),
            counted,
            shown: (notes.notebook.len() + notes.places.len() + notes.iterations.len()) as u64,
            damaged,
            ..Receipt::default()
        },
        text,
        style: request.style,
        sections,
        position: version.position,
    };
    Ok((block, version))
}

/// The sections with a blank line between, and one line end.
fn join(sections: &[SectionText]) -> String {
    let texts: Vec<&str> = sections
        .iter()
        .map(|section| section.text.trim_end_matches('\n'))
        .collect();
    let mut text = texts.join("\n\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}
