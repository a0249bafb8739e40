//! A client of the server that knows nothing but lines of JSON.

#![allow(
    clippy::needless_pass_by_value,
    reason = "arguments are written where they are sent"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use super::common::Scratch;

/// A server, and what is read of it.
pub(crate) struct Client {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: u64,
    /// What goes with every request, in the stateless era.
    meta: Option<Value>,
}

impl Client {
    /// Starts the server and begins as clients do up to 2025-11-25.
    pub(crate) fn start(scratch: &Scratch, words: &str) -> Self {
        let mut client = Self::spawn(scratch.command(words));
        client.initialize(json!({}));
        client
    }

    /// Starts the server, and says nothing yet.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self {
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

    /// The result of a tool.
    pub(crate) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// The text of a tool's reply, with `error:` before that of an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result(tool, arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        match result["isError"] == true {
            true => format!("error: {text}"),
            false => text.to_owned(),
        }
    }

    /// Ends the input; what was still said, and how the server ended.
    pub(crate) fn end(mut self) -> (String, ExitStatus) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap())
    }

    /// A figure of the process, in kB, as Linux tells it.
    pub(crate) fn kilobytes(&self, field: &str) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}
