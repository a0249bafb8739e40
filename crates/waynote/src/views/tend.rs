//! Notes that a person may want to look at again: those that cite changed code, near-duplicates, and those that no
//! session was given for long.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::change::{Applied, Change, Expect};
use crate::cites::every_note;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::model::lineage::Lineage;
use crate::note::{Note, Stamp};
use crate::place::Place;
use crate::scope::{Scope, ScopeKind};
use crate::store::{Filter, Reader, Store};
use crate::text::nearest;

/// Two notes are near-duplicates when they share so many of a hundred words that either has.
const LIKE: usize = 60;

/// The fewest words of a note that is compared.
const WORDS: usize = 4;

/// A word that more notes have tells nothing: it leads to no comparison.
const COMMON: usize = 40;

/// How long no session was given a note that is worth a look, in milliseconds.
const LONG: i64 = 90 * 24 * 60 * 60 * 1000;

/// When notes were last given to a session, in milliseconds since 1970, as the records of a machine say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastGiven {
    /// The first delivery that is recorded; none: there is no record.
    pub since: Option<u64>,
    /// The last one of each note, by its address.
    pub notes: HashMap<String, u64>,
}

impl LastGiven {
    /// True if a note is older than 90 days and no session was given it since; in doubt it is not.
    fn is_forgotten(&self, note: &Note, now: Timestamp) -> bool {
        let long_ago = now.as_millisecond() - LONG;
        let is_long_ago = |at: u64| i64::try_from(at).is_ok_and(|at| at <= long_ago);
        let last = self.notes.get(&note.address.to_string());
        note.source.is_dated()
            && note.updated_at.as_millisecond() <= long_ago
            && self.since.is_some_and(is_long_ago)
            && last.is_none_or(|at| is_long_ago(*at))
    }
}

/// Why a note is worth a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// It cites code that has changed.
    Stale,
    /// Its directory is missing in this checkout.
    Missing {
        /// The directory, or the one above it that is missing.
        place: Place,
        /// The directory whose name is most like it.
        near: Option<Place>,
    },
    /// An earlier note of the list says nearly the same.
    Like(Address),
    /// No session was given it for long; it is pinned.
    PinNotGiven,
    /// No session was given it for long.
    NotGiven,
}

/// A note, and why it is worth a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The note.
    pub note: Note,
    /// Why.
    pub reason: Reason,
}

/// The notes of a store that are worth a look: stale ones first, then near-duplicates, then those that no session was
/// given for 90 days, pins first. A note is found once.
///
/// # Errors
/// As [`Reader::read`].
pub fn findings(store: &dyn Reader, given: &LastGiven, now: Timestamp) -> Result<Vec<Finding>> {
    Ok(findings_among(&every_note(store)?, given, now))
}

/// [`findings`] among these notes alone.
pub fn findings_among(notes: &[Note], given: &LastGiven, now: Timestamp) -> Vec<Finding> {
    let is_kept = |note: &Note| !matches!(note.address, Address::Session(..));
    let kept: Vec<&Note> = notes.iter().filter(|note| is_kept(note)).collect();
    let like = near_duplicates(&kept);
    let reason = |note: &Note| match note {
        note if note.is_stale() => Some(Reason::Stale),
        note if !is_kept(note) => None,
        note if like.contains_key(&note.address) => {
            like.get(&note.address).cloned().map(Reason::Like)
        }
        note if !given.is_forgotten(note, now) => None,
        note if note.pinned => Some(Reason::PinNotGiven),
        _ => Some(Reason::NotGiven),
    };
    let finding = |note: &Note| {
        let (note, reason) = (note.clone(), reason(note)?);
        Some(Finding { note, reason })
    };
    let mut found: Vec<Finding> = notes.iter().filter_map(finding).collect();
    found.sort_by_key(|found| match found.reason {
        Reason::Stale | Reason::Missing { .. } => 0,
        Reason::Like(_) => 1,
        Reason::PinNotGiven => 2,
        Reason::NotGiven => 3,
    });
    found
}

/// The notes on directories of the repository that are missing in its checkout here. `names` says what a directory
/// holds; none where there is no such directory.
///
/// # Errors
/// As [`Reader::read`].
pub fn missing(
    store: &dyn Reader,
    lineage: &Lineage,
    names: &dyn Fn(&Place) -> Option<Vec<String>>,
) -> Result<Vec<Finding>> {
    let Some(repository) = lineage.repository() else {
        return Ok(Vec::new());
    };
    let reason = |note: &Note| {
        let inside = note.address.place()?.below(repository)?;
        let mut above = repository.clone();
        for name in inside.split('/').filter(|name| !name.is_empty()) {
            // A file has no names, and is there.
            let there = names(&lineage.path_of(&above))?;
            let place = above.join(name);
            if !there.iter().any(|of| of == name) {
                let near = nearest(name, there.iter().map(String::as_str));
                let near = near.map(|near| above.join(near));
                return Some(Reason::Missing { place, near });
            }
            above = place;
        }
        None
    };
    let notes = store.select(&Filter::Kind(ScopeKind::Place))?.into_iter();
    let finding = |note: Note| {
        let reason = reason(&note)?;
        Some(Finding { note, reason })
    };
    Ok(notes.filter_map(finding).collect())
}

/// Notes that say nearly the same as an earlier one of their project, with its address.
fn near_duplicates(notes: &[&Note]) -> BTreeMap<Address, Address> {
    let words: Vec<HashSet<String>> = notes.iter().map(|note| words(note)).collect();
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, words) in words.iter().enumerate() {
        for word in words {
            holders.entry(word).or_default().push(index);
        }
    }
    let mut like = BTreeMap::new();
    let compared = words.iter().enumerate();
    for (index, own) in compared.filter(|(_, own)| own.len() >= WORDS) {
        let telling = own.iter().map(|word| &holders[word.as_str()]);
        let near = telling.filter(|holders| holders.len() <= COMMON).flatten();
        let earlier: HashSet<usize> = near.copied().filter(|other| *other < index).collect();
        let is_like = |other: &usize| {
            if project(&notes[*other].address) != project(&notes[index].address) {
                return false;
            }
            let both = own.intersection(&words[*other]).count();
            let either = own.len() + words[*other].len() - both;
            both * 100 >= either * LIKE && !like.contains_key(&notes[*other].address)
        };
        if let Some(other) = earlier.into_iter().filter(is_like).min() {
            like.insert(notes[index].address.clone(), notes[other].address.clone());
        }
    }
    like
}

/// The scope, or all of a repository: a note of another project says the same of something else.
fn project(address: &Address) -> Scope {
    match address.scope() {
        Scope::Place(place) if place.in_repository().is_some() => {
            Scope::Place(place.chain().remove(0))
        }
        scope => scope,
    }
}

fn words(note: &Note) -> HashSet<String> {
    let text = note.content.shown().to_lowercase();
    let words = text.split(|char: char| !char.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Merges two notes as they were read: `kept` gets the lines and the citations of `gone` that it lacks, and `gone` is
/// deleted, in one transaction.
///
/// # Errors
/// [`Error::NotText`] when one is no text; [`Error::Conflict`] when one was written meanwhile; the others as
/// [`Store::apply`].
pub fn merge(
    store: &dyn Store,
    kept: &Note,
    gone: &Note,
    limits: Limits,
    stamp: &Stamp,
) -> Result<Vec<Applied>> {
    let text = |note: &Note| match std::str::from_utf8(note.content.as_bytes()) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Error::NotText {
            what: note.address.to_string(),
        }),
    };
    let (mut merged, more) = (text(kept)?, text(gone)?);
    let has: HashSet<String> = merged.lines().map(str::to_owned).collect();
    for line in more.lines().filter(|line| !has.contains(*line)) {
        if !merged.is_empty() && !merged.ends_with('\n') {
            merged.push('\n');
        }
        merged.push_str(line);
    }
    let save = Change::Save {
        address: kept.address.clone(),
        content: Content::text(merged)?,
        pin: gone.pinned.then_some(true),
        limits,
        expect: Expect::Revision(kept.revision),
        origin: None,
    };
    let delete = Change::Delete {
        address: gone.address.clone(),
        expect: Expect::Revision(gone.revision),
    };
    let has = |cited: &&Citation| kept.cites.iter().all(|of| of.code != cited.code);
    let more = gone.cites.iter().filter(has);
    let cites: Vec<Citation> = kept.cites.iter().chain(more).cloned().collect();
    let stamp = stamp.clone().citing((!cites.is_empty()).then_some(cites));
    store.apply(&[save, delete], &stamp)
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::model::lineage::Checkout;
    use crate::{Options, SqliteStore};

    #[test]
    fn only_notes_of_one_project_are_near_duplicates() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        for on in "repo:a/b repo:a/b//src repo:c/d ~/a ~/b".split(' ') {
            let content = Content::text("run make test before a commit").unwrap();
            let places = crate::places::Places::new(&store);
            places.write(&on.parse().unwrap(), content, &stamp).unwrap();
        }
        let found = findings(&store, &LastGiven::default(), Timestamp::UNIX_EPOCH).unwrap();
        let [found] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(found.note.address.to_string(), "repo:a/b//src");
    }

    #[test]
    fn directories_that_a_checkout_lacks_are_found_with_the_nearest_name() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        let place = |text: &str| text.parse::<Place>().unwrap();
        let notes = "repo:a/b repo:a/b//src repo:a/b//src/payment/deep repo:a/b//zzz repo:a/b//f.rs/x repo:c/d//no ~/no";
        for on in notes.split(' ') {
            let content = Content::text(on).unwrap();
            let places = crate::places::Places::new(&store);
            places.write(&place(on), content, &stamp).unwrap();
        }
        let checkout = Checkout {
            root: place("~/b"),
            name: place("repo:a/b"),
            also: Vec::new(),
        };
        let lineage = Lineage::new(place("~/b/src"), [place("~/b"), place("repo:a/b")])
            .in_checkouts(vec![checkout]);
        let lineage = lineage.in_project(place("repo:a/b"), place("~/b"));
        let names = |of: &Place| {
            let names = match of.as_str() {
                "~/b" => "src f.rs",
                "~/b/src" => "payments lib",
                _ => return None,
            };
            Some(names.split(' ').map(str::to_owned).collect())
        };
        let found = missing(&store, &lineage, &names).unwrap();
        let said: Vec<String> = found
            .iter()
            .map(|found| match &found.reason {
                Reason::Missing { place, near } => {
                    let near = near.as_ref().map_or("-", Place::as_str);
                    format!("{} {place} {near}", found.note.address)
                }
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(
            said,
            [
                "repo:a/b//src/payment/deep repo:a/b//src/payment repo:a/b//src/payments",
                "repo:a/b//zzz repo:a/b//zzz -"
            ]
        );
    }
}
