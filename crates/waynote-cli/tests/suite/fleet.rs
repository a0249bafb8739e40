//! `waynote serve --database URL`: every store of the database under its name.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};

use super::common::Scratch;
use super::http::{get, send};
use super::served::Served;

/// A database and a server of its stores.
struct Fleet {
    scratch: Scratch,
    database: String,
    served: Served,
    address: SocketAddr,
    cluster: Cluster,
}

impl Fleet {
    fn start(stores: &[&str]) -> Option<Self> {
        if !has_postgres() {
            skipped("the tests of `serve --database` in waynote-cli");
            return None;
        }
        let cluster = Cluster::start(&Setup::default());
        let scratch = Scratch::new();
        let database = cluster.database("notes");
        for name in stores {
            scratch.ok(&format!("stores create {}", with_store(&database, name)));
        }
        let served = Served::start(&scratch, ["--rate", "0", "--database", &database]);
        let address = served.url.strip_prefix("http://").unwrap();
        Some(Self {
            address: address.parse().unwrap(),
            scratch,
            database,
            served,
            cluster,
        })
    }

    fn store(&self, name: &str) -> String {
        with_store(&self.database, name)
    }

    fn token(&self, store: &str, words: &str) -> String {
        let url = self.store(store);
        let made = self
            .scratch
            .json(&format!("--store {url} token create {words} --json"));
        made["token"].as_str().unwrap().to_owned()
    }

    /// The status of a read.
    fn read(&self, path: &str, token: &str) -> u16 {
        let header = format!("Authorization: Bearer {token}");
        let headers = if token.is_empty() {
            vec![]
        } else {
            vec![header.as_str()]
        };
        let read = send(self.address, &format!("GET {path}"), &headers, &Value::Null);
        read.unwrap().status
    }

    fn scopes(&self, store: &str, token: &str) -> u16 {
        self.read(&format!("/s/{store}/api/v1/notes"), token)
    }
}

#[test]
fn each_store_of_a_database_is_served_for_its_own_tokens() {
    let Some(fleet) = Fleet::start(&["team", "other"]) else {
        return;
    };
    let scratch = &fleet.scratch;
    // Until a store has a token, this machine needs none.
    assert_eq!(fleet.scopes("team", ""), 200);
    assert_eq!(fleet.scopes("none", ""), 404);
    let ci = fleet.token("team", "ci --read");
    let its = fleet.token("other", "its --admin");
    for (store, token, status) in [
        ("team", &*ci, 200),
        ("team", &its, 401),
        ("team", "", 401),
        ("other", &its, 200),
        ("other", &ci, 401),
        ("none", &its, 401),
        ("no%20name", &its, 401),
    ] {
        assert_eq!(fleet.scopes(store, token), status, "{store}");
    }
    // Made, dropped and made anew while the server runs.
    for round in 0..2 {
        let late = fleet.store("late");
        scratch.ok(&format!("stores create {late}"));
        let token = fleet.token("late", "late --read");
        assert_eq!(fleet.scopes("late", &token), 200, "{round}");
        scratch.ok(&format!("stores drop {late} --yes"));
        assert_eq!(fleet.scopes("late", &token), 401, "{round}");
    }
    // However many stores there are, the database has one label.
    let figures = get(&format!("{}/metrics", fleet.served.url), None);
    assert!(figures.contains("/notes\"} 1"), "{figures}");
    assert!(!figures.contains("store=\"team\""), "{figures}");
    assert_eq!(fleet.read("/readyz", ""), 200);
    let named = scratch.run(&format!("serve --database {}", fleet.store("team")));
    let said = named.said();
    assert!(said.contains("leave out `store=NAME`"), "{said}");
}

#[test]
fn a_feed_of_a_store_that_was_found_has_what_other_programs_write() {
    let Some(fleet) = Fleet::start(&["other"]) else {
        return;
    };
    let mut stream = TcpStream::connect(fleet.address).unwrap();
    let asked = format!(
        "GET /s/other/api/v1/changes HTTP/1.1\r\nHost: {}\r\n\r\n",
        fleet.address
    );
    stream.write_all(asked.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("retry:")));
    let other = fleet.store("other");
    fleet
        .scratch
        .ok(&format!("--store {other} key save deploy ship"));
    assert!(lines.any(|line| line.starts_with("data:") && line.contains("agent:default#deploy")));
    // Tools over HTTP.
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "note_show", "arguments": { "key": "deploy" } } });
    let accept = "Accept: application/json, text/event-stream";
    let called = send(fleet.address, "POST /s/other/mcp", &[accept], &call).unwrap();
    assert!(called.body.to_string().contains("ship"), "{called:?}");
}

#[test]
fn a_server_starts_without_its_database_and_serves_it_when_it_comes_back() {
    let Some(mut fleet) = Fleet::start(&["team"]) else {
        return;
    };
    assert_eq!(fleet.scopes("team", ""), 200);
    fleet.cluster.kill();
    assert_eq!(fleet.read("/readyz", ""), 503);
    let scratch = Scratch::new();
    let second = Served::start(&scratch, ["--database", &fleet.database]);
    let address: SocketAddr = second.url.strip_prefix("http://").unwrap().parse().unwrap();
    let scopes = || {
        let route = "GET /s/team/api/v1/notes";
        send(address, route, &[], &Value::Null).unwrap()
    };
    let away = scopes();
    assert_eq!(
        (away.status, &away.body["kind"]),
        (503, &json!("server_away"))
    );
    let shown = fleet.cluster.folder().display().to_string();
    assert!(!away.body.to_string().contains(&shown), "{away:?}");
    fleet.cluster.run();
    assert_eq!(scopes().status, 200);
    assert_eq!(fleet.scopes("team", ""), 200);
}
