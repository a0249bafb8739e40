//! Writing rows: one statement for each table, however many rows there are. They are sent with the commit.

mod batch;
mod erase;
mod sql;

use waynote::engine::{IndexChange, Row, SegmentHead};
use waynote::store::SideValue;
use waynote::{Content, Error, Result, StoreId};

use crate::read::side_hash;
use crate::session::{Session, TripEnd};
use crate::trip::{Statement, Value, big, bigs, bytes, many_bytes, maybe_many_bytes};

use batch::Batch;

fn later(session: &Session<'_>, sql: &'static str, values: Vec<Value>) {
    let mut all = vec![big(session.engine.which.key)];
    all.extend(values);
    session.later([Statement::typed(sql, all)]);
}

/// Puts rows. Their positions follow the last one of the store.
pub(crate) fn put(session: &Session<'_>, rows: &[Row<'_>]) -> Result<()> {
    let mut batch = Batch::new(session.mark);
    for row in rows {
        match row {
            Row::Revision(put) => batch.revision(put),
            Row::Event {
                session,
                recorded,
                step,
            } => batch.event(session, recorded, *step)?,
            Row::Resolved { session, entry, by } => batch.resolved(session, *entry, *by),
            Row::Forgotten {
                position,
                at,
                by,
                revisions,
                events,
                step,
            } => batch.forgotten(*position, (*at, by), revisions, events, *step)?,
        }
    }
    let positions = batch.positions();
    let [first, ..] = positions[..] else {
        session.later(batch.statements(session.engine.which.key));
        return Ok(());
    };
    if session.position().is_none() {
        // The lock comes first.
        session.trip(Vec::new(), TripEnd::GoOn)?;
    }
    let before = session.position().unwrap_or_default();
    let last = before + i64::try_from(positions.len()).unwrap_or(i64::MAX);
    if !(before + 1..=last).eq(positions.iter().copied()) {
        let reason = format!("positions {positions:?} do not follow {before}");
        return Err(Error::engine(&*session.engine.shown, reason));
    }
    session.later(batch.statements(session.engine.which.key));
    // A guard inside the transaction: null is refused.
    later(
        session,
        "UPDATE waynote.store SET head = CASE WHEN head = $2 THEN $3 END,
                last_scope = greatest(last_scope,
                    (SELECT max(s.scope) FROM waynote.scope s WHERE s.store = $1))
         WHERE store = $1",
        vec![big(before), big(last)],
    );
    session.puts(first, last);
    Ok(())
}

/// Removes contents, and the side data about them.
pub(crate) fn remove_contents(session: &Session<'_>, contents: &[Content]) {
    if contents.is_empty() {
        return;
    }
    for sql in [
        "DELETE FROM waynote.side WHERE store = $1 AND about = ANY ($2)",
        "DELETE FROM waynote.content WHERE store = $1 AND hash = ANY ($2)",
    ] {
        let hashes = contents.iter().map(|content| content.hash().0);
        later(session, sql, vec![many_bytes(hashes)]);
    }
}

/// Writes values of a space, and removes others.
pub(crate) fn side(session: &Session<'_>, space: &str, values: &[SideValue], removed: &[String]) {
    // Of one key the last value counts.
    let mut last: std::collections::BTreeMap<&str, &SideValue> = std::collections::BTreeMap::new();
    last.extend(values.iter().map(|value| (value.key.as_str(), value)));
    if !last.is_empty() {
        let keys = last.keys().map(|key| side_hash(key));
        let texts = last.keys().map(|key| key.as_bytes());
        let bodies = last.values().map(|value| value.value.as_slice());
        let abouts = last
            .values()
            .map(|value| value.about.map(|hash| hash.0.to_vec()));
        later(
            session,
            "INSERT INTO waynote.side (store, space_hash, key_hash, space, key, value, about)
             SELECT $1, $2, u.hash, $3, u.key, u.value, u.about
             FROM unnest($4, $5, $6, $7) u (hash, key, value, about)
             ON CONFLICT (store, space_hash, key_hash) DO UPDATE SET value = excluded.value, about = excluded.about",
            vec![
                bytes(side_hash(space)),
                bytes(space),
                many_bytes(keys),
                many_bytes(texts),
                many_bytes(bodies),
                maybe_many_bytes(abouts),
            ],
        );
    }
    if !removed.is_empty() {
        let removed = removed.iter().map(|key| side_hash(key));
        later(
            session,
            "DELETE FROM waynote.side WHERE store = $1 AND space_hash = $2 AND key_hash = ANY ($3)",
            vec![bytes(side_hash(space)), many_bytes(removed)],
        );
    }
}

/// Gives the store another id.
pub(crate) fn renew_id(session: &Session<'_>) -> Result<StoreId> {
    let mut id = [0; 16];
    getrandom::fill(&mut id)
        .map_err(|error| Error::engine(&*session.engine.shown, error.to_string()))?;
    later(
        session,
        "UPDATE waynote.store SET id = $2 WHERE store = $1",
        vec![bytes(id)],
    );
    Ok(StoreId::new(id))
}

/// Changes the search index.
pub(crate) fn index(session: &Session<'_>, change: &IndexChange<'_>) {
    match change {
        IndexChange::Cleared => {
            for sql in [
                "DELETE FROM waynote.block WHERE store = $1",
                "DELETE FROM waynote.segment WHERE store = $1",
            ] {
                later(session, sql, Vec::new());
            }
        }
        IndexChange::Removed(ids) => {
            for sql in [
                "DELETE FROM waynote.block WHERE store = $1 AND segment = ANY ($2)",
                "DELETE FROM waynote.segment WHERE store = $1 AND segment = ANY ($2)",
            ] {
                later(session, sql, vec![bigs(ids.iter().copied())]);
            }
        }
        IndexChange::Segment {
            head,
            notes,
            blocks,
        } => segment(session, head, notes, blocks),
        IndexChange::Dead(head) => later(
            session,
            "UPDATE waynote.segment SET dead = $3, dead_bits = $4 WHERE store = $1 AND segment = $2",
            vec![
                big(head.id),
                big(head.dead),
                bytes(head.dead_bits.as_slice()),
            ],
        ),
        IndexChange::State(state) => {
            later(
                session,
                "UPDATE waynote.store SET index_format = $2, indexed = $3, segments = $4::bigint::integer
                 WHERE store = $1",
                vec![big(state.format), big(state.indexed), big(state.segments)],
            );
            session.indexed(*state);
        }
    }
}

fn segment(session: &Session<'_>, head: &SegmentHead, notes: &[u8], blocks: &[(&[u8], &[u8])]) {
    let (terms, bodies): (Vec<&[u8]>, Vec<&[u8]>) = blocks.iter().copied().unzip();
    later(
        session,
        "UPDATE waynote.store SET last_segment = last_segment + 1 WHERE store = $1",
        Vec::new(),
    );
    later(
        session,
        "INSERT INTO waynote.segment (store, segment, first, last, notes, checksum, dead, dead_bits, docs)
         SELECT s.store, s.last_segment, $2, $3, $4, $5, $6, $7, $8 FROM waynote.store s WHERE s.store = $1",
        vec![
            big(head.first),
            big(head.last),
            big(head.notes),
            big(head.checksum),
            big(head.dead),
            bytes(head.dead_bits.clone()),
            bytes(notes),
        ],
    );
    later(
        session,
        "INSERT INTO waynote.block (store, segment, term, terms)
         SELECT s.store, s.last_segment, u.term, u.terms
         FROM waynote.store s CROSS JOIN unnest($2, $3) u (term, terms) WHERE s.store = $1",
        vec![many_bytes(terms), many_bytes(bodies)],
    );
}
