//! Finds the notes that match a clause of the query.

use std::collections::HashSet;

use super::{ClauseMatch, Corpus, Part};
use crate::model::allowance::Allowance;
use crate::search::block::{self, Terms};
use crate::search::damage::{Damage, SearchResult};
use crate::search::postings::{Posting, Reader};
use crate::search::query::{Clause, Word};

impl Corpus<'_> {
    /// The current notes that match a clause, in order.
    pub(super) fn found(&self, clause: &Clause) -> SearchResult<Vec<ClauseMatch>> {
        let mut found = Vec::new();
        for part in &self.parts {
            match clause {
                Clause::Word(word) => self.word(part, word, &mut found)?,
                Clause::Prefix(prefix) => self.prefix(part, prefix, &mut found)?,
                Clause::Phrase(words) => self.phrase(part, words, &mut found)?,
            }
        }
        Ok(found)
    }

    /// How many notes match each of these clauses, about: of a prefix many, and of a phrase those with its rarest word.
    /// Looks at each block once.
    pub(super) fn notes_of(&self, clauses: &[Clause]) -> SearchResult<Vec<usize>> {
        let mut terms: Vec<(&[u8], usize)> = Vec::new();
        for clause in clauses {
            match clause {
                Clause::Word(word) => {
                    let term = word.stem.as_ref().unwrap_or(&word.surface);
                    terms.push((term.as_bytes(), 0));
                }
                Clause::Prefix(_) => {}
                Clause::Phrase(words) => {
                    terms.extend(words.iter().map(|(word, _)| (word.as_bytes(), 0)));
                }
            }
        }
        terms.sort_unstable();
        terms.dedup();
        for part in &self.parts {
            let mut at = 0;
            for block in part.memory.blocks(b"") {
                Allowance::check()?;
                let mut of_block = Terms::new(block)?;
                while let Some((term, places)) = of_block.next()? {
                    while terms.get(at).is_some_and(|(wanted, _)| *wanted < term) {
                        at += 1;
                    }
                    if let Some((wanted, notes)) = terms.get_mut(at)
                        && *wanted == term
                    {
                        *notes += Reader::new(places)?.len();
                    }
                }
            }
        }
        let of = |term: &str| {
            let found = terms.binary_search_by_key(&term.as_bytes(), |(term, _)| term);
            found.map_or(0, |at| terms[at].1)
        };
        let of_clause = |clause: &Clause| match clause {
            Clause::Word(word) => of(word.stem.as_ref().unwrap_or(&word.surface)),
            Clause::Prefix(_) => usize::MAX,
            Clause::Phrase(words) => words.iter().map(|(word, _)| of(word)).min().unwrap_or(0),
        };
        Ok(clauses.iter().map(of_clause).collect())
    }

    fn place(&self, part: &Part, doc: u32) -> SearchResult<Option<u32>> {
        if doc as usize >= part.docs.len() {
            return Err(Damage("it has words of a note that it does not list").into());
        }
        let doc = part.start + doc as usize;
        Ok(self.live[doc].then_some(doc as u32))
    }

    fn word(&self, part: &Part, word: &Word, found: &mut Vec<ClauseMatch>) -> SearchResult<()> {
        let Some(stem) = &word.stem else {
            let block = part.memory.block(word.surface.as_bytes());
            let places = block::look(block, word.surface.as_bytes())?.here()?;
            return self.each_note(part, places, true, found);
        };
        let block = part.memory.block(stem.as_bytes());
        let start = found.len();
        let places = block::look(block, stem.as_bytes())?.here()?;
        self.each_note(part, places, false, found)?;
        if *stem == word.surface {
            return Ok(());
        }
        // As its own stem another word; as it was typed only where the word itself stands.
        found[start..]
            .iter_mut()
            .for_each(|(.., exact)| *exact = false);
        let mut typed = Vec::new();
        // A word mostly stands near its stem.
        let near = block::look(block, word.surface.as_bytes())?;
        if matches!(near, block::TermLookup::Elsewhere) {
            let block = part.memory.block(word.surface.as_bytes());
            let places = block::look(block, word.surface.as_bytes())?.here()?;
            self.each_note(part, places, true, &mut typed)?;
        } else {
            self.each_note(part, near.here()?, true, &mut typed)?;
        }
        let mut also = Vec::new();
        let mut at = start;
        for one in typed {
            while at < found.len() && found[at].0 < one.0 {
                at += 1;
            }
            match found.get_mut(at) {
                Some(there) if there.0 == one.0 => there.2 = true,
                _ => also.push(one),
            }
        }
        if !also.is_empty() {
            found.extend(also);
            found[start..].sort_unstable_by_key(|(doc, ..)| *doc);
        }
        Ok(())
    }

    /// Adds the current notes with a term; with `exact`, only those that have it as a word of its own.
    fn each_note(
        &self,
        part: &Part,
        places: Option<&[u8]>,
        exact: bool,
        found: &mut Vec<ClauseMatch>,
    ) -> SearchResult<()> {
        let Some(places) = places else { return Ok(()) };
        let mut reader = Reader::new(places)?;
        found.reserve(reader.len().min(part.docs.len()));
        while let Some(posting) = reader.next()? {
            if exact && !posting.exact {
                continue;
            }
            if let Some(doc) = self.place(part, posting.doc)? {
                found.push((doc, posting.times, posting.exact));
            }
        }
        Ok(())
    }

    fn prefix(&self, part: &Part, prefix: &str, found: &mut Vec<ClauseMatch>) -> SearchResult<()> {
        let mut times = Vec::new();
        // None may be missing in between, or at either end.
        let mut before: Option<Terms<'_>> = None;
        for block in part.memory.blocks(prefix.as_bytes()) {
            Allowance::check()?;
            let mut terms = Terms::new(block)?;
            if before.is_some() {
                terms = terms.after(before.as_ref())?;
            }
            while let Some((term, places)) = terms.next()? {
                if !term.starts_with(prefix.as_bytes()) {
                    continue;
                }
                times.resize(part.docs.len(), 0_u32);
                let mut reader = Reader::new(places)?;
                while let Some(posting) = reader.next()? {
                    if posting.exact && self.place(part, posting.doc)?.is_some() {
                        times[posting.doc as usize] += posting.times;
                    }
                }
            }
            before = Some(terms);
        }
        block::ends(before.as_ref(), prefix.as_bytes())?;
        let held = times.iter().enumerate().filter(|(_, times)| **times > 0);
        found.extend(held.map(|(doc, times)| ((part.start + doc) as u32, *times, true)));
        Ok(())
    }

    fn phrase(
        &self,
        part: &Part,
        words: &[(String, u32)],
        found: &mut Vec<ClauseMatch>,
    ) -> SearchResult<()> {
        let mut lists = Vec::with_capacity(words.len());
        for (word, distance) in words {
            let block = part.memory.block(word.as_bytes());
            match block::look(block, word.as_bytes())?.here()? {
                Some(places) => lists.push((places.to_vec(), *distance)),
                None => return Ok(()),
            }
        }
        let mut readers = Vec::with_capacity(lists.len());
        for (places, distance) in &lists {
            readers.push(Walk {
                reader: Reader::new(places)?,
                at: None,
                distance: *distance,
            });
        }
        let (mut starts, mut places) = (Vec::new(), Vec::new());
        let mut wanted = 0;
        'notes: loop {
            for walk in &mut readers {
                match walk.reach(wanted)? {
                    None => return Ok(()),
                    Some(doc) if doc > wanted => {
                        wanted = doc;
                        continue 'notes;
                    }
                    Some(_) => {}
                }
            }
            for (index, walk) in readers.iter_mut().enumerate() {
                walk.places(&mut places)?;
                let here = places.iter().filter(|(_, exact)| *exact);
                let here = here.filter_map(|(place, _)| place.checked_sub(walk.distance));
                if index == 0 {
                    starts = here.collect::<Vec<u32>>();
                } else {
                    let here: HashSet<u32> = here.collect();
                    starts.retain(|start| here.contains(start));
                }
            }
            if let (false, Some(doc)) = (starts.is_empty(), self.place(part, wanted)?) {
                found.push((doc, starts.len() as u32, true));
            }
            wanted += 1;
        }
    }
}

/// The list of a term, read in step with others.
struct Walk<'b> {
    reader: Reader<'b>,
    /// The note that was read last; its places are not read yet.
    at: Option<Posting>,
    distance: u32,
}

impl Walk<'_> {
    /// Goes to the first note that is not before `doc`.
    fn reach(&mut self, doc: u32) -> SearchResult<Option<u32>> {
        loop {
            if let Some(at) = self.at {
                if at.doc >= doc {
                    return Ok(Some(at.doc));
                }
                self.reader.places_whole(at)?;
            }
            self.at = self.reader.next()?;
            if self.at.is_none() {
                return Ok(None);
            }
        }
    }

    /// The places in the note that was reached. Call `reach` for the next note.
    fn places(&mut self, out: &mut Vec<(u32, bool)>) -> SearchResult<()> {
        if let Some(at) = self.at.take() {
            self.reader.places(at, out)?;
        }
        Ok(())
    }
}
