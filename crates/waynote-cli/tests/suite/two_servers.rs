//! Two servers over one database behind a balancer: either may die, and nothing is lost, doubled or out of order.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waynote::store::{Cursor, Happened};
use waynote::{Reader as _, Store as _};
use waynote_test_postgres::Proxy;

use super::common::Scratch;
use super::http::{Answer, follow, send};
use super::postgres::its_server;
use super::served::Served;

/// The store, as both servers have it.
const STORE: &str = "/s/team";

/// The longest wait for progress.
const PATIENCE: Duration = Duration::from_secs(120);

/// `waynote serve`, on a machine of its own as far as it knows, until it is dropped.
struct Server {
    served: Served,
    address: SocketAddr,
}

impl Server {
    fn start(scratch: &Scratch, url: &str) -> Self {
        let store = format!("team={url}");
        let served = Served::start(scratch, ["--rate", "0", "--store", &store]);
        let address = served.url.strip_prefix("http://").unwrap();
        let address = address.parse().unwrap();
        Self { served, address }
    }
}

/// A number of the environment, for more than the gate has time for.
fn number(name: &str, usual: usize) -> usize {
    let given = std::env::var(name).ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(usual)
}

/// The progress of the clients, and the signal for them to end.
#[derive(Default)]
struct Work {
    is_over: AtomicBool,
    acknowledged: AtomicUsize,
    /// Requests that were sent again, because their connection ended before the answer.
    repeated: AtomicUsize,
    /// The texts that were acknowledged.
    texts: Mutex<BTreeSet<String>>,
}

impl Work {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }

    fn acknowledge(&self, text: String) {
        assert!(self.texts.lock().unwrap().insert(text));
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
    }

    /// Sends a request until there is an answer. Returns how often it was sent again.
    fn sure(&self, mut send: impl FnMut() -> std::io::Result<Answer>) -> (Answer, usize) {
        let begin = Instant::now();
        let mut again = 0;
        loop {
            match send() {
                Ok(answer) => return (answer, again),
                Err(error) => assert!(begin.elapsed() < PATIENCE, "no answer: {error}"),
            }
            self.repeated.fetch_add(1, Ordering::SeqCst);
            again += 1;
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until so many more writes are acknowledged.
    fn more(&self, writes: usize) {
        let until = self.acknowledged.load(Ordering::SeqCst) + writes;
        let begin = Instant::now();
        while self.acknowledged.load(Ordering::SeqCst) < until {
            assert!(self.goes_on(), "a client has failed");
            assert!(begin.elapsed() < PATIENCE, "the clients do not go on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Ends the work if its thread panics, so that the other threads end too.
struct Ends<'w>(&'w Work);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_over.store(true, Ordering::SeqCst);
        }
    }
}

/// A client of the API: four reads for each write.
fn client(address: SocketAddr, client: usize, work: &Work) {
    let _ends = Ends(work);
    let notes = format!("{STORE}/api/v1/notes/agent%3Aclient-{client}%23");
    let entries = format!("{STORE}/api/v1/sessions/night-{client}/entries");
    let mut number = 0;
    while work.goes_on() {
        let text = format!("client {client} wrote {number}");
        let (request, body) = match number % 4 {
            0 | 2 => (
                format!("PUT {notes}k{number}"),
                json!({ "content": text, "limits": { "max_notes": 0 } }),
            ),
            1 => (
                format!("POST {entries}"),
                json!({ "type": "stuck", "content": text }),
            ),
            _ => {
                let stuck = format!("client {client} wrote {}", number - 2);
                (
                    format!("POST {entries}"),
                    json!({ "type": "learning", "content": text, "resolves": stuck }),
                )
            }
        };
        let key = format!("Idempotency-Key: {client}-{number}");
        let (made, again) = work.sure(|| send(address, &request, &[&key], &body));
        // The first one that is sent may not say that it was carried out before.
        let is_made = made.status == 201 || (again > 0 && made.status == 200);
        assert!(is_made, "{request} {body}: {made:?}");
        work.acknowledge(text);
        for turn in 0..4 {
            // Every acknowledged write is there, on whichever server.
            let wrote = match turn {
                0 => number,
                turn => (number * 7 + turn) % (number + 1),
            };
            // Those of odd numbers are entries of the log.
            let wrote = wrote - wrote % 2;
            let request = format!("GET {notes}k{wrote}");
            let (read, _) = work.sure(|| send(address, &request, &[], &Value::Null));
            let expected = format!("client {client} wrote {wrote}");
            assert_eq!(read.body["content"], expected, "{request}: {read:?}");
        }
        number += 1;
    }
}

/// The items that a reader of the feed has read.
#[derive(Default)]
struct Reading {
    items: Mutex<Vec<Value>>,
    /// How often its connection ended.
    ended: AtomicUsize,
    is_over: AtomicBool,
}

/// Reads the feed from its start, and continues when a connection ends.
fn reader(address: SocketAddr, reading: &Reading) {
    let goes_on = || !reading.is_over.load(Ordering::SeqCst);
    let mut last = "start".to_owned();
    while goes_on() {
        let path = format!("{STORE}/api/v1/changes");
        let after = last.clone();
        let _ = follow(address, &path, &after, &goes_on, |id, item| {
            reading.items.lock().unwrap().push(item);
            last = id;
        });
        if goes_on() {
            reading.ended.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Ends the readers when it is dropped, even by a panic.
struct Stops<'r>(&'r [Reading], &'r Work);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.1.is_over.store(true, Ordering::SeqCst);
        for reading in self.0 {
            reading.is_over.store(true, Ordering::SeqCst);
        }
    }
}

/// `WAYNOTE_TEST_CLIENTS` sets the number of clients, `WAYNOTE_TEST_WRITES` how often each writes between two events,
/// and
/// `WAYNOTE_TEST_ROUNDS` how often each server is killed.
#[test]
fn either_of_two_servers_dies_and_nothing_is_lost_or_doubled() {
    let Some(database) = its_server() else { return };
    let url = database.store_url();
    let machines = [Scratch::new(), Scratch::new()];
    machines[0].ok(&format!("stores create {url}"));
    let clients = number("WAYNOTE_TEST_CLIENTS", 8);
    let writes = clients * number("WAYNOTE_TEST_WRITES", 3);
    let rounds = number("WAYNOTE_TEST_ROUNDS", 1);
    let mut servers = machines.each_ref().map(|home| Server::start(home, &url));
    let balancer = Proxy::balancing(&servers.each_ref().map(|server| server.address.port()));
    let address = balancer.address();
    let work = Work::default();
    let readings: Vec<Reading> = (0..clients.div_ceil(8) + 1)
        .map(|_| Reading::default())
        .collect();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let _stops = Stops(&readings, &work);
        for reading in &readings {
            scope.spawn(|| reader(address, reading));
        }
        let working: Vec<_> = (0..clients)
            .map(|number| {
                let work = &work;
                scope.spawn(move || client(address, number, work))
            })
            .collect();
        work.more(writes);
        for _ in 0..rounds {
            for dies in 0..servers.len() {
                servers[dies].served.kill();
                // The other one alone.
                work.more(writes);
                servers[dies] = Server::start(&machines[dies], &url);
                balancer.replace(dies, servers[dies].address.port());
                let before = balancer.connections()[dies];
                work.more(writes);
                assert!(balancer.connections()[dies] > before);
            }
        }
        work.is_over.store(true, Ordering::SeqCst);
        working
            .into_iter()
            .for_each(|client| client.join().unwrap());
        let store = waynote_postgres::Options::of_url(&url).and_then(waynote_postgres::open);
        let head = store.and_then(|store| store.version()).unwrap().position;
        let head = head.unwrap().to_string();
        let is_read = |reading: &Reading| {
            let items = reading.items.lock().unwrap();
            items.last().is_some_and(|item| item["at"] == head.as_str())
        };
        let begin = Instant::now();
        while !readings.iter().all(is_read) {
            assert!(
                begin.elapsed() < PATIENCE,
                "the feed does not get to {head}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let took = begin.elapsed();
    let texts = work.texts.into_inner().unwrap();
    check_store(&url, &texts);
    let mut ended = 0;
    for reading in readings {
        let items = reading.items.into_inner().unwrap();
        check_feed(&items, &texts);
        let times = reading.ended.into_inner();
        // It was at one of the two, and both have died.
        assert!(times >= rounds, "ended {times} times");
        ended += times;
    }
    eprintln!(
        "{clients} clients, each server killed {rounds} times: {} acknowledged writes in {took:.1?}, {} requests sent \
         again, the feed continued {ended} times",
        texts.len(),
        work.repeated.into_inner(),
    );
}

/// Checks that each text is there once, and no other text.
fn check_texts<'t>(found: impl Iterator<Item = &'t str>, texts: &BTreeSet<String>) {
    let mut found: Vec<&str> = found.collect();
    found.sort_unstable();
    let pairs = found.iter().zip(texts);
    let differs = pairs.clone().find(|(found, text)| *found != text);
    assert_eq!(
        differs, None,
        "a text that was acknowledged is lost or there twice"
    );
    assert_eq!(found.len(), texts.len());
}

/// Nothing is lost or doubled, and positions have no gap.
fn check_store(url: &str, texts: &BTreeSet<String>) {
    let options = waynote_postgres::Options::of_url(url).unwrap();
    let store = waynote_postgres::open(options).unwrap();
    let feed = store.feed(Cursor::START, usize::MAX).unwrap();
    let written = feed.iter().filter_map(|item| match &item.happened {
        Happened::Changed(revision) => {
            let note = revision.note().expect("nobody deletes");
            Some(note.content.shown().into_owned())
        }
        _ => None,
    });
    let written: Vec<String> = written.collect();
    check_texts(written.iter().map(String::as_str), texts);
    assert!(
        feed.iter()
            .zip(1..)
            .all(|(item, number)| item.at.to_string() == i64::to_string(&number))
    );
    let report = store.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
}

/// A reader has read every item once, in the order of the store.
fn check_feed(items: &[Value], texts: &BTreeSet<String>) {
    for (item, number) in items.iter().zip(1..) {
        assert_eq!(item["at"], i64::to_string(&number));
    }
    let read = items
        .iter()
        .filter_map(|item| item["changed"]["note"]["content"].as_str());
    check_texts(read, texts);
}

#[test]
fn what_is_said_to_one_server_holds_at_the_other_at_once() {
    let Some(database) = its_server() else { return };
    let url = database.store_url();
    let machines = [Scratch::new(), Scratch::new()];
    machines[0].ok(&format!("stores create {url}"));
    let [one, other] = machines.each_ref().map(|home| Server::start(home, &url));
    let [one, other] = [&one, &other].map(|server| server.address);
    // The same call at both servers: the second one returns the first one's answer.
    let note = format!("{STORE}/api/v1/notes/agent%3Aa%23twice");
    let calls = [
        (format!("PUT {note}"), json!({ "content": "one" })),
        (format!("PUT {note}"), json!({ "content": "two" })),
        (format!("POST {note}/undo"), json!({})),
        (format!("POST {note}/redo"), json!({})),
        (format!("DELETE {note}"), Value::Null),
        (format!("POST {note}/restore"), json!({ "revision": 1 })),
    ];
    for (number, (request, body)) in (0..).zip(&calls) {
        let key = format!("Idempotency-Key: call-{number}");
        let call = |server| {
            let made = send(server, request, &[&key], body).unwrap();
            (made.status, made.body)
        };
        let (first, second) = (call(one), call(other));
        assert!(first.0 < 300, "{request}: {first:?}");
        assert_eq!(first, second, "{request}");
    }
    let history = send(other, &format!("GET {note}/history"), &[], &Value::Null).unwrap();
    let revisions = history.body["revisions"].as_array().map(Vec::len);
    assert_eq!(revisions, Some(calls.len()), "{history:?}");
    // A write with a revision that the other has made obsolete.
    let note = format!("{STORE}/api/v1/notes/agent%3Aa%23deploy");
    let put = |server, text: &str, headers: &[&str]| {
        let made = send(
            server,
            &format!("PUT {note}"),
            headers,
            &json!({ "content": text }),
        );
        made.unwrap().status
    };
    assert_eq!(put(one, "ship", &[]), 201);
    assert_eq!(put(other, "ship twice", &["If-Match: \"1\""]), 200);
    assert_eq!(put(one, "ship thrice", &["If-Match: \"1\""]), 412);
    // Work that no server can do is left to the administrator, whichever way the store is reached.
    let there = format!("--store http://{one}{STORE}");
    machines[1].ok(&format!("{there} key save zz canary"));
    let forgotten = machines[1].run(&format!("{there} forget agent:default#zz --yes"));
    let said = forgotten.said();
    assert!(!said.starts_with("exit "), "{said}");
    assert!(said.contains("waynote stores vacuum --full"), "{said}");
    // A token, from when it is made until it is revoked.
    let read = |server, token: &str| {
        let header = format!("Authorization: Bearer {token}");
        let read = send(server, &format!("GET {note}"), &[&header], &Value::Null);
        read.unwrap().status
    };
    let made = machines[0].json(&format!("--store {url} token create ci --read --json"));
    let token = made["token"].as_str().unwrap();
    assert_eq!([read(one, token), read(other, token)], [200, 200]);
    assert_eq!([read(one, "wn_no"), read(other, "wn_no")], [401, 401]);
    machines[1].ok(&format!("--store {url} token revoke ci"));
    assert_eq!([read(one, token), read(other, token)], [401, 401]);
}
