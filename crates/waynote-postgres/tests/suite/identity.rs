//! A password that is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, store_at};

/// The words of a server about an attempt, without the numbers of this run.
fn said(cluster: &Cluster, options: Options) -> String {
    match open(options) {
        Ok(_) => "open".to_owned(),
        Err(error) => {
            let text = format!("{}: {error}", error.kind());
            text.replace(&cluster.port().to_string(), "PORT")
        }
    }
}

#[test]
fn a_password_is_asked_for_by_each_new_connection() {
    if !has_postgres() {
        return skipped("a_password_is_asked_for_by_each_new_connection");
    }
    let cluster = Cluster::start(&Setup {
        tcp: true,
        access: "host all team 127.0.0.1/32 scram-sha-256".into(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE team LOGIN SUPERUSER PASSWORD 'first-word'");
    let url = store_at("team", cluster.port());
    let asked = Arc::new(AtomicU32::new(0));
    let at = |word: &'static str| {
        let asked = Arc::clone(&asked);
        let options = Options::of_url(&url).unwrap();
        options.password_from(move || {
            asked.fetch_add(1, Ordering::SeqCst);
            match word {
                "" => Err("the command failed".to_owned()),
                word => Ok(word.to_owned()),
            }
        })
    };
    let tried = |options| said(&cluster, options);
    stores::create(at("first-word")).unwrap();
    assert_eq!(
        tried(at("second-word").password("first-word".to_owned())),
        "open"
    );
    asked.store(0, Ordering::SeqCst);
    let store = open(at("first-word")).unwrap();
    store.engine().try_write().unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1, "one connection");
    insta::assert_snapshot!(tried(at("second-word")), @r#"server_refuses: the server of postgres://team@127.0.0.1:PORT/postgres?store=s refuses: password authentication failed for user "team""#);
    insta::assert_snapshot!(tried(at("")), @"password_unknown: there is no password for the server of postgres://team@127.0.0.1:PORT/postgres: the command failed");
}
