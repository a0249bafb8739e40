//! Many writers at the limit of one notebook.

use std::collections::HashSet;

use waynote::{Change, Error, Reader as _, Stamp, Store as _};
use waynote_postgres::{Options, open};

use super::stores::{its_server, new_store};
use waynote_testing::Dice;
use waynote_testing::values::save_limited;

const WRITERS: u64 = 16;

/// As many notes as the notebook may have, of twice as many keys.
const CAP: i64 = 20;

/// Each has connections of its own, as a process has.
#[test]
fn sixteen_writers_never_pass_the_limit() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    let store = new_store(&url);
    std::thread::scope(|scope| {
        for number in 0..WRITERS {
            let url = &url;
            scope.spawn(move || write(number, url));
        }
    });
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    // Counted again over the whole history.
    let mut there = HashSet::new();
    for revision in store.journal(None, usize::MAX).unwrap().iter().rev() {
        match revision.note() {
            Some(_) => there.insert(revision.address().clone()),
            None => there.remove(revision.address()),
        };
        assert!(there.len() as i64 <= CAP);
    }
    assert_eq!(
        there.len() as u64,
        store.count(&"agent:shared".parse().unwrap()).unwrap()
    );
}

fn write(number: u64, url: &str) {
    let mut dice = Dice::new(number + 1);
    let store = open(Options::of_url(url).unwrap().connections(1)).unwrap();
    let author = format!("agent:p{number}").parse().unwrap();
    let stamp = Stamp::new(jiff::Timestamp::now(), author);
    for turn in 0..waynote_testing::number("WAYNOTE_TEST_WRITES", 40) {
        let key = dice.below(2 * CAP as u64);
        let address: waynote::Address = format!("agent:shared#k{key}").parse().unwrap();
        let change = match dice.below(3) {
            0 => Change::delete(address),
            _ => save_limited(address, &format!("{number} {turn}"), CAP),
        };
        match store.apply(&[change], &stamp) {
            Ok(_) => {}
            Err(Error::TooManyNotes { notes, .. }) => assert_eq!(notes as i64, CAP),
            Err(error) => panic!("{error}"),
        }
    }
}
