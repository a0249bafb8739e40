//! Reads that a standby answers.

use std::sync::Arc;

use waynote::store::SideValue;
use waynote::{Content, EngineStore, Places, Reader as _, SearchRequest, SideData as _};
use waynote_postgres::{Options, Postgres, StandbyReads, doctor, open, reading, stores};
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped};
use waynote_testing::values::at;

use super::writers::until;

type Stored = EngineStore<Postgres>;

#[test]
fn a_standby_answers_if_it_has_what_was_written() {
    if !has_postgres() {
        return skipped("a_standby_answers_if_it_has_what_was_written");
    }
    let primary = Cluster::tcp();
    let standby = Cluster::standby_of(&primary);
    let [first, second] = [&primary, &standby].map(|of| Proxy::start(of.port()));
    let url = format!(
        "postgres://waynote@127.0.0.1:{}/postgres?store=s&sslmode=disable&read_url=postgres://127.0.0.1:{}",
        first.port(),
        second.port()
    );
    let options = Options::of_url(&url).unwrap();
    stores::create(options.clone()).unwrap();
    let store = Arc::new(open(options.clone()).unwrap());
    let reading = reading(&store).unwrap().unwrap();
    let write_to = |store: &Stored, text: &str| {
        let content = Content::text(text).unwrap();
        let place = "~/p".parse().unwrap();
        Places::new(store).write(&place, content, &at(1)).unwrap();
    };
    let write = |text: &str| write_to(&store, text);
    let arrives = |number: &str| {
        until("the standby is behind", || {
            standby.sql("SELECT head FROM waynote.store") == number
        });
    };
    // Where the notes are read: each call is one of the two.
    let read_from = |reading: &EngineStore<StandbyReads>, text: &str| {
        let note = Places::new(reading).read(&"~/p".parse().unwrap());
        assert_eq!(note.unwrap().unwrap().content.shown(), text);
        let found = reading.search(&SearchRequest::new(text)).unwrap();
        assert_eq!(found.len(), 1);
    };
    let read = |text: &str| read_from(&reading, text);
    let primary_trips = |work: &dyn Fn()| {
        let before = first.trips();
        work();
        first.trips() - before
    };
    write("one");
    arrives("1");
    assert_eq!(primary_trips(&|| read("one")), 0);
    let found = doctor::examine(options.clone()).unwrap();
    let about = |found: &[doctor::Finding]| {
        let mut about = found.iter().map(|finding| finding.what.clone());
        about.find(|what| what.contains("standby") || what.contains("read_url"))
    };
    assert!(
        about(&found).unwrap().ends_with("is up to date"),
        "{found:?}"
    );

    standby.sql("SELECT pg_wal_replay_pause()");
    write("two");
    assert_ne!(primary_trips(&|| read("two")), 0);
    let found = doctor::examine(options.clone()).unwrap();
    assert!(
        about(&found).unwrap().ends_with("1 changes behind"),
        "{found:?}"
    );
    let value = || SideValue::new("k", b"v".to_vec());
    reading.put_side_values("s", &[value()], &[]).unwrap();
    assert_eq!(reading.side_values("s").unwrap(), [value()]);
    standby.sql("SELECT pg_wal_replay_resume()");
    arrives("2");
    assert_eq!(primary_trips(&|| read("two")), 0);

    // One call waits for it, and then it is left alone.
    second.does(Does::Nothing);
    assert_ne!(primary_trips(&|| read("two")), 0);
    let before = second.trips();
    read("two");
    assert_eq!(second.trips(), before);
    second.does(Does::Forward);
    until("the standby is not asked any more", || {
        primary_trips(&|| read("two")) == 0
    });

    // A store that is made anew while the standby has the old one.
    standby.sql("SELECT pg_wal_replay_pause()");
    stores::drop(options.clone()).unwrap();
    stores::create(options.clone()).unwrap();
    let anew = Arc::new(open(options).unwrap());
    let reading_anew = waynote_postgres::reading(&anew).unwrap().unwrap();
    write_to(&anew, "three");
    assert_ne!(primary_trips(&|| read_from(&reading_anew, "three")), 0);
    standby.sql("SELECT pg_wal_replay_resume()");
    arrives("1");
    assert_eq!(primary_trips(&|| read_from(&reading_anew, "three")), 0);
    let nobody = url.replace(&second.port().to_string(), "1");
    let found = doctor::examine(Options::of_url(&nobody).unwrap()).unwrap();
    assert!(
        about(&found).unwrap().starts_with("read_url: "),
        "{found:?}"
    );
}
