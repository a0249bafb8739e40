//! Requests that the edge stops: other sites' pages, bodies that are too large, slow clients, too many connections.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use waynote::SideData;
use waynote::engine::Engine;
use waynote::engine::Writing;
use waynote::store::SideValue;
use waynote_server::{Limits, Log, Options, Server, Stores, TlsFiles};

use super::support::{limited, now, open, options, start, start_with};

const SCOPES: &str = "/s/notes/api/v1/sessions";

#[test]
fn names_and_pages_of_other_sites_are_refused() {
    let server = start();
    let host = format!("localhost:{}", server.address.port());
    let own = format!("http://{host}");
    for (host, origin, answer) in [
        (&*host, "http://evil.example", "foreign_origin"),
        (&host, "null", "foreign_origin"),
        (&host, "http://localhost", "foreign_origin"),
        (&host, "", "foreign_origin"),
        ("evil.example", &own, "foreign_host"),
        (&host, &own, "ok"),
    ] {
        let headers = [format!("Host: {host}"), format!("Origin: {origin}")];
        let sent = server.send("GET", SCOPES, &[&headers[0], &headers[1]], "");
        match answer {
            "ok" => assert_eq!(sent.status, 200),
            kind => assert_eq!(sent.problem(), (403, kind.into()), "{headers:?}"),
        }
    }
}

#[test]
fn every_error_is_a_problem_with_a_hint() {
    let server = start();
    for (method, path, status, kind) in [
        ("GET", "/nothing", 404, "no_such_route"),
        ("GET", "/s/notes/api/v1/nothing", 404, "no_such_route"),
        ("GET", "/s/none/api/v1/sessions", 404, "no_such_store"),
        ("BREW", SCOPES, 405, "method_not_allowed"),
        ("POST", SCOPES, 405, "method_not_allowed"),
    ] {
        let answer = server.send(method, path, &[], "");
        assert_eq!(answer.problem(), (status, kind.into()), "{method} {path}");
        assert_eq!(answer.header("cache-control"), "no-store");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    assert_eq!(
        server.send("POST", SCOPES, &[], "").header("allow"),
        "GET,HEAD"
    );
}

#[test]
fn a_store_with_tokens_needs_one_and_says_nothing_of_oauth() {
    let server = start();
    assert_eq!(server.get(SCOPES).status, 200);
    server.needs_tokens();
    for headers in [
        &[][..],
        &["Authorization: Bearer wrong"],
        &["Authorization: Basic d3Jvbmc="],
    ] {
        let answer = server.send("GET", SCOPES, headers, "");
        assert_eq!(answer.problem(), (401, "unauthorized".into()));
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        let of_none = server.send("GET", "/s/none/api/v1/sessions", headers, "");
        assert_eq!(of_none.body, answer.body);
    }
    // A token is needed even after the last one is gone.
    server
        .store
        .put_side_values("tokens", &[], &["somebody".into()], Writing::Relaxed)
        .unwrap();
    assert_eq!(server.get(SCOPES).status, 401);
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
    ] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn an_address_that_others_reach_needs_tokens_and_tls() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("notes.db"));
    let start = |options: &Options| {
        let stores = Stores::default().with("notes", store.clone());
        let server = Server::new(
            &stores,
            options.clone(),
            Arc::new(now),
            Log::to(std::io::sink()),
        );
        match server.bind() {
            Ok(_) => "started".into(),
            Err(error) => {
                assert!(error.advice().is_some(), "{error}");
                error.kind().to_owned()
            }
        }
    };
    let everywhere = Options {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..Options::default()
    };
    let behind = |options: &Options| Options {
        behind_proxy: true,
        ..options.clone()
    };
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
    let with_tls = Options {
        tls: Some(TlsFiles {
            cert: cert.clone(),
            key: key.clone(),
        }),
        ..everywhere.clone()
    };
    assert_eq!(start(&everywhere), "no_tls");
    assert_eq!(start(&with_tls), "no_tokens");
    // A proxy gives it to others.
    assert_eq!(start(&behind(&everywhere)), "no_tokens");
    assert_eq!(start(&behind(&options())), "no_tokens");
    assert_eq!(start(&options()), "started");
    let token = SideValue {
        key: "somebody".into(),
        value: b"{}".to_vec(),
        about: None,
    };
    store
        .put_side_values("tokens", &[token], &[], Writing::Relaxed)
        .unwrap();
    assert_eq!(start(&everywhere), "no_tls");
    assert_eq!(start(&behind(&everywhere)), "started");
    assert_eq!(start(&with_tls), "certificate", "there is no file");
    std::fs::write(&cert, "no certificate").unwrap();
    assert_eq!(start(&with_tls), "certificate", "not a certificate");
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, "no key").unwrap();
    assert_eq!(start(&with_tls), "certificate", "not a key");
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    assert_eq!(start(&with_tls), "started");
}

#[test]
fn a_client_that_sends_no_head_is_cut_off() {
    let server = start_with(limited(Limits {
        // Long enough for a request on a busy machine.
        header_time: Duration::from_secs(2),
        ..Limits::default()
    }));
    let head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    // None, a part of one, and none after the first: the connection ends.
    for sent in ["", &format!("{head}X-Slow: "), &format!("{head}\r\n")] {
        let mut stream = server.connect();
        stream.write_all(sent.as_bytes()).unwrap();
        let began = Instant::now();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let most = Limits::default().header_time;
        assert!(began.elapsed() < most, "{sent:?} was waited for");
    }
    assert_eq!(server.get("/healthz").status, 200);
}

const NOTE: &str = "/s/notes/api/v1/notes/agent%3Aa%23k";

#[test]
fn a_body_that_is_too_large_or_does_not_come_is_refused() {
    let server = start_with(limited(Limits {
        body_bytes: 1000,
        body_time: Duration::from_millis(200),
        ..Limits::default()
    }));
    let body = format!(r#"{{"content":"{}"}}"#, "x".repeat(900));
    assert_eq!(server.send("PUT", NOTE, &[], &body).status, 201);
    let body = format!(r#"{{"content":"{}"}}"#, "x".repeat(1000));
    let answer = server.send("PUT", NOTE, &[], &body);
    assert_eq!(answer.problem(), (413, "body_too_large".into()));
    // A body that does not announce its length.
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let answer = server.send("PUT", NOTE, &["Transfer-Encoding: chunked"], &chunk);
    assert_eq!(answer.problem(), (413, "body_too_large".into()));
    let headers = [
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
    ];
    let mcp = server.send("POST", "/s/notes/mcp", &headers, &body);
    assert_eq!(mcp.problem(), (413, "body_too_large".into()));
    let answer = server.send("PUT", NOTE, &["Content-Length: 100"], r#"{"content":"#);
    assert_eq!(answer.problem(), (408, "body_timed_out".into()));
    let mcp = server.send("POST", "/s/notes/mcp", &["Content-Length: 100"], "{");
    assert_eq!(mcp.problem(), (408, "body_timed_out".into()));
}

#[test]
fn a_request_that_takes_too_long_is_answered_all_the_same() {
    let server = start_with(limited(Limits {
        // Long enough for a write on a busy machine.
        handler_time: Duration::from_secs(5),
        ..Limits::default()
    }));
    server.send("PUT", NOTE, &[], r#"{"content":"one"}"#);
    let two = r#"{"content":"two"}"#;
    let send = || server.send("PUT", NOTE, &["Idempotency-Key: two"], two);
    server
        .store
        .engine()
        .exclusively(&mut |_| {
            assert_eq!(send().problem(), (503, "timed_out".into()));
            Ok(())
        })
        .unwrap();
    // The write goes on after the timeout, and is not carried out twice.
    let again = send();
    assert_eq!((again.status, again.header("etag")), (200, "\"2\""));
}
