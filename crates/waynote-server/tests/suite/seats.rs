//! Connections and feeds: a client that holds many of them does not keep others out.

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
fn connections_above_the_limit_wait_and_idle_ones_end() {
    let server = start_with(options().limits(Limits {
        connections: 4,
        header_time: Duration::from_millis(200),
        ..Limits::default()
    }));
    let idle: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    assert_eq!(server.get("/healthz").status, 200, "after the idle ones");
    drop(idle);
    // A feed is no idle connection.
    let (status, _lines) = feed(&server, None);
    assert!(status.contains(" 200 "), "{status}");
    assert_eq!(server.get("/healthz").status, 200);
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
        let scopes = server.send("GET", &format!("{API}/sessions"), &[&bearer(&reader)], "");
        // The server looks the token up again after a quarter of a second.
        scopes.status == 401 && began.elapsed() > Duration::from_secs(1)
    };
    wait_until(is_over, "the token does not count");
    let seen = count(lines);
    assert!(seen < NOTES, "{seen} of {NOTES}");
}
