//! The prompt block: the notes that apply to an agent at a place, in a session and iteration, as text.

mod age;
mod arrange;
mod asked;
#[cfg(all(test, feature = "sqlite", feature = "tokens", feature = "secrets"))]
mod bounded;
mod budget;
mod changed;
mod counted;
mod faithful;
mod gather;
mod iteration;
mod matching;
mod pieces;
mod receipt;
mod stable;
mod stock;

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::key::Name;
use crate::place::Place;
use crate::scope::Scope;
use crate::store::{AsOf, Reader, ReaderExt, Version};

pub use asked::{BlockAnswer, BlockAsk, BlockPart};
pub use budget::{Budget, TokenFactor};
pub use changed::{ShownNote, block_and_notes, changed};
pub use iteration::IterationBlock;
pub use matching::{Matching, MatchingNote, matching};
pub use receipt::{Claim, Receipt, Shown, Why};

use pieces::{Counts, Pieces};

/// The sections of the block, in the order in which they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Section {
    /// The agent's pinned notes, whole.
    Pinned,
    /// The notes of the place and every place above it, whole.
    Places,
    /// The agent's notes by key and preview.
    Index,
    /// The session's log of earlier iterations.
    Iterations,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pinned, Self::Places, Self::Index, Self::Iterations];

    /// The section's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Places => "places",
            Self::Index => "index",
            Self::Iterations => "iterations",
        }
    }
}

/// How the block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Style {
    /// The same notes give the same bytes: fixed order, absolute dates, and what changes most often comes last.
    Stable,
    /// As Zrb, ralph.nu and openotters write it, byte for byte.
    Faithful,
}

impl Style {
    /// The style's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Faithful => "faithful",
        }
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Style {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        let known = [Self::Stable, Self::Faithful].into_iter();
        let mut known = known.filter(|style| style.as_str() == word);
        known
            .next()
            .ok_or_else(|| "the styles are stable and faithful".into())
    }
}

/// A request for a block: for which agent, at which place, and the options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Request {
    /// The agent that reads the block, and whose notebook it shows.
    pub agent: Name,
    /// The place of the agent.
    pub place: Place,
    /// Other places whose notes apply too, such as the main checkout of a linked worktree: each farther away than the
    /// one before, and all farther than `place`. Style faithful leaves them out, because its sources have no such
    /// places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Place>,
    /// The session that the agent runs in, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Name>,
    /// The iteration that the agent runs. The block shows only earlier ones; none: all iterations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<i64>,
    /// How the block is written.
    pub style: Style,
    /// Only this section; none: all sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Section>,
    /// The token budget. Style faithful has none: it prints everything, as its sources do.
    #[serde(default)]
    pub budget: Budget,
    /// A query to choose the notes of the index by; none: the latest notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The point in time of the notes; none: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// Whether the receipt lists every note, and counts tokens even without a limit.
    #[serde(default)]
    pub explain: bool,
    /// The tools of the reader, which the block names if notes are shortened or left out; none: it names no tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ReaderTools>,
    /// The current time, for the ages in style faithful.
    pub now: Timestamp,
}

/// The names of the tools with which a reader looks up what a block does not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Tools))]
#[serde(deny_unknown_fields)]
pub struct ReaderTools {
    /// Shows a note whole, by its address.
    pub show: Cow<'static, str>,
    /// Searches notes by their text.
    pub search: Cow<'static, str>,
}

impl ReaderTools {
    /// Tools with these names.
    pub fn new(show: impl Into<Cow<'static, str>>, search: impl Into<Cow<'static, str>>) -> Self {
        Self {
            show: show.into(),
            search: search.into(),
        }
    }
}

impl Request {
    /// A request in style stable with the default budget, for the current notes, outside any session.
    pub fn new(agent: Name, place: Place, now: Timestamp) -> Self {
        Self {
            agent,
            place,
            also: Vec::new(),
            session: None,
            iteration: None,
            style: Style::Stable,
            only: None,
            budget: Budget::default(),
            query: None,
            as_of: None,
            explain: false,
            tools: None,
            now,
        }
    }

    /// Sets the place.
    pub fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Sets the current time.
    pub fn now(self, now: Timestamp) -> Self {
        Self { now, ..self }
    }

    /// Sets other places whose notes apply too, each farther away than the one before.
    pub fn also(self, also: Vec<Place>) -> Self {
        Self { also, ..self }
    }

    /// Sets the session; none: outside any.
    pub fn session(self, session: impl Into<Option<Name>>) -> Self {
        Self {
            session: session.into(),
            ..self
        }
    }

    /// Sets the iteration, which sees the notes of earlier ones; none: it sees all.
    pub fn iteration(self, iteration: impl Into<Option<i64>>) -> Self {
        Self {
            iteration: iteration.into(),
            ..self
        }
    }

    /// Sets the style.
    pub fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Only this section; none: all sections.
    pub fn only(self, only: impl Into<Option<Section>>) -> Self {
        Self {
            only: only.into(),
            ..self
        }
    }

    /// Sets the token budget.
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Sets a query to choose the notes of the index by; none: the latest notes.
    pub fn query(self, query: impl Into<Option<String>>) -> Self {
        Self {
            query: query.into(),
            ..self
        }
    }

    /// Sets the point in time of the notes; none: now.
    pub fn as_of(self, as_of: impl Into<Option<AsOf>>) -> Self {
        Self {
            as_of: as_of.into(),
            ..self
        }
    }

    /// Sets whether the receipt lists every note.
    pub fn explain(self, explain: bool) -> Self {
        Self { explain, ..self }
    }

    /// Sets the tools of the reader.
    pub fn tools(self, tools: ReaderTools) -> Self {
        Self {
            tools: Some(tools),
            ..self
        }
    }

    /// Whether the request includes a section.
    fn wants(&self, section: Section) -> bool {
        self.only.is_none_or(|only| only == section)
    }

    /// The scopes of the requested sections: the agent's, those of the places, and the session's.
    fn scopes(&self, places: Vec<Scope>) -> [Vec<Scope>; 3] {
        let session = self.session.iter().cloned().map(Scope::Session);
        let sections: [&[Section]; 3] = [
            &[Section::Pinned, Section::Index],
            &[Section::Places],
            &[Section::Iterations],
        ];
        let mut scopes = [
            vec![Scope::Agent(self.agent.clone())],
            places,
            session.collect(),
        ];
        for (scopes, sections) in scopes.iter_mut().zip(sections) {
            if !sections.iter().any(|section| self.wants(*section)) {
                scopes.clear();
            }
        }
        scopes
    }

    /// Whether tokens are counted.
    fn counts(&self) -> bool {
        self.explain || self.budget.limit().is_some()
    }

    /// The scopes of the places that apply, outermost first: the chains of `also`, then the rest of the chain of
    /// `place`.
    pub fn chain(&self) -> Vec<Scope> {
        let farthest_first = self.also.iter().rev().chain([&self.place]);
        let mut chain: Vec<Scope> = Vec::new();
        for scope in farthest_first.flat_map(Place::chain).map(Scope::Place) {
            if !chain.contains(&scope) {
                chain.push(scope);
            }
        }
        chain
    }
}

/// A prompt block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Block {
    /// The text for the prompt; empty when no note applies.
    pub text: String,
    /// The style it is written in.
    pub style: Style,
    /// Its sections that are not empty.
    pub sections: Vec<SectionText>,
    /// How each note is shown. Empty in style faithful, which shows all notes.
    pub receipt: Receipt,
    /// The position of the store's last change when the block was made; none for an empty store.
    pub position: Option<crate::note::Position>,
}

/// A section of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SectionText {
    /// The section.
    pub section: Section,
    /// Its text.
    pub text: String,
}

/// Makes the block.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn render(store: &dyn Reader, request: &Request) -> Result<Block> {
    let block = Renderer::default().render(store, request)?;
    Ok(Arc::unwrap_or_clone(block))
}

/// Makes the block from one state of a store.
fn render_from(store: &dyn Reader, request: &Request) -> Result<Block> {
    render_now(store, request).map(|(block, _)| block)
}

/// The same, and the version of that state.
fn render_now(store: &dyn Reader, request: &Request) -> Result<(Block, Version)> {
    Renderer::default().of_one_state(store, request)
}

/// Makes blocks from the same store one after another, for example at every step of an agent. It counts the tokens of
/// each note only once, and returns the last block again if nothing has changed.
#[derive(Default)]
pub struct Renderer {
    last: Option<Last>,
    counts: RefCell<Counts>,
}

struct Last {
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
            (Some(_), _) => return Err(asked::unexpected()),
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
            .is_none_or(|written| written + TICK < request.now);
        self.last = settled.then(|| Last {
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

/// The scopes of the place and every place above it, outermost first.
fn own_chain(request: &Request) -> Vec<Scope> {
    let places = request.place.chain();
    places.into_iter().map(Scope::Place).collect()
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
    crate::notebook::sort(&mut notes.notebook);
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
            text: faithful::section(section, &notes, request.now),
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
    text.push_str(&receipt::damaged_line(&damaged));
    let counted = match request.explain {
        true => crate::tokens::count(&text),
        false => 0,
    };
    let block = Block {
        receipt: Receipt {
            budget: 0,
            tokens: request.budget.charged(counted),
            counted,
            headings: 0,
            last_line: 0,
            shown: (notes.notebook.len() + notes.places.len() + notes.iterations.len()) as u64,
            lines: 0,
            left_out: 0,
            damaged,
            claims: Vec::new(),
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
