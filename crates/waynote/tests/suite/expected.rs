//! Changes that expect a revision.

use waynote::{Address, Change, Error, Expect, Notebook, SaveOptions};

use super::stores::LocalStores;
use waynote_testing::stores::Stores as _;
use waynote_testing::values::{at, name, text};

#[test]
fn a_pin_and_a_deletion_can_expect_a_revision() {
    LocalStores::each_store(&|store| {
        let address: Address = "agent:a#k".parse().unwrap();
        let apply = |change| store.apply(&[change], &at(1));
        let pin = |revision| Change::Pin {
            address: address.clone(),
            pinned: true,
            expect: Expect::Revision(revision),
        };
        let delete = |revision| Change::Delete {
            address: address.clone(),
            expect: Expect::Revision(revision),
        };
        let current = |change| match apply(change) {
            Err(Error::Conflict { current, .. }) => current.map(|note| note.revision),
            other => panic!("{other:?}"),
        };
        // Of a note that does not exist.
        assert_eq!((current(pin(1)), current(delete(1))), (None, None));
        assert!(matches!(apply(pin(0)), Err(Error::NotFound { .. })));
        assert!(!apply(delete(0)).unwrap()[0].changed);

        let notebook = Notebook::of_agent(store, name("a"));
        let key = "k".parse().unwrap();
        let save = || notebook.save(&key, text("v"), SaveOptions::default(), &at(1));
        save().unwrap();
        assert_eq!(current(pin(0)), Some(1));
        assert_eq!(apply(pin(1)).unwrap()[0].note.as_ref().unwrap().revision, 2);
        assert_eq!((current(pin(1)), current(delete(1))), (Some(2), Some(2)));
        assert!(apply(delete(2)).unwrap()[0].changed);
        assert_eq!(store.get(&address).unwrap(), None);
        // All changes of a call, or none.
        save().unwrap();
        let other = Change::pin("agent:a#k".parse().unwrap(), true);
        assert!(store.apply(&[other, delete(4)], &at(1)).is_err());
        assert!(!store.get(&address).unwrap().unwrap().pinned);
    });
}
