//! Tokens: the rights of a request, and administration.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use waynote_server::Limits;

use super::support::{Response, RunningServer, options, start, start_with};
use waynote_testing::{has, lacks};

const API: &str = "/s/notes/api/v1";

/// Creates a token, with the token `by`.
fn token(server: &RunningServer, by: &str, name: &str, rights: &str) -> String {
    token_of(server, by, &json!({ "name": name, "rights": rights }))
}

fn token_of(server: &RunningServer, by: &str, body: &Value) -> String {
    let made = with(server, by, "POST", "/tokens", &body.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["token"].as_str().unwrap().to_owned()
}

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

#[test]
fn tokens_are_created_used_listed_and_revoked() {
    let server = start();
    let boss = token(&server, "", "boss", "admin");
    assert_eq!(says(&server, "", "GET", "/scopes", ""), "401 unauthorized");
    let reader = token_of(
        &server,
        &boss,
        &json!({ "name": "reader", "rights": "read", "agents": ["a"] }),
    );
    let body = r#"{"content":"one"}"#;
    let made = with(&server, &boss, "PUT", "/notes/agent%3Aa%23k", body);
    assert_eq!(
        (made.status, &made.json()["author"]),
        (201, &json!("token:boss"))
    );
    with(
        &server,
        &boss,
        "PUT",
        "/notes/agent%3Ab%23canary",
        r#"{"content":"canary"}"#,
    );

    assert_eq!(
        with(&server, &reader, "GET", "/notes/agent%3Aa%23k", "").status,
        200
    );
    let hidden = with(&server, &reader, "GET", "/notes/agent%3Ab%23canary", "");
    let missing = with(&server, &reader, "GET", "/notes/agent%3Ac%23canary", "");
    assert_eq!(hidden.problem(), (404, "not_found".into()));
    assert_eq!(
        hidden.body.replace("agent:b", "agent:c"),
        missing.body,
        "no oracle"
    );
    assert_eq!(
        says(&server, &reader, "PUT", "/notes/agent%3Aa%23k", body),
        "403 denied"
    );
    for path in "/notes /scopes /journal /search?q=canary /sessions /context?agent=b&budget=0"
        .split_whitespace()
    {
        let answer = with(&server, &reader, "GET", path, "");
        assert!(
            !answer.body.contains("canary") && !answer.body.contains("agent:b"),
            "{path}: {}",
            answer.body
        );
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    for (method, path, body) in [
        ("GET", "/tokens", ""),
        ("POST", "/tokens", r#"{"name":"x","rights":"admin"}"#),
        ("DELETE", "/tokens/boss", ""),
        ("GET", "/audit", ""),
    ] {
        assert_eq!(
            says(&server, &reader, method, path, body),
            "403 denied",
            "{path}"
        );
    }
    assert_eq!(
        with(&server, &reader, "GET", "/tokens", "").json()["detail"],
        "listing tokens is not allowed here: it needs an admin token"
    );

    let list = with(&server, &boss, "GET", "/tokens", "").json();
    let names: Vec<&str> = list["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["boss", "reader"]);
    assert_eq!(list["tokens"][1]["last_used"], "2026-08-01");
    assert!(!list.to_string().contains(&reader));
    assert_eq!(
        with(&server, &boss, "DELETE", "/tokens/reader", "").json()["name"],
        "reader"
    );
    assert_eq!(with(&server, &reader, "GET", "/notes", "").problem().0, 401);
    assert_eq!(
        says(&server, &boss, "DELETE", "/tokens/reader", ""),
        "404 no_such_token"
    );

    let audit = with(&server, &boss, "GET", "/audit", "").json();
    let lines: Vec<String> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            format!(
                "{} {} {}",
                line["call"].as_str().unwrap(),
                line["refused"],
                line["token"]
            )
        })
        .collect();
    for line in [
        r#"token created false "boss""#,
        r#"token revoked false "boss""#,
        r#"token created true "reader""#,
        "sign in true null",
    ] {
        assert!(lines.iter().any(|of| of == line), "{line}: {lines:#?}");
    }
    let log = server.log.text();
    lacks(&log, &boss);
    lacks(&log, &reader);
    has(&log, r#""token":"boss""#);
}

#[test]
fn a_store_that_had_a_token_stays_closed_and_who_tries_is_noted() {
    let mut server = start();
    let boss = token(&server, "", "boss", "admin");
    assert_eq!(
        with(&server, &boss, "DELETE", "/tokens/boss", "").status,
        200
    );
    server.restart();
    for _ in 0..3 {
        let refused = with(&server, "", "GET", "/scopes", "");
        assert_eq!(refused.problem(), (401, "unauthorized".into()));
    }
    server.stop();
    let audit = waynote_access::Audit::new(&*server.store, 1, super::support::now);
    let lines = audit.list(None, 10).unwrap();
    let tried: Vec<_> = lines
        .iter()
        .filter(|line| line.call == "no token")
        .collect();
    // One line, with a count, so that refused requests cannot fill the disk.
    assert_eq!(tried.len(), 1, "{lines:#?}");
    assert!(tried[0].refused && tried[0].times == 3, "{lines:#?}");
    // The store stays closed until a person opens it.
    waynote_access::Tokens::new(&*server.store).clear().unwrap();
    server.restart();
    assert_eq!(with(&server, "", "GET", "/scopes", "").status, 200);
}

#[test]
fn scopes_come_in_pages() {
    let server = start();
    for address in "agent%3Aa%23k agent%3Ab%23k place%3A~%2Fp%23k place%3A~%2Fq".split(' ') {
        let body = r#"{"content":"one"}"#;
        with(&server, "", "PUT", &format!("/notes/{address}"), body);
    }
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = with(&server, "", "GET", &format!("/scopes?limit=2{cursor}"), "").json();
        let items = page["scopes"].as_array().unwrap();
        assert!(items.len() <= 2);
        found.extend(
            items
                .iter()
                .map(|of| of["scope"].as_str().unwrap().to_owned()),
        );
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(found, ["place:~/p", "place:~/q", "agent:a", "agent:b"]);
}

#[test]
fn a_token_of_one_store_is_none_of_another() {
    let server = start();
    let boss = token(&server, "", "boss", "admin");
    let header = format!("Authorization: Bearer {boss}");
    let other = server.send("GET", "/s/none/api/v1/scopes", &[&header], "");
    assert_eq!(other.problem(), (401, "unauthorized".into()));
}

#[test]
fn a_token_has_so_many_requests() {
    let server = start_with(options().limits(Limits {
        rate: 1,
        burst: 5,
        ..Limits::default()
    }));
    let boss = token(&server, "", "boss", "admin");
    let answers: Vec<Response> = (0..20)
        .map(|_| with(&server, &boss, "GET", "/scopes", ""))
        .collect();
    assert_eq!(answers[0].status, 200);
    let last = answers.last().unwrap();
    assert_eq!(last.problem(), (429, "too_many_requests".into()));
    assert_eq!(last.header("retry-after"), "1");
}

#[test]
fn guesses_of_tokens_are_slowed_down() {
    let server = start();
    token(&server, "", "boss", "admin");
    let statuses: Vec<u16> = (0..80)
        .map(|_| with(&server, "wn_guess", "GET", "/scopes", "").status)
        .collect();
    assert_eq!((statuses[0], statuses[79]), (401, 429));
}

#[test]
fn a_feed_ends_with_its_token() {
    let server = start_with(options().limits(Limits {
        heartbeat: Duration::from_millis(20),
        ..Limits::default()
    }));
    let boss = token(&server, "", "boss", "admin");
    let reader = token(&server, &boss, "reader", "read");
    let mut stream = server.connect();
    let request = format!(
        "GET {API}/changes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {reader}\r\n\r\n"
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    with(&server, &boss, "DELETE", "/tokens/reader", "");
    let mut rest = Vec::new();
    // The stream ends, although the connection could be kept.
    while !rest.ends_with(b"0\r\n\r\n") {
        let mut some = [0; 1024];
        let read = stream.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&rest));
        rest.extend(&some[..read]);
    }
}
