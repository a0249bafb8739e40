//! A whole store as lines of JSON: the first one says what it is, and each of the others is an item of the feed.

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::model::report::Report;
use crate::rules::EngineStore;
use crate::store::Store;

use super::error::CopyError;
use super::{build_index, identity, replay};

/// The version of the form. A reader refuses a later one.
const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The version of the form.
    waynote_export: u32,
    /// The store that was written.
    store: StoreId,
    /// Its last position.
    position: i64,
}

/// Writes a whole store, from one state of it: notes with their revisions, authors and times, entries, events, what was
/// forgotten, and the ids of calls. Tokens and other side data are left out. `line` gets each line without its end.
///
/// # Errors
/// [`Error::NotFound`] if there is no store; [`Error::DamagedNote`] and [`Error::DamagedStore`] if it cannot be read
/// whole; those of `line`.
pub fn write_json(from: &dyn Engine, line: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    from.snapshot(&mut |rows| {
        let (store, position) = identity(rows, &from.name())?;
        line(&form(&Head {
            waynote_export: VERSION,
            store,
            position,
        })?)?;
        replay::lines(rows, &mut |item| line(&form(item)?))
    })
}

/// Reads what [`write_json`] wrote into an empty store, and checks all of it.
///
/// # Errors
/// [`CopyError::Unreadable`] in [`Error::Custom`], with the line; those of `lines` and of [`Engine::write`].
pub fn read_json(
    lines: &mut dyn Iterator<Item = Result<String>>,
    to: &dyn Engine,
) -> Result<Report> {
    let mut lines = (1..).zip(lines);
    let unreadable = |line: usize, reason: String| CopyError::Unreadable { line, reason };
    let (_, first) = lines
        .next()
        .ok_or_else(|| unreadable(1, "there is none".into()))?;
    let head: Head = serde_json::from_str(&first?)
        .map_err(|_| unreadable(1, "it does not begin an export of waynote".into()))?;
    if head.waynote_export > VERSION {
        return Err(unreadable(1, "a newer version of waynote wrote it".into()).into());
    }
    let mut last = 1;
    let mut items = lines.map(|(number, line)| {
        last = number;
        let item = serde_json::from_str(&line?);
        item.map_err(|error| unreadable(number, error.to_string()).into())
    });
    let read = replay::read_lines(&mut items, to)?;
    // Older events share a position with the change before them.
    if read < head.position {
        let reason = format!(
            "it is the last one, of {} items from {}",
            read, head.position
        );
        return Err(unreadable(last, reason).into());
    }
    build_index(to)?;
    let report = EngineStore::new(to).verify()?;
    match report.problems.first() {
        None => Ok(report),
        Some(problem) => {
            Err(unreadable(last, format!("it makes no whole store: {problem}")).into())
        }
    }
}

fn form(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::engine("the export", error))
}
