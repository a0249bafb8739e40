//! The feed: everything that happens, in one order, none lost or doubled.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use waynote::{Forget, LocalStore as _, Notebook, SaveOptions, Stamp, Store};
use waynote_server::{Limits, Rights};

use super::support::{PATIENCE, RunningServer, limited, now, start, start_with, wait_until};

const CHANGES: &str = "/s/notes/api/v1/changes";

/// A reader of a feed.
struct FeedReader {
    lines: BufReader<TcpStream>,
}

/// An item of a feed.
#[derive(Debug)]
struct Item {
    id: String,
    event: String,
    data: Value,
}

impl FeedReader {
    fn start(server: &RunningServer, query: &str, headers: &[&str]) -> Self {
        let mut stream = server.connect();
        let mut request = format!("GET {CHANGES}{query} HTTP/1.1\r\nHost: localhost\r\n");
        for header in headers.iter().chain(&[""]) {
            request.push_str(&format!("{header}\r\n"));
        }
        stream.write_all(request.as_bytes()).unwrap();
        let mut reading = Self {
            lines: BufReader::new(stream),
        };
        let lines = reading.lines.by_ref().lines().map(Result::unwrap);
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let head = head.join("\n");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        assert_eq!(reading.piece().unwrap(), "retry: 1000\n");
        reading
    }

    /// The next piece of the stream, which is one chunk; none at its end.
    fn piece(&mut self) -> Option<String> {
        let mut size = String::new();
        self.lines.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16)
            .ok()
            .filter(|size| *size > 0)?;
        let mut bytes = vec![0; size + 2];
        self.lines.read_exact(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        Some(text.strip_suffix("\n\r\n").unwrap().to_owned())
    }

    fn item(&mut self) -> Option<Item> {
        loop {
            let piece = self.piece()?;
            if piece.starts_with(':') {
                continue;
            }
            let field = |name: &str| {
                let line = piece
                    .lines()
                    .find_map(|line| line.strip_prefix(&format!("{name}: ")));
                line.unwrap_or_else(|| panic!("{name}: {piece}")).to_owned()
            };
            return Some(Item {
                id: field("id"),
                event: field("event"),
                data: serde_json::from_str(&field("data")).unwrap(),
            });
        }
    }

    fn keys(&mut self, count: usize) -> Vec<String> {
        (0..count)
            .map(|_| {
                let item = self.item().unwrap();
                let address = item.data["changed"]["address"].as_str().unwrap();
                address.split('#').next_back().unwrap().to_owned()
            })
            .collect()
    }
}

fn save(server: &RunningServer, key: &str) {
    let stamp = Stamp::new(now(), "person".parse().unwrap());
    let notebook = Notebook::of_agent(&server.store, "a".parse().unwrap());
    let content = waynote::Content::text(key).unwrap();
    let options = SaveOptions::default().limits(waynote::Limits::default().max_notes(0));
    notebook
        .save(&key.parse().unwrap(), content, options, &stamp)
        .unwrap();
}

fn keys(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("k{number}")).collect()
}

#[test]
fn a_feed_has_notes_events_and_forgettings_in_one_order() {
    let server = start();
    save(&server, "old");
    let mut reading = FeedReader::start(&server, "", &[]);
    let path = "/s/notes/api/v1/notes/agent%3Aa%23deploy";
    server.send("PUT", path, &[], r#"{"content":"one"}"#);
    let entries = "/s/notes/api/v1/sessions/night/entries";
    for entry in [
        r#"{"type":"stuck","content":"no memory"}"#,
        r#"{"type":"learning","content":"more memory","resolves":"no memory"}"#,
    ] {
        server.send("POST", entries, &[], entry);
    }
    let stamp = Stamp::new(now(), "person".parse().unwrap());
    let forget = Forget::new("agent:a#deploy".parse().unwrap());
    server.store.forget(&forget, &stamp).unwrap();
    let items: Vec<Item> = (0..6).map(|_| reading.item().unwrap()).collect();
    let events: Vec<&str> = items.iter().map(|item| item.event.as_str()).collect();
    assert_eq!(
        events,
        ["note", "note", "note", "event", "note", "forgotten"],
        "{items:#?}"
    );
    assert_eq!(items[0].data["changed"]["note"]["content"], "one");
    assert_eq!(items[3].data["event"]["event"]["event"], "resolved");
    assert_eq!(
        items[5].data["forgotten"]["revisions"],
        json!(["agent:a#deploy@1"])
    );
    // A forgotten text is in no later answer.
    let mut late = FeedReader::start(&server, "?after=start", &[]);
    let first: Vec<Item> = (0..2).map(|_| late.item().unwrap()).collect();
    assert_eq!(first[0].data["changed"]["address"], "agent:a#old");
    assert_eq!(first[1].data["changed"]["note"], Value::Null);
}

#[test]
fn a_reader_goes_on_where_it_was() {
    let server = start();
    let mut reading = FeedReader::start(&server, "?after=start", &[]);
    for key in keys(0..3) {
        save(&server, &key);
    }
    assert_eq!(reading.keys(2), ["k0", "k1"]);
    let last = reading.item().unwrap();
    drop(reading);
    for key in keys(3..203) {
        save(&server, &key);
    }
    for (query, header) in [
        (format!("?after={}", last.id), String::new()),
        (String::new(), format!("Last-Event-ID: {}", last.id)),
        ("?after=start".into(), format!("Last-Event-ID: {}", last.id)),
    ] {
        let headers = [header.as_str()];
        let headers = if header.is_empty() { &[][..] } else { &headers };
        let mut reading = FeedReader::start(&server, &query, headers);
        assert_eq!(reading.keys(200), keys(3..203), "{query} {header}");
        save(&server, "next");
        assert_eq!(reading.keys(1), ["next"]);
    }
    let wrong = server.get(&format!("{CHANGES}?after=12"));
    assert_eq!(wrong.problem().0, 400);
}

/// A store that was restored, or that lost changes, has another history.
#[test]
fn a_reader_of_another_history_begins_anew() {
    let server = start();
    let mut reading = FeedReader::start(&server, "", &[]);
    save(&server, "k0");
    let last = reading.item().unwrap();
    // A position that is yet to come.
    let future = URL_SAFE_NO_PAD.encode("f9-1");
    let gone = |id: &str| {
        let refused = server.get(&format!("{CHANGES}?after={id}"));
        assert_eq!(refused.problem().0, 410);
        assert_eq!(refused.json()["kind"], "reset");
    };
    gone(&future);
    server.store.renew_id().unwrap();
    gone(&last.id);
    save(&server, "k1");
    let reset = reading.item().unwrap();
    assert_eq!((reset.event.as_str(), &reset.data), ("reset", &json!({})));
    save(&server, "k2");
    // The stream goes on from there, and so does a reader that has lost it.
    assert_eq!(reading.keys(1), ["k2"]);
    let after = format!("?after={}", reset.id);
    assert_eq!(FeedReader::start(&server, &after, &[]).keys(1), ["k2"]);
}

#[test]
fn nothing_is_lost_or_doubled_while_many_write() {
    let server = start();
    let readers: Vec<_> = (0..3)
        .map(|_| FeedReader::start(&server, "", &[]))
        .collect();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for number in 0..50 {
                    let path = format!("/s/notes/api/v1/notes/agent%3Aw{writer}%23k{number}");
                    let made = server.send("PUT", &path, &[], r#"{"content":"x"}"#);
                    assert_eq!(made.status, 201, "{}", made.body);
                }
            });
        }
        for mut reading in readers {
            scope.spawn(move || {
                let mut last = 0;
                for _ in 0..200 {
                    let item = reading.item().unwrap();
                    let at: u64 = item.data["at"].as_str().unwrap().parse().unwrap();
                    assert_eq!(at, last + 1, "in the order of the store, without a gap");
                    last = at;
                }
            });
        }
    });
}

#[test]
fn writes_of_the_server_are_told_at_once_and_those_of_others_soon() {
    let server = start_with(limited(Limits {
        heartbeat: PATIENCE * 2,
        ..Limits::default()
    }));
    let mut reading = FeedReader::start(&server, "", &[]);
    // A write that does not go through the server's own store, which would notify the feed.
    save(&server, "other");
    let began = Instant::now();
    assert_eq!(reading.keys(1), ["other"]);
    assert!(began.elapsed() < PATIENCE);
    let path = "/s/notes/api/v1/notes/agent%3Aa%23own";
    server.send("PUT", path, &[], r#"{"content":"one"}"#);
    assert_eq!(reading.keys(1), ["own"]);
}

#[test]
fn a_reader_who_does_not_read_holds_up_nobody() {
    let server = start_with(limited(Limits {
        write_time: Duration::from_secs(2),
        ..Limits::default()
    }));
    let _slow = FeedReader::start(&server, "", &[]);
    let mut quick = FeedReader::start(&server, "", &[]);
    let text = "x".repeat(60_000);
    let body = json!({ "content": text, "limits": { "max_bytes": 0, "max_notes": 0 } }).to_string();
    // More bytes than the sockets' buffers hold.
    for number in 0..300 {
        let path = format!("/s/notes/api/v1/notes/agent%3Aa%23k{number}");
        let made = server.send("PUT", &path, &[], &body);
        assert_eq!(made.status, 201, "{}", made.body);
        assert_eq!(quick.keys(1), [format!("k{number}")]);
    }
    let feeds = || server.get("/metrics").body.contains("waynote_feeds 1\n");
    wait_until(feeds, "the slow reader is cut off");
}

#[test]
fn a_feed_gives_signs_of_life_and_ends_when_the_server_stops() {
    let mut server = start_with(limited(Limits {
        heartbeat: Duration::from_millis(20),
        stop_time: PATIENCE * 2,
        ..Limits::default()
    }));
    let mut reading = FeedReader::start(&server, "", &[]);
    for _ in 0..3 {
        assert_eq!(reading.piece().unwrap(), ": still here\n");
    }
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < PATIENCE);
    while reading.piece().is_some() {}
}

#[test]
fn connections_above_the_limit_wait_and_idle_ones_end() {
    let server = start_with(limited(Limits {
        connections: 4,
        header_time: Duration::from_millis(200),
        ..Limits::default()
    }));
    let idle: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    assert_eq!(server.get("/healthz").status, 200, "after the idle ones");
    drop(idle);
    // A feed is no idle connection.
    let _feed = FeedReader::start(&server, "", &[]);
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_feed_of_large_notes_is_read_by_bytes_and_ends_with_its_token() {
    let server = start();
    const NOTES: usize = 120;
    let body = json!({ "content": "x".repeat(60 << 10) }).to_string();
    for number in 0..NOTES {
        let path = format!("/notes/place%3A~%2Fp{number}");
        assert_eq!(server.api("", "PUT", &path, &body).status, 201);
    }
    let token = server.token("reader", Rights::Read);
    let bearer = format!("Authorization: Bearer {token}");
    let reading = || FeedReader::start(&server, "?after=start", &[&bearer]);
    let mut all = reading();
    assert!((0..NOTES).all(|_| all.item().is_some()), "page by page");
    // What was read for it, and not sent, is not sent any more.
    let mut late = reading();
    server.revoke("reader");
    // The server looks the token up again after a quarter of a second.
    std::thread::sleep(Duration::from_secs(1));
    let seen = std::iter::from_fn(|| late.item()).count();
    assert!(seen < NOTES, "{seen} of {NOTES}");
}
