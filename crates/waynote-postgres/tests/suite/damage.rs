//! Rows that somebody has changed behind the engine's back.

use waynote::{
    Content, Error, Limits, LocalStore as _, Notebook, Reader as _, SaveOptions, Scope, Stamp,
    Store as _,
};
use waynote_test_postgres::{unused, with_store};

use super::stores::{its_server, new_store};

#[test]
fn what_was_changed_is_not_shown_and_verify_names_it() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("damage");
    let store = new_store(&with_store(&cluster.database(&name), "s"));
    let notes = Notebook::of_agent(&store, "a".parse().unwrap());
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
    for key in ["one", "two", "three", "four"] {
        let options = SaveOptions::default().limits(Limits::NONE);
        let content = Content::text(format!("the text of {key}")).unwrap();
        notes
            .save(&key.parse().unwrap(), content, options, &stamp)
            .unwrap();
    }
    assert!(store.verify().unwrap().is_clean());
    cluster.sql_in(
        &name,
        "UPDATE waynote.content SET body = 'another' WHERE body = 'the text of two'",
    );
    let two = "agent:a#two".parse().unwrap();
    assert!(matches!(store.get(&two), Err(Error::DamagedNote { what }) if what == "agent:a#two"));
    let scope: Scope = "agent:a".parse().unwrap();
    let whole = store.select(&waynote::Filter::Scopes(vec![scope])).unwrap();
    assert_eq!(whole.len(), 3);
    assert_eq!(store.take_damage().notes, ["agent:a#two"]);
    let problems = |sql: &str| {
        cluster.sql_in(&name, sql);
        store.verify().unwrap().problems
    };
    for (damage, mend, named) in [
        (
            "SELECT 1",
            "UPDATE waynote.content SET body = 'the text of two' WHERE body = 'another'",
            "agent:a#two@1 is damaged",
        ),
        (
            "UPDATE waynote.note SET author = 'x' WHERE key = 'one'",
            "UPDATE waynote.note SET author = 'person' WHERE key = 'one'",
            "agent:a#one does not match its journal",
        ),
        (
            "UPDATE waynote.scope SET notes = 9",
            "UPDATE waynote.scope SET notes = 4",
            "agent:a has a wrong count of notes",
        ),
        (
            "UPDATE waynote.journal SET forgotten_at = 1 WHERE key = 'one'",
            "UPDATE waynote.journal SET forgotten_at = NULL",
            "agent:a#one has a revision that is only half forgotten",
        ),
        (
            "INSERT INTO waynote.content SELECT store, 'x', 'x' FROM waynote.store",
            "DELETE FROM waynote.content WHERE body = 'x'",
            "contents without a revision: 1",
        ),
        (
            "UPDATE waynote.journal SET position = 40 WHERE position = 4",
            "UPDATE waynote.journal SET position = 4 WHERE position = 40",
            "the store says that its last position is 4: there are 4 rows with 4 positions, up to 40",
        ),
        (
            "UPDATE waynote.store SET head = 7",
            "UPDATE waynote.store SET head = 4",
            "the store says that its last position is 7: there are 4 rows with 4 positions, up to 4",
        ),
    ] {
        let problems = problems(damage);
        assert!(
            problems.iter().any(|problem| problem == named),
            "{problems:?}"
        );
        cluster.sql_in(&name, mend);
    }
    assert!(store.verify().unwrap().is_clean());
    // A writer never counts on from a wrong position.
    cluster.sql_in(&name, "UPDATE waynote.store SET head = 3");
    let options = SaveOptions::default().limits(Limits::NONE);
    let refused = notes.save(
        &"five".parse().unwrap(),
        Content::text("five").unwrap(),
        options,
        &stamp,
    );
    assert_eq!(refused.unwrap_err().kind(), "engine");
    cluster.sql_in(&name, "UPDATE waynote.store SET head = 4");
    store.rebuild_index().unwrap();
    assert!(store.verify().unwrap().is_clean());
}
