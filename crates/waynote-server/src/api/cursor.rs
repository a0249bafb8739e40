//! Cursors: where the next page begins. To a client they are opaque.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fmt::Display;
use std::str::FromStr;

use crate::problem::{Answer, Problem};

/// A page of a list in its order, from one item more than the page may have: with that item there is another page.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

impl<T> Page<T> {
    /// The first `limit` items. The next page begins after the point of the last one.
    pub(crate) fn of<P: Display>(
        list: char,
        mut items: Vec<T>,
        limit: usize,
        point: impl FnOnce(&T) -> P,
    ) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        let last = items.last().filter(|_| has_more);
        Self {
            next: last.map(|last| written(list, point(last))),
            items,
        }
    }
}

/// The cursor for a point in a list. `list` keeps a cursor of one list from being used in another.
pub(crate) fn written(list: char, point: impl Display) -> String {
    URL_SAFE_NO_PAD.encode(format!("{list}{point}"))
}

/// The point that a cursor stands for.
pub(crate) fn read<T: FromStr>(list: char, cursor: &str) -> Answer<T> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor.trim()).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    let point = text.and_then(|text| text.strip_prefix(list)?.parse().ok());
    point.ok_or_else(|| {
        Problem::bad_request("this is not a cursor of this list")
            .hint("take the cursor from an answer of the same list, or leave it out to begin at the start")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_for_its_list_alone() {
        let cursor = written('n', "agent:a#k");
        assert_eq!(read::<String>('n', &cursor).unwrap(), "agent:a#k");
        for wrong in ["", "12", "!", &cursor[1..]] {
            assert!(read::<u64>('n', wrong).is_err(), "{wrong}");
        }
        assert!(read::<String>('j', &cursor).is_err());
    }
}
