//! The ranking: BM25 over all notes with a word of the query. In a log, an entry also gains a share of the scores of
//! its neighbours.
//!
//! All numbers in a score are counted over the current notes only. So equal notes have equal scores, however they are
//! distributed over segments.

mod lookup;

use std::collections::HashSet;
use std::sync::Arc;

use super::build::{Builder, InMemory};
use super::damage::{Damage, SearchResult};
use super::docs::{Docs, PreviousEntry};
use super::document::{Document, Kinds, kind_and_title};
use super::indexed::View;
use super::notes::SearchInput;
use super::query::{Clause, Query};
use super::snippet::snippet;
use super::{Hit, SearchRequest};
use crate::limits::Limits;
use crate::model::allowance::Allowance;
use crate::note::Note;
use crate::secrets::masked;

/// The parameters of BM25: how fast repeats of a word count less, and how much a longer text lowers the score.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// The extra weight of a word that is written as it was typed.
const AS_TYPED: f32 = 0.1;

/// The share of the scores that an entry of a log gains from its direct neighbours, and from their neighbours.
const BESIDE: f32 = 0.3;
const BEYOND: f32 = 0.2;

/// The extra share if the entry before ends with a question, because this one may be the answer.
const ANSWERS: f32 = 0.3;

/// The number of words from which a query counts as a question: then an entry beside a match may be the answer. A
/// shorter query only finds notes that contain its words.
const QUESTION_WORDS: usize = 3;

/// How many notes with the score of the last hit are read, to choose among them by address.
const MOST_TIES: usize = 100;

/// Finds and ranks: among these notes, and in a store, if there is one.
pub(crate) fn search(
    index: Option<&View<'_>>,
    request: &SearchRequest,
    laid_over: &[Note],
) -> SearchResult<Vec<Hit>> {
    let mut query = Query::of(request)?;
    if request.limit == 0 || (query.wanted.is_empty() && query.unwanted.is_empty()) {
        return Ok(Vec::new());
    }
    let corpus = Corpus::open(index, request, laid_over, &query)?;
    if query.wanted.len() > Limits::QUERY_CLAUSES {
        query.limit(&corpus.notes_of(&query.wanted)?);
    }
    let ranked = corpus.ranked(&query, request)?;
    corpus.hits(index, &query, request, ranked)
}

/// A segment, and the number of its first note among all notes.
struct Part {
    memory: Arc<InMemory>,
    is_laid_over: bool,
    start: usize,
    docs: Arc<Docs>,
}

/// Everything that is searched.
struct Corpus<'i> {
    laid_over: &'i [Note],
    parts: Vec<Part>,
    /// The engine's numbers of the scopes that the request names.
    scopes: Vec<u32>,
    /// For each note, whether it is current; none if all are.
    live: Vec<bool>,
    live_count: usize,
    live_words: u64,
}

/// A note that matches a clause: its number among all, how often it matches, and whether as typed.
type ClauseMatch = (u32, u32, bool);

impl<'i> Corpus<'i> {
    fn open(
        index: Option<&View<'_>>,
        request: &SearchRequest,
        laid_over: &'i [Note],
        query: &Query,
    ) -> SearchResult<Self> {
        // In the history they are revisions beside the others.
        let replacing = if request.history { &[] } else { laid_over };
        let opened = match index {
            Some(index) => index.open(query, &request.scopes, replacing)?,
            None => SearchInput::default(),
        };
        let mut corpus = Self {
            laid_over,
            parts: Vec::new(),
            scopes: opened.scopes,
            live: Vec::new(),
            live_count: 0,
            live_words: 0,
        };
        let mut dead = Vec::new();
        for segment in opened.segments {
            dead.push(segment.dead);
            corpus.push(Arc::new(segment.memory), false);
        }
        // The rows of a tail in memory lie behind all segments, but its list of notes is its own.
        if let Some(tail) = &opened.tail {
            corpus.push(Arc::clone(&tail.memory), false);
        }
        corpus.push(Arc::new(segment_of(laid_over, request, query)?), true);
        let all = corpus
            .parts
            .last()
            .map_or(0, |part| part.start + part.docs.len());
        corpus.live = vec![true; all];
        for (part, dead) in corpus.parts.iter().zip(dead) {
            for (byte, bits) in dead.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                for bit in (0..8).filter(|bit| bits >> bit & 1 != 0) {
                    if let Some(live) = corpus.live.get_mut(part.start + byte * 8 + bit) {
                        *live = false;
                    }
                }
            }
        }
        let superseded = opened.tail.iter().flat_map(|tail| &tail.superseded);
        for position in superseded.chain(&opened.covered) {
            if let Some(doc) = corpus.find(*position) {
                corpus.live[doc] = false;
            }
        }
        corpus.count();
        Ok(corpus)
    }

    fn push(&mut self, memory: Arc<InMemory>, is_laid_over: bool) {
        let start = self
            .parts
            .last()
            .map_or(0, |part| part.start + part.docs.len());
        self.parts.push(Part {
            docs: Arc::clone(&memory.docs),
            memory,
            is_laid_over,
            start,
        });
    }

    fn count(&mut self) {
        self.live_count = self.live.iter().filter(|live| **live).count();
        self.live_words = self.parts.iter().map(|part| part.docs.all_words()).sum();
        if self.live_count < self.live.len() {
            let words = self.parts.iter().flat_map(|part| part.docs.words());
            let dead = words.zip(&self.live).filter(|(_, live)| !**live);
            self.live_words -= dead.map(|(words, _)| u64::from(words)).sum::<u64>();
        }
    }

    /// The number of the note with that row.
    fn find(&self, position: i64) -> Option<usize> {
        let found = |part: &Part| Some(part.start + part.docs.find(position)?);
        self.parts.iter().rev().find_map(found)
    }

    fn part_of(&self, doc: usize) -> (&Part, usize) {
        let index = self.parts.partition_point(|part| part.start <= doc) - 1;
        (&self.parts[index], doc - self.parts[index].start)
    }

    /// The best notes with their scores, including those with the score of the last one.
    fn ranked(&self, query: &Query, request: &SearchRequest) -> SearchResult<Vec<(usize, f32)>> {
        let mut scores = vec![0.0; self.live.len()];
        let weights = self.weights();
        for clause in &query.wanted {
            Allowance::check()?;
            let found = self.found(clause)?;
            let weight = match clause {
                Clause::Word(word) => word.weight(),
                _ => 1.0,
            };
            let weight = weight * self.rarity(found.len()) * (K1 + 1.0);
            for (doc, times, exact) in found {
                let times = times as f32;
                let typed = if exact { 1.0 + AS_TYPED } else { 1.0 };
                scores[doc as usize] += weight * typed * times / (times + weights[doc as usize]);
            }
        }
        let holds: Option<Vec<bool>> = (query.words() < QUESTION_WORDS)
            .then(|| scores.iter().map(|score| *score > 0.0).collect());
        if !query.wanted.is_empty() {
            scores = self.with_shares(scores);
        }
        let mut may = self.live.clone();
        if let Some(holds) = holds.filter(|_| !query.wanted.is_empty()) {
            may.iter_mut()
                .zip(holds)
                .for_each(|(may, holds)| *may &= holds);
        }
        for clause in &query.unwanted {
            Allowance::check()?;
            for (doc, ..) in self.found(clause)? {
                may[doc as usize] = false;
            }
        }
        self.filter(request, &mut may);
        Ok(self.best(&scores, &may, request.limit, !query.wanted.is_empty()))
    }

    /// The length part of BM25: larger for longer texts.
    fn weights(&self) -> Vec<f32> {
        let mean = self.live_words as f32 / self.live_count.max(1) as f32;
        let per_word = K1 * B / mean.max(1.0);
        let words = self.parts.iter().flat_map(|part| part.docs.words());
        words
            .map(|words| K1 * (1.0 - B) + per_word * words as f32)
            .collect()
    }

    /// The weight of a word that this many notes contain.
    fn rarity(&self, notes: usize) -> f32 {
        let (all, notes) = (self.live_count as f64, notes as f64);
        (1.0 + (all - notes + 0.5) / (notes + 0.5)).ln() as f32
    }

    /// Adds to entries of a log a share of their neighbours' scores.
    fn with_shares(&self, scores: Vec<f32>) -> Vec<f32> {
        let mut before = Vec::new();
        for part in &self.parts {
            for (doc, link) in part.docs.befores().enumerate() {
                let (doc, link) = match link {
                    PreviousEntry::Nowhere => continue,
                    PreviousEntry::Here(back) => match doc.checked_sub(back as usize) {
                        Some(link) => (part.start + doc, part.start + link),
                        None => continue,
                    },
                    PreviousEntry::Elsewhere(position) => match self.find(position) {
                        Some(link) => (part.start + doc, link),
                        None => continue,
                    },
                };
                before.push((doc as u32, link as u32));
            }
        }
        if before.is_empty() {
            return scores;
        }
        const NONE: u32 = u32::MAX;
        let (mut previous, mut next) = (vec![NONE; scores.len()], vec![NONE; scores.len()]);
        for (doc, link) in &before {
            previous[*doc as usize] = *link;
            next[*link as usize] = *doc;
        }
        let of = |doc: u32| scores.get(doc as usize).copied().unwrap_or(0.0);
        let beyond =
            |links: &[u32], doc: u32| links.get(doc as usize).map_or(0.0, |link| of(*link));
        let mut shared = scores.clone();
        for (doc, shared) in shared.iter_mut().enumerate() {
            let (one, other) = (previous[doc], next[doc]);
            if one == NONE && other == NONE {
                continue;
            }
            let (left, right) = (of(one), of(other));
            *shared += BESIDE * left + BESIDE * right;
            *shared += BEYOND * (beyond(&previous, one) + beyond(&next, other));
            if left > 0.0 {
                let (part, asked) = self.part_of(one as usize);
                if part.docs.asks(asked) {
                    *shared += ANSWERS * left;
                }
            }
        }
        shared
    }

    /// Removes notes that the request excludes.
    fn filter(&self, request: &SearchRequest, may: &mut [bool]) {
        let kinds = request.kind_bits();
        let is_of_some = !request.scopes.is_empty();
        let scopes: Option<HashSet<u32>> =
            is_of_some.then(|| self.scopes.iter().copied().collect());
        if kinds == Kinds::ALL && scopes.is_none() {
            return;
        }
        for part in &self.parts {
            // Notes that are laid over have no number; they were chosen before.
            let scopes = scopes.as_ref().filter(|_| !part.is_laid_over);
            let may = &mut may[part.start..part.start + part.docs.len()];
            for (doc, may) in may.iter_mut().enumerate().filter(|(_, may)| **may) {
                *may = kinds.has(part.docs.kind(doc))
                    && scopes.is_none_or(|scopes| scopes.contains(&part.docs.scope(doc)));
            }
        }
    }

    /// The best notes. Of those with the score of the last one, the newest, and some of the same time.
    fn best(&self, scores: &[f32], may: &[bool], limit: usize, scored: bool) -> Vec<(usize, f32)> {
        let is_candidate = |doc: usize| may[doc] && (!scored || scores[doc] > 0.0);
        let mut all: Vec<f32> = (0..scores.len())
            .filter(|doc| is_candidate(*doc))
            .map(|doc| scores[doc])
            .collect();
        let last = if all.len() > limit {
            let (_, last, _) =
                all.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one));
            *last
        } else {
            f32::NEG_INFINITY
        };
        let (mut best, mut equal) = (Vec::new(), Vec::new());
        for part in &self.parts {
            for doc in 0..part.docs.len() {
                let all = part.start + doc;
                if !is_candidate(all) || scores[all] < last {
                } else if scores[all] > last {
                    best.push((all, scores[all]));
                } else {
                    equal.push((part.docs.time(doc), all));
                }
            }
        }
        let room = limit - best.len().min(limit);
        if equal.len() > room && room > 0 {
            equal.select_nth_unstable_by(room - 1, |one, other| other.0.cmp(&one.0));
            let time = equal[room - 1].0;
            let mut ties = 0;
            let mut index = 0;
            equal.retain(|(other, _)| {
                index += 1;
                let is_tie = index > room && *other == time;
                ties += usize::from(is_tie);
                index <= room || (is_tie && ties <= MOST_TIES)
            });
        }
        best.extend(equal.into_iter().map(|(_, doc)| (doc, scores[doc])));
        best
    }

    fn hits(
        &self,
        index: Option<&View<'_>>,
        query: &Query,
        request: &SearchRequest,
        ranked: Vec<(usize, f32)>,
    ) -> SearchResult<Vec<Hit>> {
        let mut hits = Vec::with_capacity(ranked.len());
        let (mut positions, mut scores) = (Vec::new(), Vec::new());
        for (doc, score) in ranked {
            let (part, doc) = self.part_of(doc);
            let position = part.docs.position(doc);
            if part.is_laid_over {
                let note = usize::try_from(position - i64::MIN)
                    .ok()
                    .and_then(|index| self.laid_over.get(index));
                hits.extend(note.map(|note| (note.clone(), score)));
            } else {
                positions.push(position);
                scores.push(score);
            }
        }
        let notes = index.map_or(Ok(Vec::new()), |index| index.notes(&positions))?;
        if notes.len() != positions.len() {
            return Err(Damage("it lists a note that is not there").into());
        }
        let found = notes.into_iter().zip(scores);
        hits.extend(found.filter_map(|(note, score)| Some((note?, score))));
        hits.sort_by(|(one, score), (other, other_score)| {
            other_score
                .total_cmp(score)
                .then_with(|| other.updated_at.cmp(&one.updated_at))
                .then_with(|| one.address.cmp(&other.address))
                .then_with(|| other.revision.cmp(&one.revision))
        });
        hits.truncate(request.limit);
        let hit = |(note, score): (Note, f32)| {
            Allowance::check()?;
            Ok(Hit {
                snippet: snippet(query, &masked(&note.content.shown())),
                note,
                score: f64::from(score),
            })
        };
        hits.into_iter().map(hit).collect()
    }
}

/// A segment of the notes that replace stored ones. Their positions begin with the lowest number.
fn segment_of(notes: &[Note], request: &SearchRequest, query: &Query) -> SearchResult<InMemory> {
    let mut builder = Builder::new();
    for (index, note) in notes.iter().enumerate() {
        Allowance::check()?;
        let scope = note.address.scope();
        if !request.scopes.is_empty() && !request.scopes.contains(&scope) {
            continue;
        }
        let key = note.address.key().unwrap_or_default();
        let (kind, title) = kind_and_title(scope.kind(), scope.name(), &key);
        let document = Document {
            position: i64::MIN + index as i64,
            scope: u32::MAX,
            kind,
            created: note.created_at.as_second(),
            updated: note.updated_at.as_second(),
            previous: None,
            title,
            text: &note.content.shown(),
        };
        builder.add(&document, &|term| query.looks_at(term));
    }
    Ok(builder.in_memory()?)
}
