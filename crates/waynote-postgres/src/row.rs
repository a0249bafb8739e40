//! Decodes rows: notes and revisions.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use waynote::note::{Source, State};
use waynote::{
    Action, Address, Allowance, Citation, Content, EntryType, Error, Name, Note, Position,
    Revision, Scope, ScopeKind,
};

use crate::error::{Failure, Outcome};

/// The columns of a current note, of `waynote.note n` and `waynote.content c`.
macro_rules! note_columns {
    () => {
        "n.key, n.position, n.revision, n.kind, n.iteration, n.pinned, n.author, n.created_at, n.updated_at, \
         n.resolved_by, n.content, c.body, n.cites"
    };
}
pub(crate) use note_columns;

/// How many those are.
pub(crate) const NOTE: usize = 13;

/// The columns of a row of the journal, of `waynote.journal j` and `waynote.content c`.
macro_rules! revision_columns {
    () => {
        "j.key, j.position, j.revision, j.kind, j.iteration, j.pinned, j.author, j.created_at, j.updated_at, \
         j.action, j.content, c.body, j.undoes, j.recorded_at, j.forgotten_at, j.forgotten_by, j.token, \
         j.cites"
    };
}
pub(crate) use revision_columns;

/// How many those are.
pub(crate) const REVISION: usize = 18;

/// The error for a row with values that this program never writes.
pub(crate) fn unreadable(what: impl std::fmt::Display) -> Failure {
    Failure::Ours(Error::DamagedNote {
        what: what.to_string(),
    })
}

/// A value of a row.
pub(crate) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Outcome<T> {
    Ok(row.try_get(column)?)
}

pub(crate) fn count(row: &Row, column: usize) -> Outcome<u64> {
    Ok(u64::try_from(get::<i64>(row, column)?).unwrap_or_default())
}

fn time(row: &Row, column: usize, what: &str) -> Outcome<Timestamp> {
    Timestamp::from_microsecond(get(row, column)?).map_err(|_| unreadable(what))
}

fn name(row: &Row, column: usize, what: &str) -> Outcome<Name> {
    get::<&str>(row, column)?
        .parse()
        .map_err(|_| unreadable(what))
}

pub(crate) fn address(scope: &Scope, key: &str) -> Outcome<Address> {
    let key = (!key.is_empty()).then_some(key);
    Address::from_parts(scope.clone(), key)
        .map_err(|_| unreadable(format_args!("a note of {scope}")))
}

/// The scope whose kind and name are there.
pub(crate) fn scope(row: &Row, column: usize) -> Outcome<Scope> {
    let (kind, name): (&str, &str) = (get(row, column)?, get(row, column + 1)?);
    let found = kind
        .parse()
        .and_then(|kind: ScopeKind| Scope::from_parts(kind, name));
    found.map_err(|_| unreadable(format_args!("{kind}:{name}")))
}

/// The content in two columns, its hash and its body; none when the hash is null.
fn content(row: &Row, column: usize, what: &str) -> Outcome<Option<Content>> {
    let Some(hash) = get::<Option<&[u8]>>(row, column)? else {
        return Ok(None);
    };
    let body: Option<&[u8]> = get(row, column + 1)?;
    let body = body.ok_or_else(|| unreadable(what))?;
    Allowance::take(body.len())?;
    let content = Content::imported(body);
    match content.hash().0 == hash {
        true => Ok(Some(content)),
        false => Err(unreadable(what)),
    }
}

/// The current note whose columns begin there.
pub(crate) fn note(row: &Row, at: usize, scope: &Scope) -> Outcome<Note> {
    let address = address(scope, get(row, at)?)?;
    let what = address.to_string();
    let content = content(row, at + 10, &what)?.ok_or_else(|| unreadable(&what))?;
    let resolved_by = match get::<Option<&str>>(row, at + 9)? {
        Some(id) => Some(id.parse().map_err(|_| unreadable(&what))?),
        None => None,
    };
    Ok(Note {
        resolved_by,
        ..stated(row, at, (address, content), at + 12, &what)?
    })
}

/// The note in the columns that a current note and a revision have alike, and the citations in a column. Where they are
/// damaged, it has this name.
fn stated(
    row: &Row,
    at: usize,
    (address, content): (Address, Content),
    cites: usize,
    what: &str,
) -> Outcome<Note> {
    let cites = Citation::of_column(get(row, cites)?);
    Ok(Note {
        revision: count(row, at + 2)?,
        kind: get::<Option<&str>>(row, at + 3)?.map(EntryType::stored),
        iteration: get(row, at + 4)?,
        pinned: get(row, at + 5)?,
        author: name(row, at + 6, what)?,
        created_at: time(row, at + 7, what)?,
        updated_at: time(row, at + 8, what)?,
        source: Source::Own,
        resolved_by: None,
        cites: cites.ok_or_else(|| unreadable(what))?,
        preview: content.preview(),
        content,
        address,
    })
}

/// The position of the last revision of the note whose columns begin there.
pub(crate) fn position(row: &Row, at: usize) -> Outcome<Position> {
    Ok(Position::new(get(row, at + 1)?))
}

/// The revision whose columns begin there.
pub(crate) fn revision(row: &Row, at: usize, scope: &Scope) -> Outcome<Revision> {
    let address = address(scope, get(row, at)?)?;
    let number = count(row, at + 2)?;
    let what = format!("{address}@{number}");
    let author = name(row, at + 6, &what)?;
    let content = content(row, at + 10, &what)?;
    let state = match (content, get::<Option<i64>>(row, at + 14)?) {
        (None, Some(_)) => State::Forgotten {
            forgotten_at: time(row, at + 14, &what)?,
            forgotten_by: name(row, at + 15, &what)?,
            address,
            revision: number,
            author,
        },
        (None, None) => State::Deleted {
            address,
            revision: number,
            author,
        },
        // A current note has `resolved_by` in its own row. For an earlier state the events tell.
        (Some(content), _) => State::Present(stated(row, at, (address, content), at + 17, &what)?),
    };
    let action: &str = get(row, at + 9)?;
    Ok(Revision {
        position: Some(position(row, at)?),
        action: Action::stored(action).ok_or_else(|| unreadable(&what))?,
        undoes: get::<Option<i64>>(row, at + 12)?
            .map(|undone| u64::try_from(undone).unwrap_or_default()),
        recorded_at: time(row, at + 13, &what)?,
        token: match get::<Option<&str>>(row, at + 16)? {
            Some(_) => Some(name(row, at + 16, &what)?),
            None => None,
        },
        state,
    })
}

/// The word of a type of entries as it is in indexes: a long one is its hash.
pub(crate) fn kind_key(word: &str) -> String {
    const LONGEST: usize = 100;
    match word.len() {
        0..=LONGEST => word.to_owned(),
        _ => format!("sha256:{}", waynote::text::hex(&Sha256::digest(word))),
    }
}
