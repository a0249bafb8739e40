//! The end of a server: with its client, in whichever way that ends, and with every request answered.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::common::{Scratch, until};
use super::mcp_client::Client;

#[test]
fn a_client_that_says_nothing_leaves_no_server() {
    let scratch = Scratch::new();
    let (said, status) = Client::spawn(scratch.command("mcp")).end();
    assert_eq!(said, "");
    assert!(status.success());
}

/// The client is killed while another process holds the server's input open.
#[test]
#[cfg(target_os = "linux")]
fn no_server_outlives_its_client() {
    let scratch = Scratch::new();
    let pipe = scratch.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // This test is that other process.
    let mut held = OpenOptions::new();
    let held = held.read(true).write(true).open(&pipe).unwrap();
    // The shell is the client: it starts the server, prints its process id, and waits for it.
    let script = "\"$0\" mcp < \"$1\" > /dev/null & echo $!; wait";
    let mut client = Command::new("sh");
    client
        .args(["-c", script, env!("CARGO_BIN_EXE_waynote")])
        .arg(&pipe);
    client
        .env("HOME", scratch.home())
        .current_dir(scratch.home());
    let mut client = client.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(client.stdout.take().unwrap());
    said.read_line(&mut line).unwrap();
    let server = line.trim().to_owned();
    // At first the process is still the shell, which then becomes the server; after that it looks for its parent.
    until("it", || {
        status_of(&server).is_some_and(|status| status.contains("Name:\twaynote"))
    });
    until("it", || {
        status_of(&server).is_some_and(|status| status.contains("Threads:\t3"))
    });
    client.kill().unwrap();
    client.wait().unwrap();
    until("it", || status_of(&server).is_none());
    drop(held);
}

/// The kernel's status of a running process; none for a zombie or without the process.
fn status_of(pid: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    (!status.contains("State:\tZ")).then_some(status)
}
