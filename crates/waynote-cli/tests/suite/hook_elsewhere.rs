//! Prompts of sessions with a store on a server: one request. Notes that come too late are added at the next prompt.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Output;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::common::{Run, Scratch, until};
use super::served::Served;

/// `waynote serve`, and a way to it that can be held up.
struct Far {
    server: Served,
    scratch: Scratch,
    /// The address of the way to it.
    url: String,
    way: Arc<Way>,
}

struct Way {
    /// The present address of the server.
    to: Mutex<String>,
    /// True if no answer comes back.
    is_held: AtomicBool,
    requests: AtomicUsize,
}

const NO_OPTIONS: [&str; 0] = [];

fn address(server: &Served) -> String {
    server.url["http://".len()..].to_owned()
}

impl Far {
    fn start() -> Self {
        let scratch = Scratch::new();
        let server = Served::start(&scratch, NO_OPTIONS);
        let way = Arc::new(Way {
            to: Mutex::new(address(&server)),
            is_held: AtomicBool::new(false),
            requests: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/s/default", listener.local_addr().unwrap());
        let passed = Arc::clone(&way);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let to = passed.to.lock().unwrap().clone();
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(to)) else {
                    continue;
                };
                let ways = [client.try_clone().unwrap(), server.try_clone().unwrap()];
                let (there, back) = (Arc::clone(&passed), Arc::clone(&passed));
                std::thread::spawn(move || {
                    pass(client, server, |bytes| {
                        let begins = bytes.starts_with(b"POST ") || bytes.starts_with(b"GET ");
                        there.requests.fetch_add(begins.into(), Ordering::Relaxed);
                    });
                });
                let [client, server] = ways;
                std::thread::spawn(move || {
                    pass(server, client, |_| {
                        while back.is_held.load(Ordering::Relaxed) {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                    });
                });
            }
        });
        Self {
            server,
            scratch,
            url,
            way,
        }
    }

    fn hold(&self, is_held: bool) {
        self.way.is_held.store(is_held, Ordering::Relaxed);
    }

    /// Another agent writes the note of the place.
    fn write(&self, text: &str) {
        let words = format!("--agent other place write --at ~/work {text}");
        let url = format!("{}/s/default", self.server.url);
        let here = Scratch::new();
        here.run(&words).env("WAYNOTE_STORE", &url).ok();
    }

    fn restart(&mut self) {
        self.server = Served::start(&self.scratch, NO_OPTIONS);
        *self.way.to.lock().unwrap() = address(&self.server);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, before: impl Fn(&[u8])) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        before(&bytes[..count]);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// A session of this machine, with its block.
struct Session {
    far: Far,
    scratch: Scratch,
}

impl Session {
    fn begin() -> Self {
        let session = Self {
            far: Far::start(),
            scratch: Scratch::new(),
        };
        session.far.write("the-first");
        let begun = session.hook("SessionStart").env("WAYNOTE_HOOK_WAIT", "60");
        assert!(added(&begun.output()).contains("the-first"));
        session
    }

    fn hook(&self, event: &str) -> Run {
        let input = json!({
            "session_id": "s", "cwd": self.scratch.home().join("work"), "prompt": "go on",
            "source": "startup",
        });
        let words = format!("hook claude-code {event} --no-search");
        let run = self.scratch.run(&words).stdin(input.to_string());
        run.env("WAYNOTE_STORE", &self.far.url)
    }

    /// The text that a prompt adds while the server answers.
    fn prompt(&self) -> String {
        let run = self.hook("UserPromptSubmit");
        added(&run.env("WAYNOTE_HOOK_WAIT", "60").output())
    }

    /// The hook's complaint about a prompt to which it adds nothing.
    fn prompt_in_vain(&self) -> String {
        let said = self.hook("UserPromptSubmit").output();
        assert_eq!(added(&said), "");
        let complaint = String::from_utf8(said.stderr).unwrap();
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(complaint.contains("nothing added"), "{complaint}");
        complaint
    }
}

fn added(said: &Output) -> String {
    assert!(said.status.success(), "{said:?}");
    let answer: Value = serde_json::from_slice(&said.stdout).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
    text.unwrap_or_default().to_owned()
}

#[test]
fn a_prompt_is_one_request() {
    let session = Session::begin();
    session.far.write("the-second");
    let before = session.far.way.requests.load(Ordering::Relaxed);
    assert!(session.prompt().contains("the-second"));
    let after = session.far.way.requests.load(Ordering::Relaxed);
    assert_eq!(after - before, 1);
}

#[test]
fn a_prompt_goes_on_without_a_slow_server_and_the_next_one_is_told() {
    let session = Session::begin();
    session.far.write("the-second");
    session.far.hold(true);
    let complaint = session.prompt_in_vain();
    session.far.hold(false);
    let is_late = complaint.contains("took too long") || complaint.contains("no answer within");
    assert!(is_late, "{complaint}");
    assert!(session.prompt().contains("the-second"));
    assert_eq!(session.prompt(), "");
}

#[test]
fn a_prompt_goes_on_without_a_dead_server_and_the_next_one_is_told() {
    let mut session = Session::begin();
    session.far.write("the-second");
    session.far.server.kill();
    // The kernel may let somebody in until the port is closed.
    until("the server is gone", || {
        TcpStream::connect(address(&session.far.server)).is_err()
    });
    let complaint = session.prompt_in_vain();
    assert!(!complaint.contains("the-first"), "{complaint}");
    session.far.restart();
    assert!(session.prompt().contains("the-second"));
    assert_eq!(session.prompt(), "");
}
