//! Notes as they are now.

use tokio_postgres::Row;
use waynote::engine::{Ask, NoteAt, NoteState, Rows};
use waynote::{Address, EntryId, Position, Scope};

use super::plan::{Plan, addresses, question, scope_hash, whole};
use crate::error::Outcome;
use crate::row::{NOTE, count, get, kind_key, note, note_columns, position, scope, unreadable};
use crate::trip::{bigs, many_bytes, texts};

const STATES: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
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

const SCOPES: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, n.key"
);

const KINDS: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
    ", s.kind, s.name FROM unnest($2) WITH ORDINALITY u (kind, i)
     JOIN waynote.scope s ON s.store = $1 AND s.kind = u.kind
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, s.name, n.key"
);

const RESOLVED: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
    " FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope
     JOIN waynote.note n ON n.store = $1 AND n.scope = s.scope AND n.resolved_by IS NOT NULL
     LEFT JOIN waynote.content c ON c.store = $1 AND c.hash = n.content
     ORDER BY u.i, n.key"
);

const SAYING: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
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

const AT: &str = concat!(
    "SELECT u.i, ",
    note_columns!(),
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
    of_scopes(
        plan,
        SCOPES,
        scopes.iter().collect(),
        |rows, index, note| {
            rows.store.scopes[index].push(note);
        },
    );
    let kinds = &ask.store.kinds;
    if !kinds.is_empty() {
        let words: Vec<String> = kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
        plan.ask(KINDS, vec![texts(words)], |found, rows| {
            for row in found {
                let read = scope(row, 1 + NOTE).and_then(|scope| note(row, 1, &scope));
                if let Some(note) = whole(read, rows)? {
                    rows.store.kinds[question(row)?].push(note);
                }
            }
            Ok(())
        });
    }
    resolved(plan, ask);
    saying(plan, ask);
    last(plan, ask);
    at(plan, ask);
}

fn states<'a>(
    plan: &mut Plan<'a>,
    asked: &'a [Address],
    answer: impl Fn(&mut Rows, usize, NoteState) + 'a,
) {
    if asked.is_empty() {
        return;
    }
    let (scopes, keys) = addresses(asked.iter());
    plan.ask(
        STATES,
        vec![many_bytes(scopes), texts(keys)],
        move |found, rows| {
            for row in found {
                let index = question(row)?;
                if let Some(state) = state(row, &asked[index].scope())? {
                    answer(rows, index, state);
                }
            }
            Ok(())
        },
    );
}

fn state(row: &Row, scope: &Scope) -> Outcome<Option<NoteState>> {
    if get::<Option<&str>>(row, 1)?.is_some() {
        let note = note(row, 1, scope)?;
        return Ok(Some(NoteState {
            position: position(row, 1)?,
            revision: note.revision,
            note: Some(note),
        }));
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

fn of_scopes<'a>(
    plan: &mut Plan<'a>,
    sql: &'static str,
    scopes: Vec<&'a Scope>,
    answer: impl Fn(&mut Rows, usize, waynote::Note) + 'a,
) {
    if scopes.is_empty() {
        return;
    }
    let hashes: Vec<Vec<u8>> = scopes.iter().map(|scope| scope_hash(scope)).collect();
    plan.ask(sql, vec![many_bytes(hashes)], move |found, rows| {
        for row in found {
            let index = question(row)?;
            if let Some(note) = whole(note(row, 1, scopes[index]), rows)? {
                answer(rows, index, note);
            }
        }
        Ok(())
    });
}

fn resolved<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    if ask.resolved.is_empty() {
        return;
    }
    let sessions: Vec<Scope> = ask.resolved.iter().cloned().map(Scope::Session).collect();
    let hashes: Vec<Vec<u8>> = sessions.iter().map(scope_hash).collect();
    plan.ask(RESOLVED, vec![many_bytes(hashes)], move |found, rows| {
        for row in found {
            let index = question(row)?;
            if let Some(note) = whole(note(row, 1, &sessions[index]), rows)? {
                rows.resolved[index].push(note);
            }
        }
        Ok(())
    });
}

fn saying<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.entries_saying;
    if asked.is_empty() {
        return;
    }
    let scopes = asked
        .iter()
        .map(|(session, ..)| scope_hash(&Scope::Session(session.clone())));
    let kinds = asked.iter().map(|(_, kind, _)| kind_key(kind.as_str()));
    let contents = asked.iter().map(|(.., content)| content.hash().0.to_vec());
    let values = vec![
        many_bytes(scopes.collect::<Vec<_>>()),
        texts(kinds.collect::<Vec<_>>()),
        many_bytes(contents.collect::<Vec<_>>()),
    ];
    plan.ask(SAYING, values, |found, rows| {
        for row in found {
            let index = question(row)?;
            let note = note(row, 1, &Scope::Session(asked[index].0.clone()))?;
            rows.entries_saying[index] = Some(NoteState {
                position: position(row, 1)?,
                revision: note.revision,
                note: Some(note),
            });
        }
        Ok(())
    });
}

fn last<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let asked = &ask.last_entries;
    if asked.is_empty() {
        return;
    }
    let scopes = asked
        .iter()
        .map(|session| scope_hash(&Scope::Session(session.clone())));
    plan.ask(
        LAST,
        vec![many_bytes(scopes.collect::<Vec<_>>())],
        |found, rows| {
            for row in found {
                let index = question(row)?;
                let id: &str = get(row, 1)?;
                let id: EntryId = id
                    .parse()
                    .map_err(|_| unreadable(format_args!("session:{}", asked[index])))?;
                rows.last_entries[index] = Some(id);
            }
            Ok(())
        },
    );
}

fn at<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    if ask.notes_at.is_empty() {
        return;
    }
    let positions: Vec<i64> = ask
        .notes_at
        .iter()
        .map(|position| position.number())
        .collect();
    plan.ask(AT, vec![bigs(positions)], |found, rows| {
        for row in found {
            let read = scope(row, 1 + NOTE).and_then(|scope| {
                Ok(NoteAt {
                    note: note(row, 1, &scope)?,
                    last: position(row, 1)?,
                    revision: count(row, 3 + NOTE)?,
                })
            });
            let index = question(row)?;
            rows.notes_at[index] = whole(read, rows)?;
        }
        Ok(())
    });
}
