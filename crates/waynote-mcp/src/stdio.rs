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
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::message::{MESSAGE_BYTES, Unreadable, message};

/// The capacity that the buffer keeps for the next message, in bytes.
const KEPT_BYTES: usize = 64 * 1024;

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
