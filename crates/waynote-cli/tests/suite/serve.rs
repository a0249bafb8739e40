//! `waynote serve`: the server as a user starts it.

use rustix::process::Signal;

use super::common::{Scratch, assert_transcript, fields, has};
use super::http::get;
use super::served::Running;

fn start(scratch: &Scratch, words: &str) -> Running {
    Running::start(scratch, scratch.command(words))
}

#[test]
fn a_server_says_where_it_listens_and_stops_when_it_is_told() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy ship");
    for signal in [Signal::TERM, Signal::INT] {
        let mut serving = start(&scratch, "serve --listen 127.0.0.1:0");
        let said = serving.line();
        let url = said.strip_prefix("listening on ").unwrap().to_owned();
        assert_eq!(serving.line(), format!("  {url}/s/default"));
        // A hang-up ends no server.
        serving.signal(Signal::HUP);
        let answer = get(&format!("{url}/s/default/api/v1/notes"), None);
        has(answer, r#""content":"ship""#);
        let (code, said) = serving.end(signal);
        assert_eq!(code, Some(0));
        let line = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        let request = "2026-05-17T12:00:00Z /s/{store}/api/v1/notes";
        assert_eq!(fields(&line, "time route"), request);
    }
}

#[test]
fn several_stores_have_names() {
    let scratch = Scratch::new();
    scratch.ok("--store one.db key save deploy ship");
    let words = "serve --json --listen 127.0.0.1:0 --store one=one.db --store two=~/two.db";
    let mut serving = start(&scratch, words);
    let said = serving.json();
    let notes = |url: String| get(&format!("{url}/api/v1/notes"), None);
    has(notes(fields(&said, "stores/one")), "agent:default");
    has(
        notes(fields(&said, "stores/two")),
        r#"{"notes":[],"next":null}"#,
    );
    has(notes(fields(&said, "url") + "/s/default"), "HTTP/1.1 404");
    // A store before the command is the default.
    let mut serving = start(&scratch, "--store one.db serve --json --listen 127.0.0.1:0");
    has(
        notes(fields(&serving.json(), "stores/default")),
        "agent:default",
    );
}

#[test]
fn a_store_in_a_database_has_a_name_too() {
    let scratch = Scratch::new();
    // The server starts although the database is away.
    let away = "postgres://somebody@127.0.0.1:1/notes?store=night";
    let words = format!("serve --json --listen 127.0.0.1:0 --store team={away} --store {away}");
    let mut serving = start(&scratch, &words);
    let said = serving.json();
    let stores = said["stores"].as_object().unwrap();
    assert_eq!(stores.keys().collect::<Vec<_>>(), ["default", "team"]);
    let notes = format!("{}/api/v1/notes", fields(&said, "stores/team"));
    has(get(&notes, None), "HTTP/1.1 503");
}

#[test]
fn what_is_not_safe_is_not_served() {
    let scratch = Scratch::new();
    assert_transcript!(scratch, @"
    $ waynote serve --listen 0.0.0.0:0
    exit 1
    error: 0.0.0.0:0 can be reached by others, and tokens and notes would go there unencrypted
      name a certificate (`--tls-cert FILE --tls-key FILE`), or say that a proxy encrypts (`--behind-proxy`)

    $ waynote serve --listen 0.0.0.0:0 --behind-proxy
    exit 1
    error: store `default` has no tokens, and others can reach 0.0.0.0:0
      make one for each who may use it: `waynote --store STORE token create NAME --admin`

    $ waynote serve --listen 127.0.0.1:0 --behind-proxy --store new=new.db
    exit 1
    there is no store new.db: a new one is served
    error: store `new` has no tokens, and a proxy lets others in
      make one for each who may use it: `waynote --store STORE token create NAME --admin`
    ");
    // The hint is a complete command, and solves the problem.
    scratch.ok("--store new.db token create NAME --admin");
    let words = "serve --json --listen 127.0.0.1:0 --behind-proxy --store new=new.db";
    start(&scratch, words).json();
    assert_transcript!(scratch, @"
    $ waynote serve --listen 127.0.0.1:0 --tls-cert no.pem --tls-key no.pem
    exit 2
    error: no.pem cannot be used: I/O error: No such file or directory (os error 2)
      give the certificate and its key as PEM files

    $ waynote serve --listen 127.0.0.1:0 --store team=mysql://db/notes
    exit 2
    error: `mysql://db/notes` is neither a path nor an address
      write https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME; a file of that name is `./mysql://db/notes`

    $ waynote serve --listen 127.0.0.1:0 --store b!d=x
    exit 2
    there is no store x: a new one is served
    error: `b!d` cannot be the name of a store: letters, digits, `-`, `_` and `.` can
      choose another name
    ");
}
