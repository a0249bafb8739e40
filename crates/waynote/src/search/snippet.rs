//! The snippet: the line of a note that is shown with a hit.

use std::collections::HashSet;
use std::ops::Range;

use super::Snippet;
use super::analyze::Analyzer;
use super::query::Query;

/// The longest line, in characters.
const CHARS: usize = 160;

/// How many of its characters are before the first match.
const LEAD: usize = 30;

/// How much of a long text is read.
const LOOKED_AT: usize = 64 * 1024;

/// The part of a text with the most matches, on one line.
pub(super) fn snippet(query: &Query, text: &str) -> Snippet {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let matches = matches(query, text);
    let start = best_start(text, &matches);
    cut(text, start, &matches)
}

/// The matches and the word of the query that each one matches. No match is inside another.
fn matches(query: &Query, text: &str) -> Vec<(Range<usize>, String)> {
    let mut all: Vec<(Range<usize>, String)> = Vec::new();
    Analyzer::new().analyze(text, &mut |term| {
        if !query.shows(term.term, term.form) {
            return;
        }
        match all.last_mut() {
            // An identifier comes before its parts; pairs of characters overlap.
            Some((last, _)) if term.range.start < last.end => {
                last.end = last.end.max(term.range.end);
            }
            _ => all.push((term.range.clone(), term.term.to_owned())),
        }
    });
    all
}

/// The best start: the first one from which the most different words are shown.
fn best_start(text: &str, matches: &[(Range<usize>, String)]) -> usize {
    let reach = CHARS - LEAD;
    let mut best = (0, 0);
    for (index, (range, _)) in matches.iter().enumerate() {
        let end = forward(text, range.start, reach);
        let inside = matches[index..]
            .iter()
            .take_while(|(range, _)| range.end <= end);
        let different: HashSet<&str> = inside.map(|(_, term)| term.as_str()).collect();
        if different.len() > best.0 {
            best = (different.len(), range.start);
        }
    }
    let (_, start) = best;
    // Near enough to the beginning to begin there.
    if forward(text, 0, LEAD) >= start {
        return 0;
    }
    let lead = back(text, start, LEAD);
    // At a word, not inside one.
    let blank = text[lead..start].find(char::is_whitespace);
    blank.map_or(lead, |blank| lead + blank)
}

fn forward(text: &str, from: usize, chars: usize) -> usize {
    let end = text[from..].char_indices().nth(chars);
    end.map_or(text.len(), |(offset, _)| from + offset)
}

fn back(text: &str, from: usize, chars: usize) -> usize {
    let start = text[..from]
        .char_indices()
        .rev()
        .nth(chars.saturating_sub(1));
    start.map_or(0, |(offset, _)| offset)
}

/// The text from `start` on as one line; blanks and line ends become one blank.
fn cut(text: &str, start: usize, matches: &[(Range<usize>, String)]) -> Snippet {
    let mut snippet = Snippet::default();
    let mut matches = matches
        .iter()
        .map(|(range, _)| range)
        .filter(|range| range.start >= start);
    let mut next = matches.next();
    let mut open = None;
    let mut blank = false;
    let mut chars = 0;
    let mut is_cut = false;
    for (at, char) in text[start..].char_indices() {
        let at = start + at;
        close(&mut snippet, &mut open, at);
        if chars >= CHARS {
            is_cut = !text[at..].trim().is_empty();
            break;
        }
        if char.is_whitespace() {
            blank = !snippet.text.is_empty();
            continue;
        }
        if snippet.text.is_empty() && !text[..at].trim().is_empty() {
            snippet.text.push('…');
        }
        if blank {
            snippet.text.push(' ');
            chars += 1;
            blank = false;
        }
        if let Some(range) = next.filter(|range| range.start <= at) {
            open = Some((snippet.text.len(), range.end));
            next = matches.next();
        }
        snippet.text.push(char);
        chars += 1;
    }
    close(&mut snippet, &mut open, text.len());
    if let Some((from, _)) = open {
        snippet.matches.push(from..snippet.text.len());
    }
    if is_cut {
        snippet.text.push('…');
    }
    snippet
}

/// Ends a match when the text has passed it.
fn close(snippet: &mut Snippet, open: &mut Option<(usize, usize)>, at: usize) {
    if let Some((from, end)) = *open
        && at >= end
    {
        snippet.matches.push(from..snippet.text.len());
        *open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(query: &str, text: &str) -> String {
        let snippet = snippet(&Query::parse(query), text);
        let mut out = snippet.text.clone();
        for range in snippet.matches.iter().rev() {
            out.insert(range.end, ']');
            out.insert(range.start, '[');
        }
        out
    }

    #[test]
    fn the_words_are_shown_where_they_stand() {
        assert_eq!(
            marked("failing tests", "A test that\n\n  fails is  a test."),
            "A [test] that [fails] is a [test]."
        );
        assert_eq!(
            marked("run_tests", "call run_tests()"),
            "call [run_tests]()"
        );
        assert_eq!(marked("検索", "全文検索する"), "全文[検索]する");
        assert_eq!(marked("nothing", "  not here "), "not here");
        assert_eq!(marked("conf*", "see config.toml"), "see [config.toml]");
    }

    #[test]
    fn a_long_text_is_cut_around_the_best_part() {
        let text = format!(
            "{} needle {} needle thread {}",
            "a ".repeat(200),
            "b ".repeat(200),
            "c ".repeat(200)
        );
        let shown = marked("needle thread", &text);
        assert!(shown.starts_with("…b b"), "{shown}");
        assert!(shown.contains("[needle] [thread] c"), "{shown}");
        assert!(shown.ends_with("c…"), "{shown}");
    }

    proptest::proptest! {
        #[test]
        fn any_snippet_is_a_line(query in "\\PC{0,20}", text in "\\PC{0,300}") {
            let snippet = snippet(&Query::parse(&query), &text);
            assert!(snippet.text.chars().count() <= CHARS + 3);
            for range in &snippet.matches {
                assert!(snippet.text.get(range.clone()).is_some());
            }
        }
    }
}
