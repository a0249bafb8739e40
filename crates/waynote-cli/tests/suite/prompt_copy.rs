//! Prompts of sessions whose store is on a server: what they are told comes from the copy that the session's MCP server
//! keeps, however long the server takes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::common::{Scratch, until};
use super::mcp_client::Client;
use super::served::Served;

/// Longer than a hook has at a prompt.
const DELAY: Duration = Duration::from_millis(60);

/// `waynote serve`, and a way to it that takes its time with every answer.
struct Far {
    _server: Served,
    _store: Scratch,
    /// Its address.
    near: String,
    /// The same by the way that takes its time.
    far: String,
    is_held: Arc<AtomicBool>,
}

impl Far {
    fn start() -> Self {
        let store = Scratch::new();
        let options: [&str; 0] = [];
        let server = Served::start(&store, options);
        let near = format!("{}/s/default", server.url);
        let (address, path) = near["http://".len()..].split_once('/').unwrap();
        let is_held = Arc::new(AtomicBool::new(false));
        let way = TcpListener::bind("127.0.0.1:0").unwrap();
        let far = format!("http://{}/{path}", way.local_addr().unwrap());
        let (to, held) = (address.to_owned(), Arc::clone(&is_held));
        std::thread::spawn(move || {
            for client in way.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&to));
                // The server has ended.
                let Ok(server) = server else { continue };
                let ways = [client.try_clone().unwrap(), server.try_clone().unwrap()];
                let held = Arc::clone(&held);
                std::thread::spawn(move || pass(client, server, || {}));
                let [client, server] = ways;
                std::thread::spawn(move || {
                    pass(server, client, || {
                        std::thread::sleep(DELAY);
                        while held.load(Ordering::Relaxed) {
                            std::thread::sleep(Duration::from_millis(5));
                        }
                    });
                });
            }
        });
        Self {
            _server: server,
            _store: store,
            near,
            far,
            is_held,
        }
    }

    /// From now on nothing comes back; or again everything.
    fn hold(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::Relaxed);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, before: impl Fn()) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        before();
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// One machine of somebody who works with that store.
struct Here {
    far: Far,
    scratch: Scratch,
}

impl Here {
    fn new() -> Self {
        let here = Self {
            far: Far::start(),
            scratch: Scratch::new(),
        };
        here.write("the-first");
        here
    }

    /// Another agent writes the note of the place.
    fn write(&self, text: &str) {
        let words = format!("--agent other place write --at ~/work {text}");
        let run = self.scratch.run(&words);
        run.env("WAYNOTE_STORE", &self.far.near).ok();
    }

    fn hook(&self, event: &str, session: &str, wait: &str) -> super::common::Run {
        let input = json!({
            "session_id": session, "cwd": self.scratch.home().join("work"), "prompt": "go on",
            "source": "startup",
        });
        let run = self
            .scratch
            .run(&format!("hook claude-code {event} --no-search"));
        run.stdin(input.to_string())
            .env("WAYNOTE_STORE", &self.far.far)
            .env("WAYNOTE_HOOK_WAIT", wait)
    }

    /// A session begins, and gets the block.
    fn begin(&self, session: &str, text: &str) {
        // It has a second for that, which may be too short on a busy machine: nothing was given then.
        until("the block", || {
            let said = self.hook("SessionStart", session, "30").output();
            added(&said).contains(text)
        });
    }

    fn mcp(&self) -> Client {
        let mut command = self.scratch.command("mcp");
        command.env("WAYNOTE_STORE", &self.far.far);
        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        client
    }

    /// What a prompt adds while the server does not answer.
    fn prompt_alone(&self, session: &str) -> String {
        self.far.hold(true);
        let said = self.hook("UserPromptSubmit", session, "30").output();
        self.far.hold(false);
        assert_eq!(String::from_utf8_lossy(&said.stderr), "");
        added(&said)
    }

    /// The same for a session whose copy is of no use: the hook has to ask the server, in vain.
    fn asks_in_vain(&self, session: &str) {
        self.far.hold(true);
        let said = self.hook("UserPromptSubmit", session, "0.4").output();
        self.far.hold(false);
        let complaint = String::from_utf8_lossy(&said.stderr);
        assert!(complaint.contains("nothing added"), "{said:?}");
        assert_eq!(added(&said), "");
    }

    fn kept(&self, kind: &str) -> Vec<PathBuf> {
        let folder = self.scratch.home().join(".local/state/waynote/blocks");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| file.path());
        files
            .filter(|file| file.extension().is_some_and(|of| of == kind))
            .collect()
    }

    /// The copies that are kept.
    fn copies(&self) -> Vec<Value> {
        let texts = self.kept("answer").into_iter();
        let texts = texts.filter_map(|file| std::fs::read(file).ok());
        texts
            .filter_map(|text| serde_json::from_slice(&text).ok())
            .collect()
    }

    fn until_copy(&self, what: &str, holds: impl Fn(&str) -> bool) {
        until(what, || {
            std::thread::sleep(Duration::from_millis(5));
            let copies = self.copies();
            copies.len() == 1 && holds(copies[0]["text"].as_str().unwrap())
        });
    }
}

fn added(said: &Output) -> String {
    assert!(said.status.success(), "{said:?}");
    let answer: Value = serde_json::from_slice(&said.stdout).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
    text.unwrap_or_default().to_owned()
}

#[test]
fn a_prompt_is_told_what_others_wrote_however_slow_the_server_is() {
    let here = Here::new();
    here.begin("s", "the-first");
    // Without anybody who keeps a copy, as ever: nothing comes in time.
    here.write("the-second");
    let said = here.hook("UserPromptSubmit", "s", "0.04").output();
    assert_eq!(added(&said), "");
    let _mcp = here.mcp();
    here.until_copy("the second text", |text| text.contains("the-second"));
    for file in [here.kept("answer"), here.kept("question")].concat() {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    let text = here.prompt_alone("s");
    assert!(text.contains("the-second"), "{text}");
    // Told once: the copy knows that it was handed over.
    here.until_copy("nothing new", str::is_empty);
    assert_eq!(here.prompt_alone("s"), "");
    here.write("the-third");
    here.until_copy("the third text", |text| text.contains("the-third"));
    // Of two hooks for one prompt one has it.
    here.far.hold(true);
    let texts = std::thread::scope(|scope| {
        let hook = || here.hook("UserPromptSubmit", "s", "30").output();
        let hooks = [scope.spawn(hook), scope.spawn(hook)];
        hooks.map(|hook| added(&hook.join().unwrap()))
    });
    here.far.hold(false);
    let told = texts.iter().filter(|text| text.contains("the-third"));
    assert_eq!(told.count(), 1, "{texts:?}");
}

#[test]
fn what_was_forgotten_is_not_told() {
    let here = Here::new();
    here.begin("s", "the-first");
    let _mcp = here.mcp();
    here.until_copy("nothing new", str::is_empty);
    here.write("a-secret");
    here.until_copy("the text", |text| text.contains("a-secret"));
    let forget = |url: &str| {
        let run = here.scratch.run("forget place:~/work --yes");
        run.env("WAYNOTE_STORE", url).ok();
    };
    // On another machine, as far as this one knows: it hears of it.
    let files = here.kept("answer");
    let elsewhere = here.far.near.clone();
    forget(&elsewhere);
    until("the copy without it", || {
        !files.iter().any(|file| {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            text.contains("a-secret")
        })
    });
    here.until_copy("nothing new", str::is_empty);
    assert_eq!(here.prompt_alone("s"), "");
    // On this machine: nothing is left when the command ends.
    here.write("another-secret");
    here.until_copy("the text", |text| text.contains("another-secret"));
    forget(&here.far.far.clone());
    let left = here.copies();
    assert!(!format!("{left:?}").contains("another-secret"), "{left:?}");
    until("the questions are gone", || here.copies().is_empty());
    here.asks_in_vain("s");
    // The hook has left its question again.
    here.until_copy("nothing new", str::is_empty);
    assert_eq!(here.prompt_alone("s"), "");
}

#[test]
fn a_copy_that_nobody_keeps_or_that_is_not_right_is_not_used() {
    let here = Here::new();
    here.begin("s", "the-first");
    let mut mcp = here.mcp();
    here.until_copy("nothing new", str::is_empty);
    assert_eq!(here.prompt_alone("s"), "");
    let [file] = here.kept("answer").try_into().unwrap();
    let right = std::fs::read(&file).unwrap();
    // Old, for the hook at least.
    here.far.hold(true);
    let run = here.hook("UserPromptSubmit", "s", "0.4");
    let said = run.env("WAYNOTE_NOW", "2026-05-17T12:02:00Z").output();
    here.far.hold(false);
    let complaint = String::from_utf8_lossy(&said.stderr);
    assert!(complaint.contains("nothing added"), "{said:?}");
    // Another agent's, another place's.
    here.far.hold(true);
    let run = here.hook("UserPromptSubmit", "s", "0.4");
    let said = run.env("WAYNOTE_AGENT", "other").output();
    here.far.hold(false);
    let complaint = String::from_utf8_lossy(&said.stderr);
    assert!(complaint.contains("nothing added"), "{said:?}");
    // Its process is gone: what it left says nothing.
    mcp.child.kill().unwrap();
    mcp.child.wait().unwrap();
    std::fs::write(&file, &right).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    here.asks_in_vain("s");
    // The next one begins anew, and ends without leaving anything.
    let mcp = here.mcp();
    here.until_copy("nothing new", str::is_empty);
    for damaged in [&b"{"[..], b"", &right[..right.len() / 2]] {
        std::fs::write(&file, damaged).unwrap();
        here.asks_in_vain("s");
    }
    mcp.end();
    assert_eq!(here.kept("answer"), Vec::<PathBuf>::new());
    here.asks_in_vain("s");
}

#[test]
fn each_session_of_a_client_has_its_own() {
    let here = Here::new();
    here.begin("one", "the-first");
    let _mcp = here.mcp();
    here.until_copy("nothing new", str::is_empty);
    here.write("the-second");
    here.until_copy("the second text", |text| text.contains("the-second"));
    assert!(here.prompt_alone("one").contains("the-second"));
    // It begins with what the other one was told at a prompt.
    here.begin("two", "the-second");
    until("two copies", || {
        here.copies()
            .iter()
            .filter(|copy| copy["text"] == "")
            .count()
            == 2
    });
    here.write("the-third");
    until("both are to be told", || {
        let copies = here.copies();
        let is_told = |copy: &&Value| copy["text"].as_str().unwrap().contains("the-third");
        copies.iter().filter(is_told).count() == 2
    });
    assert!(here.prompt_alone("one").contains("the-third"));
    assert!(here.prompt_alone("two").contains("the-third"));
}

#[test]
fn a_loop_keeps_the_copy_for_an_agent_without_the_server() {
    let here = Here::new();
    let waynote = env!("CARGO_BIN_EXE_waynote");
    let input =
        json!({ "session_id": "s", "cwd": here.scratch.home().join("work"), "source": "startup" });
    let folder = here.scratch.home().join(".local/state/waynote/blocks");
    let script = here.scratch.path("agent.sh");
    let text = format!(
        "i=0\n\
         until ls {folder}/*.answer >/dev/null 2>&1; do\n\
           echo '{input}' | {waynote} hook claude-code SessionStart --no-search >/dev/null\n\
           i=$((i+1)); [ $i -lt 600 ] || exit 1; sleep 0.1\n\
         done\n\
         {waynote} key save kept yes\n",
        folder = folder.display()
    );
    std::fs::write(&script, text).unwrap();
    let words = format!(
        "--session nightly loop --iterations 1 -- sh {}",
        script.display()
    );
    let run = here.scratch.run(&words);
    run.env("WAYNOTE_STORE", &here.far.far)
        .env("WAYNOTE_HOOK_WAIT", "30")
        .said();
    let saved = here.scratch.run("key show kept");
    let saved = saved.env("WAYNOTE_STORE", &here.far.near).ok();
    assert!(saved.contains("yes"), "{saved}");
    assert_eq!(here.kept("answer"), Vec::<PathBuf>::new());
}
