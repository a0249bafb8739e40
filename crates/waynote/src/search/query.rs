//! The query language: plain words, `"phrases"`, `prefix*`, `-not`. Any text is a query.

use std::collections::HashSet;

use super::SearchRequest;
use super::analyze::{Analyzer, Form, is_stop_word};
use super::korean;
use crate::error::{Error, Result};
use crate::limits::Limits;

/// The weight of a part of an identifier, compared with the whole.
const PART: f32 = 0.5;

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Query {
    pub(crate) wanted: Vec<Clause>,
    pub(crate) unwanted: Vec<Clause>,
    /// The terms and the prefixes of all clauses, and the terms that show a match of a wanted one.
    terms: HashSet<String>,
    prefixes: HashSet<String>,
    shown: HashSet<String>,
    shown_stems: HashSet<String>,
    shown_prefixes: HashSet<String>,
}

/// One thing to look for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Clause {
    Word(Word),
    /// Any word with this prefix.
    Prefix(String),
    /// A phrase: words, each with its distance from the first.
    Phrase(Vec<(String, u32)>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    pub(crate) surface: String,
    /// Its stem, which may be the word itself; none if it is not stemmed.
    pub(crate) stem: Option<String>,
    /// True if it is a part of an identifier.
    pub(crate) is_part: bool,
}

impl Word {
    pub(crate) fn weight(&self) -> f32 {
        if self.is_part { PART } else { 1.0 }
    }
}

impl Query {
    /// The query of a request. Text that is handed in as context is not refused, and not limited yet: see
    /// [`Query::limit`].
    ///
    /// # Errors
    /// [`Error::TooMuchAsked`].
    pub(crate) fn of(request: &SearchRequest) -> Result<Self> {
        if request.context {
            return Ok(Self::parse(&ends(&request.query)));
        }
        let too_much = |what: &'static str, asked: usize, most: usize| Error::TooMuchAsked {
            what: what.into(),
            asked: asked as u64,
            most: most as u64,
        };
        let bytes = request.query.len();
        if bytes > Limits::QUERY_BYTES {
            return Err(too_much("bytes of a query", bytes, Limits::QUERY_BYTES));
        }
        let query = Self::parse(&request.query);
        let clauses = query.wanted.len() + query.unwanted.len();
        match clauses > Limits::QUERY_CLAUSES {
            true => Err(too_much("words of a query", clauses, Limits::QUERY_CLAUSES)),
            false => Ok(query),
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let mut known = HashSet::new();
        let mut analyzer = Analyzer::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (not, after) = match rest.strip_prefix('-') {
                // `--option` is a word, and a lone `-` nothing.
                Some(after)
                    if after.starts_with(|char: char| char != '-' && !char.is_whitespace()) =>
                {
                    (true, after)
                }
                _ => (false, rest),
            };
            let quoted = after
                .strip_prefix('"')
                .and_then(|inner| inner.split_once('"'));
            let (clauses, after) = match quoted {
                Some((phrase, after)) => (analyzer.asked_phrase(phrase), after),
                None => {
                    // A quote that is never closed is as good as a blank.
                    let word = after.strip_prefix('"').unwrap_or(after);
                    let end = word
                        .find(|char: char| char.is_whitespace() || char == '"')
                        .unwrap_or(word.len());
                    (analyzer.asked_word(&word[..end], not), &word[end..])
                }
            };
            let all = if not {
                &mut query.unwanted
            } else {
                &mut query.wanted
            };
            let new = |clause: &Clause| known.insert((not, clause.clone()));
            all.extend(clauses.into_iter().filter(new));
            rest = after.trim_start();
        }
        query.drop_stop_words();
        query.list();
        query
    }

    fn drop_stop_words(&mut self) {
        let is_stop =
            |clause: &Clause| matches!(clause, Clause::Word(word) if is_stop_word(&word.surface));
        if !self.wanted.iter().all(is_stop) {
            self.wanted.retain(|clause| !is_stop(clause));
        }
    }

    /// Lists the terms of the clauses.
    fn list(&mut self) {
        let Self {
            wanted, unwanted, ..
        } = std::mem::take(self);
        for (clause, is_wanted) in (wanted.iter().map(|clause| (clause, true)))
            .chain(unwanted.iter().map(|clause| (clause, false)))
        {
            let mut words = Vec::new();
            match clause {
                Clause::Word(word) => {
                    words.push(&word.surface);
                    self.terms.extend(word.stem.clone());
                    self.shown_stems
                        .extend(word.stem.clone().filter(|_| is_wanted));
                }
                Clause::Prefix(prefix) => {
                    self.prefixes.insert(prefix.clone());
                    self.shown_prefixes
                        .extend(is_wanted.then(|| prefix.clone()));
                }
                Clause::Phrase(of) => words.extend(of.iter().map(|(word, _)| word)),
            }
            self.terms.extend(words.iter().copied().cloned());
            if is_wanted {
                self.shown.extend(words.into_iter().cloned());
            }
        }
        (self.wanted, self.unwanted) = (wanted, unwanted);
    }

    /// Keeps the clauses that the fewest notes match, if there are too many. `notes` says how many match each wanted
    /// one. A clause that no note matches finds nothing, and is not kept.
    pub(crate) fn limit(&mut self, notes: &[usize]) {
        let mut matched: Vec<usize> = notes.iter().copied().filter(|notes| *notes > 0).collect();
        let mut left = Limits::QUERY_CLAUSES;
        let most = match matched.len() > left {
            true => *matched.select_nth_unstable(left - 1).1,
            false => usize::MAX,
        };
        let mut below = matched.iter().filter(|notes| **notes < most).count();
        left -= below.min(left);
        let mut notes = notes.iter();
        self.wanted.retain(|_| {
            let notes = notes.next().copied().unwrap_or_default();
            let room = if notes < most { &mut below } else { &mut left };
            let stays = notes > 0 && notes <= most && *room > 0;
            *room -= usize::from(stays);
            stays
        });
        self.unwanted.truncate(Limits::QUERY_CLAUSES);
        self.list();
    }

    /// The terms that it needs, each once, and the prefixes.
    pub(crate) fn looked_at(&self) -> (Vec<&str>, Vec<&str>) {
        let [terms, prefixes] = [&self.terms, &self.prefixes].map(|all| {
            let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
            all.sort_unstable();
            all
        });
        (terms, prefixes)
    }

    /// True if the query needs the term.
    pub(crate) fn looks_at(&self, term: &str) -> bool {
        self.terms.contains(term) || has_prefix(&self.prefixes, term)
    }

    /// True if a term of a text matches.
    pub(crate) fn shows(&self, term: &str, form: Form) -> bool {
        self.shown_stems.contains(term)
            || (form.is_exact()
                && (self.shown.contains(term) || has_prefix(&self.shown_prefixes, term)))
    }

    /// The number of its plain words.
    pub(crate) fn words(&self) -> usize {
        let is_word = |clause: &&Clause| matches!(clause, Clause::Word(word) if !word.is_part);
        self.wanted.iter().filter(is_word).count()
    }
}

/// True if a term begins with one of these.
fn has_prefix(prefixes: &HashSet<String>, term: &str) -> bool {
    let mut ends = term.char_indices().map(|(at, char)| at + char.len_utf8());
    !prefixes.is_empty() && ends.any(|end| prefixes.contains(&term[..end]))
}

/// The start and the end of a text that is handed in as context: a question stands at the start, an error at the end.
fn ends(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= Limits::CONTEXT_BYTES {
        return text.into();
    }
    let half = Limits::CONTEXT_BYTES / 2;
    let start = text.floor_char_boundary(half);
    let end = text.ceil_char_boundary(text.len() - half);
    format!("{} {}", &text[..start], &text[end..]).into()
}

/// A term of the query text.
struct QueryTerms {
    term: String,
    form: Form,
    position: u32,
    end: usize,
    is_part: bool,
}

impl Analyzer {
    fn taken(&mut self, text: &str) -> Vec<QueryTerms> {
        let mut all = Vec::new();
        self.analyze(text, &mut |term| {
            all.push(QueryTerms {
                term: term.term.to_owned(),
                form: term.form,
                position: term.position,
                end: term.range.end,
                is_part: term.is_part,
            });
        });
        all
    }

    /// The clause of a word. An identifier may become several words.
    fn asked_word(&mut self, typed: &str, not: bool) -> Vec<Clause> {
        let text = typed.trim_end_matches('*');
        let taken = self.taken(text);
        if text.len() < typed.len() {
            return prefix(text, &taken);
        }
        let surfaces = taken
            .iter()
            .filter(|term| matches!(term.form, Form::Surface | Form::Last));
        // An exclusion of an identifier excludes the whole identifier, not its parts.
        if not && surfaces.count() > 1 {
            return match taken.iter().find(|term| term.form == Form::Whole) {
                Some(whole) if whole.end == text.len() => vec![exactly(&whole.term)],
                _ => self.asked_phrase(text),
            };
        }
        let mut clauses = Vec::new();
        for (index, term) in taken.iter().enumerate() {
            let stem = taken[index + 1..]
                .iter()
                .take_while(|other| other.position == term.position)
                .find(|other| other.form == Form::Stem);
            match term.form {
                Form::Stem | Form::Root => {}
                // One character finds what begins with it; more are found by their pairs.
                Form::Last if is_alone(&taken, index) => {
                    clauses.push(Clause::Prefix(term.term.clone()));
                }
                Form::Last => {}
                Form::Whole => {
                    clauses.push(Clause::Word(Word {
                        surface: term.term.clone(),
                        stem: None,
                        // The first is the widest, the others are parts of it.
                        is_part: index > 0,
                    }));
                }
                Form::Surface => clauses.push(Clause::Word(Word {
                    stem: stem
                        .map(|stem| stem.term.clone())
                        .or_else(|| self.is_own_stem(text, term).then(|| term.term.clone())),
                    surface: term.term.clone(),
                    is_part: term.is_part,
                })),
            }
        }
        clauses
    }

    /// True if a word that has no stem term is its own stem: it is Korean, or it is no part, has only ASCII letters, and
    /// none but its first one is a capital.
    fn is_own_stem(&mut self, text: &str, of: &QueryTerms) -> bool {
        if korean::is_korean(&of.term) {
            return true;
        }
        let start = of.end.saturating_sub(of.term.len());
        !of.is_part
            && text.get(start..of.end).is_some_and(|word| {
                word.bytes().all(|byte| byte.is_ascii_alphabetic())
                    && !word.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
            })
    }

    fn asked_phrase(&mut self, text: &str) -> Vec<Clause> {
        let taken = self.taken(text);
        let mut words: Vec<(String, u32)> = Vec::new();
        for (index, term) in taken.iter().enumerate() {
            match term.form {
                Form::Surface => words.push((term.term.clone(), term.position)),
                Form::Last if is_alone(&taken, index) => {
                    words.push((term.term.clone(), term.position));
                }
                Form::Last | Form::Stem | Form::Root | Form::Whole => {}
            }
        }
        let first = words.first().map_or(0, |(_, position)| *position);
        words
            .iter_mut()
            .for_each(|(_, position)| *position -= first);
        match &words[..] {
            [] => Vec::new(),
            [(word, _)] if taken.iter().any(|term| term.form == Form::Last) => {
                vec![Clause::Prefix(word.clone())]
            }
            [(word, _)] => vec![exactly(word)],
            _ => vec![Clause::Phrase(words)],
        }
    }
}

fn exactly(word: &str) -> Clause {
    Clause::Word(Word {
        surface: word.to_owned(),
        stem: None,
        is_part: false,
    })
}

/// True if the last character is the whole run.
fn is_alone(taken: &[QueryTerms], index: usize) -> bool {
    let before = index.checked_sub(1).map(|before| &taken[before]);
    before.is_none_or(|before| before.form != Form::Surface || before.end != taken[index].end)
}

/// Words, the last of which is a prefix.
fn prefix(text: &str, taken: &[QueryTerms]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let is_at_end = |term: &&QueryTerms| term.end == text.len();
    let begun = taken
        .iter()
        .find(|term| term.form == Form::Whole && is_at_end(term))
        .or_else(|| taken.iter().rfind(|term| term.form.is_exact()));
    if let Some(begun) = begun {
        for term in taken {
            if term.form == Form::Surface && term.position < begun.position {
                clauses.push(exactly(&term.term));
            }
        }
        clauses.push(Clause::Prefix(begun.term.clone()));
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str) -> String {
        let query = Query::parse(text);
        let one = |clause: &Clause| match clause {
            Clause::Word(word) => {
                let stem = word
                    .stem
                    .as_deref()
                    .map_or(String::new(), |stem| format!("~{stem}"));
                let part = if word.is_part { "part:" } else { "" };
                format!("{part}{}{stem}", word.surface)
            }
            Clause::Prefix(prefix) => format!("{prefix}*"),
            Clause::Phrase(words) => {
                let words: Vec<String> = words
                    .iter()
                    .map(|(word, at)| format!("{word}+{at}"))
                    .collect();
                format!("[{}]", words.join(" "))
            }
        };
        let all = |clauses: &[Clause]| clauses.iter().map(one).collect::<Vec<_>>().join(" ");
        match &query.unwanted[..] {
            [] => all(&query.wanted),
            unwanted => format!("{} NOT {}", all(&query.wanted), all(unwanted)),
        }
    }

    #[test]
    fn the_language() {
        assert_eq!(says("How do the tests fail?"), "tests~test fail~fail");
        assert_eq!(says("to be or not"), "not~not");
        assert_eq!(says("the of"), "the~the of~of");
        assert_eq!(
            says("\"run the tests\" conf* -draft"),
            "[run+0 the+1 tests+2] conf* NOT draft~draft"
        );
        assert_eq!(
            says("run_tests E0308"),
            "run_tests part:run part:tests e0308"
        );
        assert_eq!(says("src/sea*"), "src/sea*");
        assert_eq!(
            says("-\"not this\" -run_tests"),
            " NOT [not+0 this+1] run_tests"
        );
        assert_eq!(
            says("--no-cache ENOENT"),
            "no-cache part:no part:cache~cach enoent"
        );
        assert_eq!(says("検索する 水"), "検索 索す する 水*");
    }

    #[test]
    fn what_makes_no_sense_asks_for_nothing() {
        for nothing in [
            "", " ", "-", "- -", "*", "\"", "\"\"", "-\"\"", "***", "?!", "- * \"",
        ] {
            assert_eq!(Query::parse(nothing), Query::default(), "{nothing}");
        }
        assert_eq!(says("\"never closed"), "never~never closed~close");
        assert_eq!(says("5\" disk"), "5 disk~disk");
        assert_eq!(
            says("AND OR (NEAR/2 col:x)"),
            "near/2 part:near part:2 col:x part:col part:x"
        );
    }

    #[test]
    fn the_rarest_words_are_kept() {
        let many = |words: usize| {
            let words = (0..words).map(|number| format!("w{number}"));
            words.collect::<Vec<_>>().join(" ")
        };
        let of = |text: String| Query::of(&SearchRequest::new(text));
        let most = Limits::QUERY_CLAUSES;
        assert_eq!(of(many(most)).unwrap().wanted.len(), most);
        let refused = of(many(most + 1)).unwrap_err().to_string();
        insta::assert_snapshot!(refused, @"too much is asked at once: 257 words of a query, the limit is 256");
        let refused = of("x".repeat(5000)).unwrap_err().to_string();
        insta::assert_snapshot!(refused, @"too much is asked at once: 5000 bytes of a query, the limit is 4096");

        let text = SearchRequest::new(many(20_000)).context(true);
        let mut query = Query::of(&text).unwrap();
        assert_eq!(query.wanted.len(), 20_000);
        let first = query.wanted[7].clone();
        // One is in one note, some in none, and the others in many.
        let notes: Vec<usize> = (0..20_000)
            .map(|word| match word {
                7 => 1,
                10..1000 => 0,
                _ => 50,
            })
            .collect();
        query.limit(&notes);
        assert_eq!(query.wanted.len(), most);
        assert!(query.wanted.contains(&first) && query.looks_at("w7"));
        assert!(!query.looks_at("w10") && !query.looks_at("w19999"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_query(text in "\\PC*") {
            Query::parse(&text);
        }

        #[test]
        fn any_mix_of_signs_is_a_query(text in "[-\"* a_/é検'.]{0,20}") {
            Query::parse(&text);
        }
    }
}
