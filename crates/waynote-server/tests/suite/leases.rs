//! The loops that hold sessions, as a token may see them.

use serde_json::{Value, json};
use waynote_server::Rights;

use super::support::{Response, RunningServer, start};

const API: &str = "/s/notes/api/v1";

fn post(server: &RunningServer, token: &str, path: &str, body: &Value) -> Response {
    let header = format!("Authorization: Bearer {token}");
    let headers = [header.as_str()];
    let headers = if token.is_empty() { &[][..] } else { &headers };
    let path = format!("{API}{path}");
    server.send("POST", &path, headers, &body.to_string())
}

/// A server on which a loop of another machine holds the session `nightly`.
fn looping() -> RunningServer {
    let server = start();
    let started = json!({
        "session": "nightly",
        "stamp": { "now": "2026-08-01T12:00:00Z", "author": "person" },
        "events": [{ "event": "loop_started", "directory": "/p",
            "holder": { "host": "one", "boot": "b", "pid": 7, "start": 9 } }],
    });
    let recorded = post(&server, "", "/record", &started);
    assert_eq!(recorded.status, 204, "{}", recorded.body);
    server
}

#[test]
fn who_may_write_speaks_for_a_loop_and_all_hear_of_it() {
    let server = looping();
    let boss = server.token("boss", Rights::Admin);
    let own = server.token("own", Rights::Write);
    let reader = server.token("reader", Rights::Read);
    let lease = json!({ "session": "nightly", "lease": 1 });
    let silence = |token: &str| {
        let answer = post(&server, token, "/silence", &lease);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["silence_ms"].clone()
    };
    assert_eq!(silence(&own), Value::Null, "nobody has heard of it yet");
    for (token, status) in [(&reader, 403), (&own, 204)] {
        let beaten = post(&server, token, "/beat", &lease);
        assert_eq!(beaten.status, status, "{}", beaten.body);
    }
    for token in [&boss, &own, &reader] {
        assert_eq!(silence(token), json!(0));
    }
    // A heartbeat of a loop that does not hold the session is not recorded.
    let stale = json!({ "session": "nightly", "lease": 9 });
    assert_eq!(post(&server, &own, "/beat", &stale).status, 204);
    let heard = post(&server, &own, "/silence", &stale).json();
    assert_eq!(heard["silence_ms"], Value::Null);
    assert_eq!(silence(&own), json!(0));
}

#[test]
fn a_note_is_written_inside_a_loop_that_holds_its_session() {
    let server = looping();
    let note = json!({ "content": "text" });
    let put = |note_of: &str, query: &str| {
        let path = format!("{API}/notes/{note_of}?{query}");
        server.send("PUT", &path, &[], &note.to_string())
    };
    let (key, place) = ("agent%3Aa%23k", "place%3A~%2Fp");
    let (held, lost) = ("session%3Anightly%23event-1", "session%3Anightly%23event-2");
    for (answer, status, kind) in [
        (put(key, &format!("lease={held}")), 201, Value::Null),
        (put(key, &format!("lease={lost}")), 409, json!("lease_lost")),
        // Inside a loop, no person writes.
        (
            put(place, &format!("lease={held}")),
            422,
            json!("not_a_person"),
        ),
        (
            put(place, &format!("lease={held}&author=agent:a")),
            201,
            Value::Null,
        ),
        (put(key, "lease=nightly"), 400, json!("invalid_address")),
    ] {
        assert_eq!(answer.status, status, "{}", answer.body);
        assert_eq!(answer.json()["kind"], kind, "{}", answer.body);
    }
    let entry = json!({ "type": "tip", "content": "use lld" });
    let path = format!("/sessions/nightly/entries?author=agent:a&lease={lost}");
    assert_eq!(post(&server, "", &path, &entry).status, 409);
}
