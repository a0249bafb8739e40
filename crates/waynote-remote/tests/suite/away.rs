//! Servers that do not answer, or are none.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use waynote::{Content, Error, Limits, Notebook, Reader, SaveOptions, SessionLog, Store};
use waynote_remote::{Away, Options, RemoteError, RemoteStore, Times, Token, is_away};
use waynote_testing::has;

use super::support::{answer, passed_on, serve, stamp, told, url};

fn error_of(url: &str, options: Options) -> Error {
    RemoteStore::open(url, options)
        .unwrap()
        .store_id()
        .unwrap_err()
}

fn of_times(times: Times) -> Options {
    Options {
        times,
        ..Options::default()
    }
}

fn of_token(token: Token) -> Options {
    Options {
        token,
        ..Options::default()
    }
}

fn remote_error(error: &Error) -> &RemoteError {
    error.downcast_ref().unwrap_or_else(|| panic!("{error:?}"))
}

#[test]
fn a_credential_is_refused_before_it_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = url(listener.local_addr().unwrap());
    let store = RemoteStore::open(&address, Options::default()).unwrap();
    let notes = Notebook::of_agent(&store, "builder".parse().unwrap());
    let secret = Content::text("postgres://admin:Tr0ub4dor3xyz@db.acme.com/shop").unwrap();
    let saved = notes.save(
        &"db".parse().unwrap(),
        secret,
        SaveOptions::default(),
        &stamp(),
    );
    assert!(matches!(saved, Err(Error::HoldsSecret { .. })), "{saved:?}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "a request was sent");
}

#[test]
fn no_call_takes_longer_than_it_may() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let times = Times::at_most(Duration::from_millis(150));
    let store = RemoteStore::open(&url(address), of_times(times)).unwrap();
    let begun = Instant::now();
    let first = store.store_id().unwrap_err();
    // The time for all calls is over.
    let second = store.store_id().unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(10));
    for error in [first, second] {
        let away = Away::TimedOut(Duration::from_millis(150));
        assert!(
            matches!(remote_error(&error), RemoteError::Away { away: of, .. } if *of == away),
            "{error:?}"
        );
        assert!(is_away(&error));
        assert_eq!(
            error.to_string(),
            format!(
                "the store {} does not answer: no answer within 150 ms",
                url(address)
            )
        );
    }
}

#[test]
fn an_answer_without_an_end_is_read_in_part() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        let head = "HTTP/1.1 200 OK\r\nwaynote-api: 1\r\nContent-Length: 99999999999\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mib = vec![b' '; 1 << 20];
        (0..).take_while(|_| stream.write_all(&mib).is_ok()).count()
    });
    let wait = Duration::ZERO;
    let times = Times {
        wait,
        ..Times::default()
    };
    let error = error_of(&url(address), of_times(times));
    assert_eq!(error.kind(), "not_a_server", "{error}");
    let most = Limits::ANSWER_BYTES >> 20;
    assert!(server.join().unwrap() as u64 <= most + 16);
}

#[test]
fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let begun = Instant::now();
    let wait = Duration::from_millis(200);
    let options = of_times(Times {
        wait,
        ..Times::default()
    });
    let error = error_of(&url(address), options.clone());
    assert!(begun.elapsed() >= wait, "it is waited for");
    assert!(
        matches!(
            remote_error(&error),
            RemoteError::Away {
                away: Away::Unreachable(_),
                ..
            }
        ),
        "{error:?}"
    );
    assert!(is_away(&error));
    // Nothing was sent, so nothing was carried out.
    let log = RemoteStore::open(&url(address), options).unwrap();
    let name = "nightly".parse().unwrap();
    let text = Content::text("the linker fails").unwrap();
    let write = SessionLog::new(&log, name).add(waynote::EntryType::Stuck, Some(1), text, &stamp());
    for error in [error, write.unwrap_err()] {
        let advice = error.advice().unwrap();
        assert_eq!(advice, "check the address, and whether the server runs");
    }
}

#[test]
fn a_server_that_lacks_something_says_what() {
    let problem = r#"{"type":"urn:waynote:problem:database_away","title":"x","status":503,"detail":"postgres://db/notes does not answer: Connection refused"}"#;
    let server = told(move |_, _| {
        let json = "Content-Type: application/problem+json";
        Some(answer("503 Service Unavailable", &[json], problem))
    });
    let store = RemoteStore::open(&url(server.address), Options::default()).unwrap();
    let read = store.store_id().unwrap_err();
    let write = store.heartbeat(&"nightly".parse().unwrap(), 1).unwrap_err();
    let said = [read, write].map(|error| {
        assert!(is_away(&error));
        format!("{error}\n  {}", error.advice().unwrap()).replace(&url(server.address), "URL")
    });
    insta::assert_snapshot!(said.join("\n"), @"
    the store URL does not answer: postgres://db/notes does not answer: Connection refused (status 503)
      try again later
    the store URL does not answer: postgres://db/notes does not answer: Connection refused (status 503)
      try again later; a write that was sent may have been carried out, so look before you repeat it
    ");
}

#[test]
fn a_server_with_tls_is_not_asked_without() {
    // How a server with TLS answers a request without: with an alert of the protocol.
    let server = told(|_, _| Some(vec![0x15, 3, 3, 0, 2, 2, 0x16]));
    let error = error_of(&url(server.address), Options::default());
    let said = format!("{error}\n  {}", error.advice().unwrap());
    insta::assert_snapshot!(said.replace(&url(server.address), "URL"), @"
    URL is not served by waynote: it does not answer in plain HTTP
      check the address; a server with TLS is reached as https://HOST/s/NAME
    ");
}

#[test]
fn a_server_that_starts_again_fails_no_call() {
    let mut server = serve();
    let options = of_times(Times {
        wait: Duration::from_mins(2),
        ..Times::default()
    });
    let store = RemoteStore::open(&server.url(), options).unwrap();
    let is_over = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let log = SessionLog::new(&store, "nightly".parse().unwrap());
            let mut written = 0;
            while !is_over.load(Ordering::SeqCst) {
                let text = Content::text(format!("entry {written}")).unwrap();
                let added = log.add(waynote::EntryType::Tip, Some(1), text, &stamp());
                assert_eq!(added.unwrap().revision, 1);
                written += 1;
            }
            written
        });
        for _ in 0..3 {
            server.stop();
            server.start();
        }
        is_over.store(true, Ordering::SeqCst);
        writer.join().unwrap()
    });
    assert!(written > 0);
    assert_eq!(
        server.store.journal(None, usize::MAX).unwrap().len(),
        written
    );
}

#[test]
fn a_write_whose_answer_is_lost_is_carried_out_once() {
    let served = serve();
    let to = served.address;
    let lost = Arc::new(AtomicUsize::new(0));
    let losing = Arc::clone(&lost);
    let between = told(move |_, request| {
        let answer = passed_on(to, request);
        let is_write = request.0.contains("/apply") || request.0.contains("/record");
        // Each first answer to a write is lost.
        (!is_write || losing.fetch_add(1, Ordering::SeqCst) % 2 == 1).then_some(answer)
    });
    let store = RemoteStore::open(&url(between.address), Options::default()).unwrap();
    let log = SessionLog::new(&store, "nightly".parse().unwrap());
    let text = Content::text("the linker fails").unwrap();
    let added = log
        .add(waynote::EntryType::Stuck, Some(1), text, &stamp())
        .unwrap();
    // Noted once, not twice.
    assert_eq!(added.revision, 1);
    assert_eq!(served.store.journal(None, 9).unwrap().len(), 1);
    let notes = Notebook::of_agent(&store, "builder".parse().unwrap());
    for number in 1..=3 {
        let text = Content::text(format!("text {number}")).unwrap();
        notes
            .save(
                &"k".parse().unwrap(),
                text,
                SaveOptions::default(),
                &stamp(),
            )
            .unwrap();
    }
    assert_eq!(
        served
            .store
            .get(&"agent:builder#k".parse().unwrap())
            .unwrap()
            .unwrap()
            .revision,
        3
    );
    assert_eq!(lost.load(Ordering::SeqCst), 8);
}

#[test]
fn a_token_goes_to_its_server_and_nowhere_else() {
    let other = told(|_, _| Some(answer("200 OK", &[], "{}")));
    let to = other.address;
    let server = told(move |_, _| {
        let location = format!("Location: http://{to}/s/notes/api/v1/read");
        Some(answer("307 Temporary Redirect", &[&location], ""))
    });
    let options = of_token(Token::new("wn_secret"));
    let error = error_of(&url(server.address), options);
    assert!(
        matches!(remote_error(&error), RemoteError::NotAServer { .. }),
        "{error:?}"
    );
    assert!(!is_away(&error));
    assert!(other.requests.lock().unwrap().is_empty());
    let (head, _) = server.requests.lock().unwrap()[0].clone();
    has(head.to_lowercase(), "authorization: bearer wn_secret");
    let said = format!("{error} {error:?} {:?}", error.advice());
    assert!(!said.contains("wn_secret"), "{said}");
}

#[test]
fn a_token_is_asked_for_again_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let token = Token::from_fn(move || Ok(format!("wn_{}", count.fetch_add(1, Ordering::SeqCst))));
    let problem = r#"{"type":"urn:waynote:problem:unauthorized","title":"unauthorized","status":401,"detail":"no"}"#;
    let server = told(move |_, request| {
        let is_new = request.0.contains("wn_1");
        Some(match is_new {
            true => answer("200 OK", &["waynote-api: 1"], "{}"),
            false => answer(
                "401 Unauthorized",
                &["Content-Type: application/problem+json"],
                problem,
            ),
        })
    });
    let options = of_token(token);
    let store = RemoteStore::open(&url(server.address), options).unwrap();
    assert_eq!(store.store_id().unwrap(), None);
    assert_eq!(store.store_id().unwrap(), None);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let error = error_of(&url(server.address), of_token(Token::new("wn_0")));
    assert_eq!(
        remote_error(&error),
        &RemoteError::Unauthorized {
            url: url(server.address),
            had_token: true
        }
    );
    assert!(!is_away(&error));
    let error = error_of(
        &url(server.address),
        of_token(Token::from_fn(|| Err("the command failed".into()))),
    );
    assert_eq!(error.kind(), "no_token");
}

#[test]
fn what_is_no_server_of_waynote() {
    let json = "Content-Type: application/problem+json";
    let cases: [(&str, &[&str], &str); 6] = [
        ("200 OK", &["Content-Type: text/html"], "<html>"),
        ("200 OK", &["waynote-api: 2"], "{}"),
        ("200 OK", &["waynote-api: 1"], "<html>"),
        ("404 Not Found", &[], "nothing here"),
        (
            "404 Not Found",
            &[json],
            r#"{"type":"urn:waynote:problem:no_such_store","title":"x","status":404,"detail":"this server has no store of that name","kind":"no_such_store"}"#,
        ),
        ("500 Internal Server Error", &[], "oops"),
    ];
    let said = cases.map(|(status, headers, body)| {
        let text = answer(status, headers, body);
        let server = told(move |_, _| Some(text.clone()));
        let error = error_of(&url(server.address), Options::default());
        let text = format!(
            "{} ({}): {error}",
            error.kind(),
            if is_away(&error) { "away" } else { "there" }
        );
        text.replace(&url(server.address), "URL")
    });
    insta::assert_snapshot!(said.join("\n"), @"
    not_a_server (there): URL is not served by waynote: its answer does not come from the API of waynote
    other_version (there): the server of URL speaks version 2 of the API, and this program version 1
    not_a_server (there): URL is not served by waynote: expected value at line 1 column 1
    not_a_server (there): URL is not served by waynote: it answers with status 404
    no_such_store (there): this server has no store of that name
    server_away (away): the store URL does not answer: it answers with status 500
    ");
}
