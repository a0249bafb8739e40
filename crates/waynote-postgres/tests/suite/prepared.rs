//! Statements with names: where they are used, where not, and what happens when the server does not know them any more.

use waynote::context::{Budget, Request, render};
use waynote::{EngineStore, Reader as _, Stamp, Store as _};
use waynote_postgres::{Options, Postgres, open};
use waynote_test_postgres::{
    Bouncer, Cluster, Proxy, Setup, has_pgbouncer, has_postgres, skipped, unused, with_store,
};
use waynote_testing::values::{key, save};

use super::stores::new_store;

fn cluster(test: &str) -> Option<Cluster> {
    if !has_postgres() {
        skipped(test);
        return None;
    }
    Some(Cluster::start(&Setup {
        settings: "log_statement = 'all'".into(),
        tcp: true,
        ..Setup::default()
    }))
}

/// A process with one connection, and a store of its own.
fn client(url: &str) -> EngineStore<Postgres> {
    let url = with_store(url, &unused("named"));
    new_store(&url);
    open(Options::of_url(&url).unwrap().connections(1)).unwrap()
}

fn stamp() -> Stamp {
    Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap())
}

fn add(store: &EngineStore<Postgres>, said: &str) {
    store.apply(&[save(key("one"), said)], &stamp()).unwrap();
}

fn block(store: &EngineStore<Postgres>) -> String {
    let request = Request::new("a".parse().unwrap(), "~/x".parse().unwrap(), stamp().now)
        .budget(Budget::default().tokens(800));
    render(store, &request).unwrap().text
}

/// How many statements are sent without a name, and with one.
fn sent(cluster: &Cluster, work: impl FnOnce()) -> [usize; 2] {
    let before = cluster.log().len();
    work();
    let log = cluster.log();
    ["execute <unnamed>: ", "execute s"].map(|how| log[before..].matches(how).count())
}

#[test]
fn names_are_used_where_no_pooler_is_in_between() {
    let Some(cluster) = cluster("names_are_used_where_no_pooler_is_in_between") else {
        return;
    };
    let proxy = Proxy::start(cluster.port());
    let through_proxy = cluster
        .tcp_url()
        .replace(&cluster.port().to_string(), &proxy.port().to_string());
    let bouncer = has_pgbouncer().then(|| Bouncer::start(&cluster, 2));
    let ways = [
        (cluster.url(), true),
        (cluster.tcp_url(), true),
        // It has another port, and passes everything on.
        (through_proxy, true),
    ];
    let pooled = bouncer.iter().map(|bouncer| (bouncer.url(), false));
    for (url, is_named) in ways.into_iter().chain(pooled) {
        let store = client(&url);
        let mut trips = store.engine().round_trips();
        for turn in 0..8 {
            let [unnamed, named] = sent(&cluster, || add(&store, &format!("words {turn}")));
            let [_, of_block] = sent(&cluster, || assert!(block(&store).contains("words")));
            match (is_named, turn) {
                // A process that ends soon pays for no names.
                (_, 0) | (false, _) => assert_eq!([named, of_block], [0, 0], "{turn}: {url}"),
                (true, 7) => assert!(unnamed == 0 && named > 4 && of_block > 4, "{url}"),
                _ => {}
            }
            let made = store.engine().round_trips() - trips;
            trips += made;
            assert!(turn == 0 || made <= 5, "{made} round trips: {url}");
        }
    }
    if bouncer.is_none() {
        skipped("names behind PgBouncer");
    }
}

/// The server forgets names, or has other tables, while a process runs on.
#[test]
fn a_name_that_is_gone_is_done_without() {
    let Some(cluster) = cluster("a_name_that_is_gone_is_done_without") else {
        return;
    };
    let column = |of: &str| format!("ALTER TABLE waynote.note ALTER author TYPE {of}");
    for (change, back) in [
        // A step that only adds, and changes the type of an answer.
        (
            format!(
                "BEGIN; {}; INSERT INTO waynote.migration SELECT version + 1, 'later', hash, made_at,
                     min_reader, reader, min_writer, writer FROM waynote.migration ORDER BY version DESC LIMIT 1; COMMIT",
                column("varchar")
            ),
            column("text"),
        ),
        // The names of the session go in the midst of a commit.
        (
            "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
                 'BEGIN EXECUTE ''DEALLOCATE ALL''; RETURN NULL; END';
             CREATE TRIGGER forget AFTER INSERT ON waynote.content EXECUTE FUNCTION forget()"
                .to_owned(),
            "DROP TRIGGER forget ON waynote.content".to_owned(),
        ),
    ] {
        let store = client(&cluster.url());
        let history = || store.history(&"agent:a#one".parse().unwrap()).unwrap();
        for turn in 0..6 {
            add(&store, &format!("words {turn}"));
            block(&store);
            history();
        }
        cluster.sql(&change);
        // A read meets it first, and then a write the way back.
        assert!(block(&store).contains("words 5"));
        add(&store, "more words");
        assert_eq!(history().len(), 7);
        cluster.sql(&back);
        add(&store, "last words");
        assert_eq!(history().len(), 8);
        assert!(block(&store).contains("last words"));
    }
}
