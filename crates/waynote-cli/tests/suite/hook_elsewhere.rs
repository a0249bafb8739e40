//! Prompts of sessions with a store on a server: one request. Notes that come too late are added at the next prompt.

use serde_json::json;
use waynote_test_postgres::{Does, Proxy};

use super::common::{Run, Scratch, until};
use super::hook_session::added;
use super::served::Served;

/// A session of this machine with its block, and a way to its server that can be held up.
struct Session {
    server: Served,
    at_server: Scratch,
    proxy: Proxy,
    scratch: Scratch,
}

impl Session {
    fn begin() -> Self {
        let at_server = Scratch::new();
        let server = Served::start(&at_server, [""; 0]);
        let (_, port) = server.url.rsplit_once(':').unwrap();
        let proxy = Proxy::start(port.parse().unwrap());
        let scratch = Scratch::new();
        let session = Self {
            server,
            at_server,
            proxy,
            scratch,
        };
        session.write("the-first");
        let begun = session.hook("SessionStart").env("WAYNOTE_HOOK_WAIT", "60");
        assert!(added(begun).contains("the-first"));
        session
    }

    /// Another agent writes the note of the place.
    fn write(&self, text: &str) {
        let words = format!("--agent other place write --at ~/work {text}");
        self.at_server.ok(&words);
    }

    fn hook(&self, event: &str) -> Run {
        let input = json!({
            "session_id": "s", "cwd": self.scratch.home().join("work"), "prompt": "go on",
            "source": "startup",
        });
        let words = format!("hook claude-code {event} --no-search");
        let url = format!("http://127.0.0.1:{}/s/default", self.proxy.port());
        let run = self.scratch.run(&words).stdin(input.to_string());
        run.env("WAYNOTE_STORE", url)
    }

    /// The text that a prompt adds while the server answers.
    fn prompt(&self) -> String {
        added(self.hook("UserPromptSubmit").env("WAYNOTE_HOOK_WAIT", "60"))
    }

    /// The hook's complaint about a prompt to which it adds nothing.
    fn prompt_in_vain(&self) -> String {
        let said = self.hook("UserPromptSubmit").output();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "{}\n");
        let complaint = String::from_utf8(said.stderr).unwrap();
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(complaint.contains("nothing added"), "{complaint}");
        complaint
    }

    /// How many requests the server has logged.
    fn requests(&self) -> usize {
        let log = std::fs::read_to_string(self.at_server.path("log"));
        log.unwrap_or_default().lines().count()
    }
}

#[test]
fn a_prompt_is_one_request() {
    let session = Session::begin();
    session.write("the-second");
    until("the first is logged", || session.requests() > 0);
    let before = session.requests();
    assert!(session.prompt().contains("the-second"));
    until("it is logged", || session.requests() > before);
    assert_eq!(session.requests() - before, 1);
}

#[test]
fn a_prompt_goes_on_without_a_slow_server_and_the_next_one_is_told() {
    let session = Session::begin();
    session.write("the-second");
    session.proxy.does(Does::Nothing);
    let complaint = session.prompt_in_vain();
    session.proxy.does(Does::Forward);
    let is_late = complaint.contains("took too long") || complaint.contains("no answer within");
    assert!(is_late, "{complaint}");
    assert!(session.prompt().contains("the-second"));
    assert_eq!(session.prompt(), "");
}

#[test]
fn a_prompt_goes_on_without_a_dead_server() {
    let mut session = Session::begin();
    session.write("the-second");
    session.server.kill();
    let complaint = session.prompt_in_vain();
    assert!(!complaint.contains("the-first"), "{complaint}");
}
