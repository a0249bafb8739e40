//! A round trip with an MCP server as a client makes it: started, greeted, asked for its tools, ended.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use waynote::visible::visible;

/// The longest that a step may take; the most impatient client waits ten seconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no conversation, or why a trial failed. Its words are all that a caller needs.
pub type Reason = Box<dyn std::error::Error + Send + Sync>;

type Result<T> = std::result::Result<T, Reason>;

/// A process and all that it started, ended when this goes.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.0.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// A connection with a server that was started for it, and is ended with it.
pub struct Conversation {
    // Ends before the process is ended: most servers go by themselves then.
    stdin: std::process::ChildStdin,
    lines: Receiver<String>,
    last_id: u64,
    _group: Group,
}

impl Conversation {
    /// Starts a server and greets it as that client; gives what it says of itself, too.
    ///
    /// # Errors
    /// The server cannot be started, or does not answer.
    pub fn start(mut command: Command, client: &str) -> Result<(Self, Value)> {
        let mut group = Group(
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .map_err(|error| format!("it cannot be started: {error}"))?,
        );
        let (Some(stdin), Some(stdout)) = (group.0.stdin.take(), group.0.stdout.take()) else {
            return Err("it has no streams".into());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(io::Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut conversation = Self {
            stdin,
            lines,
            last_id: 0,
            _group: group,
        };
        let greeted = conversation.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": client, "version": env!("CARGO_PKG_VERSION") },
            }),
        )?;
        conversation.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        Ok((conversation, greeted))
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// The server says nothing, ends, says something else or refuses.
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        answer(&self.lines, id, method)
    }

    /// A closed standard input is reported as no answer.
    fn send(&mut self, message: &Value) {
        let _ = writeln!(self.stdin, "{message}").and_then(|()| self.stdin.flush());
    }
}

/// Starts the server, makes the round trip and counts its tools.
///
/// # Errors
/// Those of a [`Conversation`]; its list of tools is none.
pub fn round_trip(command: Command) -> Result<usize> {
    let (mut server, _) = Conversation::start(command, "waynote-doctor")?;
    let listed = server.ask("tools/list", &json!({}))?;
    let tools = listed["tools"].as_array();
    Ok(tools.ok_or("its list of tools is no list")?.len())
}

/// The answer to a request; notifications and requests of the server's own are passed over.
fn answer(lines: &Receiver<String>, id: u64, asked: &str) -> Result<Value> {
    let begin = Instant::now();
    loop {
        let patience = PATIENCE.saturating_sub(begin.elapsed());
        let line = lines.recv_timeout(patience).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                format!("it did not answer `{asked}` in {} s", PATIENCE.as_secs())
            }
            RecvTimeoutError::Disconnected => format!("it ended without answering `{asked}`"),
        })?;
        let message: Value = serde_json::from_str(&line).map_err(|_| {
            let start = visible(&line.chars().take(80).collect::<String>());
            format!("it printed a line that is no message: `{start}`")
        })?;
        if message["id"] == json!(id) && message.get("method").is_none() {
            let Some(error) = message.get("error") else {
                return Ok(message["result"].clone());
            };
            let why = error["message"].as_str().unwrap_or("without a message");
            return Err(format!("it answered `{asked}` with an error: {why}").into());
        }
    }
}
