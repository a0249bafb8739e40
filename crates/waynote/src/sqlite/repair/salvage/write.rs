//! Writes the rows to keep into the new store, with positions that follow one another.

use std::collections::{BTreeMap, HashMap};

use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};

use crate::sqlite::errors::Outcome;
use crate::sqlite::rows::checksum::{self, Checked};

use super::around::{Values, body, integer};
use super::chains::{Kept, journal, note};
use super::events;
use super::{Lost, Salvaged};

pub(super) fn write(old: &Connection, new: &Connection, kept: Kept) -> Outcome<Salvaged> {
    let places = Places::of(&kept);
    let mut heads: HashMap<i64, i64> = HashMap::new();
    for (position, row) in &kept.journal {
        if let Some(scope) = integer(row, journal::SCOPE) {
            heads.insert(scope, places.renumbered(*position));
        }
    }
    let mut counts: HashMap<i64, i64> = HashMap::new();
    for row in &kept.notes {
        if let (Some(scope), Some(Value::Text(key))) = (integer(row, 0), row.get(1)) {
            // A place's own note is not counted.
            *counts.entry(scope).or_default() += i64::from(!key.is_empty());
        }
    }
    for (id, scope) in &kept.scopes {
        let (notes, head) = (counts.get(id).unwrap_or(&0), heads.get(id).unwrap_or(&0));
        let lease = kept.leases.get(id);
        let columns: [&dyn ToSql; 6] = [
            id,
            &scope.kind().as_str(),
            &scope.name(),
            notes,
            head,
            &lease,
        ];
        checksum::SCOPE.insert(new, &columns)?;
    }
    let mut contents = Contents::default();
    let mut salvaged = Salvaged {
        notes: kept.whole,
        revisions: kept.journal.len() as u64,
        events: kept.events.len() as u64,
        lost: kept.lost,
    };
    for (position, mut row) in kept.journal {
        row[journal::POSITION] = places.renumbered(position).into();
        if let Some(previous) = integer(&row, journal::PREVIOUS) {
            row[journal::PREVIOUS] = places.renumbered(previous).into();
        }
        let hash = contents.of(old, new, &mut row, journal::CONTENT)?;
        put(new, &checksum::JOURNAL, &row, hash)?;
    }
    for mut row in kept.notes {
        if let Some(position) = integer(&row, note::POSITION) {
            row[note::POSITION] = places.renumbered(position).into();
        }
        let hash = contents.of(old, new, &mut row, note::CONTENT)?;
        put(new, &checksum::NOTE, &row, hash)?;
    }
    for ((scope, key), position) in kept.deleted {
        new.prepare_cached(
            "INSERT INTO waynote_deleted (scope, key, position) VALUES (?1, ?2, ?3)",
        )?
        .execute((scope, key, places.renumbered(position)))?;
    }
    let mut ordinals: HashMap<i64, i64> = HashMap::new();
    for mut row in kept.events {
        let position = integer(&row, 0).unwrap_or_default();
        let is_older = integer(&row, 1) != Some(0);
        let at = places.renumbered(position);
        row[0] = at.into();
        if is_older {
            let ordinal = ordinals.entry(at).or_default();
            *ordinal += 1;
            row[1] = (*ordinal).into();
        }
        put(new, &checksum::EVENT, &row[..events::COLUMNS], None)?;
    }
    for row in kept.side {
        let width = checksum::SIDE.width();
        put(new, &checksum::SIDE, &row[..width], None)?;
    }
    salvaged.lost.extend(contents.lost);
    Ok(salvaged)
}

fn put(conn: &Connection, table: &Checked, row: &[Value], hash: Option<[u8; 32]>) -> Outcome<()> {
    let values: Vec<&dyn ToSql> = row.iter().map(|value| value as &dyn ToSql).collect();
    table.insert_with(conn, &values, hash)
}

/// The new position of each position of the old store.
struct Places(BTreeMap<i64, i64>);

impl Places {
    fn of(kept: &Kept) -> Self {
        let events = kept.events.iter();
        let events = events.filter(|row| integer(row, 1) == Some(0));
        let events = events.filter_map(|row| integer(row, 0));
        let mut old: Vec<i64> = kept.journal.keys().copied().chain(events).collect();
        old.sort_unstable();
        old.dedup();
        Self(old.into_iter().zip(1..).collect())
    }

    /// The new position of a row, or of the last one before it that was kept.
    fn renumbered(&self, old: i64) -> i64 {
        let before = self.0.range(..=old).next_back();
        before.map_or(0, |(_, new)| *new)
    }
}

/// The texts that are in the new store.
#[derive(Default)]
struct Contents {
    /// The ids that contents of the old store have in the new one, with their hashes.
    ids: HashMap<i64, (i64, [u8; 32])>,
    of_hash: HashMap<[u8; 32], i64>,
    lost: Vec<Lost>,
}

impl Contents {
    /// Copies the text of a row, unless it is there, and gives its hash.
    fn of(
        &mut self,
        old: &Connection,
        new: &Connection,
        row: &mut Values,
        column: usize,
    ) -> Outcome<Option<[u8; 32]>> {
        let Some(id) = integer(row, column) else {
            return Ok(None);
        };
        if let Some((as_id, hash)) = self.ids.get(&id) {
            row[column] = (*as_id).into();
            return Ok(Some(*hash));
        }
        // It was read before, so it is whole.
        let Some((hash, body)) = body(old, id)? else {
            self.lost
                .push(Lost::new("a text", "it cannot be read again"));
            row[column] = Value::Null;
            return Ok(None);
        };
        let hash: [u8; 32] = hash.try_into().unwrap_or_default();
        let as_id = match self.of_hash.get(&hash) {
            Some(same) => *same,
            None => {
                new.prepare_cached(
                    "INSERT INTO waynote_content (id, hash, body) VALUES (?1, ?2, ?3)",
                )?
                .execute((id, hash, body))?;
                self.of_hash.insert(hash, id);
                id
            }
        };
        row[column] = as_id.into();
        self.ids.insert(id, (as_id, hash));
        Ok(Some(hash))
    }
}
