//! Notes as they are now.

use tokio_postgres::Row;
use waynote::engine::{Ask, NoteAt, NoteState, Rows};
use waynote::{Address, EntryId, Position, Scope};

use super::plan::{Plan, addresses, scope_hash, session_hash, whole};
use crate::error::Outcome;
use crate::row::{NOTE, count, get, kind_key, note, note_columns, position, scope, unreadable};
use crate::trip::{bigs, many_bytes, texts};

/// A statement for notes: the number of what is asked for, the columns of a note, and what follows them.
macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT u.i, ", note_columns!(), $rest)
    };
}

const STATES: &str = select!(
    ", d.position, d.revision
     FROM unnest($2, $3) WITH ORDINALITY u (scope, key, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     LEFT JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope AND n.key = u.key
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     LEFT JOIN LATERAL (
         SELECT j.position, j.revision FROM waynote.journal j
         WHERE n.key IS NULL AND j.store = $1 AND j.scope = s.scope AND j.key = u.key
         ORDER BY j.revision DESC LIMIT 1
     ) d ON TRUE"
);

const SCOPES: &str = select!(
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, n.key"
);

const KINDS: &str = select!(
    ", s.kind, s.name FROM unnest($2) WITH ORDINALITY u (kind, i)
     JOIN waynote.scope s ON s.store = $1 AND s.kind = u.kind
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, s.name, n.key"
);

const RESOLVED: &str = select!(
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope AND n.resolved_by IS NOT NULL
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, n.key"
);

const SAYING: &str = select!(
    " FROM unnest($2, $3, $4) WITH ORDINALITY u (scope, kind, content, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     CROSS JOIN LATERAL (
         SELECT * FROM (
             -- By the index to contents, and not in the order of keys until one matches.
             SELECT * FROM waynote.note n
             WHERE n.store = $1 AND n.scope = s.scope AND n.content = u.content AND n.kind_key = u.kind OFFSET 0
         ) n
         ORDER BY n.key LIMIT 1
     ) n
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content"
);

const LAST: &str = "SELECT u.i, j.key FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     CROSS JOIN LATERAL (
         SELECT j.key FROM waynote.journal j WHERE j.store = $1 AND j.scope = s.scope
         ORDER BY j.key DESC, j.revision DESC LIMIT 1
     ) j";

const AT: &str = select!(
    ", s.kind, s.name, j.revision FROM unnest($2) WITH ORDINALITY u (position, i)
     JOIN waynote.journal j ON j.store = $1 AND j.position = u.position
     JOIN waynote.scope s ON s.store = $1 AND s.scope = j.scope
     JOIN waynote.note n ON n.store = $1 AND n.scope = j.scope AND n.key = j.key
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content"
);

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    states(plan, &ask.states, |rows, index, state| {
        rows.states[index] = Some(state);
    });
    states(plan, &ask.store.notes, |rows, index, state| {
        rows.store.notes[index] = state.note;
    });
    let scopes = &ask.store.scopes;
    let values = vec![many_bytes(scopes.iter().map(scope_hash))];
    plan.each(scopes, SCOPES, values, |row, index, rows| {
        let note = whole(note(row, 1, &scopes[index]), rows)?;
        rows.store.scopes[index].extend(note);
        Ok(())
    });
    let kinds = &ask.store.kinds;
    let values = vec![texts(kinds.iter().map(|kind| kind.as_str()))];
    plan.each(kinds, KINDS, values, |row, index, rows| {
        let read = scope(row, 1 + NOTE).and_then(|scope| note(row, 1, &scope));
        let note = whole(read, rows)?;
        rows.store.kinds[index].extend(note);
        Ok(())
    });
    let values = vec![many_bytes(ask.resolved.iter().map(session_hash))];
    plan.each(&ask.resolved, RESOLVED, values, |row, index, rows| {
        let session = Scope::Session(ask.resolved[index].clone());
        let note = whole(note(row, 1, &session), rows)?;
        rows.resolved[index].extend(note);
        Ok(())
    });
    saying(plan, ask);
    last(plan, ask);
    at(plan, ask);
}

fn states<'a>(
    plan: &mut Plan<'a>,
    asked: &'a [Address],
    answer: impl Fn(&mut Rows, usize, NoteState) + 'a,
) {
    let values = addresses(asked.iter()).into();
    plan.each(asked, STATES, values, move |row, index, rows| {
        if let Some(state) = state(row, &asked[index].scope())? {
            answer(rows, index, state);
        }
        Ok(())
    });
}

fn state(row: &Row, scope: &Scope) -> Outcome<Option<NoteState>> {
    if get::<Option<&str>>(row, 1)?.is_some() {
        return current(row, scope).map(Some);
    }
    match get::<Option<i64>>(row, 1 + NOTE)? {
        Some(position) => Ok(Some(NoteState {
            position: Position::new(position),
            revision: count(row, 2 + NOTE)?,
            note: None,
        })),
        None => Ok(None),
    }
}

/// The state of a note that exists.
fn current(row: &Row, scope: &Scope) -> Outcome<NoteState> {
    let note = note(row, 1, scope)?;
    Ok(NoteState {
        position: position(row, 1)?,
        revision: note.revision,
        note: Some(note),
    })
}

fn saying<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.entries_saying;
    let scopes = asked.iter().map(|(session, ..)| session_hash(session));
    let kinds = asked.iter().map(|(_, kind, _)| kind_key(kind.as_str()));
    let contents = asked.iter().map(|(.., content)| content.hash().0);
    let values = vec![many_bytes(scopes), texts(kinds), many_bytes(contents)];
    plan.each(asked, SAYING, values, |row, index, rows| {
        let session = Scope::Session(asked[index].0.clone());
        rows.entries_saying[index] = Some(current(row, &session)?);
        Ok(())
    });
}

fn last<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.last_entries;
    let values = vec![many_bytes(asked.iter().map(session_hash))];
    plan.each(asked, LAST, values, |row, index, rows| {
        let id: Result<EntryId, _> = get::<&str>(row, 1)?.parse();
        let id = id.map_err(|_| unreadable(format_args!("session:{}", asked[index])))?;
        rows.last_entries[index] = Some(id);
        Ok(())
    });
}

fn at<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let positions = ask.notes_at.iter().map(|position| position.number());
    let values = vec![bigs(positions)];
    plan.each(&ask.notes_at, AT, values, |row, index, rows| {
        let read = scope(row, 1 + NOTE).and_then(|scope| {
            Ok(NoteAt {
                note: note(row, 1, &scope)?,
                last: position(row, 1)?,
                revision: count(row, 3 + NOTE)?,
            })
        });
        rows.notes_at[index] = whole(read, rows)?;
        Ok(())
    });
}
