//! A program that serves its notes from a thread, and a client of it.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use waynote::context::{Budget, ShownNote, Style};
use waynote::{Limits, SqliteStore, Store};
use waynote_mcp::{Caller, Delivery, Host, Options, Refusal, Set};

type Timestamp = jiff::Timestamp;

/// The embedding program, with the parts that a test chooses.
pub(crate) struct Program {
    pub(crate) store: SqliteStore,
    pub(crate) now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    pub(crate) may_write: Box<dyn Fn() -> Result<(), Refusal> + Send + Sync>,
}

impl Host for Program {
    fn store(&self) -> &(dyn Store + Send + Sync) {
        &self.store
    }

    fn now(&self) -> Timestamp {
        (self.now)()
    }

    fn may_write(&self) -> Result<(), Refusal> {
        (self.may_write)()
    }
}

/// No reply carries the block.
struct NoDelivery;

impl Delivery for NoDelivery {
    fn is_owed(&self) -> bool {
        false
    }

    fn take(&self, _: Vec<ShownNote>) -> bool {
        false
    }
}

/// A server in a thread of this process.
pub(crate) struct Server {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Server {
    /// Starts it with waynote's own tools; the connection has begun.
    pub(crate) fn start(program: Program) -> Self {
        Self::start_with(program, Set::Default, Limits::default())
    }

    /// The same with other tools, in a session.
    pub(crate) fn start_with(program: Program, tools: Set, limits: Limits) -> Self {
        Self::start_as(program, tools, limits, true)
    }

    /// For a client that has roots to name.
    pub(crate) fn start_with_roots(program: Program) -> Self {
        Self::start_as(program, Set::Default, Limits::default(), false)
    }

    fn start_as(program: Program, tools: Set, limits: Limits, has_project: bool) -> Self {
        let (input, to_server) = std::io::pipe().unwrap();
        let (output, from_server) = std::io::pipe().unwrap();
        let caller = Caller {
            agent: "builder".parse().unwrap(),
            session: Some("nightly".parse().unwrap()),
            iteration: Some(3),
            is_in_loop: false,
            author: "agent:builder".parse().unwrap(),
            limits,
            style: Style::Stable,
            budget: Budget::default(),
            home: None,
            directories: vec!["/srv/project".into()],
            lineages: Some(Arc::new(|place| place.clone().into())),
        };
        let options = Options {
            caller,
            tools: vec![tools],
            has_project,
            delivery: Some(Arc::new(NoDelivery)),
        };
        let thread = std::thread::spawn(move || {
            waynote_mcp::serve(
                BufReader::new(input),
                from_server,
                options,
                Arc::new(program),
            )
        });
        let mut server = Self {
            input: Some(to_server),
            output: BufReader::new(output),
            thread,
        };
        let params = json!({
            "protocolVersion": "2025-06-18", "clientInfo": { "name": "test", "version": "1" },
            "capabilities": if has_project { json!({}) } else { json!({ "roots": {} }) },
        });
        server.ask(0, "initialize", &params);
        assert_eq!(server.receive()["id"], 0);
        server.notify("notifications/initialized", &json!({}));
        server
    }

    pub(crate) fn ask(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    pub(crate) fn call(&mut self, id: u64, tool: &str, arguments: &Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.ask(id, "tools/call", &params);
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Answers a request of the server.
    pub(crate) fn answer(&mut self, request: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "the server has ended: {line:?}");
        serde_json::from_str(&line).unwrap()
    }

    /// The text of a tool's reply.
    pub(crate) fn reply(&mut self, tool: &str, arguments: &Value) -> String {
        self.call(1_000_000, tool, arguments);
        let reply = self.receive();
        assert_eq!(reply["id"], 1_000_000, "{reply}");
        let text = reply["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{reply}")).to_owned()
    }

    /// Nothing more is asked.
    pub(crate) fn close(&mut self) {
        self.input.take();
    }

    /// How it ended.
    pub(crate) fn end(mut self) -> std::io::Result<()> {
        self.close();
        self.thread.join().unwrap()
    }
}
