//! Standard input and output: rmcp's transport behind a filter of lines.
//!
//! rmcp drops a line that is too long or is not JSON, and its client would wait for ever. The filter answers these
//! lines, mends texts that were cut inside a character, and lets no more requests in than the server works on.

use std::io::{self, BufRead, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// The longest message, in bytes: the longest note with each of its characters escaped, and room for the rest.
pub const MESSAGE_BYTES: usize = 2 * 1024 * 1024;

/// The most values in a message: each takes up memory of its own when it is read.
const MESSAGE_VALUES: usize = 20_000;

/// The capacity that the buffer keeps for the next message, in bytes.
const KEPT_BYTES: usize = 64 * 1024;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Why a message is not worked on: the code and the text of the answer.
pub(crate) struct Unreadable(i32, String);

impl Unreadable {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(INVALID_REQUEST, message.into())
    }

    pub(crate) fn too_long() -> Self {
        Self::new(
            "nothing was done: the message is longer than 2 MiB. Send shorter texts, each in a message of its own",
        )
    }

    /// The answer to a message of which at least both ends are known.
    pub(crate) fn answer(&self, message: &[u8]) -> Value {
        let Self(code, text) = self;
        json!({ "jsonrpc": "2.0", "id": id(message), "error": { "code": code, "message": text } })
    }
}

/// Reads lines until the input ends or nobody listens. Messages go on to rmcp while `room` has a permit.
pub(crate) fn filter(
    mut input: impl BufRead,
    mut output: Output<impl Write>,
    mut rmcp: impl AsyncWrite + Unpin,
    runtime: &Handle,
    room: &Semaphore,
) {
    let (mut line, mut has_begun) = (Vec::new(), false);
    while let Ok(is_whole) = next_line(&mut input, &mut line)
        && !line.is_empty()
    {
        let text = waynote::json::mend(line.trim_ascii());
        let read = match is_whole {
            true => message(&text),
            false => Err(Unreadable::too_long()),
        };
        match read {
            // Before a request has chosen the lifecycle, rmcp takes anything else for the end of the connection.
            Ok(Some(message)) if has_begun || matches!(message, JsonRpcMessage::Request(_)) => {
                has_begun |= begins(&message);
                drop(message);
                let sent = runtime.block_on(async {
                    let _ = room.acquire().await;
                    rmcp.write_all(&text).await?;
                    rmcp.write_all(b"\n").await
                });
                if sent.is_err() {
                    return;
                }
            }
            Ok(_) => {}
            Err(unreadable) => output.write_line(&unreadable.answer(&text)),
        }
    }
}

/// Reads the next line. Returns false if it is too long: then only its two ends are kept, which may have the id.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    const END_BYTES: usize = 256;
    line.clear();
    line.shrink_to(KEPT_BYTES);
    let mut read_part = |line: &mut Vec<u8>| {
        input
            .by_ref()
            .take(MESSAGE_BYTES as u64 + 1)
            .read_until(b'\n', line)
    };
    read_part(line)?;
    if line.len() <= MESSAGE_BYTES || line.ends_with(b"\n") {
        return Ok(true);
    }
    loop {
        line.drain(END_BYTES..line.len().max(2 * END_BYTES) - END_BYTES);
        if line.ends_with(b"\n") || read_part(line)? == 0 {
            return Ok(false);
        }
    }
}

/// The message in a line; none if it wants no answer and has no meaning here.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Unreadable> {
    if line.is_empty() {
        return Ok(None);
    }
    limit_values(line)?;
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| Unreadable(PARSE_ERROR, format!("this is not JSON: {error}")))?;
    let has = |name| value.get(name).is_some();
    Err(Unreadable::new(match () {
        // An unknown notification, or an answer to nothing that was asked.
        () if has("method") && !has("id") || has("result") || has("error") => return Ok(None),
        () if has("method") => {
            "this is not a JSON-RPC request: `jsonrpc` is \"2.0\", `id` a text or a whole number, `params` an object"
        }
        () if value.is_array() => "batches are not supported: send one message per line",
        () => "this is not a JSON-RPC message: it has no `method`",
    }))
}

/// Refuses a message that would take up much more memory than its text.
pub(crate) fn limit_values(message: &[u8]) -> Result<(), Unreadable> {
    let (mut in_text, mut is_escaped, mut commas) = (false, false, 0);
    for byte in message {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' if !in_text => commas += 1,
            _ => {}
        }
    }
    match commas < MESSAGE_VALUES {
        true => Ok(()),
        false => Err(Unreadable::new(format!(
            "the message has more than {MESSAGE_VALUES} values"
        ))),
    }
}

/// The id of a message that could not be read, if it stands before the first nested value or after the last one.
fn id(message: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(message.trim_ascii());
    let of = |members: &str| {
        let object: Map<String, Value> = serde_json::from_str(&format!("{{{members}}}")).ok()?;
        let id = object.get("id")?;
        (id.is_i64() || id.is_string()).then(|| id.clone())
    };
    let first = text.strip_prefix('{')?.split(['{', '[']).next()?;
    let last = text
        .strip_suffix('}')
        .and_then(|text| text.rsplit(['{', '}', ']']).next());
    let first = first.rsplit_once(',').and_then(|(whole, _)| of(whole));
    first.or_else(|| of(last?.trim_start_matches(',')))
}

/// True if rmcp chooses its lifecycle by this message.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let missing = request
                .get_meta()
                .missing_required_keys(&ProtocolVersion::V_2026_07_28);
            missing.is_empty()
        }
    }
}

/// Standard output, for rmcp and the filter. Each message is one write, and a client that reads nothing gets nothing.
pub(crate) struct Output<W>(Arc<Mutex<W>>);

impl<W: Write> Output<W> {
    pub(crate) fn new(output: W) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    /// A client that has left is seen at the end of the input.
    fn write_line(&mut self, message: &Value) {
        let mut output = self.0.lock();
        let _ = output
            .write_all(format!("{message}\n").as_bytes())
            .and_then(|()| output.flush());
    }
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Write> AsyncWrite for Output<W> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        message: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.0.lock().write_all(message);
        Poll::Ready(written.map(|()| message.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.lock().flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_at_either_end() {
        for (message, expected) in [
            (r#"{"id": 7, "method": "x"}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":8}"#, json!(8)),
            (
                r#"{"params":{"id":1,"a":["id",{"id":2}]},"id":"a\"b"}"#,
                json!("a\"b"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":-4,"params":{"text":"cut o"#,
                json!(-4),
            ),
            (r#"{"jsonrpc":"2.0","id":5,"meth"#, json!(5)),
            (
                r#"{"params":{"t":"of a text","x":[1]},"jsonrpc":"2.0","id":6}"#,
                json!(6),
            ),
            (r#"{"params":{"id":1}}"#, Value::Null),
            (r#"{"params":{"id":1},"a":{"id":2}}"#, Value::Null),
            (r#"[{"id":1}]"#, Value::Null),
            (r#"{"id":{"id":1},"method":"x"}"#, Value::Null),
            (r#"{"id":1.5,"method":"x"}"#, Value::Null),
            (r#"{"text":"\"id\":3,"#, Value::Null),
            ("", Value::Null),
        ] {
            let id = id(message.as_bytes()).unwrap_or_default();
            assert_eq!(id, expected, "{message}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_ends() {
        let long = format!(
            "{{\"id\":1,\"x\":\"{}\",\"y\":2}}\nnext\n",
            "x".repeat(5 * MESSAGE_BYTES)
        );
        let (mut input, mut line) = (long.as_bytes(), Vec::new());
        assert!(!next_line(&mut input, &mut line).unwrap());
        assert!(line.len() <= MESSAGE_BYTES);
        assert!(line.starts_with(b"{\"id\":1,") && line.ends_with(b"\"y\":2}\n"));
        assert!(next_line(&mut input, &mut line).unwrap());
        assert_eq!(line, b"next\n");
    }
}
