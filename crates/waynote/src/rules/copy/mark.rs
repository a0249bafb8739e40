//! How far a copy is, as its target records it.

use serde::{Deserialize, Serialize};

use crate::engine::{Ask, Engine, Read, Transaction, Writing};
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::store::{Cursor, SideValue};

use super::CopyError;

/// The space of side data with the mark of an unfinished copy.
pub(crate) const UNFINISHED: &str = "waynote:copy";

/// The space of side data that says of which store a copy was made.
const COPIED: &str = "waynote:copied";

/// The key of the value in each of them.
const KEY: &str = "from";

/// Whether a space of side data belongs to copying, and so is not copied.
pub(super) fn is_ours(space: &str) -> bool {
    [UNFINISHED, COPIED].contains(&space)
}

/// How far an unfinished copy is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The store that is copied.
    pub(super) source: StoreId,
    /// Everything up to this point of its feed is in the target.
    pub(super) after: Cursor,
    /// The last position of the target.
    pub(super) head: i64,
}

/// A complete copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// The store that was copied.
    pub(super) source: StoreId,
    /// Its last position that was copied.
    pub(super) source_head: i64,
    /// The last position of the copy at that time.
    pub(super) target_head: i64,
}

/// The form of both on disk.
#[derive(Serialize, Deserialize)]
struct Stored {
    source: String,
    after: String,
    head: i64,
}

impl Mark {
    fn value(&self) -> SideValue {
        value(self.source, self.after, self.head)
    }

    /// Writes the mark in the transaction of a batch.
    pub(super) fn put(&self, tx: &dyn Transaction) -> Result<()> {
        tx.put_side(UNFINISHED, &[self.value()], &[])
    }

    /// Fails unless the target is where the mark says.
    pub(super) fn check(&self, found: &[SideValue], head: i64, to: &dyn Engine) -> Result<()> {
        if found != [self.value()] {
            return Err(CopyError::written(to, "another copy goes on in it").into());
        }
        match head == self.head {
            true => Ok(()),
            false => {
                let reason = format!("its last position is {head}, and not {}", self.head);
                Err(CopyError::written(to, reason).into())
            }
        }
    }
}

fn value(source: StoreId, after: Cursor, head: i64) -> SideValue {
    let stored = Stored {
        source: source.to_string(),
        after: after.to_string(),
        head,
    };
    SideValue {
        key: KEY.into(),
        value: serde_json::to_vec(&stored).unwrap_or_default(),
        about: None,
    }
}

fn stored(values: &[SideValue], to: &dyn Engine) -> Result<Option<(StoreId, Cursor, i64)>> {
    let Some(value) = values.first() else {
        return Ok(None);
    };
    let unreadable = || Error::from(CopyError::written(to, "its mark cannot be read"));
    let stored: Stored = serde_json::from_slice(&value.value).map_err(|_| unreadable())?;
    let source = stored.source.parse().map_err(|_| unreadable())?;
    let after = stored.after.parse().map_err(|_| unreadable())?;
    Ok(Some((source, after, stored.head)))
}

/// The state of a target when a copy begins.
pub(super) struct Begun {
    pub(super) mark: Mark,
    /// Set if the target is a complete copy of this source already, and was not written since.
    pub(super) done: Option<Done>,
}

/// Begins a copy, or finds the one that was begun.
pub(super) fn begin(to: &dyn Engine, source: StoreId) -> Result<Begun> {
    let mut begun = None;
    to.write(Writing::Durable, &mut |tx| {
        begun = Some(begin_in(tx, to, source)?);
        Ok(())
    })?;
    begun.ok_or_else(|| crate::store::nothing_ran(to.name()))
}

fn begin_in(tx: &dyn Transaction, to: &dyn Engine, source: StoreId) -> Result<Begun> {
    let mut ask = Ask {
        side: vec![UNFINISHED.into(), COPIED.into()],
        spaces: true,
        ..Ask::default()
    };
    ask.store.version = true;
    ask.store.store_id = true;
    let rows = tx.read(&ask)?;
    let head = rows.store.version.head();
    let mark = Mark {
        source,
        after: Cursor::START,
        head: 0,
    };
    let [unfinished, copied] = rows.side.as_slice() else {
        return Err(crate::store::nothing_ran(to.name()));
    };
    if let Some((of, after, at)) = stored(unfinished, to)? {
        if of != source {
            return Err(CopyError::OfAnother {
                store: to.name(),
                source_id: of.to_string(),
            }
            .into());
        }
        let mark = Mark {
            source,
            after,
            head: at,
        };
        mark.check(unfinished, head, to)?;
        return Ok(Begun { mark, done: None });
    }
    if let Some((of, after, at)) = stored(copied, to)?
        && (of, at) == (source, head)
    {
        let done = Done {
            source,
            source_head: after.position.number(),
            target_head: head,
        };
        return Ok(Begun {
            mark,
            done: Some(done),
        });
    }
    if head != 0 || !rows.spaces.is_empty() || rows.store.store_id == Some(source) {
        return Err(CopyError::not_empty(to).into());
    }
    mark.put(tx)?;
    Ok(Begun { mark, done: None })
}

/// Ends a copy: from now on, the target is a store like any other.
pub(super) fn complete(to: &dyn Engine, mark: &Mark, done: &Done) -> Result<()> {
    to.write(Writing::Durable, &mut |tx| {
        let mut ask = Ask {
            side: vec![UNFINISHED.into()],
            ..Ask::default()
        };
        ask.store.version = true;
        let rows = tx.read(&ask)?;
        let found = rows.side.first().map_or(&[][..], Vec::as_slice);
        mark.check(found, rows.store.version.head(), to)?;
        let after = Cursor::at(crate::note::Position::new(done.source_head));
        let value = value(done.source, after, done.target_head);
        tx.put_side(COPIED, &[value], &[])?;
        tx.put_side(UNFINISHED, &[], &[KEY.into()])
    })
}

/// Refuses a write to a copy that is not complete.
pub(crate) fn refuse_unfinished(rows: &dyn Read, name: &dyn Fn() -> String) -> Result<()> {
    refuse_marked(&rows.side(UNFINISHED)?, name)
}

/// The same for a mark that was read already.
pub(crate) fn refuse_marked(mark: &[SideValue], name: &dyn Fn() -> String) -> Result<()> {
    match mark.is_empty() {
        true => Ok(()),
        false => Err(CopyError::Unfinished { store: name() }.into()),
    }
}
