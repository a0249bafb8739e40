//! The endpoints for liveness, readiness and metrics, and the log.

use std::io::Write;
use std::sync::Arc;

use waynote::SqliteStore;
use waynote_server::{Log, Server, Stores};

use super::support::{Response, now, options, start};
use waynote_testing::{has, lacks};

#[test]
fn a_server_is_alive_and_ready() {
    let server = start();
    let alive = server.get("/healthz");
    assert_eq!(
        (alive.status, alive.body.as_str()),
        (200, r#"{"status":"alive"}"#)
    );
    let ready = server.get("/readyz");
    assert_eq!(
        (ready.status, ready.body.as_str()),
        (200, r#"{"status":"ready"}"#)
    );
}

#[test]
fn a_server_with_a_store_that_does_not_answer_is_not_ready() {
    let server = start();
    let path = server.folder().join("notes.db");
    std::fs::write(path, "this is no database, and it is longer than nothing").unwrap();
    let ready = server.get("/readyz");
    assert_eq!(ready.problem(), (503, "not_ready".into()));
    assert!(!ready.body.contains("notes.db"), "{}", ready.body);
    let log = server.log.text();
    has(&log, r#""event":"not_ready","detail":"store notes: "#);
}

#[test]
fn a_dead_store_does_not_take_the_others_from_their_readers() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let path = folder.path().join(name);
        Arc::new(SqliteStore::open(path, &waynote::Options::default()).unwrap())
    };
    let stores = Stores::default()
        .with("live", open("live.db"))
        .with("dead", open("dead.db"));
    let server = Server::new(&stores, options(), Arc::new(now), Log::none());
    let bound = server.bind().unwrap();
    let (address, stopper) = (bound.address(), bound.stopper());
    let thread = std::thread::spawn(move || bound.run().unwrap());
    let text = "this is no database, and it is longer than nothing";
    std::fs::write(folder.path().join("dead.db"), text).unwrap();
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        Response::read(&mut stream)
    };
    assert_eq!(get("/readyz").body, r#"{"status":"partly ready"}"#);
    assert_eq!(get("/readyz/live").status, 200);
    assert_eq!(get("/readyz/dead").problem(), (503, "not_ready".into()));
    assert_eq!(get("/readyz/none").body, get("/readyz/dead").body);
    get("/s/live/api/v1/sessions");
    get("/s/dead/api/v1/sessions");
    let metrics = get("/metrics").body;
    for line in [
        r#"waynote_store_up{store="live"} 1"#,
        r#"waynote_store_up{store="dead"} 0"#,
        r#"waynote_store_call_duration_seconds_count{store="live"} 3"#,
        r#"waynote_store_errors_total{store="dead",kind="#,
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
    stopper.stop();
    thread.join().unwrap();
}

#[test]
fn figures_are_by_route_and_have_no_names() {
    let server = start();
    server.get("/healthz");
    server.get("/s/notes/api/v1/sessions");
    server.get("/s/notes/secret-address?q=secret-query");
    let figures = server.get("/metrics");
    assert_eq!(
        figures.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    for line in [
        r#"waynote_http_request_duration_seconds_count{route="/healthz",method="GET",status="200"} 1"#,
        r#"waynote_http_request_duration_seconds_bucket{route="/s/{store}/api/v1/sessions",method="GET",status="200",le="+Inf"} 1"#,
        r#"waynote_http_request_duration_seconds_count{route="unknown",method="GET",status="404"} 1"#,
        "# TYPE waynote_http_connections gauge",
        "waynote_feeds 0",
    ] {
        assert!(
            figures.body.contains(line),
            "{line} is not in\n{}",
            figures.body
        );
    }
    lacks(&figures.body, "secret");
    lacks(&figures.body, "notes/");
}

#[test]
fn the_log_has_a_line_for_each_request_without_what_was_in_it() {
    let server = start();
    let answer = server.send(
        "GET",
        "/s/notes/api/v1/search?q=canary-query",
        &[
            "Authorization: Bearer canary-token",
            "X-Other: canary-header",
        ],
        "",
    );
    server.get("/s/notes/canary-path");
    let id = answer.header("x-request-id").to_owned();
    let log = server.log.text();
    assert!(!log.contains("canary"), "{log}");
    let mut lines = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut line = lines.next().unwrap();
    assert!(line["ms"].take().as_f64().unwrap() > 0.0);
    assert_eq!(
        line,
        serde_json::json!({
            "time": "2026-08-01T12:00:00Z", "id": id, "method": "GET", "route": "/s/{store}/api/v1/search",
            "status": 200, "ms": null, "bytes": answer.body.len(), "store": "notes", "token": null,
        })
    );
    assert_eq!(lines.next().unwrap()["route"], "unknown");
}
