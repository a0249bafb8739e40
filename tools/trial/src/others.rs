//! Notes on other matters, as a store has them after some months: in the notebook, at the root of the repository, and on
//! its directories.

use anyhow::Result;
use kit::random::Random;
use serde::Deserialize;

/// Of a hundred notes, how many are in the notebook and at the root. The rest is on directories.
const NOTEBOOK: usize = 45;
const ROOT: usize = 15;

/// Words from which the notes are made.
#[derive(Deserialize)]
struct Words {
    /// Directories of the repository, some of which lie on the way of an action.
    places: Vec<String>,
    matters: Vec<String>,
    facts: Vec<String>,
}

/// So many other notes: the address of each, and its text.
pub(crate) fn notes(
    project: &str,
    count: usize,
    random: &mut Random,
) -> Result<Vec<(String, String)>> {
    let Words {
        places,
        matters,
        facts,
    } = toml::from_str(include_str!("../others.toml"))?;
    let (notebook, root) = (count * NOTEBOOK / 100, count * ROOT / 100);
    let start = random.below(matters.len() * facts.len());
    let text = |number: usize| {
        // 7 and 480 have no common divisor: no two are the same.
        let pair = (start + number * 7) % (matters.len() * facts.len());
        let (matter, fact) = (&matters[pair % matters.len()], &facts[pair / matters.len()]);
        let more = &facts[(pair / matters.len() + 3 + pair % 5) % facts.len()];
        match number % 3 {
            0 => format!("{matter}: {fact}"),
            1 => format!("{matter}: {fact}; {more}"),
            _ => format!("About the {matter}.\nNote that {fact}.\nAlso: {more}."),
        }
    };
    let key = |number: usize| {
        format!(
            "{}-{number}",
            matters[number % matters.len()].replace(' ', "-")
        )
    };
    let address = |number: usize| match number {
        number if number < notebook => format!("agent:default#{}", key(number)),
        number if number < notebook + root => format!("place:{project}#{}", key(number)),
        number => {
            let at = number - notebook - root;
            let place = format!("place:{project}/{}", places[at % places.len()]);
            // Each has a note of its own, and then others by key.
            if at < places.len() {
                place
            } else {
                format!("{place}#{}", key(number))
            }
        }
    };
    let mut notes: Vec<(String, String)> = (0..count)
        .map(|number| (address(number), text(number)))
        .collect();
    shuffle(&mut notes, random);
    Ok(notes)
}

/// Puts a list into an order of its own.
pub(crate) fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for last in (1..list.len()).rev() {
        list.swap(last, random.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_different_notes_and_none_that_decides() {
        use std::collections::BTreeSet;
        let notes = notes("~/project", 100, &mut Random(5)).unwrap();
        let addresses: BTreeSet<&String> = notes.iter().map(|(address, _)| address).collect();
        let texts: BTreeSet<&String> = notes.iter().map(|(_, text)| text).collect();
        assert_eq!((addresses.len(), texts.len()), (100, 100));
        for trap in crate::traps::Trap::all().unwrap() {
            let place = trap
                .note
                .place
                .map(|place| format!("place:~/project/{place}"));
            assert!(!texts.iter().any(|text| text.contains(&trap.note.decisive)));
            assert!(place.is_none_or(|place| !addresses.contains(&place)));
        }
    }
}
