//! `waynote serve --database URL`: every store of a database under its name.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waynote_test_postgres::{Cluster, Does, Proxy, Setup, has_postgres, skipped, with_store};

use super::common::Scratch;
use super::http::{exchange, get, send, submit};
use super::served::Served;

/// Two databases and a server of both. The store `ops` of the first has its administrators.
struct Fleet {
    scratch: Scratch,
    one: String,
    two: String,
    served: Served,
    address: SocketAddr,
    _cluster: Cluster,
}

impl Fleet {
    fn start(stores: &[(usize, &str)]) -> Option<Self> {
        if !has_postgres() {
            skipped("the tests of `serve --database` in waynote-cli");
            return None;
        }
        let cluster = Cluster::start(&Setup::default());
        let scratch = Scratch::new();
        let databases = ["one", "two"].map(|name| cluster.database(name));
        for (database, name) in stores {
            scratch.ok(&format!(
                "stores create {}",
                with_store(&databases[*database], name)
            ));
        }
        let [one, two] = databases;
        let second = match stores.contains(&(1, "admins")) {
            true => with_store(&two, "admins"),
            false => two.clone(),
        };
        let served = Served::start(
            &scratch,
            [
                "--rate",
                "0",
                "--database",
                &with_store(&one, "ops"),
                "--database",
                &second,
            ],
        );
        let address = served.url.strip_prefix("http://").unwrap();
        Some(Self {
            address: address.parse().unwrap(),
            scratch,
            one,
            two,
            served,
            _cluster: cluster,
        })
    }

    fn token(&self, database: &str, store: &str, words: &str) -> String {
        let url = with_store(database, store);
        let made = self
            .scratch
            .json(&format!("--store {url} token create {words} --json"));
        made["token"].as_str().unwrap().to_owned()
    }

    /// The status and the kind of problem of a read.
    fn read(&self, path: &str, token: &str) -> (u16, String) {
        let header = format!("Authorization: Bearer {token}");
        let headers = if token.is_empty() {
            vec![]
        } else {
            vec![header.as_str()]
        };
        let read = send(self.address, &format!("GET {path}"), &headers, &Value::Null).unwrap();
        let kind = read.body["kind"].as_str().unwrap_or_default();
        (read.status, kind.to_owned())
    }

    fn scopes(&self, store: &str, token: &str) -> (u16, String) {
        self.read(&format!("/s/{store}/api/v1/scopes"), token)
    }
}

#[test]
fn each_store_of_a_database_is_served_for_its_own_tokens_and_for_administrators() {
    let all = [
        (0, "ops"),
        (0, "team"),
        (0, "both"),
        (1, "both"),
        (1, "other"),
    ];
    let Some(fleet) = Fleet::start(&all) else {
        return;
    };
    let Fleet {
        scratch, one, two, ..
    } = &fleet;
    // Until there is a token, this machine needs none.
    assert_eq!(fleet.scopes("team", "").0, 200);
    let [root, clerk] =
        ["root --admin", "clerk --write"].map(|words| fleet.token(one, "ops", words));
    let ci = fleet.token(one, "team", "ci --read");
    let its = fleet.token(two, "other", "its --read");
    let expected = [
        ("team", &*root, 200),
        ("team", &ci, 200),
        ("team", &clerk, 401),
        ("team", &its, 401),
        ("team", "", 401),
        ("ops", &root, 200),
        ("ops", &clerk, 200),
        ("ops", &ci, 401),
        ("other", &its, 200),
        ("other", &root, 401),
        // One of the two databases is not theirs.
        ("none", &root, 401),
        ("no%20name", &root, 401),
    ];
    for (store, token, status) in expected {
        assert_eq!(fleet.scopes(store, token).0, status, "{store}");
    }
    assert_eq!(fleet.scopes("both", &root), (409, "store_twice".into()));
    // An administrator writes by the usual means, and the server of the database has it at once.
    scratch.put("root.token", &root);
    let there = format!(
        "--store {}/s/team --token-file ~/root.token",
        fleet.served.url
    );
    scratch.ok(&format!("{there} key save deploy ship"));
    // Nobody takes the token of an administrator for one of the store that has its name.
    let root_of_team = fleet.token(one, "team", "root --write");
    let note = json!({ "content": "ship" });
    for (token, author) in [(&root, "admin:root"), (&root_of_team, "token:root")] {
        let header = format!("Authorization: Bearer {token}");
        let route = "PUT /s/team/api/v1/notes/place%3A%7E%2Fp";
        send(fleet.address, route, &[&header], &note).unwrap();
        let route = "GET /s/team/api/v1/notes/place%3A%7E%2Fp";
        let read = send(fleet.address, route, &[&header], &Value::Null).unwrap();
        assert_eq!(read.body["author"], author, "{read:?}");
    }
    let team = with_store(one, "team");
    let tokens = scratch.json(&format!("{there} token list --json"));
    assert!(tokens.to_string().contains("\"ci\""), "{tokens}");
    assert!(
        scratch
            .ok(&format!("--store {team} key list"))
            .contains("deploy")
    );
    // Made and dropped while the server runs, and made anew in another database.
    assert_eq!(fleet.scopes("late", &root).0, 401);
    scratch.ok(&format!("stores create {}", with_store(one, "late")));
    assert_eq!(fleet.scopes("late", &root).0, 200);
    assert_eq!(fleet.read("/readyz/late", "").0, 200);
    scratch.ok(&format!("stores drop {} --yes", with_store(one, "late")));
    assert_eq!(fleet.scopes("late", &root).0, 401);
    assert_eq!(fleet.read("/readyz/late", "").0, 503);
    scratch.ok(&format!("stores create {}", with_store(two, "late")));
    let late = fleet.token(two, "late", "late --read");
    assert_eq!(fleet.scopes("late", &late).0, 200);
    assert_eq!(fleet.scopes("late", &root).0, 401);
    // The same database twice would make every name ambiguous.
    let twice = scratch
        .run(&format!("serve --database {one} --database {one}"))
        .said();
    assert!(twice.contains("is named twice"), "{twice}");
}

#[test]
fn the_page_lists_the_stores_for_an_administrator_and_figures_name_the_database() {
    let all = [(0, "ops"), (0, "team"), (1, "other"), (1, "admins")];
    let Some(fleet) = Fleet::start(&all) else {
        return;
    };
    let url = &fleet.served.url;
    // A server that needs no token hides nothing.
    let listed = |cookie: Option<&str>| {
        let page = get(&format!("{url}/"), cookie);
        ["ops", "team", "other"].map(|name| page.contains(&format!("href=\"/s/{name}/\"")))
    };
    assert_eq!(listed(None), [true; 3]);
    let root = fleet.token(&fleet.one, "ops", "root --admin");
    assert_eq!(fleet.scopes("team", "").0, 401);
    assert_eq!(listed(None), [false; 3]);
    // Signed in at any store of the database, an administrator is at home in all of them.
    let signed_in = submit(
        &format!("{url}/s/team/sign-in"),
        "",
        &format!("token={root}"),
    );
    let cookie = &*cookie_for_all(&signed_in);
    assert_eq!(listed(Some(cookie)), [true, true, false]);
    for store in ["ops", "team"] {
        let page = get(&format!("{url}/s/{store}/notes"), Some(cookie));
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    }
    // `/` signs in too, and an administrator of both databases keeps both.
    assert!(get(&format!("{url}/"), None).contains("href=\"/sign-in\""));
    let boss = fleet.token(&fleet.two, "admins", "boss --admin");
    let sign_in =
        |token: &str| submit(&format!("{url}/sign-in"), cookie, &format!("token={token}"));
    let wrong = sign_in("wn_nonsense");
    assert!(wrong.starts_with("HTTP/1.1 401"), "{wrong}");
    let both = format!("{cookie}; {}", cookie_for_all(&sign_in(&boss)));
    assert_eq!(listed(Some(&both)), [true; 3]);
    let out = submit(&format!("{url}/s/ops/sign-out"), &both, "");
    assert_eq!(listed(Some(&both)), [false, false, true]);
    assert!(out.starts_with("HTTP/1.1 303"), "{out}");
    assert_eq!(listed(Some(cookie)), [false; 3]);
    // However many stores there are, a database has one label.
    let figures = get(&format!("{url}/metrics"), None);
    assert!(figures.contains("/one\"} 1"), "{figures}");
    assert!(!figures.contains("store=\"team\""), "{figures}");
    assert!(figures.contains("waynote_stores_open 2"), "{figures}");
    assert_eq!(fleet.read("/readyz", "").0, 200);
}

#[test]
fn a_feed_of_a_store_that_was_found_has_what_other_programs_write() {
    let Some(fleet) = Fleet::start(&[(0, "ops"), (1, "other")]) else {
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
    let other = with_store(&fleet.two, "other");
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
fn a_database_that_is_away_gives_no_address_away_and_its_doubles_are_not_served() {
    if !has_postgres() {
        return skipped("the test of a database that is away in waynote-cli");
    }
    let [mut away, here] = [(), ()].map(|()| Cluster::start(&Setup::default()));
    let scratch = Scratch::new();
    let urls = [&away, &here].map(|cluster| cluster.database("notes"));
    for (url, name) in [(0, "both"), (1, "both"), (0, "alone")].map(|(of, name)| (&urls[of], name))
    {
        scratch.ok(&format!("stores create {}", with_store(url, name)));
    }
    let words = [
        "--rate",
        "0",
        "--set",
        "lock_wait=1",
        "--database",
        &urls[0],
        "--database",
        &urls[1],
    ];
    let served = Served::start(&scratch, words);
    let address = served.url.strip_prefix("http://").unwrap().parse().unwrap();
    let read = |name: &str| {
        let route = format!("GET /s/{name}/api/v1/scopes");
        send(address, &route, &[], &Value::Null).unwrap()
    };
    assert_eq!((read("both").status, read("alone").status), (409, 200));
    away.kill();
    for name in ["both", "alone"] {
        let read = read(name);
        assert_eq!(
            (read.status, &read.body["kind"]),
            (503, &json!("server_away")),
            "{name}"
        );
        let text = read.body.to_string();
        assert!(
            !text.contains("://") && !text.contains("127.0.0.1"),
            "{text}"
        );
    }
}

/// The cookie of an administrator, from the answer that set it.
fn cookie_for_all(answer: &str) -> String {
    let mut set = answer
        .lines()
        .filter_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = set.rfind(|cookie| cookie.contains("Path=/;"));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next());
    cookie.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn nobody_waits_long_for_a_database_that_is_away_but_a_writer_who_is_known() {
    if !has_postgres() {
        return skipped("the test of waits for a database in waynote-cli");
    }
    // At once: most of their time is waiting.
    std::thread::scope(|scope| {
        for stands_still in [false, true] {
            scope.spawn(move || nobody_waits_long(stands_still));
        }
    });
}

/// For a database that is killed, or for one that keeps its connections and says nothing more.
fn nobody_waits_long(stands_still: bool) {
    let [mut away, here] = [(), ()].map(|()| Cluster::tcp());
    let scratch = Scratch::new();
    let proxy = Proxy::start(away.port());
    away.database("notes");
    let far = format!(
        "postgres://waynote@{}/notes?sslmode=disable",
        proxy.address()
    );
    let urls = [far, here.database("notes")];
    for (of, name) in [(0, "ops"), (0, "team"), (1, "other")] {
        scratch.ok(&format!("stores create {}", with_store(&urls[of], name)));
    }
    let ops = with_store(&urls[0], "ops");
    let made = scratch.json(&format!("--store {ops} token create root --admin --json"));
    let root = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    let junk = format!("Authorization: Bearer wn_{}", "0".repeat(60));
    let words = [
        "--rate",
        "0",
        "--behind-proxy",
        "--database",
        &ops,
        "--database",
        &urls[1],
    ];
    let served = Served::start(&scratch, words);
    let address: SocketAddr = served.url.strip_prefix("http://").unwrap().parse().unwrap();
    let asked = |route: &str, headers: &[&str]| {
        let began = Instant::now();
        let answer = exchange(address, route, headers, &Value::Null).unwrap();
        let status: u16 = answer[9..12].parse().unwrap();
        (status, began.elapsed(), answer.to_lowercase())
    };
    let team = "GET /s/team/api/v1/scopes";
    assert_eq!(asked(team, &[&root]).0, 200);
    assert_eq!(asked("GET /metrics", &[&root]).0, 200);
    assert_eq!(asked("GET /s/none/api/v1/scopes", &[&junk]).0, 401);
    match stands_still {
        true => proxy.does(Does::Nothing),
        false => away.kill(),
    }
    let soon = Duration::from_secs(1);
    let names = ["team", "other", "none"];
    std::thread::scope(|scope| {
        let strangers = (0..60).map(|number| {
            let (asked, junk) = (&asked, &junk);
            scope.spawn(move || {
                let route = format!("GET /s/{}/api/v1/scopes", names[number % 3]);
                let (status, took, answer) = asked(&route, &[junk]);
                // Also for the store that is there: nobody finds out its name.
                assert_eq!(status, 503, "{route}: {answer}");
                assert!(answer.contains("retry-after: 1"), "{answer}");
                // Two steps, of at most three seconds each.
                assert!(took < Duration::from_secs(9), "{route}: {took:?}");
            })
        });
        let _all_at_once = strangers.collect::<Vec<_>>();
    });
    // Until it is known to be away, each call waits for it.
    let mut waits = (0..).map(|_| asked(team, &[&junk]).1);
    assert!(waits.by_ref().take(10).any(|took| took < soon));
    for headers in [&[&*root][..], &[&*junk]] {
        let (status, took, answer) = asked(team, headers);
        assert!(status == 503 && took < soon, "{took:?} {answer}");
    }
    let (status, took, _) = asked(team, &[]);
    assert!(status == 401 && took < soon, "{took:?}");
    // Figures are wanted most of all now.
    let (status, took, figures) = asked("GET /metrics", &[&root]);
    assert!(status == 200 && took < soon, "{took:?} {figures}");
    assert!(
        figures.contains("waynote_store_up{store=") && figures.contains("} 0"),
        "{figures}"
    );
    assert_eq!(
        ["", &junk].map(|header| asked("GET /metrics", &[header]).0),
        [401, 503]
    );
    // A writer goes on when the database is back, without a word from anybody.
    let note = json!({ "content": "ship" });
    let written = std::thread::scope(|scope| {
        let route = "PUT /s/team/api/v1/notes/place%3A%7E%2Fp";
        let write = scope.spawn(|| send(address, route, &[&root], &note).unwrap());
        match stands_still {
            true => proxy.does(Does::Forward),
            false => away.run(),
        }
        write.join().unwrap()
    });
    assert_eq!(written.status, 201, "{written:?}");
    assert_eq!(asked(team, &[&root]).0, 200);
    let log = std::fs::read_to_string(scratch.path("log")).unwrap();
    for part in [
        "\"event\":\"database_away\"",
        "\"event\":\"database_back\"",
        "\"store\":\"team\",\"token\":\"admin:root\"",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
}

#[test]
fn a_server_says_which_databases_it_cannot_ask_and_whoever_may_see_all_gets_404() {
    let Some(fleet) = Fleet::start(&[(0, "ops")]) else {
        return;
    };
    let root = fleet.token(&fleet.one, "ops", "root --admin");
    let ops = with_store(&fleet.one, "ops");
    let words = ["--behind-proxy", "--database", &ops];
    let one = Served::start(&fleet.scratch, words);
    let address = one.url.strip_prefix("http://").unwrap().parse().unwrap();
    let read = |header: &str| {
        let headers = ["X-Forwarded-For: 10.0.0.7, 192.0.2.1", header];
        send(address, "GET /s/none/api/v1/scopes", &headers, &Value::Null)
            .unwrap()
            .status
    };
    assert_eq!(read(&format!("Authorization: Bearer {root}")), 404);
    // The proxy says where strangers are, and they are limited as elsewhere.
    assert_eq!(read("Accept: */*"), 401);
    assert!((0..100).any(|_| read("Accept: */*") == 429));
    // A name that is not served is one that is not there, and the commands that give it say so.
    for words in [
        format!("stores create {}", with_store(&fleet.one, "c%20d")),
        format!("stores rename {ops} o%20p"),
    ] {
        let said = fleet.scratch.run(&words).said();
        assert!(said.contains("does not serve the store"), "{words}: {said}");
    }
    let refused = fleet
        .scratch
        .run(&format!("stores rename {ops} {ops}"))
        .said();
    assert!(refused.contains("the new name is an address"), "{refused}");
    // Neither stops the server.
    let none = fleet.two.replace("/two", "/none");
    let words = [
        "--database",
        &with_store(&fleet.two, "nope"),
        "--database",
        &none,
    ];
    let _served = Served::start(&fleet.scratch, words);
    let log = fleet.scratch.path("log");
    let says = |part: &str| std::fs::read_to_string(&log).unwrap().contains(part);
    let until = Instant::now() + Duration::from_secs(60);
    while !(says("there is no store") && says("\\\"none\\\" does not exist")) {
        assert!(
            Instant::now() < until,
            "{}",
            std::fs::read_to_string(&log).unwrap()
        );
        std::thread::yield_now();
    }
}

#[test]
fn a_store_of_administrators_that_is_made_anew_has_its_own() {
    let Some(fleet) = Fleet::start(&[(0, "ops"), (0, "team")]) else {
        return;
    };
    let root = fleet.token(&fleet.one, "ops", "root --admin");
    assert_eq!(fleet.scopes("team", &root).0, 200);
    let ops = with_store(&fleet.one, "ops");
    fleet.scratch.ok(&format!("stores drop {ops} --yes"));
    fleet.scratch.ok(&format!("stores create {ops}"));
    let other = fleet.token(&fleet.one, "ops", "other --admin");
    for store in ["team", "ops"] {
        assert_eq!(fleet.scopes(store, &other).0, 200, "{store}");
        assert_eq!(fleet.scopes(store, &root).0, 401, "{store}");
    }
    // Behind a proxy, a stranger finds out no names.
    let words = ["--rate", "0", "--behind-proxy", "--database", &ops];
    let behind = Served::start(&fleet.scratch, words);
    let address = behind.url.strip_prefix("http://").unwrap().parse().unwrap();
    let token = format!("Authorization: Bearer {other}");
    let readable = |name: &str, headers: &[&str]| {
        let route = format!("GET /readyz/{name}");
        send(address, &route, headers, &Value::Null).unwrap().status
    };
    assert_eq!(["team", "none"].map(|name| readable(name, &[])), [401; 2]);
    assert_eq!(readable("team", &[&token]), 200);
}

/// The page and the search of a server, for a store that it was given and for one that it finds.
#[test]
fn pages_and_searches_read_on_the_standby_of_the_address() {
    if !has_postgres() {
        return skipped("the test of `read_url` in waynote-cli");
    }
    let primary = Cluster::tcp();
    let scratch = Scratch::new();
    let url = with_store(&primary.url(), "s");
    scratch.ok(&format!("stores create {url}"));
    scratch.ok(&format!("--store {url} key save deploy ship"));
    let standby = Cluster::standby_of(&primary);
    let [near, far] = [&primary, &standby].map(|of| Proxy::start(of.port()));
    let url = format!(
        "postgres://waynote@{}/postgres?store=s&sslmode=disable&read_url=postgres://{}",
        near.address(),
        far.address()
    );
    let arrives = || {
        let head = "SELECT head FROM waynote.store";
        let until = Instant::now() + Duration::from_secs(60);
        while primary.sql(head) != standby.sql(head) {
            assert!(Instant::now() < until, "the standby is behind");
            std::thread::yield_now();
        }
    };
    arrives();
    let found = scratch.run(&format!("doctor --store {url}")).said();
    assert!(found.contains("is up to date"), "{found}");
    let named = format!("named={url}");
    let served = Served::start(&scratch, ["--store", &named, "--database", &url]);
    near.does(Does::Far(Duration::from_millis(25)));
    let trips = |store: &str, path: &str, expected: &str| {
        let before = near.trips();
        let read = get(&format!("{}/s/{store}/{path}", served.url), None);
        assert!(read.contains(expected), "{read}");
        near.trips() - before
    };
    for store in ["named", "s"] {
        for path in ["notes", "api/v1/search?q=ship"] {
            trips(store, path, "deploy");
            let usual = trips(store, path, "deploy");
            standby.sql("SELECT pg_wal_replay_pause()");
            scratch.ok(&format!("--store {url} key save {store} ship"));
            // Its own writes are not missed, and what it reads of others' neither.
            trips(store, path, store);
            let behind = trips(store, path, store);
            assert!(usual < behind, "{store} {path}: {usual} {behind}");
            standby.sql("SELECT pg_wal_replay_resume()");
            arrives();
            scratch.ok(&format!("--store {url} key delete {store}"));
            arrives();
        }
    }
    let password = url.replace("read_url=postgres://", "read_url=postgres://me:hunter2@");
    let said = scratch.run(&format!("key list --store {password}")).said();
    assert!(
        said.contains("has a password in it") && !said.contains("hunter2"),
        "{said}"
    );
}
