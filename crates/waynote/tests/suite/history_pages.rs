//! A note's history in pages is its history.

use waynote::{Address, Change, Forget, Notebook, Revision, SaveOptions};

use super::stores::LocalStores;
use waynote_testing::stores::Stores as _;
use waynote_testing::values::{at, name, text};

#[test]
fn pages_of_a_history_are_the_history() {
    LocalStores::each_store(&|store| {
        let notebook = Notebook::of_agent(store, name("a"));
        let address: Address = "agent:a#k".parse().unwrap();
        let key = "k".parse().unwrap();
        for number in 1..=6 {
            let said = text(&format!("text {number}"));
            let saved = notebook.save(&key, said, SaveOptions::default(), &at(number));
            saved.unwrap();
        }
        let forget = Forget::new(address.clone()).revision(Some(2));
        store.forget(&forget, &at(7)).unwrap();
        store
            .apply(&[Change::delete(address.clone())], &at(8))
            .unwrap();
        let mut whole = store.history(&address).unwrap();
        whole.reverse();
        assert_eq!(whole.len(), 7);
        for limit in [1, 2, 3, 7, 100, usize::MAX] {
            let (mut found, mut before) = (Vec::new(), None);
            loop {
                let page = store.history_before(&address, before, limit).unwrap();
                assert!(page.len() <= limit);
                let Some(last) = page.last() else { break };
                before = Some(Revision::number(last));
                found.extend(page);
            }
            assert_eq!(found, whole, "{limit}");
        }
        let before = |before, limit| store.history_before(&address, before, limit).unwrap();
        assert_eq!(before(Some(3), 1)[0].number(), 2);
        assert_eq!(before(Some(99), 1)[0].number(), 7);
        assert!(before(Some(0), 5).is_empty() && before(Some(1), 5).is_empty());
        assert!(before(None, 0).is_empty());
        let none: Address = "agent:a#none".parse().unwrap();
        assert_eq!(store.history_before(&none, None, 5).unwrap(), []);
    });
}
