//! Side data, and the numbers of scopes.

use sha2::{Digest as _, Sha256};
use waynote::ContentHash;
use waynote::engine::Ask;
use waynote::store::SideValue;

use super::plan::{Plan, scope_hash};
use crate::row::{get, unreadable};
use crate::trip::many_bytes;

const VALUES: &str =
    "SELECT u.i, v.key, v.value, v.about FROM unnest($2) WITH ORDINALITY u (space, i)
     JOIN waynote.side v ON v.store = $1 AND v.space_hash = u.space
     ORDER BY u.i, v.key";

const ABOUT: &str = "SELECT DISTINCT u.i, v.space FROM unnest($2) WITH ORDINALITY u (about, i)
     JOIN waynote.side v ON v.store = $1 AND v.about = u.about
     ORDER BY u.i, v.space";

const SPACES: &str =
    "SELECT DISTINCT v.space FROM waynote.side v WHERE v.store = $1 ORDER BY v.space";

const NUMBERS: &str = "SELECT u.i, s.scope FROM unnest($2) WITH ORDINALITY u (scope, i)
     JOIN waynote.scope s ON s.store = $1 AND s.hash = u.scope";

/// The key by which a space or a key of side data is found: its hash.
pub(crate) fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

pub(super) fn plan<'a>(plan: &mut Plan<'a>, ask: &'a Ask) {
    let values = vec![many_bytes(ask.side.iter().map(|space| hash(space)))];
    plan.each(&ask.side, VALUES, values, |row, index, rows| {
        let space = &ask.side[index];
        let damaged = || unreadable(format_args!("a value beside the notes ({space})"));
        let about: Option<Vec<u8>> = get(row, 3)?;
        let about = about
            .map(|hash| hash.try_into().map(ContentHash))
            .transpose();
        rows.side[index].push(SideValue {
            key: String::from_utf8(get(row, 1)?).map_err(|_| damaged())?,
            value: get(row, 2)?,
            about: about.map_err(|_| damaged())?,
        });
        Ok(())
    });
    let values = vec![many_bytes(ask.about.iter().map(|content| content.hash().0))];
    plan.each(&ask.about, ABOUT, values, |row, index, rows| {
        let space = String::from_utf8_lossy(get(row, 1)?).into_owned();
        rows.about[index].push(space);
        Ok(())
    });
    if ask.spaces {
        plan.rows(SPACES, Vec::new(), |row, rows| {
            let space = String::from_utf8_lossy(get(row, 0)?).into_owned();
            rows.spaces.push(space);
            Ok(())
        });
    }
    let values = vec![many_bytes(ask.scope_numbers.iter().map(scope_hash))];
    plan.each(&ask.scope_numbers, NUMBERS, values, |row, index, rows| {
        rows.scope_numbers[index] = u32::try_from(get::<i32>(row, 1)?).ok();
        Ok(())
    });
}
