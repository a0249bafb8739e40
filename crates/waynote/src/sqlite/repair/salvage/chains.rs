//! Chooses the rows to keep of each note: its whole history if that is whole, else the note as it is now.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::content::Content;
use crate::note::Action;
use crate::scope::Scope;
use crate::sqlite::errors::Outcome;
use crate::sqlite::rows::read::name_of_key;

use super::Lost;
use super::around::{Found, NoteKey, Values, body, integer, note_key, text};
use super::events;

/// The columns of a row of the journal, as `checksum::JOURNAL` has them.
pub(super) mod journal {
    pub(crate) const POSITION: usize = 0;
    pub(crate) const PREVIOUS: usize = 1;
    pub(crate) const SCOPE: usize = 2;
    pub(crate) const KEY: usize = 3;
    pub(crate) const REVISION: usize = 4;
    pub(crate) const ACTION: usize = 5;
    pub(crate) const CONTENT: usize = 7;
    pub(crate) const KIND: usize = 8;
    pub(crate) const ITERATION: usize = 9;
    pub(crate) const PINNED: usize = 10;
    pub(crate) const AUTHOR: usize = 11;
    pub(crate) const RECORDED_AT: usize = 12;
    pub(crate) const CREATED_AT: usize = 13;
    pub(crate) const UPDATED_AT: usize = 14;
    pub(crate) const TOKEN: usize = 19;
    pub(crate) const COLUMNS: usize = 20;
}

/// The columns of a note, as `checksum::NOTE` has them.
pub(super) mod note {
    pub(crate) const POSITION: usize = 2;
    pub(crate) const REVISION: usize = 3;
    pub(crate) const CONTENT: usize = 4;
    pub(crate) const KIND: usize = 6;
    pub(crate) const ITERATION: usize = 7;
    pub(crate) const PINNED: usize = 8;
    pub(crate) const AUTHOR: usize = 9;
    pub(crate) const CREATED_AT: usize = 10;
    pub(crate) const UPDATED_AT: usize = 11;
    pub(crate) const RESOLVED_BY: usize = 12;
    pub(crate) const COLUMNS: usize = 13;
}

/// The rows that go into the new store, with the positions of the old one.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) scopes: HashMap<i64, Scope>,
    pub(super) journal: BTreeMap<i64, Values>,
    pub(super) notes: Vec<Values>,
    pub(super) deleted: Vec<(NoteKey, i64)>,
    pub(super) events: Vec<Values>,
    pub(super) leases: HashMap<i64, i64>,
    pub(super) side: Vec<Values>,
    pub(super) lost: Vec<Lost>,
    /// Current notes that are in the new store, whole or not.
    pub(super) whole: u64,
}

impl Kept {
    pub(super) fn of(conn: &Connection, mut found: Found) -> Outcome<Self> {
        let mut chains: BTreeMap<NoteKey, Vec<Values>> = BTreeMap::new();
        for row in std::mem::take(&mut found.journal).into_values() {
            if let Some(key) = note_key(&row, journal::SCOPE, journal::KEY) {
                chains.entry(key).or_default().push(row);
            }
        }
        let keys: BTreeSet<NoteKey> = chains
            .keys()
            .chain(found.notes.keys())
            .chain(&found.damaged)
            .cloned()
            .collect();
        let mut kept = Self {
            scopes: std::mem::take(&mut found.scopes),
            side: std::mem::take(&mut found.side),
            ..Self::default()
        };
        let mut nameless: BTreeMap<i64, u64> = BTreeMap::new();
        for key in keys {
            let chain = chains.remove(&key).unwrap_or_default();
            match kept.scopes.get(&key.0).cloned() {
                Some(scope) => kept.note(conn, &found, &scope, key, chain)?,
                None => *nameless.entry(key.0).or_default() += 1,
            }
        }
        for (id, notes) in nameless {
            let what = format!("scope number {id}");
            let why = format!(
                "its name is damaged: {} lost",
                crate::text::plural(notes, "note")
            );
            kept.lost.push(Lost::new(what, why));
        }
        if found.has_gaps {
            let why = "parts of it cannot be read; notes that lay there alone are not named";
            kept.lost.push(Lost::new("the journal", why));
        }
        events::keep(&mut kept, found);
        Ok(kept)
    }

    /// Decides on one note, of which these rows of the journal are whole.
    fn note(
        &mut self,
        conn: &Connection,
        found: &Found,
        scope: &Scope,
        key: NoteKey,
        mut chain: Vec<Values>,
    ) -> Outcome<()> {
        let name = name_of_key(scope, &key.1);
        chain.sort_by_key(|row| integer(row, journal::REVISION));
        let is_chain = is_chain(&chain);
        let end = chain.last();
        let end_at = end.and_then(|end| integer(end, journal::POSITION));
        let is_gone = end.is_some_and(|end| end[journal::CONTENT] == Value::Null);
        let current = found.notes.get(&key);
        match current {
            Some(Some(note)) if is_chain && integer(note, note::POSITION) == end_at => {
                self.notes.push(note[..note::COLUMNS].to_vec());
                self.whole += 1;
                self.keep_chain(chain);
            }
            Some(Some(note)) => {
                let why =
                    "its history is damaged; the note as it is now is saved as its first revision";
                self.lost.push(Lost::new(name, why));
                self.keep_alone(note, &chain);
            }
            None if is_chain && is_gone && !found.damaged.contains(&key) => {
                self.deleted.push((key, end_at.unwrap_or_default()));
                self.keep_chain(chain);
            }
            // The row of the current note is lost or damaged: the note is rebuilt from the journal.
            current if is_chain && !is_gone && !found.damaged.contains(&key) => {
                let Some(note) = rebuilt(conn, &chain)? else {
                    self.lost.push(Lost::new(name, "its text is damaged"));
                    return Ok(());
                };
                if found.has_gaps {
                    let revision = chain.len();
                    let why =
                        format!("saved up to revision {revision}; later revisions may be lost");
                    self.lost.push(Lost::new(name, why));
                } else if current.is_none() && found.deleted.contains(&key) {
                    let why =
                        "it was deleted, but the record of that is damaged: it is there again";
                    self.lost.push(Lost::new(name, why));
                }
                self.notes.push(note);
                self.whole += 1;
                self.keep_chain(chain);
            }
            _ => {
                let whole = chain.iter().rev();
                let whole = whole.filter(|row| row[journal::CONTENT] != Value::Null);
                let last = whole
                    .filter_map(|row| integer(row, journal::REVISION))
                    .next();
                let why = match last {
                    Some(last) => format!("damaged; the last undamaged revision is {last}"),
                    None => "damaged".to_owned(),
                };
                self.lost.push(Lost::new(name, why));
            }
        }
        Ok(())
    }

    fn keep_chain(&mut self, chain: Vec<Values>) {
        for mut row in chain {
            row.truncate(journal::COLUMNS);
            if let Some(position) = integer(&row, journal::POSITION) {
                self.journal.insert(position, row);
            }
        }
    }

    /// A note without its history: a first revision that says when the note was written, and by whom.
    fn keep_alone(&mut self, note: &[Value], chain: &[Values]) {
        let Some(position) = integer(note, note::POSITION) else {
            return;
        };
        let own = chain
            .iter()
            .find(|row| integer(row, journal::POSITION) == Some(position));
        let mut row = vec![Value::Null; journal::COLUMNS];
        row[journal::POSITION] = position.into();
        row[journal::SCOPE] = note[0].clone();
        row[journal::KEY] = note[1].clone();
        row[journal::REVISION] = 1.into();
        row[journal::ACTION] = Action::Save.as_str().to_owned().into();
        for (of, from) in [
            (journal::CONTENT, note::CONTENT),
            (journal::KIND, note::KIND),
            (journal::ITERATION, note::ITERATION),
            (journal::PINNED, note::PINNED),
            (journal::AUTHOR, note::AUTHOR),
            (journal::CREATED_AT, note::CREATED_AT),
            (journal::UPDATED_AT, note::UPDATED_AT),
        ] {
            row[of] = note[from].clone();
        }
        row[journal::RECORDED_AT] = match own {
            Some(own) => own[journal::RECORDED_AT].clone(),
            None => note[note::UPDATED_AT].clone(),
        };
        if let Some(own) = own {
            row[journal::TOKEN] = own[journal::TOKEN].clone();
        }
        self.journal.insert(position, row);
        let mut note = note[..note::COLUMNS].to_vec();
        note[note::REVISION] = 1.into();
        self.notes.push(note);
        self.whole += 1;
    }
}

/// True if these rows are a note's revisions 1, 2, 3 …, each after the one before it.
fn is_chain(rows: &[Values]) -> bool {
    let mut before = Value::Null;
    for (number, row) in (1i64..).zip(rows) {
        if integer(row, journal::REVISION) != Some(number) || row[journal::PREVIOUS] != before {
            return false;
        }
        before = row[journal::POSITION].clone();
    }
    !rows.is_empty()
}

/// The current note that a history comes to. An entry that was repeated stays as the row before its repeats made it, in
/// the earliest iteration of all.
fn rebuilt(conn: &Connection, chain: &[Values]) -> Outcome<Option<Values>> {
    let is_repeat = |row: &Values| text(row, journal::ACTION) == Some(Action::Repeat.as_str());
    let first = chain.iter().rposition(|row| !is_repeat(row)).unwrap_or(0);
    let (Some(last), Some(made)) = (chain.last(), chain.get(first)) else {
        return Ok(None);
    };
    let Some(content) = integer(last, journal::CONTENT) else {
        return Ok(None);
    };
    let Some((_, body)) = body(conn, content)? else {
        return Ok(None);
    };
    let iterations = chain[first..].iter();
    let iteration = iterations
        .filter_map(|row| integer(row, journal::ITERATION))
        .min();
    let mut note = vec![Value::Null; note::COLUMNS];
    note[0] = last[journal::SCOPE].clone();
    note[1] = last[journal::KEY].clone();
    note[note::POSITION] = last[journal::POSITION].clone();
    note[note::REVISION] = last[journal::REVISION].clone();
    note[note::CONTENT] = content.into();
    note[5] = Content::imported(body).preview().into();
    note[note::KIND] = last[journal::KIND].clone();
    note[note::ITERATION] = iteration.map_or(Value::Null, Value::from);
    note[note::PINNED] = last[journal::PINNED].clone();
    note[note::AUTHOR] = made[journal::AUTHOR].clone();
    note[note::CREATED_AT] = made[journal::CREATED_AT].clone();
    note[note::UPDATED_AT] = made[journal::UPDATED_AT].clone();
    Ok(Some(note))
}
