//! A client of the server that knows nothing but lines of JSON.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are sent"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use super::common::Scratch;

/// The line between the first reply and the block.
pub(crate) const BLOCK: &str = "The notes that apply here, as they were before this call:\n\n";

/// A server, and its output.
pub(crate) struct Client {
    home: String,
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: u64,
    /// The `_meta` of every request, in the stateless version of the protocol.
    meta: Option<Value>,
}

impl Client {
    /// Starts the server and begins as clients do up to 2025-11-25.
    pub(crate) fn start(scratch: &Scratch, words: &str) -> Self {
        let mut client = Self::spawn(scratch.command(words));
        client.initialize(json!({}));
        client
    }

    /// Starts the server, and sends nothing yet.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stderr(Stdio::inherit());
        Self::spawn_heard(command)
    }

    /// The same, with standard error as the command has it.
    pub(crate) fn spawn_heard(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let home = command.get_envs().find(|(name, _)| *name == "HOME");
        let home = home.and_then(|(_, home)| home).unwrap_or_default();
        let home = home.to_string_lossy().into_owned();
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self {
            home,
            child,
            input,
            output: BufReader::new(output),
            id: 0,
            meta: None,
        }
    }

    pub(crate) fn initialize(&mut self, capabilities: Value) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        let result = self.request("initialize", params);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        result
    }

    /// Speaks as from 2026-07-28 on.
    pub(crate) fn stateless(&mut self) {
        self.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
    }

    /// The result of a request.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The answer to a request, an error perhaps.
    pub(crate) fn answer(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], self.id, "{answer}");
        answer
    }

    /// Sends a request; its id.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the server has ended: {line:?}");
        serde_json::from_str(&line).unwrap()
    }

    /// The input, for another thread to write to; this client then only reads.
    pub(crate) fn split_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// The result of a tool. Of several texts, or of data beside a text, clients forward only one to their model.
    pub(crate) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = self.request("tools/call", params);
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
        assert!(result["structuredContent"].is_null(), "{result}");
        result
    }

    /// The text of a tool's reply, with `error:` before that of an error, and without the block in the first reply.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        let text = match text.split_once(BLOCK) {
            Some((reply, _)) => reply.strip_suffix("\n\n").unwrap_or(reply),
            None => text,
        };
        match result["isError"] == true {
            true => format!("error: {text}"),
            false => text.to_owned(),
        }
    }

    /// The tools as a client gets them.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let mut listed = self.request("tools/list", json!({}));
        serde_json::from_value(listed["tools"].take()).unwrap()
    }

    /// Ends the input. Returns the rest of the output, and the server's exit status.
    pub(crate) fn end(mut self) -> (String, ExitStatus) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap())
    }

    /// The most memory that the process has needed so far, in kB, without the pages of its program: those depend on
    /// where the linker put things. As Linux tells it; at least this much, since pages that came after the peak are
    /// taken off too.
    pub(crate) fn most_memory(&self) -> u64 {
        self.kilobytes("VmHWM")
            .saturating_sub(self.kilobytes("RssFile"))
    }

    /// A figure of the process, in kB, as Linux tells it.
    pub(crate) fn kilobytes(&self, field: &str) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

/// The calls of a transcript, each with its reply now. The scratch home is written as `HOME`.
pub(crate) fn called(client: &mut Client, transcript: &str) -> String {
    let calls = transcript.lines().map(str::trim_start);
    let calls = calls.filter_map(|line| line.strip_prefix("$ "));
    let reply = |call: &str| {
        let (tool, arguments) = call.split_once(' ').unwrap();
        let reply = client.call(tool, serde_json::from_str(arguments).unwrap());
        format!("$ {call}\n{}\n\n", reply.replace(&client.home, "HOME"))
    };
    calls.map(reply).collect()
}

/// Makes the calls of a transcript, lines of `$`, a tool and its arguments, and compares the replies with the lines
/// below them. `cargo insta accept` brings it up to date.
macro_rules! assert_calls {
    ($client:expr, @$transcript:literal) => {
        insta::assert_snapshot!($crate::suite::mcp_client::called(&mut $client, $transcript), @$transcript)
    };
}
pub(crate) use assert_calls;

/// Holds the tools against a limit, in tokens, in the longest form in which a client sends them to its model.
pub(crate) fn assert_short(tools: &[Value], limit: usize) {
    let definitions: Value = tools
        .iter()
        .map(|tool| {
            let name = format!("waynote__{}", tool["name"].as_str().unwrap());
            json!({ "type": "function", "function": {
                "name": name, "description": tool["description"], "parameters": tool["inputSchema"],
            }})
        })
        .collect();
    let tokens = waynote_tokens::count(&definitions.to_string());
    assert!(tokens < limit, "{tokens} tokens, {limit} is the limit");
}
