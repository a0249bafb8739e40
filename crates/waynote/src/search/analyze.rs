//! Text analysis: the terms of a text are its words as written, their stems, and identifiers, whole and in parts.
//!
//! A word is indexed by its *surface*: lower case, Latin letters without diacritics. A plain English word (ASCII
//! letters, not part of an identifier, not all capitals) is also indexed by its stem, a Korean one by what is left
//! without its particles ([`korean`]). Words joined without a blank (`snake_case`, `a::b`, `src/x.rs`, `camelCase`) are
//! indexed by each of their parts, and whole; humps also by two neighbours (`GitHub` in `GitHubActions`). Signs that
//! belong to a word (`C++`, `C#`, `.NET`) are indexed with it. Scripts written without blanks are indexed by pairs of
//! characters.

use super::fold::{Class, class, fold, is_ignorable};
use super::korean;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;

/// The longest term in bytes. A longer one is cut, in notes and in queries.
const TERM_BYTES: usize = 128;

/// How a term relates to its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The word itself, or a part of an identifier.
    Surface,
    /// The stem of a plain word, if it differs from the word.
    Stem,
    /// The letters of a word that ends with digits, or their stem: `python` of `python3`. A query does without them.
    Root,
    /// A whole identifier, in addition to its parts; or a word with the signs that belong to it, as in `C++`.
    Whole,
    /// The last character of a run in a script without blanks. It makes a search for a single character find it.
    Last,
}

impl Form {
    /// True if the text has the term as a word of its own.
    pub(crate) fn is_exact(self) -> bool {
        !matches!(self, Self::Stem | Self::Root)
    }
}

/// A term of a text.
#[derive(Debug)]
pub(crate) struct Term<'t> {
    pub(crate) term: &'t str,
    pub(crate) form: Form,
    /// The number of its word in the text.
    pub(crate) position: u32,
    /// The byte range of the text that it stands for.
    pub(crate) range: Range<usize>,
    /// True if it is a part of an identifier that also has a [`Form::Whole`].
    pub(crate) is_part: bool,
}

/// Splits texts into terms. Use one for many texts, because it keeps its buffers.
pub(crate) struct Analyzer {
    stems: Stems,
    folded: String,
    whole: String,
    words: Vec<Range<usize>>,
}

/// Stems of words. Stemming takes longer than anything else that is done to a word, and a few words make up most of
/// any text.
struct Stems {
    stemmer: Stemmer,
    /// None for a word that is its own stem.
    known: HashMap<Box<str>, Option<Box<str>>>,
}

impl Stems {
    /// The most words that are kept.
    const MOST: usize = 8192;

    /// The stem of a word, if it differs from the word.
    fn of(&mut self, word: &str) -> Option<Cow<'_, str>> {
        if !self.known.contains_key(word) {
            let stem = self.stemmer.stem(word);
            let stem = (stem != word && !stem.is_empty()).then_some(stem);
            if self.known.len() >= Self::MOST {
                return stem.map(|stem| Cow::Owned(stem.into_owned()));
            }
            self.known.insert(word.into(), stem.map(Into::into));
        }
        self.known.get(word)?.as_deref().map(Cow::Borrowed)
    }
}

impl Analyzer {
    pub(crate) fn new() -> Self {
        Self {
            stems: Stems {
                stemmer: Stemmer::create(Algorithm::English),
                known: HashMap::new(),
            },
            folded: String::new(),
            whole: String::new(),
            words: Vec::new(),
        }
    }

    /// Calls `each` with every term of a text, in order. Returns the number of positions.
    pub(crate) fn analyze(&mut self, text: &str, each: &mut dyn FnMut(&Term<'_>)) -> u32 {
        let mut position = 0;
        let mut at = 0;
        while let Some(char) = text[at..].chars().next() {
            match class(char) {
                Class::Word => at = self.compound(text, at, &mut position, each),
                Class::Dense => at = self.dense(text, at, &mut position, each),
                Class::Joiner | Class::Other => at += char.len_utf8(),
            }
        }
        position
    }

    /// Analyzes the words from `at` on that only joiners separate. Returns where they end.
    fn compound(
        &mut self,
        text: &str,
        at: usize,
        position: &mut u32,
        each: &mut dyn FnMut(&Term<'_>),
    ) -> usize {
        let mut end = word_end(text, at);
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        words.push(at..end);
        // English compounds are words all the same; anything else is an identifier.
        let mut is_prose = true;
        while let Some(next) = joined(text, end) {
            let joiner = &text[end..next];
            is_prose &= matches!(joiner, "-" | "/" | "\u{2010}" | "\u{2011}");
            end = word_end(text, next);
            words.push(next..end);
        }
        let is_compound = words.len() > 1;
        if is_compound {
            let mut whole = std::mem::take(&mut self.whole);
            whole.clear();
            let mut last = at;
            for word in &words {
                whole.push_str(&text[last..word.start]);
                fold(&text[word.clone()], &mut whole);
                last = word.end;
            }
            emit(&whole, Form::Whole, *position, at..end, true, each);
            self.whole = whole;
        }
        for (index, word) in words.iter().enumerate() {
            if is_compound {
                self.step(text, &words, index, *position, each);
            }
            let signed = signed(text, word);
            if let Some(signed) = &signed {
                let mut whole = std::mem::take(&mut self.whole);
                whole.clear();
                fold(&text[signed.clone()], &mut whole);
                emit(&whole, Form::Whole, *position, signed.clone(), true, each);
                self.whole = whole;
            }
            let is_part = is_compound || signed.is_some();
            self.word(text, word.clone(), is_prose, is_part, position, each);
        }
        self.words = words;
        after_clitic(text, end)
    }

    /// The name that begins with a word, where it is one step of a path: `read_dir` in `std::fs::read_dir`.
    fn step(
        &mut self,
        text: &str,
        words: &[Range<usize>],
        first: usize,
        position: u32,
        each: &mut dyn FnMut(&Term<'_>),
    ) {
        let parts_steps = |before: usize| {
            let joiner = &text[words[before].end..words[before + 1].start];
            joiner.starts_with(['/', '\\', ':'])
        };
        let begins = first == 0 || parts_steps(first - 1);
        let last = (first..words.len() - 1).find(|word| parts_steps(*word));
        let last = last.unwrap_or(words.len() - 1);
        if !begins || last == first || (first == 0 && last == words.len() - 1) {
            return;
        }
        let range = words[first].start..words[last].end;
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        fold(&text[range.clone()], &mut whole);
        emit(&whole, Form::Whole, position, range, true, each);
        self.whole = whole;
    }

    fn word(
        &mut self,
        text: &str,
        range: Range<usize>,
        is_prose: bool,
        is_part: bool,
        position: &mut u32,
        each: &mut dyn FnMut(&Term<'_>),
    ) {
        let word = &text[range.clone()];
        let mut folded = std::mem::take(&mut self.folded);
        folded.clear();
        fold(word, &mut folded);
        if let Some(parts) = camel_parts(word) {
            emit(&folded, Form::Whole, *position, range.clone(), true, each);
            let mut emitted = |part: Range<usize>, form, at| {
                folded.clear();
                fold(&word[part.clone()], &mut folded);
                let part = range.start + part.start..range.start + part.end;
                emit(&folded, form, at, part, true, each);
            };
            for (index, part) in parts.iter().enumerate() {
                if let Some(next) = parts.get(index + 1).filter(|_| parts.len() > 2) {
                    emitted(part.start..next.end, Form::Whole, *position);
                }
                emitted(part.clone(), Form::Surface, *position);
                *position += 1;
            }
        } else if !folded.is_empty() {
            emit(
                &folded,
                Form::Surface,
                *position,
                range.clone(),
                is_part,
                each,
            );
            if is_prose
                && is_stemmable(word)
                && let Some(stem) = self.stems.of(&folded)
            {
                emit(&stem, Form::Stem, *position, range, is_part, each);
            } else if let Some(stem) = korean::without_particles(&folded) {
                emit(stem, Form::Stem, *position, range, is_part, each);
            } else if let Some(letters) = letters_before_digits(&folded) {
                let stem = self.stems.of(letters);
                let root = stem.as_deref().unwrap_or(letters);
                emit(root, Form::Root, *position, range, is_part, each);
            }
            *position += 1;
        }
        self.folded = folded;
    }

    /// Analyzes a run in a script without blanks: every pair of neighbouring characters, and the last character.
    fn dense(
        &mut self,
        text: &str,
        at: usize,
        position: &mut u32,
        each: &mut dyn FnMut(&Term<'_>),
    ) -> usize {
        // A mark belongs to the character before it.
        let mut starts = Vec::new();
        let mut end = at;
        for (offset, char) in text[at..].char_indices() {
            if is_combining_mark(char) && offset > 0 {
            } else if class(char) == Class::Dense {
                starts.push(at + offset);
            } else {
                break;
            }
            end = at + offset + char.len_utf8();
        }
        starts.push(end);
        let mut folded = std::mem::take(&mut self.folded);
        for index in 0..starts.len() - 1 {
            let is_last = index + 2 == starts.len();
            let to = starts[(index + 2).min(starts.len() - 1)];
            let form = if is_last { Form::Last } else { Form::Surface };
            folded.clear();
            fold(&text[starts[index]..to], &mut folded);
            emit(&folded, form, *position, starts[index]..to, false, each);
            *position += 1;
        }
        self.folded = folded;
        end
    }
}

fn emit(
    term: &str,
    form: Form,
    position: u32,
    range: Range<usize>,
    is_part: bool,
    each: &mut dyn FnMut(&Term<'_>),
) {
    let mut cut = term.len().min(TERM_BYTES);
    while !term.is_char_boundary(cut) {
        cut -= 1;
    }
    if cut > 0 {
        each(&Term {
            term: &term[..cut],
            form,
            position,
            range,
            is_part,
        });
    }
}

fn word_end(text: &str, at: usize) -> usize {
    let ascii = text.as_bytes()[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric());
    let at = at + ascii.count();
    let end = text[at..]
        .char_indices()
        .find(|(_, char)| class(*char) != Class::Word && !is_ignorable(*char));
    end.map_or(text.len(), |(offset, _)| at + offset)
}

/// The start of the next word of an identifier: after one joiner, or two that are the same.
fn joined(text: &str, end: usize) -> Option<usize> {
    let mut chars = text[end..].chars();
    let joiner = chars.next().filter(|char| class(*char) == Class::Joiner)?;
    let mut next = end + joiner.len_utf8();
    let mut follows = chars.next()?;
    if follows == joiner {
        next += joiner.len_utf8();
        follows = chars.next()?;
    }
    (class(follows) == Class::Word).then_some(next)
}

/// A word with the signs that belong to it: `C++`, `F#`, `.NET`. None if it has none.
fn signed(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let is_word = |char: char| matches!(class(char), Class::Word | Class::Dense);
    let (before, after) = (&text[..word.start], &text[word.end..]);
    let end = ["++", "#"]
        .iter()
        .find(|signs| {
            after
                .strip_prefix(**signs)
                .is_some_and(|rest| !rest.starts_with(is_word))
        })
        .map_or(word.end, |signs| word.end + signs.len());
    let is_dotted = before.strip_suffix('.').is_some_and(|before| {
        before
            .chars()
            .next_back()
            .is_none_or(|char| char.is_whitespace() || matches!(char, '`' | '"' | '\'' | '('))
    });
    let start = word.start - usize::from(is_dotted);
    (start != word.start || end != word.end).then_some(start..end)
}

/// The letters of a word that ends with digits, if they are a word: `python` of `python3`.
fn letters_before_digits(word: &str) -> Option<&str> {
    let letters = word.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_word = letters.len() > 2 && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_word && letters.len() < word.len()).then_some(letters)
}

/// Skips an English clitic: `'s`, `'t`, `'ll`.
fn after_clitic(text: &str, end: usize) -> usize {
    let Some(rest) = text[end..].strip_prefix(['\'', '\u{2019}']) else {
        return end;
    };
    let start = text.len() - rest.len();
    let clitic = word_end(text, start);
    match text[start..clitic].to_ascii_lowercase().as_str() {
        "s" | "t" | "re" | "ve" | "ll" | "d" | "m" => clitic,
        _ => end,
    }
}

/// The parts of `camelCase` and `HTTPServer`. None for any other word.
fn camel_parts(word: &str) -> Option<Vec<Range<usize>>> {
    // Nearly every word ends here.
    let after_first = word.as_bytes().get(1..).unwrap_or_default();
    if !after_first
        .iter()
        .any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
    {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, char)) = chars.next() {
        if let Some(before) = before
            && char.is_uppercase()
            && start < at
        {
            let next_is_lower = chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            if before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && next_is_lower)
            {
                // `E0308A` is a code and not written in humps.
                if word[start..].chars().any(char::is_lowercase) {
                    parts.push(start..at);
                    start = at;
                }
            }
        }
        before = Some(char);
    }
    parts.push(start..word.len());
    (parts.len() > 1).then_some(parts)
}

/// True if a word, as written, is a plain English word.
fn is_stemmable(word: &str) -> bool {
    word.len() > 2
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !word[1..].bytes().any(|byte| byte.is_ascii_uppercase())
}

/// True if a query can ignore the word if it has others.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// English function words, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does",
    "doing", "don", "during", "each", "for", "from", "had", "has", "have", "having", "he", "her",
    "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself",
    "just", "me", "might", "more", "most", "must", "my", "of", "on", "once", "only", "or", "other",
    "our", "ours", "own", "same", "shall", "she", "should", "so", "some", "such", "than", "that",
    "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "to",
    "too", "us", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> String {
        let mut out = Vec::new();
        Analyzer::new().analyze(text, &mut |term| {
            let mark = match term.form {
                Form::Surface => "",
                Form::Stem => "~",
                Form::Root => "^",
                Form::Whole => "=",
                Form::Last => "$",
            };
            out.push(format!("{mark}{}@{}", term.term, term.position));
        });
        out.join(" ")
    }

    #[test]
    fn words_and_their_stems() {
        assert_eq!(
            terms("The tests, failing."),
            "the@0 tests@1 ~test@1 failing@2 ~fail@2"
        );
        assert_eq!(terms("Ann's don\u{2019}t l'été"), "ann@0 don@1 l@2 ete@3");
        assert_eq!(
            terms("state-of-art"),
            "=state-of-art@0 state@0 ~state@0 of@1 art@2".replace("~state@0 ", "")
        );
    }

    #[test]
    fn identifiers_whole_and_by_their_parts() {
        assert_eq!(terms("run_tests"), "=run_tests@0 run@0 tests@1");
        assert_eq!(
            terms("parseHTTPRequests"),
            "=parsehttprequests@0 =parsehttp@0 parse@0 =httprequests@1 http@1 requests@2"
        );
        assert_eq!(
            terms("std::fs::read_dir()"),
            "=std::fs::read_dir@0 std@0 fs@1 =read_dir@2 read@2 dir@3"
        );
        assert_eq!(terms("src/x.rs."), "=src/x.rs@0 src@0 =x.rs@1 x@1 rs@2");
        assert_eq!(
            terms("E0308 ENOENT EACCES v1.2"),
            "e0308@0 enoent@1 eacces@2 =v1.2@3 v1@3 2@4"
        );
        assert_eq!(terms("--no-cache"), "=no-cache@0 no@0 cache@1 ~cach@1");
    }

    #[test]
    fn two_humps_are_a_name_too() {
        assert_eq!(
            terms("GitHubActions"),
            "=githubactions@0 =github@0 git@0 =hubactions@1 hub@1 actions@2"
        );
        assert_eq!(terms("GitHub"), "=github@0 git@0 hub@1");
    }

    #[test]
    fn a_word_that_ends_with_digits_has_its_letters_too() {
        assert_eq!(
            terms("python3.12 tests2 utf8 k8s v2"),
            "=python3.12@0 python3@0 ^python@0 12@1 tests2@2 ^test@2 utf8@3 ^utf@3 k8s@4 v2@5"
        );
    }

    #[test]
    fn signs_that_belong_to_a_word() {
        assert_eq!(terms("C++, C# and C."), "=c++@0 c@0 =c#@1 c@1 and@2 c@3");
        assert_eq!(
            terms("`.NET` x.net a#k"),
            "=.net@0 net@0 =x.net@1 x@1 net@2 a@3 k@4"
        );
    }

    #[test]
    fn other_scripts() {
        assert_eq!(terms("Zażółć Straße"), "zazolc@0 strasse@1");
        assert_eq!(terms("e\u{301}te\u{301} й Ελλάδα"), "ete@0 й@1 ελλάδα@2");
        assert_eq!(terms("検索する x"), "検索@0 索す@1 する@2 $る@3 x@4");
        assert_eq!(terms("ค้นหา"), "ค้น@0 นห@1 หา@2 $า@3");
        assert_eq!(terms("한국어 검색"), "한국어@0 검색@1");
        assert_eq!(
            terms("배포는 서버에서는"),
            "배포는@0 ~배포@0 서버에서는@1 ~서버@1"
        );
    }

    #[test]
    fn a_known_stem_is_the_same_as_a_new_one() {
        let mut analyzer = Analyzer::new();
        let mut stems = |text: &str| {
            let mut found = Vec::new();
            analyzer.analyze(text, &mut |term| {
                found.extend((term.form == Form::Stem).then(|| term.term.to_owned()));
            });
            found
        };
        assert_eq!(stems("tests test testing tests"), ["test", "test", "test"]);
        // More words than are kept.
        for number in 0..Stems::MOST as u32 {
            let letter = |shift: u32| char::from(b'a' + (number >> shift & 15) as u8);
            stems(
                &[letter(0), letter(4), letter(8), letter(12)]
                    .iter()
                    .collect::<String>(),
            );
        }
        assert_eq!(stems("tests failing failing"), ["test", "fail", "fail"]);
        assert!(analyzer.stems.known.len() <= Stems::MOST);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("cache"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_apart(text in "\\PC*") {
            let mut last = 0;
            let count = Analyzer::new().analyze(&text, &mut |term| {
                assert!(text.get(term.range.clone()).is_some_and(|part| !part.is_empty()));
                assert!(!term.term.is_empty() && term.term.len() <= TERM_BYTES);
                assert!(term.position == last || term.position == last + 1);
                last = term.position;
            });
            assert!(count == 0 || last == count - 1);
        }
    }
}
