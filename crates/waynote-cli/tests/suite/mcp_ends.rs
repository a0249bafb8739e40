//! How a server ends: with its client, however that goes, and with all that was asked answered.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::common::Scratch;
use super::mcp_client::Client;

#[test]
fn what_was_asked_is_answered_before_the_end() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    for number in 0..50 {
        let arguments = json!({ "key": format!("k{number}"), "content": "v" });
        client.ask(
            "tools/call",
            json!({ "name": "note_save", "arguments": arguments }),
        );
    }
    let (rest, status) = client.end();
    assert_eq!(rest.lines().count(), 50);
    assert!(status.success());
    assert_eq!(scratch.ok("key count"), "50\n");
}

#[test]
fn a_client_that_says_nothing_leaves_no_server() {
    let scratch = Scratch::new();
    let (said, status) = Client::spawn(scratch.command("mcp")).end();
    assert_eq!(said, "");
    assert!(status.success());
}

#[test]
fn a_request_that_is_cancelled_keeps_nobody() {
    let scratch = Scratch::new();
    let mut client = Client::start(&scratch, "mcp");
    let id = client.ask(
        "tools/call",
        json!({ "name": "note_list", "arguments": {} }),
    );
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    assert!(client.end().1.success());
}

/// A client that is killed, while another process holds the server's input open.
#[test]
#[cfg(target_os = "linux")]
fn no_server_outlives_its_client() {
    let scratch = Scratch::new();
    for input in ["sleep 60 |", "</dev/null sleep 60 | cat |"] {
        // The shell is the client: it starts the server, says its number, and waits for it.
        let script = format!("{{ {input} \"$0\" mcp & }}; echo $!; wait");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_waynote")]);
        command
            .env("HOME", scratch.home())
            .current_dir(scratch.home());
        let mut client = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(client.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let server = line.trim().to_owned();
        // Until it is the server, it is the shell that becomes it.
        until(|| name_of(&server).is_some_and(|name| name == "waynote"));
        client.kill().unwrap();
        client.wait().unwrap();
        until(|| name_of(&server).is_none());
    }
}

/// The name of a running process.
fn name_of(pid: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let is_over = status.contains("State:\tZ");
    let name = status.lines().next()?.strip_prefix("Name:\t")?;
    (!is_over).then(|| name.to_owned())
}

/// Waits until it holds; looking costs little, and a minute is more than it can take.
fn until(holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "it does not come"
        );
        std::thread::yield_now();
    }
}
