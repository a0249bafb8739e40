//! A whole store as lines of JSON: the first one says what it is, and each of the others is an item of the feed.

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::model::report::Report;
use crate::rules::EngineStore;
use crate::store::{LocalStore, Store};

use super::error::CopyError;
use super::replay::Filling;
use super::{Lost, identity, whole};

/// The version of the form. A reader refuses a later one.
const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The version of the form.
    waynote_export: u32,
    /// The store that was written.
    store: Option<StoreId>,
    /// Its last position.
    position: i64,
}

/// The last line: without it, the export was cut short.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    /// The number of lines between the first one and this.
    items: i64,
}

/// Writes a whole store, from one state of it: notes with their revisions, authors and times, entries, events, what was
/// forgotten, and the ids of calls. Tokens and other side data are left out. `line` gets each line without its end.
/// Returns what is damaged and was left out.
///
/// # Errors
/// [`Error::NotFound`] if there is no store; [`Error::DamagedStore`] if pages of it cannot be read; those of `line`.
pub fn write_json(from: &dyn Engine, line: &mut dyn FnMut(&str) -> Result<()>) -> Result<Lost> {
    let mut lost = Lost::new();
    from.snapshot(&mut |rows| {
        let (store, position) = identity(rows, &from.name())?;
        line(&form(&Head {
            waynote_export: VERSION,
            store,
            position,
        })?)?;
        let mut items = 0;
        lost = whole::lines(rows, position, &mut |item| {
            items += 1;
            line(&form(&item)?)
        })?;
        line(&form(&End { items })?)
    })?;
    Ok(lost)
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
    let (mut last, mut end) = (1, None);
    let mut target = Filling::new(to)?;
    for (number, line) in lines {
        last = number;
        let line = line?;
        match serde_json::from_str(&line) {
            Ok(item) => target.add(item)?,
            Err(error) => {
                end = serde_json::from_str::<End>(&line).ok();
                if end.is_none() {
                    return Err(unreadable(number, error.to_string()).into());
                }
                break;
            }
        };
    }
    let read = target.finish()?;
    if end.is_none_or(|end| end.items != read) {
        let reason = format!("it is the last one, after {read} items: the export was cut short");
        return Err(unreadable(last, reason).into());
    }
    EngineStore::new(to).rebuild_index()?;
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
