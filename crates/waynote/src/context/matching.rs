//! The notes that match a prompt's text. A prompt gets them in addition to the block with which its session began.

use super::answer::{notes_of, shown_of};
use super::telling::NoteSelection;
use super::{BlockPart, Matching, Request, ShownNote};
use crate::error::Result;
use crate::rules::person::reading;
use crate::search::{SearchRequest, is_stop_word};
use crate::store::{Reader, noted_before};

/// How many notes a prompt gets at most.
const MOST: usize = 5;

/// How many matches are checked to find some that are new to the reader.
const LOOKED_AT: usize = 32;

/// Matches with a score below this share of the best one are left out.
const NEAR: f64 = 0.3;

/// A note with more tokens is shown as a line.
const WHOLE_TOKENS: usize = 150;

/// The notes that apply and match the request's query: at most five, best match first, within the budget. The query is
/// taken as plain words. `known` says how much of which revision its reader has been shown already; a note that would
/// show nothing new is left out.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn matching(store: &dyn Reader, request: &Request, known: &[ShownNote]) -> Result<Matching> {
    let Some(query) = plain(request.query.as_deref().unwrap_or_default()) else {
        return Ok(Matching::default());
    };
    let part = BlockPart::Matching {
        known: known.to_vec(),
    };
    if let Some(found) = notes_of(store, request, part)? {
        return Ok(found);
    }
    let (known, request) = (shown_of(known), &*reading(store, request)?);
    let hits = store.search(&SearchRequest {
        scopes: request.scopes_that_apply(),
        limit: LOOKED_AT,
        ..SearchRequest::new(query).context(true)
    })?;
    let least = hits.first().map_or(0.0, |best| best.score * NEAR);
    let notes = hits.iter().map(|hit| &hit.note);
    let noted = noted_before(store, notes, request.iteration)?;
    let mut telling = NoteSelection::new(request, usize::MAX, MOST).whole_to(WHOLE_TOKENS);
    let near = hits.into_iter().zip(noted);
    for (hit, times) in near.take_while(|(hit, _)| hit.score >= least) {
        // The entry beside a match in a log may be its answer, but has no word of the query.
        if hit.note.seen().is_none() || !hit.snippet.matches.is_empty() {
            let known = known(&hit.note);
            telling.tell(hit.note, times, known);
        }
    }
    Ok(telling.done())
}

/// The text without the operators of the query language, which a prompt does not mean; none if there is no text.
fn plain(asked: &str) -> Option<String> {
    let signs = |char: char| matches!(char, '"' | '*') || char.is_whitespace();
    let words = asked.split(signs).map(|word| word.trim_start_matches('-'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let bare = |word: &str| {
        word.trim_matches(|char: char| !char.is_alphanumeric())
            .to_lowercase()
    };
    let says_something = words.iter().any(|word| !is_stop_word(&bare(word)));
    says_something.then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_plain_words() {
        for (asked, words) in [
            ("How do the tests fail?", Some("How do the tests fail?")),
            (
                "-not \"this way\" conf* --no-cache",
                Some("not this way conf no-cache"),
            ),
            ("the of", None),
            ("The, of!", None),
            ("- \" * \"", None),
            ("", None),
        ] {
            assert_eq!(plain(asked).as_deref(), words, "{asked}");
        }
    }
}
