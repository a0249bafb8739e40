//! The loops that hold sessions, as a token may see them.

use serde_json::{Value, json};
use waynote_server::Rights;

use super::support::{RunningServer, start};

/// A server on which a loop of another machine holds the session `nightly`.
fn looping() -> RunningServer {
    let server = start();
    let started = json!({
        "session": "nightly",
        "stamp": { "now": "2026-08-01T12:00:00Z", "author": "person" },
        "events": [{ "event": "loop_started", "directory": "/p",
            "holder": { "host": "one", "boot": "b", "pid": 7, "start": 9 } }],
    });
    let recorded = server.api("", "POST", "/record", &started.to_string());
    assert_eq!(recorded.status, 204, "{}", recorded.body);
    server
}

#[test]
fn who_may_write_speaks_for_a_loop_and_all_hear_of_it() {
    let server = looping();
    let own = server.token("own", Rights::Write);
    let reader = server.token("reader", Rights::Read);
    let of = |lease: u64| json!({ "session": "nightly", "lease": lease }).to_string();
    let beat = |token: &str, lease| server.api(token, "POST", "/beat", &of(lease)).status;
    let silence = |token: &str, lease| {
        let answer = server.api(token, "POST", "/silence", &of(lease));
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["silence_ms"].clone()
    };
    assert_eq!(silence(&own, 1), Value::Null, "nobody has heard of it yet");
    assert_eq!((beat(&reader, 1), beat(&own, 1)), (403, 204));
    assert_eq!(
        (silence(&own, 1), silence(&reader, 1)),
        (json!(0), json!(0))
    );
    // A heartbeat of a loop that does not hold the session is not recorded.
    assert_eq!((beat(&own, 9), silence(&own, 9)), (204, Value::Null));
    assert_eq!(silence(&own, 1), json!(0));
}

#[test]
fn a_note_is_written_inside_a_loop_that_holds_its_session() {
    let server = looping();
    let note = json!({ "content": "text" });
    let put = |note_of: &str, query: &str| {
        let path = format!("/notes/{note_of}?{query}");
        server.api("", "PUT", &path, &note.to_string())
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
    let refused = server.api("", "POST", &path, &entry.to_string());
    assert_eq!(refused.status, 409);
}
