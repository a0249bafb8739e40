//! Calls that arrive together and do not belong together.

use waynote::store::ApplyCall;
use waynote::{Address, Change, OperationId, Stamp};

use super::{key, save, whole_feed};
use crate::suite::conformance::{at, each_store, place};

#[test]
fn each_is_answered_for_itself() {
    let k = || key("a", "k");
    let p = || Address::Place(place("~/p"));
    let calls = [
        (save(k(), "first"), None, "1"),
        (save(p(), "of a place"), None, "1"),
        (Change::pin(key("a", "none"), true), None, "not_found"),
        (save(k(), "second"), Some("one"), "2"),
        (save(k(), "second"), Some("one"), "2"),
        (save(k(), "third"), Some("one"), "invalid_address"),
        (save(p(), "of the same place"), None, "2"),
        (save(key("b", "k"), "of another"), None, "1"),
    ];
    each_store(|store| {
        let apply = |(change, operation, _): &(Change, Option<&str>, &str)| ApplyCall {
            changes: vec![change.clone()],
            stamp: Stamp {
                operation: operation.map(OperationId::of),
                ..at(1)
            },
        };
        let asked: Vec<_> = calls.iter().map(apply).collect();
        let mut answered = vec![String::new(); calls.len()];
        store.apply_each(&asked, &mut |index, answer| {
            answered[index] += &match answer {
                Ok(applied) => applied[0].note.as_ref().unwrap().revision.to_string(),
                Err(error) => error.kind().to_owned(),
            };
        });
        let expected: Vec<_> = calls.iter().map(|(.., expected)| *expected).collect();
        assert_eq!(answered, expected);
        assert_eq!(whole_feed(store).len(), 5);
    });
}
