//! Connections and feeds: nobody keeps others out by holding many of them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use waynote_server::{Limits, Rights};

use super::support::{RunningServer, options, start_with, wait_until};

const API: &str = "/s/notes/api/v1";

/// A feed that is begun, from the first change on. The status line is read.
fn feed(server: &RunningServer, token: Option<&str>) -> (String, BufReader<TcpStream>) {
    let mut stream = server.connect();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!(
        "GET {API}/changes?after=start HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
        token.unwrap_or_default()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream);
    let mut status = String::new();
    lines.read_line(&mut status).unwrap();
    (status, lines)
}

#[test]
fn idle_connections_make_room_for_requests() {
    let server = start_with(options().limits(Limits {
        connections: 8,
        ..Limits::default()
    }));
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(server.connect());
        assert_eq!(server.get("/healthz").status, 200);
    }
    let metrics = server.get("/metrics").body;
    assert!(
        !metrics.contains("connections_ended_total 0\n"),
        "{metrics}"
    );
    // One that is kept and was used makes room too, but not before older ones.
    let mut used = server.connect();
    used.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut used = BufReader::new(used);
    let mut line = String::new();
    used.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
}

#[test]
fn a_token_reads_a_limited_number_of_feeds() {
    let server = start_with(options().limits(Limits {
        feeds_per_token: 2,
        connections: 4,
        ..Limits::default()
    }));
    let first = feed(&server, None);
    let second = feed(&server, None);
    assert!(first.0.contains(" 200 ") && second.0.contains(" 200 "));
    assert!(feed(&server, None).0.contains(" 429 "));
    // A feed is no idle connection: others make room first.
    for _ in 0..10 {
        assert_eq!(server.get("/healthz").status, 200);
    }
    drop(first);
    wait_until(|| feed(&server, None).0.contains(" 200 "), "a feed is free");
}

#[test]
fn a_feed_of_large_notes_is_read_by_bytes_and_ends_with_its_token() {
    let server = start_with(options());
    const NOTES: usize = 120;
    let text = "x".repeat(60 << 10);
    for number in 0..NOTES {
        let path = format!("{API}/notes/place%3A~%2Fp{number}");
        let body = json!({ "content": text }).to_string();
        assert_eq!(server.send("PUT", &path, &[], &body).status, 201);
    }
    let reader = server.token("reader", Rights::Admin);

    let count = |lines: BufReader<TcpStream>| {
        let ids = lines.lines().map_while(Result::ok);
        let mut seen = 0;
        for line in ids.filter(|line| line.starts_with("event: note")) {
            seen += usize::from(!line.is_empty());
            if seen == NOTES {
                break;
            }
        }
        seen
    };
    let (_, lines) = feed(&server, Some(&reader));
    assert_eq!(count(lines), NOTES, "all of them, page by page");

    // What was read for it, and not sent, is not sent any more.
    let (_, lines) = feed(&server, Some(&reader));
    let began = Instant::now();
    server.revoke("reader");
    let bearer = |token: &str| format!("Authorization: Bearer {token}");
    let is_over = || {
        let scopes = server.send("GET", &format!("{API}/scopes"), &[&bearer(&reader)], "");
        // The server looks the token up again after a quarter of a second.
        scopes.status == 401 && began.elapsed() > Duration::from_secs(1)
    };
    wait_until(is_over, "the token does not count");
    let seen = count(lines);
    assert!(seen < NOTES, "{seen} of {NOTES}");
}
