//! The notes that match a prompt's text. A prompt gets them in addition to the block with which its session began.

use super::answer::{notes_of, shown_of};
use super::pieces::{Form, Pieces};
use super::stable::NoteText;
use super::{BlockPart, Matching, MatchingNote, Request, Shown, ShownNote};
use crate::error::Result;
use crate::scope::Scope;
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
    let known = shown_of(known);
    let mut scopes = request.chain();
    scopes.push(Scope::Agent(request.agent.clone()));
    scopes.extend(request.session.clone().map(Scope::Session));
    let hits = store.search(&SearchRequest {
        scopes,
        limit: LOOKED_AT,
        ..SearchRequest::new(query).context(true)
    })?;
    let least = hits.first().map_or(0.0, |best| best.score * NEAR);
    let notes = hits.iter().map(|hit| &hit.note);
    let noted = noted_before(store, notes, request.iteration)?;
    let mut found = Matching::default();
    let mut whole = String::new();
    let mut left = request.budget.limit().unwrap_or(usize::MAX);
    let near = hits.into_iter().zip(noted);
    for (hit, times) in near.take_while(|(hit, _)| hit.score >= least) {
        let note = hit.note;
        // The entry beside a match in a log may be its answer, but has no word of the query.
        if note.seen().is_some() && hit.snippet.matches.is_empty() {
            continue;
        }
        let known = known(&note);
        if times == 0 || note.content.is_blank() || known == Some(Shown::Whole) {
            continue;
        }
        let told = NoteText {
            note: &note,
            times,
            reader: &request.agent,
        };
        let is_in_line = note.content.shown().trim() == note.preview;
        let full = match is_in_line && note.kind.is_none() {
            true => Form::Listed,
            false => Form::Whole,
        };
        let (shown, piece) = match Pieces::whole_in(&told, full, WHOLE_TOKENS.min(left)) {
            Some(full) => (Shown::Whole, full),
            None if note.kind.is_some() => (Shown::Line, told.cut()),
            None => (Shown::Line, told.listed()),
        };
        let tokens = crate::tokens::count(&piece);
        let says_nothing_new = known == Some(Shown::Line) && (shown == Shown::Line || is_in_line);
        if says_nothing_new || tokens > left {
            continue;
        }
        left -= tokens;
        // A line below another note's heading would look like a part of that note.
        match piece.starts_with('#') {
            true => whole.push_str(&piece),
            false => found.text.push_str(&piece),
        }
        found.notes.push(MatchingNote { note, shown });
        if found.notes.len() == MOST {
            break;
        }
    }
    if !whole.is_empty() {
        let gap = if found.text.is_empty() { "" } else { "\n" };
        found.text.push_str(&format!("{gap}{}\n", whole.trim_end()));
    }
    Ok(found)
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
