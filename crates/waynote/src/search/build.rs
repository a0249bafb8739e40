//! Builds a segment from notes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::analyze::{Analyzer, Term};
use super::block::{Block, Blocks};
use super::damage::IndexResult;
use super::docs::{self, Doc, Docs};
use super::document::{Document, Kinds};
use super::postings::Writer;

/// Entries of a log at most this far apart count as neighbours.
pub(crate) const NEAR_SECONDS: i64 = 3600;

/// The gap in positions between the title and the text, so that no phrase matches across both.
const TITLE_GAP: u32 = 8;

/// Builds a segment. Notes are added in the order of their positions.
pub(crate) struct Builder {
    analyzer: Analyzer,
    docs: Vec<Doc>,
    terms: HashMap<Box<str>, Writer>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            analyzer: Analyzer::new(),
            docs: Vec::new(),
            terms: HashMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.docs.len()
    }

    /// Adds a note, with those of its terms for which `wanted` is true.
    pub(crate) fn add(&mut self, document: &Document<'_>, wanted: &dyn Fn(&str) -> bool) {
        let doc = u32::try_from(self.docs.len()).unwrap_or(u32::MAX);
        let terms = &mut self.terms;
        let words = each_term(&mut self.analyzer, document, &mut |term, place, exact| {
            if !wanted(term) {
                return;
            }
            match terms.get_mut(term) {
                Some(writer) => writer.add(doc, place, exact),
                None => {
                    let mut writer = Writer::default();
                    writer.add(doc, place, exact);
                    terms.insert(term.into(), writer);
                }
            }
        });
        self.docs.push(document.doc(words));
    }

    /// The notes and the blocks of their terms.
    pub(crate) fn finish(self) -> IndexResult<(Vec<u8>, Vec<Block>)> {
        let mut terms: Vec<(Box<str>, Writer)> = self.terms.into_iter().collect();
        terms.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let mut blocks = Blocks::default();
        for (term, writer) in terms {
            if let Some(places) = writer.finish() {
                blocks.add(term.as_bytes(), &places);
            }
        }
        Ok((docs::encode(&self.docs)?, blocks.take()))
    }

    /// The same as a segment in memory.
    pub(crate) fn in_memory(self) -> IndexResult<InMemory> {
        let (docs, blocks) = self.finish()?;
        Ok(InMemory {
            docs: Arc::new(Docs::new(docs)?),
            blocks: blocks
                .into_iter()
                .map(|block| (block.first, block.bytes))
                .collect(),
        })
    }
}

/// Calls `each` with every term of a note, its place, and whether it is a word of its own. Returns the number of words.
pub(crate) fn each_term(
    analyzer: &mut Analyzer,
    document: &Document<'_>,
    each: &mut dyn FnMut(&str, u32, bool),
) -> u32 {
    let mut emit = |term: &Term<'_>, from: u32| {
        each(term.term, from + term.position, term.form.is_exact());
    };
    let mut title = analyzer.analyze(document.title, &mut |term| emit(term, 0));
    if title > 0 {
        title += TITLE_GAP;
    }
    let words = analyzer.analyze(document.text, &mut |term| emit(term, title));
    title.saturating_sub(TITLE_GAP) + words
}

impl Document<'_> {
    fn doc(&self, words: u32) -> Doc {
        let is_near = |previous: &(i64, i64)| (self.created - previous.1).abs() <= NEAR_SECONDS;
        Doc {
            position: self.position,
            scope: self.scope,
            words,
            time: u32::try_from(self.updated.max(0)).unwrap_or(u32::MAX),
            previous: self.previous.filter(is_near).map(|(position, _)| position),
            kind: self.kind,
            asks: self.kind == Kinds::LOG && self.text.trim_end().ends_with(['?', '？']),
        }
    }
}

/// A segment in memory: one that is not stored, or those parts of a stored one that a search needs.
pub(crate) struct InMemory {
    pub(crate) docs: Arc<Docs>,
    blocks: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl InMemory {
    /// Made of the notes of a segment and those of its blocks that a search needs, each with the first term of its
    /// range.
    pub(crate) fn of(
        docs: Arc<Docs>,
        blocks: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> Self {
        Self {
            docs,
            blocks: blocks.into_iter().collect(),
        }
    }

    /// The block with the range that a term is in.
    pub(crate) fn block(&self, term: &[u8]) -> Option<&[u8]> {
        let before = self
            .blocks
            .range::<[u8], _>((std::ops::Bound::Unbounded, std::ops::Bound::Included(term)));
        before.last().map(|(_, block)| &block[..])
    }

    /// The blocks with the ranges that terms with this prefix are in.
    pub(crate) fn blocks(&self, prefix: &[u8]) -> impl Iterator<Item = &[u8]> {
        let first = self.block(prefix);
        let after = self.blocks.range::<[u8], _>((
            std::ops::Bound::Excluded(prefix),
            std::ops::Bound::Unbounded,
        ));
        let after = after.take_while(move |(term, _)| term.starts_with(prefix));
        first.into_iter().chain(after.map(|(_, block)| &block[..]))
    }
}
