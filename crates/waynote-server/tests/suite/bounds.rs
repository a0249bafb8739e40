//! The work for one request is bounded, whoever sends it.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waynote::context::{BlockAsk, BlockPart, Request};
use waynote::{
    Allowance, Hit, Reader, Result, SearchRequest, SideData, SqliteStore, Store, pass_on,
};
use waynote_server::{Limits, Rights};

use super::support::{
    API, PATIENCE, Response, RunningServer, limited, now, open, start, start_over, start_with,
    wait_until,
};

fn post(server: &RunningServer, token: &str, route: &str, body: &Value) -> Response {
    server.api(token, "POST", &format!("/{route}"), &body.to_string())
}

fn note(server: &RunningServer, address: &str, content: &str) {
    let body = json!({ "content": content }).to_string();
    let made = server.api("", "PUT", &format!("/notes/{address}"), &body);
    assert_eq!(made.status, 201, "{}", made.body);
}

fn words(many: usize) -> String {
    let words = (0..many).map(|number| format!("word{number}"));
    words.collect::<Vec<_>>().join(" ")
}

const TOO_MUCH: (u16, &str) = (422, "too_much_asked");

#[test]
fn a_search_of_many_words_is_refused_and_a_context_is_cut_to_its_rarest() {
    let server = start();
    note(&server, "agent%3Aa%23rare", "the quokka lives at word19999");
    for number in 0..12 {
        note(&server, &format!("agent%3Aa%23k{number}"), &words(10));
    }
    let admin = server.token("all", Rights::Admin);
    let reader = server.token("reader", Rights::Read);
    for token in [&admin, &reader] {
        let refused = post(&server, token, "search", &json!({ "query": words(257) }));
        assert_eq!(refused.problem(), (TOO_MUCH.0, TOO_MUCH.1.into()));
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused.json()["detail"].as_str().unwrap(), @"too much is asked at once: 257 words of a query, the limit is 256");
        }
        let found = post(&server, token, "search", &json!({ "query": words(200) }));
        assert_eq!(found.status, 200);

        // A prompt or an error output finds the note with its rare word, however long it is.
        let text = format!("{} quokka {}", words(10_000), words(20_000));
        let request = Request::new("a".parse().unwrap(), waynote::Place::home(), now());
        let part = BlockPart::Matching { known: Vec::new() };
        let ask = BlockAsk {
            request: request.query(Some(text)),
            part,
        };
        let ask = serde_json::to_value(ask).unwrap();
        let found = post(&server, token, "context", &ask);
        assert_eq!(found.status, 200, "{}", found.body);
        assert!(found.body.contains("the quokka lives"));
    }
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "note_search", "arguments": { "query": words(257) } },
    });
    let bearer = format!("Authorization: Bearer {reader}");
    let headers = [
        bearer.as_str(),
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2025-06-18",
    ];
    let answer = server.send("POST", "/s/notes/mcp", &headers, &call.to_string());
    assert!(
        answer.body.contains("257 words of a query"),
        "{}",
        answer.body
    );
}

#[test]
fn equal_questions_are_answered_once_and_answers_have_a_limit() {
    let server = start();
    note(&server, "place%3A~%2Fbig", &"x".repeat(60 << 10));
    note(&server, "agent%3Aa%23k", "small");
    let admin = server.token("all", Rights::Admin);
    let other = server.token("other", Rights::Read);
    let repeated = |token: &str, field: &str, question: Value, times: usize| {
        let body = json!({ field: vec![question; times] });
        post(&server, token, "read", &body)
    };
    let few = repeated(&admin, "notes", json!("agent:a#k"), 100);
    let notes = few.json()["notes"].as_array().unwrap().clone();
    assert_eq!(notes.len(), 100);
    assert!(notes.iter().all(|note| note["content"] == "small"));
    let many = repeated(&admin, "notes", json!("place:~/big"), 3_000);
    assert_eq!(many.problem(), (TOO_MUCH.0, TOO_MUCH.1.into()));
    for token in [&admin, &other] {
        let journal = repeated(token, "journal", json!({}), 100);
        assert_eq!(journal.json()["journal"].as_array().unwrap().len(), 100);
        let pages: Vec<Value> = (1..=65).map(|limit| json!({ "limit": limit })).collect();
        let pages = post(&server, token, "read", &json!({ "journal": pages }));
        assert_eq!(pages.problem(), (TOO_MUCH.0, TOO_MUCH.1.into()));
        insta::allow_duplicates! {
            insta::assert_snapshot!(pages.json()["detail"].as_str().unwrap(), @"too much is asked at once: 65 questions in `journal`, the limit is 64");
        }
    }
    let scopes = vec!["agent:a"; 10_000];
    let moment = json!({ "time": "2026-08-01T12:00:00Z" });
    let ask = json!({ "scopes": scopes, "moment": moment });
    let then = post(&server, &admin, "as-of", &ask);
    assert_eq!(then.status, 200, "{}", then.body);
    assert_eq!(then.json()["notes"].as_array().unwrap().len(), 1);
}

/// A store whose searches last until nobody waits for them.
struct SlowStore {
    store: Arc<SqliteStore>,
    is_ended: Arc<AtomicBool>,
}

impl Reader for SlowStore {
    pass_on! { self => self.store; read select_at take_damage rendered history_before one_state }

    fn search(&self, _: &SearchRequest) -> Result<Vec<Hit>> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Err(error) = Allowance::check() {
                self.is_ended.store(true, Ordering::SeqCst);
                return Err(error);
            }
            std::thread::yield_now();
        }
        Ok(Vec::new())
    }
}

impl Store for SlowStore {
    pass_on! { self => self.store; apply record forget would_forget verify heartbeat silence checkpoint }
}

impl SideData for SlowStore {
    pass_on! { self => self.store; side_values put_side_values make_shared }
}

#[test]
fn what_a_time_limit_ends_is_ended() {
    let is_ended = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&is_ended);
    let limits = Limits {
        handler_time: Duration::from_millis(300),
        searches: 1,
        ..Limits::default()
    };
    let server = start_over(limited(limits), |stores, folder| {
        let store = open(&folder.join("slow.db"));
        let is_ended = ended;
        stores.with("notes", Arc::new(SlowStore { store, is_ended }))
    });
    // The second one does not even begin: there is one seat for searches.
    for _ in 0..2 {
        let answer = server.api("", "GET", "/search?q=x", "");
        assert_eq!(answer.problem(), (503, "timed_out".into()));
        wait_until(|| is_ended.swap(false, Ordering::SeqCst), "the search ends");
    }
    // So does the search of a client that is gone.
    let mut gone = server.connect();
    let head = format!("GET {API}/search?q=x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    gone.write_all(head.as_bytes()).unwrap();
    let running = || {
        let metrics = server.get("/metrics").body;
        metrics.contains("\nwaynote_store_calls_running 1\n")
    };
    wait_until(running, "a search runs");
    drop(gone);
    wait_until(|| !running(), "nothing runs any more");
}

#[test]
fn signing_in_takes_little_from_strangers() {
    let server = start_with(limited(Limits {
        body_time: Duration::from_millis(300),
        ..Limits::default()
    }));
    server.needs_tokens();
    let origin = format!("Origin: http://{}", server.address);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let sign_in = |headers: &[&str], body: &str| {
        let headers: Vec<&str> = [&[origin.as_str(), form], headers].concat();
        server.send("POST", "/s/notes/sign-in", &headers, body)
    };
    let large = format!("token={}", "x".repeat(9000));
    assert_eq!(sign_in(&[], &large).status, 413);
    let slow = sign_in(&["Content-Length: 100"], "token=");
    assert_eq!(slow.status, 408);
    for _ in 0..60 {
        sign_in(&[], "token=wrong");
    }
    // The allowance of the address is looked at before the body.
    let mut stream = server.connect();
    let head = format!(
        "POST /s/notes/sign-in HTTP/1.1\r\nHost: {}\r\n{origin}\r\n{form}\r\nContent-Length: 100\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
}

#[test]
fn strangers_do_not_lock_out_valid_tokens() {
    let server = start();
    let admin = server.token("all", Rights::Admin);
    let status = |token: &str| server.api(token, "GET", "/sessions", "").status;
    let refused = (0..100).filter(|_| status("wn_guess") == 429).count();
    assert!(refused > 10, "{refused} of 100 were limited");
    assert_eq!(status(&admin), 200);
}

#[test]
fn a_browser_says_which_site_asks() {
    let server = start();
    for (headers, status) in [
        ("cross-site no-cors image", 403),
        ("same-site navigate iframe", 403),
        ("cross-site navigate document", 200),
        ("same-origin cors empty", 200),
        ("none navigate document", 200),
    ] {
        let mut values = headers.split(' ');
        let headers = ["Site", "Mode", "Dest"]
            .map(|name| format!("Sec-Fetch-{name}: {}", values.next().unwrap()));
        let headers = headers.each_ref().map(String::as_str);
        let answer = server.send("GET", "/s/notes/", &headers, "");
        assert_eq!(answer.status, status, "{headers:?}");
    }
    let policy = server.get("/healthz");
    assert_eq!(policy.header("cross-origin-resource-policy"), "same-origin");
    for hosts in [
        &["Host: localhost", "Host: localhost"][..],
        &["Host: localhost,evil.example"],
    ] {
        let refused = server.send("GET", "/healthz", hosts, "");
        assert_eq!(refused.problem(), (400, "bad_request".into()));
    }
}

#[test]
fn a_used_key_is_named_and_is_of_its_token_alone() {
    let server = start();
    let save = |token: &str, text: &str| {
        let bearer = format!("Authorization: Bearer {token}");
        let body = json!({ "content": text }).to_string();
        let path = format!("{API}/notes/agent%3Aa%23k");
        server.send("PUT", &path, &[&bearer, "Idempotency-Key: my-key"], &body)
    };
    let first = server.token("writer", Rights::Write);
    assert_eq!(save(&first, "one").status, 201);
    let refused = save(&first, "two");
    assert_eq!(refused.problem(), (400, "id_used".into()));
    insta::assert_snapshot!(refused.json()["detail"].as_str().unwrap(), @"another call went by this id: `my-key`");
    server.revoke("writer");
    let second = server.token("writer", Rights::Write);
    let saved = save(&second, "two");
    assert_eq!((saved.status, saved.header("etag")), (200, "\"2\""));
}

#[test]
fn a_client_lifts_no_limit_above_that_of_the_server() {
    let server = start();
    let save = |limits: Value, bytes: usize| {
        let body = json!({ "content": "x".repeat(bytes), "limits": limits }).to_string();
        server.api("", "PUT", "/notes/agent%3Aa%23k", &body)
    };
    let lifted = json!({ "max_bytes": 0, "max_place_bytes": 0, "max_notes": 0 });
    assert_eq!(save(lifted.clone(), 1 << 20).status, 201);
    let refused = save(lifted, (1 << 20) + 1);
    assert_eq!(refused.problem(), (422, "note_too_large".into()));
}
