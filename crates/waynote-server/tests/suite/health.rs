//! The endpoints for liveness, readiness and metrics, and the log.

use super::support::{open, options, start, start_over};
use waynote_testing::{has, lacks};

#[test]
fn a_dead_store_does_not_take_the_others_from_their_readers() {
    let server = start_over(options(), |stores, folder| {
        stores.with("dead", open(&folder.join("dead.db")))
    });
    let says = |path: &str| server.get(path).body;
    assert_eq!(says("/healthz"), r#"{"status":"alive"}"#);
    assert_eq!(says("/readyz"), r#"{"status":"ready"}"#);
    let kill = |name: &str| {
        let text = "this is no database, and it is longer than nothing";
        std::fs::write(server.folder().join(name), text).unwrap();
    };
    kill("dead.db");
    assert_eq!(says("/readyz"), r#"{"status":"partly ready"}"#);
    server.get("/s/dead/api/v1/sessions");
    let metrics = says("/metrics");
    for line in [
        r#"waynote_store_up{store="notes"} 1"#,
        r#"waynote_store_up{store="dead"} 0"#,
        r#"waynote_store_calls_total{store="notes"} 2"#,
        r#"waynote_store_errors_total{store="dead",kind="#,
    ] {
        has(&metrics, line);
    }
    kill("notes.db");
    let ready = server.get("/readyz");
    assert_eq!(ready.problem(), (503, "not_ready".into()));
    lacks(&ready.body, "notes.db");
    let log = server.log.text();
    has(&log, r#""event":"not_ready","detail":"store notes: "#);
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
        r#"waynote_http_requests_total{route="/healthz",status="200"} 1"#,
        r#"waynote_http_requests_total{route="/s/{store}/api/v1/sessions",status="200"} 1"#,
        r#"waynote_http_requests_total{route="unknown",status="404"} 1"#,
        "# TYPE waynote_http_connections gauge",
        "waynote_feeds 0",
    ] {
        has(&figures.body, line);
    }
    lacks(&figures.body, "secret");
    lacks(&figures.body, "notes/");
}

#[test]
fn the_log_has_a_line_for_each_request_without_what_was_in_it() {
    let server = start();
    let headers = [
        "Authorization: Bearer canary-token",
        "X-Other: canary-header",
    ];
    let search = "/s/notes/api/v1/search?q=canary-query";
    let answer = server.send("GET", search, &headers, "");
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
