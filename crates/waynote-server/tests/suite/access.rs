//! Tokens: the rights of a request, and administration.

use std::io::Read;
use std::time::Duration;

use serde_json::json;
use waynote_server::{Limits, Rights};

use super::support::{Response, RunningServer, options, start, start_with};
use waynote_testing::{has, lacks};

const API: &str = "/s/notes/api/v1";

fn with(server: &RunningServer, token: &str, method: &str, path: &str, body: &str) -> Response {
    let header = format!("Authorization: Bearer {token}");
    let headers = [header.as_str()];
    let headers = if token.is_empty() { &[][..] } else { &headers };
    server.send(method, &format!("{API}{path}"), headers, body)
}

/// The status and the kind of a refusal.
fn says(server: &RunningServer, token: &str, method: &str, path: &str, body: &str) -> String {
    let (status, kind) = with(server, token, method, path, body).problem();
    format!("{status} {kind}")
}

/// Every right × every kind of call.
#[test]
fn rights_allow_reading_then_writing_then_administration() {
    let server = start();
    let stamp = json!({ "now": "2026-08-01T12:00:00Z", "author": "person" });
    let change = json!({ "save": { "address": "agent:a#k", "content": "two" } });
    let apply = json!({ "changes": [change], "stamp": stamp }).to_string();
    let record = json!({ "session": "s", "events": [], "stamp": stamp }).to_string();
    let forget = json!({ "target": "agent:a#k", "stamp": stamp, "dry_run": true }).to_string();
    let beat = json!({ "session": "s", "lease": 1 }).to_string();
    let read = r#"{"notes":["agent:a#k"]}"#;
    let note = "/notes/agent%3Aa%23k";
    let calls = [
        (Rights::Read, "GET", "/search?q=one", ""),
        (Rights::Read, "POST", "/read", read),
        (Rights::Read, "POST", "/silence", &beat),
        (Rights::Write, "PUT", note, r#"{"content":"one"}"#),
        (Rights::Write, "POST", "/apply", &apply),
        (Rights::Write, "POST", "/record", &record),
        (Rights::Write, "POST", "/beat", &beat),
        (Rights::Write, "DELETE", note, ""),
        (Rights::Admin, "GET", "/verify", ""),
        (Rights::Admin, "POST", "/forget", &forget),
    ];
    let all = [Rights::Read, Rights::Write, Rights::Admin];
    let tokens = all.map(|rights| (rights, server.token(rights.as_str(), rights)));
    for (rights, token) in &tokens {
        for (needed, method, path, body) in &calls {
            let status = with(&server, token, method, path, body).status;
            let expected = if rights >= needed {
                200..=204
            } else {
                403..=403
            };
            assert!(
                expected.contains(&status),
                "{rights:?} {method} {path}: {status}"
            );
            assert_eq!(says(&server, "", method, path, body), "401 unauthorized");
        }
    }
    let refused = with(&server, &tokens[0].1, "PUT", note, r#"{"content":"one"}"#);
    assert_eq!(
        refused.json()["detail"],
        "writing is not allowed here: this token may only read"
    );
}

#[test]
fn the_author_is_the_holder_or_one_of_the_holders_agents() {
    let server = start();
    let ann = server.token_of("laptop", "ann", false, Rights::Write);
    let ci = server.token_of("pipeline", "ci", true, Rights::Write);
    let boss = server.token("boss", Rights::Admin);
    let author = |token: &str, key: &str, query: &str| {
        let path = format!("/notes/agent%3Aa%23{key}{query}");
        let saved = with(&server, token, "PUT", &path, r#"{"content":"one"}"#);
        assert_eq!(
            saved.header("waynote-holder"),
            if token == ci {
                "agent:ci"
            } else if token == ann {
                "ann"
            } else {
                "boss"
            }
        );
        saved.json()["author"].as_str().unwrap().to_owned()
    };
    assert_eq!(author(&ann, "1", ""), "ann");
    assert_eq!(author(&ann, "2", "?author=person"), "ann");
    assert_eq!(
        author(&ann, "3", "?author=boss"),
        "ann",
        "never another holder"
    );
    assert_eq!(author(&ann, "4", "?author=agent:builder"), "agent:builder");
    assert_eq!(author(&ci, "5", ""), "agent:ci");
    assert_eq!(author(&ci, "6", "?author=ann"), "agent:ci");
    assert_eq!(author(&boss, "7", "?author=ann"), "boss");
    // A note that was imported: only an administrator brings it in with the author that it had.
    let imported = |token: &str, key: &str| {
        let then = "2026-01-01T00:00:00Z";
        let origin = json!({ "author": "bob", "created_at": then, "updated_at": then });
        let save =
            json!({ "address": format!("agent:a#{key}"), "content": "one", "origin": origin });
        let stamp = json!({ "now": then, "author": "person" });
        let body = json!({ "changes": [{ "save": save }], "stamp": stamp }).to_string();
        let applied = with(&server, token, "POST", "/apply", &body);
        assert_eq!(applied.status, 200, "{}", applied.body);
        let note = with(
            &server,
            token,
            "GET",
            &format!("/notes/agent%3Aa%23{key}"),
            "",
        );
        note.json()["author"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (imported(&ann, "8"), imported(&boss, "9")),
        ("ann".into(), "bob".into())
    );
    let history = with(&server, &ann, "GET", "/notes/agent%3Aa%234/history", "").json();
    assert_eq!(
        history["revisions"][0]["token"], "ann",
        "whose agent it was"
    );
}

#[test]
fn an_agent_does_not_answer_for_a_person() {
    let server = start();
    let ci = server.token_of("pipeline", "ci", true, Rights::Write);
    let ann = server.token("ann", Rights::Write);
    let record = |token: &str, event: serde_json::Value| {
        let stamp = json!({ "now": "2026-08-01T12:00:00Z", "author": "person" });
        let body = json!({ "session": "s", "events": [event], "stamp": stamp });
        with(&server, token, "POST", "/record", &body.to_string())
    };
    let holder = json!({ "host": "h", "boot": "b", "pid": 1, "start": 1 });
    let started = json!({ "event": "loop_started", "directory": "/", "holder": holder });
    assert_eq!(record(&ann, started).status, 204);
    for event in [
        json!({ "event": "iteration_started", "iteration": 1 }),
        json!({ "event": "blocked", "iteration": 1, "question": "left or right?" }),
    ] {
        let stamp = json!({ "now": "2026-08-01T12:00:00Z", "author": "agent:ci" });
        let body = json!({ "session": "s", "events": [event], "lease": 1, "stamp": stamp });
        let recorded = with(&server, &ci, "POST", "/record", &body.to_string());
        assert_eq!(recorded.status, 204, "{}", recorded.body);
    }
    let answer = || json!({ "event": "answered", "answer": "left" });
    let refused = record(&ci, answer());
    assert_eq!(refused.problem(), (403, "denied".into()));
    assert_eq!(
        refused.json()["detail"],
        "answering is not allowed here: this token is an agent's, and a person is asked"
    );
    assert_eq!(record(&ann, answer()).status, 204);
}

#[test]
fn a_store_that_had_a_token_stays_closed_and_the_log_names_tokens_by_name() {
    let mut server = start();
    let boss = server.token("boss", Rights::Admin);
    assert_eq!(with(&server, &boss, "GET", "/verify", "").status, 200);
    server.revoke("boss");
    server.restart();
    let refused = with(&server, "", "GET", "/search?q=x", "");
    assert_eq!(refused.problem(), (401, "unauthorized".into()));
    server.stop();
    let log = server.log.text();
    lacks(&log, &boss);
    has(&log, r#""status":401"#);
    has(&log, r#""token":"boss""#);
    // The store stays closed until a person opens it.
    waynote_server::Tokens::new(&*server.store).clear().unwrap();
    server.restart();
    assert_eq!(with(&server, "", "GET", "/search?q=x", "").status, 200);
}

#[test]
fn a_token_of_one_store_is_none_of_another() {
    let server = start();
    let boss = server.token("boss", Rights::Admin);
    assert_eq!(with(&server, &boss, "GET", "/sessions", "").status, 200);
    let header = format!("Authorization: Bearer {boss}");
    let other = server.send("GET", "/s/none/api/v1/sessions", &[&header], "");
    assert_eq!(other.problem(), (401, "unauthorized".into()));
}

#[test]
fn a_token_has_so_many_requests() {
    let server = start_with(options().limits(Limits {
        rate: 1,
        burst: 5,
        ..Limits::default()
    }));
    let boss = server.token("boss", Rights::Admin);
    let answers: Vec<Response> = (0..20)
        .map(|_| with(&server, &boss, "GET", "/sessions", ""))
        .collect();
    assert_eq!(answers[0].status, 200);
    let last = answers.last().unwrap();
    assert_eq!(last.problem(), (429, "too_many_requests".into()));
    assert_eq!(last.header("retry-after"), "1");
}

#[test]
fn guesses_of_tokens_are_slowed_down() {
    let server = start();
    server.token("boss", Rights::Admin);
    let statuses: Vec<u16> = (0..80)
        .map(|_| with(&server, "wn_guess", "GET", "/sessions", "").status)
        .collect();
    assert_eq!((statuses[0], statuses[79]), (401, 429));
}

#[test]
fn a_feed_ends_with_its_token() {
    let server = start_with(options().limits(Limits {
        heartbeat: Duration::from_millis(20),
        ..Limits::default()
    }));
    let reader = server.token("reader", Rights::Read);
    let mut stream = server.connect();
    let request = format!(
        "GET {API}/changes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {reader}\r\n\r\n"
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    server.revoke("reader");
    let mut rest = Vec::new();
    // The stream ends, although the connection could be kept.
    while !rest.ends_with(b"0\r\n\r\n") {
        let mut some = [0; 1024];
        let read = stream.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&rest));
        rest.extend(&some[..read]);
    }
}
