//! The transport over standard input and output: one message per line.
//!
//! A thread reads lines and passes messages on. It answers what it cannot pass on, so that no client waits forever:
//! text that is not JSON, JSON that is not a message, a line that is too long. A request starts only when the running
//! requests leave room for it, so that a fast client cannot use up the memory.

use std::collections::HashMap;
use std::io::{self, BufRead, BufWriter, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::scan::{MESSAGE_VALUES, Scan};

/// The longest message, in bytes: the longest note with each of its characters escaped, and room for the rest.
pub const MESSAGE_BYTES: usize = 2 * 1024 * 1024;

/// The refusal of a longer message.
pub(crate) const TOO_LONG: &str = "nothing was done: the message is longer than 2 MiB. Send shorter texts, each in a message of its own";

/// The capacity that a buffer keeps for the next message, in bytes.
const KEPT_BYTES: usize = 64 * 1024;

/// The most requests that are worked on at once.
const REQUESTS: usize = 32;

const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;

/// A message and its size in bytes.
type SizedMessage = (ClientJsonRpcMessage, usize);

/// The transport.
pub(crate) struct Lines<W> {
    incoming: Receiver<SizedMessage>,
    /// A request that waits for room.
    held: Option<SizedMessage>,
    /// True once the client has chosen a lifecycle. Until then only requests count.
    begun: bool,
    output: Output<W>,
    work: Arc<Work>,
}

impl<W: Write + Send + 'static> Lines<W> {
    /// Starts reading.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(input: impl BufRead + Send + 'static, output: W) -> io::Result<Self> {
        let output = Output(Arc::new(Mutex::new(output)));
        let (sender, incoming) = channel(1);
        let answers = output.clone();
        std::thread::Builder::new()
            .name("waynote-input".into())
            .spawn(move || read(input, &answers, &sender))?;
        Ok(Self {
            incoming,
            held: None,
            begun: false,
            output,
            work: Arc::default(),
        })
    }

    /// True if the service takes the message.
    fn is_for_service(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.begun = self.begun || begins(&request.request);
                true
            }
            // Before the lifecycle is chosen the service takes these for the end of the connection.
            _ => self.begun,
        }
    }
}

/// True if the service chooses its lifecycle by this request.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let needed = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            let version = meta.protocol_version();
            needed.is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

impl<W: Write + Send + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Written here and now: messages are small, and a client that reads nothing gets nothing.
        let written = self.output.write(&message);
        match &message {
            JsonRpcMessage::Response(response) => self.work.done(&response.id),
            JsonRpcMessage::Error(error) => error.id.iter().for_each(|id| self.work.done(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        std::future::ready(written)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.held.is_none() {
                self.held = self.incoming.recv().await;
            }
            let Some((message, bytes)) = self.held.take() else {
                // The input has ended; open requests are still answered.
                self.work.all_done().await;
                return None;
            };
            if !self.is_for_service(&message) {
                continue;
            }
            match &message {
                JsonRpcMessage::Request(request) => {
                    let id = request.id.clone();
                    if !self.work.begin(&id, bytes) {
                        // Kept in place first: this future may be dropped while it waits.
                        self.held = Some((message, bytes));
                        self.work.changed.notified().await;
                        continue;
                    }
                }
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(CancelledNotification {
                        params,
                        ..
                    }) = &notification.notification
                        && let Some(id) = &params.request_id
                    {
                        // Nobody answers it any more.
                        self.work.done(id);
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        std::future::ready(self.output.flush())
    }
}

/// The requests that are being worked on, with their sizes.
#[derive(Default)]
struct Work {
    requests: Mutex<HashMap<RequestId, usize>>,
    changed: Notify,
}

impl Work {
    /// Lets a request in when there is room for it.
    fn begin(&self, id: &RequestId, bytes: usize) -> bool {
        let mut requests = self.requests.lock();
        let used: usize = requests.values().sum();
        let has_room = requests.len() < REQUESTS && used + bytes <= MESSAGE_BYTES;
        if !(requests.is_empty() || has_room) {
            return false;
        }
        requests.insert(id.clone(), bytes);
        true
    }

    fn done(&self, id: &RequestId) {
        let mut requests = self.requests.lock();
        requests.remove(id);
        self.changed.notify_one();
    }

    async fn all_done(&self) {
        while !self.is_idle() {
            self.changed.notified().await;
        }
    }

    fn is_idle(&self) -> bool {
        let requests = self.requests.lock();
        requests.is_empty()
    }
}

/// The message of an error that belongs to no call.
pub(crate) fn error_message(code: i32, message: &str, id: Option<&Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// Standard output, one message at a time.
struct Output<W>(Arc<Mutex<W>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Write> Output<W> {
    fn write(&self, message: &impl serde::Serialize) -> io::Result<()> {
        // Usual messages are written in one piece; the largest are not made a second time.
        const PIECE: usize = 64 * 1024;
        let mut writer = self.0.lock();
        let mut pieces = BufWriter::with_capacity(PIECE, &mut *writer);
        serde_json::to_writer(&mut pieces, message)?;
        pieces.write_all(b"\n")?;
        pieces.flush()
    }

    fn flush(&self) -> io::Result<()> {
        let mut writer = self.0.lock();
        writer.flush()
    }

    /// Answers a message that is handed to nobody.
    fn refuse(&self, code: i32, message: &str, id: Option<&Value>) {
        // A client that has left is seen at the end of the input.
        let _ = self.write(&error_message(code, message, id));
    }
}

/// Reads until the input ends or nobody listens any more.
fn read<W: Write>(mut input: impl BufRead, output: &Output<W>, messages: &Sender<SizedMessage>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(KEPT_BYTES);
        match next_line(&mut input, &mut line) {
            Ok(Line::Whole) => {}
            Ok(Line::TooLong(id)) => {
                output.refuse(INVALID_REQUEST, TOO_LONG, id.as_ref());
                continue;
            }
            Ok(Line::End) | Err(_) => return,
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match message(text) {
            Ok(None) => {}
            Ok(Some(message)) => {
                let sized = (message, text.len());
                if messages.blocking_send(sized).is_err() {
                    return;
                }
            }
            Err((code, message, id)) => output.refuse(code, &message, id.as_ref()),
        }
    }
}

/// How a line was read.
enum Line {
    /// The line is complete; the last one may lack its line end.
    Whole,
    /// It was dropped; its id, where there is one.
    TooLong(Option<Value>),
    /// There is none.
    End,
}

fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    let mut dropped: Option<Scan> = None;
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = part.iter().position(|byte| *byte == b'\n');
        let is_end = end.is_some() || part.is_empty();
        let text = &part[..end.unwrap_or(part.len())];
        match &mut dropped {
            Some(scan) => scan.feed(text),
            None if line.len() + text.len() > MESSAGE_BYTES => {
                let mut scan = Scan::default();
                scan.feed(line);
                scan.feed(text);
                *line = Vec::new();
                dropped = Some(scan);
            }
            None => line.extend_from_slice(text),
        }
        let is_over = part.is_empty();
        let used = end.map_or(part.len(), |end| end + 1);
        input.consume(used);
        if is_end {
            return Ok(match dropped {
                Some(scan) => Line::TooLong(scan.id()),
                None if is_over && line.is_empty() => Line::End,
                None => Line::Whole,
            });
        }
    }
}

/// The message in a line; none for one that wants no answer and means nothing here.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, (i32, String, Option<Value>)> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let mut scan = Scan::default();
    scan.feed(line);
    if scan.values() > MESSAGE_VALUES {
        let message = format!("the message has more than {MESSAGE_VALUES} values");
        return Err((INVALID_REQUEST, message, scan.id()));
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("this is not JSON: {error}");
            return Err((PARSE_ERROR, message, scan.id()));
        }
    };
    let invalid = |message: &str| Err((INVALID_REQUEST, message.to_owned(), scan.id()));
    match value {
        Value::Array(_) => invalid("batches are not supported: send one message per line"),
        Value::Object(fields) if fields.contains_key("method") => match fields.get("id") {
            // An unknown notification is ignored.
            None => Ok(None),
            Some(_) => invalid(
                "this is not a JSON-RPC request: `jsonrpc` is \"2.0\", `id` a text or a whole number, `params` an object",
            ),
        },
        // An answer to nothing that was asked.
        Value::Object(fields) if fields.contains_key("result") || fields.contains_key("error") => {
            Ok(None)
        }
        _ => invalid("this is not a JSON-RPC message: it has no `method`"),
    }
}
