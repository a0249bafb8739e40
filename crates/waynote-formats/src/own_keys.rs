//! Keys of their own for notes whose key is another note's: a note of another source or another name is never a
//! conflict, and never lost.

use std::collections::{HashMap, HashSet};

use waynote::key::KEY_CHARS;
use waynote::store::Ask;
use waynote::{Address, Content, Name, Note, Result, Store};

use crate::incoming_note::IncomingNote;
use crate::merge::ExistingNote;

/// The formats whose notes keep their keys.
const KEEP_KEYS: [&str; 3] = ["import:zrb", "import:xs", "import:openotters"];

/// The addresses that notes of one import may have.
#[derive(Clone)]
pub(crate) struct OwnKeys<'n> {
    importer: &'n Name,
    /// Of several notes with one address, the one that has it.
    keepers: HashMap<&'n Address, &'n IncomingNote>,
    taken: HashSet<Address>,
}

impl<'n> OwnKeys<'n> {
    /// Looks for notes with one address. The one that had it in an earlier import has it again, else the one whose name
    /// is the key, else the first.
    pub(crate) fn of(
        store: &dyn Store,
        notes: &'n [IncomingNote],
        importer: &'n Name,
    ) -> Result<Self> {
        let mut all: HashMap<&Address, Vec<&IncomingNote>> = HashMap::new();
        for note in notes.iter().filter(|note| note.name.is_some()) {
            all.entry(&note.address).or_default().push(note);
        }
        all.retain(|_, notes| notes.len() > 1);
        let ask = Ask {
            histories: all.keys().map(|address| (*address).clone()).collect(),
            ..Ask::default()
        };
        let histories = match all.is_empty() {
            true => Vec::new(),
            false => store.read(&ask)?.histories,
        };
        let mut keepers = HashMap::new();
        for ((address, notes), history) in all.into_iter().zip(histories) {
            let texts = history.iter().rev().filter_map(|revision| revision.note());
            let had_it = texts
                .filter_map(|before| notes.iter().find(|note| note.content == before.content))
                .next();
            let key = address.key();
            let is_key = || notes.iter().find(|note| note.name == key);
            let keeper = had_it.or_else(is_key).or(notes.first());
            keepers.extend(keeper.map(|keeper| (address, *keeper)));
        }
        Ok(Self {
            importer,
            keepers,
            taken: HashSet::new(),
        })
    }

    /// The addresses that a note may have, the wanted one first.
    pub(crate) fn choices(&self, note: &IncomingNote) -> Vec<Address> {
        let wanted = note.address.clone();
        let Some(name) = &note.name else {
            return vec![wanted];
        };
        let mut hash = Content::imported(name.as_str()).hash().to_string();
        hash.truncate(8);
        let by_hash = with_end(&wanted, &hash);
        match self.keepers.get(&wanted) {
            Some(keeper) if *keeper != note => by_hash.into_iter().collect(),
            _ => {
                let by_format = of_format(&wanted, self.importer);
                [Some(wanted), by_format, by_hash]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        }
    }

    /// The number of the choice that a note gets: one that an earlier import gave it, else the first that is no other
    /// note's.
    pub(crate) fn choose(
        &mut self,
        note: &IncomingNote,
        choices: &[Address],
        before: &[ExistingNote],
    ) -> usize {
        if note.name.is_none() {
            return 0;
        }
        let last = choices.len().saturating_sub(1);
        let is_free = |at: &usize| choices.get(*at).is_some_and(|at| !self.taken.contains(at));
        let is_own = |at: &usize| {
            let mut history = before[*at].history.iter();
            history.any(|revision| revision.author() == self.importer)
        };
        let fits = |at: &usize| {
            let ExistingNote { current, history } = &before[*at];
            // What was forgotten there may be this text.
            let is_forgotten = history
                .iter()
                .any(|revision| revision.forgotten().is_some());
            let is_other = |current: &Note| current.content != note.content;
            !current.as_ref().is_some_and(is_other) || is_forgotten || is_own(at)
        };
        let mut earlier = (1..choices.len()).rev().filter(is_free);
        let earlier = earlier.find(is_own);
        let chosen = earlier.or_else(|| (0..choices.len()).filter(is_free).find(fits));
        let chosen = chosen.unwrap_or(last);
        self.taken.extend(choices.get(chosen).cloned());
        chosen
    }
}

/// The address that a note of another import gets when a note that keeps its key takes its place; none for one that a
/// person or an agent wrote, or that keeps its key as well.
pub(crate) fn gives_way(before: &ExistingNote) -> Option<Address> {
    let note = before.current.as_ref()?;
    let gives_way = |author: &Name| {
        author.as_str().starts_with("import:") && !KEEP_KEYS.contains(&author.as_str())
    };
    let mut history = before.history.iter();
    let is_foreign = history.all(|revision| gives_way(revision.author()));
    let way = of_format(&note.address, &note.author);
    way.filter(|_| is_foreign && gives_way(&note.author))
}

fn of_format(address: &Address, importer: &Name) -> Option<Address> {
    with_end(address, importer.as_str().trim_start_matches("import:"))
}

/// A keyed note's address with a longer key.
fn with_end(address: &Address, end: &str) -> Option<Address> {
    let key = address.key()?;
    let room = KEY_CHARS.checked_sub(end.len() + 1)?;
    let start: String = key.chars().take(room).collect();
    let key = format!("{}-{end}", start.trim_end_matches('-'))
        .parse()
        .ok()?;
    Address::keyed(&address.scope(), key).ok()
}
