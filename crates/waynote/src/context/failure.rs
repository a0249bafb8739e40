//! The notes for a command that failed: those that name what its output names. They are few, and told only where they
//! match well: a note beside the wrong failure misleads.

use std::collections::{HashMap, HashSet};

use super::answer::shown_of;
use super::telling::NoteSelection;
use super::{Matching, Request, ShownNote};
use crate::error::Result;
use crate::note::{EntryType, Note};
use crate::rules::person::reading;
use crate::search::{SearchRequest, is_stop_word};
use crate::store::{Reader, noted_before};

/// How many notes a failure gets at most, and how many tokens they take.
const MOST: usize = 3;
const TOKENS: usize = 300;

/// How many matches of the search are looked at.
const LOOKED_AT: usize = 24;

/// How much of an output is read: its end, where most programs say what was wrong, and a part of its beginning.
const BEGIN_CHARS: usize = 2000;
const END_CHARS: usize = 6000;

/// How many words are searched for.
const WORDS: usize = 48;

/// The weights of a word that a note and a failure share.
const SPECIFIC: f64 = 3.0;
const COMPOUND: f64 = 2.0;
const NUMBER: f64 = 1.5;
const PLAIN: f64 = 1.0;

/// A word is rare if so few of the matches have it. It weighs so much more, and again if command and output have it.
const RARE_IN: usize = 2;
const RARE: f64 = 2.0;
const RARE_IN_BOTH: f64 = 1.5;

/// The weight of two words that follow each other in the note as in the output.
const PAIR: f64 = 1.0;

/// The least sum with which a note is told, and the least share of the output in it.
const LEAST: f64 = 4.0;
const LEAST_SAID: f64 = 2.0;

/// Where a command is not there, the output is short and has the command's own words: `protoc: command not found`.
const SHORT: usize = 6;
const MISSING: [&str; 2] = ["not found", "no such command"];

/// A command that failed.
#[derive(Clone, Debug)]
pub struct Failure<'a> {
    /// The command; empty where none is known.
    pub command: &'a str,
    /// What it printed, or the error of the tool.
    pub output: &'a str,
}

/// The notes that match a failure and are new to its reader: at most three, within 300 tokens and the budget. Looked
/// through are the notes of the places, of the agent and of the session of `request`. `known` says how much of which
/// revision the reader has been shown.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn after_failure(
    store: &dyn Reader,
    request: &Request,
    failure: &Failure<'_>,
    known: &[ShownNote],
) -> Result<Matching> {
    let output = ends_of(failure.output);
    let told = FailureWords::of(failure.command, &output);
    if told.said.is_empty() {
        return Ok(Matching::default());
    }
    let request = &*reading(store, request)?;
    let hits = store.search(&SearchRequest {
        scopes: request.scopes_that_apply(),
        limit: LOOKED_AT,
        ..SearchRequest::new(told.query())
    })?;
    let words: Vec<Vec<(String, f64)>> = hits.iter().map(|hit| words_of(&hit.note)).collect();
    let mut among: HashMap<&str, usize> = HashMap::new();
    for words in &words {
        let once: HashSet<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
        for word in once {
            *among.entry(word).or_default() += 1;
        }
    }
    let mut found: Vec<(f64, Note)> = hits
        .into_iter()
        .zip(&words)
        .filter(|(hit, _)| is_for_failures(&hit.note))
        .filter_map(|(hit, words)| Some((told.fit(words, &among)?, hit.note)))
        .collect();
    // Equal ones stay in the order of the search.
    found.sort_by(|(one, note), (other, of)| {
        let better = other.total_cmp(one);
        better.then_with(|| note.is_stale().cmp(&of.is_stale()))
    });
    let noted = noted_before(store, found.iter().map(|(_, note)| note), request.iteration)?;
    let known = shown_of(known);
    let best = found.first().map_or(0.0, |(fit, _)| *fit);
    let mut telling = NoteSelection::new(request, TOKENS, MOST);
    for ((fit, note), times) in found.into_iter().zip(noted) {
        if fit * 2.0 >= best {
            let known = known(&note);
            telling.tell(note, times, known);
        }
    }
    Ok(telling.done())
}

/// A decision says what to do, not what goes wrong.
fn is_for_failures(note: &Note) -> bool {
    note.resolved_by.is_none() && note.kind != Some(EntryType::Decision)
}

/// The telling words of a failure, with their weights.
struct FailureWords {
    command: HashMap<String, f64>,
    said: HashMap<String, f64>,
    /// Words of the output that follow each other.
    pairs: HashSet<(String, String)>,
    /// True if the output says little more than that the command is not there.
    is_missing: bool,
    /// The words of a command that is not there, if it is that: of the program and its first argument.
    missing: HashSet<String>,
}

impl FailureWords {
    fn of(command: &str, output: &str) -> Self {
        let said = words_in(output);
        let pairs = said
            .windows(2)
            .map(|pair| (pair[0].0.clone(), pair[1].0.clone()));
        let is_missing = said.len() <= SHORT && MISSING.iter().any(|of| output.contains(of));
        let names = command.split_whitespace().take(2).filter(|_| is_missing);
        let missing = names.flat_map(words_in).map(|(word, _)| word);
        Self {
            pairs: pairs.collect(),
            is_missing,
            missing: missing.collect(),
            command: words_in(command).into_iter().collect(),
            said: said.into_iter().collect(),
        }
    }

    /// The words to search for, the most telling first.
    fn query(&self) -> String {
        let mut words: Vec<(&String, &f64)> = self.said.iter().chain(&self.command).collect();
        words.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
        words.dedup();
        let words: Vec<&str> = words
            .iter()
            .take(WORDS)
            .map(|(word, _)| word.as_str())
            .collect();
        words.join(" ")
    }

    /// How well the words of a note fit; none if not well enough. `among` counts the matches that have a word.
    fn fit(&self, words: &[(String, f64)], among: &HashMap<&str, usize>) -> Option<f64> {
        let own: HashMap<&str, f64> = words
            .iter()
            .map(|(word, weight)| (word.as_str(), *weight))
            .collect();
        let (mut sum, mut said) = (0.0, 0.0);
        for word in own.keys().copied() {
            let (of_command, of_output) = (self.command.get(word), self.said.get(word));
            let Some(weight) = of_output.or(of_command) else {
                continue;
            };
            let is_in_both = of_command.is_some() && of_output.is_some();
            let rare = match among.get(word).is_some_and(|count| *count > RARE_IN) {
                true => 1.0,
                false if is_in_both => RARE * RARE_IN_BOTH,
                false => RARE,
            };
            // The name of the command that is not there says it all.
            let weight = match self.missing.contains(word) && of_output.is_some() {
                true => weight.max(LEAST),
                false => *weight,
            };
            sum += weight * rare;
            if of_output.is_some() && (!is_in_both || self.is_missing) {
                said += weight * rare;
            }
        }
        let pairs: HashSet<(&str, &str)> = words
            .windows(2)
            .map(|pair| (&*pair[0].0, &*pair[1].0))
            .collect();
        let is_said =
            |pair: &&(&str, &str)| self.pairs.contains(&(pair.0.to_owned(), pair.1.to_owned()));
        sum += PAIR * pairs.iter().filter(is_said).count() as f64;
        // A long note has many words, some of which stand anywhere.
        let least = LEAST + (own.len() as f64 / 12.0).ln().max(0.0) * 2.0;
        (said >= LEAST_SAID && sum >= least).then_some(sum)
    }
}

/// The telling words of a note, of its key too.
fn words_of(note: &Note) -> Vec<(String, f64)> {
    // An entry's key is a number that its store made.
    let key = note
        .address
        .key()
        .filter(|_| note.kind.is_none())
        .unwrap_or_default();
    words_in(&format!("{key}\n{}", note.content.shown()))
}

/// The beginning and the end of a text.
fn ends_of(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= BEGIN_CHARS + END_CHARS {
        return text.to_owned();
    }
    let begin = text.chars().take(BEGIN_CHARS);
    begin
        .chain(['\n'])
        .chain(text.chars().skip(chars - END_CHARS))
        .collect()
}

/// The telling words of a text, in lower case, with their weights.
fn words_in(text: &str) -> Vec<(String, f64)> {
    let joins = |char: char| matches!(char, '_' | '-' | '.' | '/' | '@' | '+');
    let wholes = text.split(|char: char| !char.is_alphanumeric() && !joins(char));
    let words = wholes
        .flat_map(|whole| whole.split('/'))
        .map(|word| word.trim_matches(joins));
    words
        .filter_map(|word| Some((word.to_lowercase(), weight_of(word)?)))
        .collect()
}

/// How telling a word is; none for one that stands in most outputs.
fn weight_of(word: &str) -> Option<f64> {
    const LONGEST: usize = 60;
    let lower = word.to_lowercase();
    let chars = word.chars().count();
    let has = |is: fn(char) -> bool| word.chars().any(is);
    let is_generic = GENERIC.split_whitespace().any(|generic| generic == lower);
    if !(2..=LONGEST).contains(&chars) || is_generic || is_stop_word(&lower) {
        return None;
    }
    if !has(char::is_alphabetic) {
        let is_code = (3..=5).contains(&chars) && word.chars().all(|char| char.is_ascii_digit());
        return is_code.then_some(NUMBER);
    }
    let digits = word.chars().filter(char::is_ascii_digit).count();
    // Hashes, times and sizes differ with every run.
    let is_measure = word.starts_with(|char: char| char.is_ascii_digit());
    if is_measure || digits > 6 {
        return None;
    }
    let inner_capital = word.chars().skip(1).any(char::is_uppercase);
    let is_shout = !has(char::is_lowercase) && chars >= 4;
    let is_joined = word.contains(['_', '.', '@', '+']);
    let is_specific =
        digits > 0 && chars >= 3 || is_joined || is_shout || inner_capital && chars >= 4;
    Some(match is_specific {
        true => SPECIFIC,
        false if word.contains('-') => COMPOUND,
        false if chars >= 3 => PLAIN,
        false => PLAIN / 2.0,
    })
}

/// Words of most outputs, which tell nothing of this one: beside the function words.
const GENERIC: &str = "\
    aborted aborting after already args argument bin build cannot code command connect \
    connection done due end err error errors etc exception exit exited expected fail failed \
    failing fails failure fatal file files finished found got help http https info input install \
    installed invalid last lib line lines located log main may message missing module modules \
    name need needs new no node_modules none not note null one open opt option options out \
    output package packages passed path please process project recent return returned run \
    running see set src stack start status stderr stdin stdout step target test tests time tmp \
    trace traceback try type unable unexpected unknown usage use used using usr value var \
    version warn warning warnings without work wrong";
