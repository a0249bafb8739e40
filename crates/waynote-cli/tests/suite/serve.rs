//! `waynote serve`: the server as a user starts it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

use insta::assert_snapshot;
use serde_json::Value;

use super::common::{Scratch, assert_transcript, rest};
use super::http::get;

/// A server that is killed when the test ends.
pub(super) struct Serving {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Serving {
    pub(super) fn start(scratch: &Scratch, words: &str) -> Self {
        let mut child = scratch.run(words).piped();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The JSON output of `--json`.
    fn json(&mut self) -> Value {
        let mut said = String::new();
        while !said.ends_with("}\n") || serde_json::from_str::<Value>(&said).is_err() {
            assert!(self.out.read_line(&mut said).unwrap() > 0, "{said}");
        }
        serde_json::from_str(&said).unwrap()
    }

    /// Sends a signal, and returns the exit code and the text on standard error.
    fn end(&mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        let said = rest(self.child.stderr.take());
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_says_where_it_listens_and_stops_when_it_is_told() {
    let scratch = Scratch::new();
    scratch.ok("key save deploy ship");
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT] {
        let mut serving = Serving::start(&scratch, "serve --listen 127.0.0.1:0");
        let said = serving.line();
        let url = said.strip_prefix("listening on ").unwrap().to_owned();
        assert_eq!(serving.line(), format!("  {url}/s/default"));
        let answer = get(&format!("{url}/s/default/api/v1/notes"), None);
        assert!(answer.contains(r#""content":"ship""#), "{answer}");
        let (code, said) = serving.end(signal);
        assert_eq!(code, Some(0));
        let line: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(line["route"], "/s/{store}/api/v1/notes");
        assert_eq!(line["time"], "2026-05-17T12:00:00Z");
    }
}

#[test]
fn a_hang_up_ends_no_server() {
    let scratch = Scratch::new();
    let mut serving = Serving::start(&scratch, "serve --listen 127.0.0.1:0");
    let said = serving.line();
    let url = said.strip_prefix("listening on ").unwrap().to_owned();
    let pid = rustix::process::Pid::from_child(&serving.child);
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
    let answer = get(&format!("{url}/healthz"), None);
    assert!(answer.contains("alive"), "{answer}");
    let (code, _) = serving.end(rustix::process::Signal::TERM);
    assert_eq!(code, Some(0));
}

#[test]
fn several_stores_have_names() {
    let scratch = Scratch::new();
    scratch.ok("--store one.db key save deploy ship");
    let words = "serve --json --listen 127.0.0.1:0 --store one=one.db --store two=~/two.db";
    let mut serving = Serving::start(&scratch, words);
    let said = serving.json();
    let one = get(
        &format!("{}/api/v1/notes", said["stores"]["one"].as_str().unwrap()),
        None,
    );
    assert!(one.contains("agent:default"), "{one}");
    let two = get(
        &format!("{}/api/v1/notes", said["stores"]["two"].as_str().unwrap()),
        None,
    );
    assert!(two.ends_with(r#"{"notes":[],"next":null}"#), "{two}");
    let default = get(
        &format!("{}/s/default/api/v1/notes", said["url"].as_str().unwrap()),
        None,
    );
    assert!(default.starts_with("HTTP/1.1 404"), "{default}");
}

#[test]
fn a_store_before_the_command_is_the_default() {
    let scratch = Scratch::new();
    scratch.ok("--store one.db key save deploy ship");
    let mut serving = Serving::start(&scratch, "--store one.db serve --json --listen 127.0.0.1:0");
    let said = serving.json();
    let answer = get(
        &format!(
            "{}/api/v1/notes",
            said["stores"]["default"].as_str().unwrap()
        ),
        None,
    );
    assert!(answer.contains("agent:default"), "{answer}");
}

#[test]
fn a_store_in_a_database_has_a_name_too() {
    let scratch = Scratch::new();
    // The server starts although the database is away.
    let away = "postgres://somebody@127.0.0.1:1/notes?store=night";
    let words = format!("serve --json --listen 127.0.0.1:0 --store team={away} --store {away}");
    let mut serving = Serving::start(&scratch, &words);
    let said = serving.json();
    let stores = said["stores"].as_object().unwrap();
    assert_eq!(stores.keys().collect::<Vec<_>>(), ["default", "team"]);
    for url in stores.values() {
        let answer = get(&format!("{}/api/v1/notes", url.as_str().unwrap()), None);
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    }
    let elsewhere = "serve --listen 127.0.0.1:0 --store team=https://notes.example/s/team";
    assert_snapshot!(scratch.run(elsewhere).said(), @"
    exit 2
    error: this works only on the machine where the store is: https://notes.example/s/team is on a server
      run it there, or name a file with `--store PATH`
    ");
    assert_snapshot!(scratch.run("serve --listen 127.0.0.1:0 --store team=mysql://db/notes").said(), @"
    exit 2
    error: `mysql://db/notes` is not a path
      give the path of a file, https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME
    ");
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
    error: store `new` has no tokens, and a proxy lets others in
      make one for each who may use it: `waynote --store STORE token create NAME --admin`
    ");
    // The hint is a complete command, and solves the problem.
    scratch.ok("--store new.db token create NAME --admin");
    Serving::start(
        &scratch,
        "serve --json --listen 127.0.0.1:0 --behind-proxy --store new=new.db",
    )
    .json();
    assert_transcript!(scratch, @"
    $ waynote --store b.db serve --listen 127.0.0.1:0 --behind-proxy
    exit 1
    error: store `default` has no tokens, and a proxy lets others in
      make one for each who may use it: `waynote --store STORE token create NAME --admin`

    $ waynote serve --listen 127.0.0.1:0 --tls-cert no.pem --tls-key no.pem
    exit 2
    error: no.pem cannot be used: I/O error: No such file or directory (os error 2)
      give the certificate and its key as PEM files

    $ waynote serve --listen 127.0.0.1:0 --store a/b=x --store y
    exit 2
    error: two stores have the name `default`
      give each its own: `--store NAME=PATH`

    $ waynote serve --listen 127.0.0.1:0 --store b!d=x
    exit 2
    error: `b!d` cannot be the name of a store: letters, digits, `-`, `_` and `.` can
      choose another name

    $ waynote serve --listen nowhere
    exit 2
    error: invalid value 'nowhere' for '--listen <ADDRESS:PORT>': write an IP address and a port, as in 127.0.0.1:7467
    ");
}
