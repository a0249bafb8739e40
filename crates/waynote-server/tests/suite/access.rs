//! Tokens: the rights of a request, and administration.

use serde_json::json;
use waynote_server::{Limits, Rights};

use super::support::{Response, limited, start, start_with};
use waynote_testing::{has, lacks};

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
            let status = server.api(token, method, path, body).status;
            let expected = if rights >= needed {
                200..=204
            } else {
                403..=403
            };
            assert!(
                expected.contains(&status),
                "{rights:?} {method} {path}: {status}"
            );
            let refused = server.api("", method, path, body).problem();
            assert_eq!(refused, (401, "unauthorized".into()));
        }
    }
    let refused = server.api(&tokens[0].1, "PUT", note, r#"{"content":"one"}"#);
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
        let saved = server.api(token, "PUT", &path, r#"{"content":"one"}"#);
        let holders = [(&ann, "ann"), (&ci, "agent:ci"), (&boss, "boss")];
        let of = holders.iter().find(|(of, _)| *of == token).unwrap();
        assert_eq!(saved.header("waynote-holder"), of.1);
        saved.json()["author"].as_str().unwrap().to_owned()
    };
    assert_eq!(author(&ann, "1", ""), "ann");
    assert_eq!(author(&ann, "2", "?author=person"), "ann");
    assert_eq!(
        author(&ann, "3", "?author=boss"),
        "ann",
        "never another holder"
    );
    for agent in ["builder", "ann/builder"] {
        let query = format!("?author=agent:{agent}");
        assert_eq!(author(&ann, "4", &query), "agent:ann/builder");
    }
    assert_eq!(
        author(&ann, "4b", "?author=agent:boss/builder"),
        "agent:ann/boss/builder",
        "never another holder's agent"
    );
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
        let applied = server.api(token, "POST", "/apply", &body);
        assert_eq!(applied.status, 200, "{}", applied.body);
        let note = server.api(token, "GET", &format!("/notes/agent%3Aa%23{key}"), "");
        note.json()["author"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (imported(&ann, "8"), imported(&boss, "9")),
        ("ann".into(), "bob".into())
    );
    let history = server
        .api(&ann, "GET", "/notes/agent%3Aa%234/history", "")
        .json();
    assert_eq!(
        history["revisions"][0]["token"], "ann",
        "whose agent it was"
    );
}

#[test]
fn an_agents_token_replaces_no_text_of_a_person_unread() {
    let server = start();
    let ci = server.token_of("pipeline", "ci", true, Rights::Write);
    let ann = server.token("ann", Rights::Write);
    let path = "/notes/place%3A~%2Fp";
    server.api(&ann, "PUT", path, r#"{"content":"Ann's"}"#);
    let apply = |token: &str, replaces: &str, change: serde_json::Value| {
        let stamp =
            json!({ "now": "2026-01-01T00:00:00Z", "author": "person", "replaces": replaces });
        let body = json!({ "changes": [change], "stamp": stamp }).to_string();
        server.api(token, "POST", "/apply", &body)
    };
    let save = json!({ "save": { "address": "place:~/p", "content": "other" } });
    let delete = json!({ "delete": { "address": "place:~/p", "expect": 1 } });
    for (replaces, change) in [
        ("any", &save),
        ("any_or_own", &save),
        ("any_or_own", &delete),
    ] {
        let refused = apply(&ci, replaces, change.clone());
        assert_eq!(refused.problem(), (409, "others_text".into()), "{change}");
    }
    let applied = apply(&ann, "any", save);
    assert_eq!(applied.status, 200, "{}", applied.body);
}

#[test]
fn an_agent_does_not_answer_for_a_person() {
    let server = start();
    let ci = server.token_of("pipeline", "ci", true, Rights::Write);
    let ann = server.token("ann", Rights::Write);
    let record = |token: &str, event: serde_json::Value| {
        let stamp = json!({ "now": "2026-08-01T12:00:00Z", "author": "person" });
        let body = json!({ "session": "s", "events": [event], "stamp": stamp });
        server.api(token, "POST", "/record", &body.to_string())
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
        let recorded = server.api(&ci, "POST", "/record", &body.to_string());
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
    assert_eq!(server.api(&boss, "GET", "/verify", "").status, 200);
    // It is none of another store, and says no more there than none at all.
    let header = format!("Authorization: Bearer {boss}");
    let other = server.send("GET", "/s/none/api/v1/sessions", &[&header], "");
    assert_eq!(other.problem(), (401, "unauthorized".into()));
    server.revoke("boss");
    let refused = server.api("", "GET", "/search?q=x", "");
    assert_eq!(refused.problem(), (401, "unauthorized".into()));
    server.stop();
    let log = server.log.text();
    lacks(&log, &boss);
    has(&log, r#""status":401"#);
    has(&log, r#""token":"boss""#);
}

#[test]
fn a_token_has_so_many_requests() {
    let server = start_with(limited(Limits {
        rate: 1,
        burst: 5,
        ..Limits::default()
    }));
    let boss = server.token("boss", Rights::Admin);
    let answers: Vec<Response> = (0..20)
        .map(|_| server.api(&boss, "GET", "/sessions", ""))
        .collect();
    assert_eq!(answers[0].status, 200);
    let last = answers.last().unwrap();
    assert_eq!(last.problem(), (429, "too_many_requests".into()));
    assert_eq!(last.header("retry-after"), "1");
}
