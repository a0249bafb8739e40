//! A running xs, over its unix socket: HTTP/1.1, one request a connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use waynote::{ContentHash, Error, Result};
use waynote_files::read_up_to;

use super::contents::Contents;
use super::frame::Frame;
use crate::error::FormatError;
use crate::source::MAX_SOURCE;

/// The longest head of a response that is read.
const MAX_HEAD: usize = 64 * 1024;

/// The minor version 0.N of xs that first took frames under `/append/TOPIC`. Before it, the whole path was the topic.
const APPENDS_SINCE: u32 = 9;

/// How an xs takes frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Routes {
    /// `POST /append/TOPIC`, since 0.9.
    Append,
    /// `POST /TOPIC`, up to 0.8.
    ByTopic,
}

/// How long xs may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// A running xs, over the socket in its store's folder.
#[derive(Clone, Debug)]
pub struct Server {
    socket: PathBuf,
}

impl Server {
    /// The xs that serves the store in that folder.
    pub fn of_store(store: &Path) -> Self {
        Self {
            socket: store.join("sock"),
        }
    }

    /// Frames as lines of JSON: of one topic, whose characters need no escape, or of all.
    ///
    /// # Errors
    /// [`FormatError::NoXs`] when xs does not answer.
    pub fn frames(&self, topic: Option<&str>) -> Result<Vec<u8>> {
        let path = topic.map_or("/".into(), |topic| format!("/?topic={topic}"));
        let answer = self.request("GET", &path, None)?;
        self.expect_200(&path, answer)
    }

    /// How this xs takes frames.
    pub(super) fn routes(&self) -> Result<Routes> {
        let (200, body) = self.request("GET", "/version", None)? else {
            // Before versions could be asked for.
            return Ok(Routes::ByTopic);
        };
        let version: Value = serde_json::from_slice(&body).unwrap_or_default();
        let numbers = version["version"].as_str().unwrap_or("");
        let mut numbers = numbers.split(['.', '-', '+']).map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(0)), Some(Ok(minor))) if minor < APPENDS_SINCE => Ok(Routes::ByTopic),
            (Some(Ok(_)), Some(Ok(_))) => Ok(Routes::Append),
            _ => Err(self.failed("its version cannot be read")),
        }
    }

    /// Appends a frame, and checks the answer: no program would find a frame under another topic.
    pub(super) fn append(
        &self,
        routes: Routes,
        topic: &str,
        content: &[u8],
        meta: &str,
    ) -> Result<()> {
        let path = match routes {
            Routes::Append => format!("/append/{topic}"),
            Routes::ByTopic => format!("/{topic}"),
        };
        let answer = self.request("POST", &path, Some((meta, content)))?;
        let reply = self.expect_200(&path, answer)?;
        let Ok(Frame {
            topic: filed, id, ..
        }) = serde_json::from_slice(&reply)
        else {
            return Err(self.failed(&format!("its answer to {path} is no frame")));
        };
        if filed == topic {
            return Ok(());
        }
        // Best effort: the error names the frame if it stays.
        let removed = match self.request("DELETE", &format!("/{id}"), None) {
            Ok((200..=299, _)) => "was removed again",
            _ => "is still there",
        };
        let reason = format!(
            "xs filed frame {id} under `{filed}` and not under `{topic}`; the frame {removed}"
        );
        Err(FormatError::WrongTopic { reason }.into())
    }

    fn expect_200(&self, path: &str, (status, body): (u16, Vec<u8>)) -> Result<Vec<u8>> {
        match status {
            200 => Ok(body),
            _ => Err(self.failed(&format!("it answered {status} to {path}"))),
        }
    }

    /// Sends a request, with the meta and the text of a frame.
    fn request(
        &self,
        method: &str,
        path: &str,
        frame: Option<(&str, &[u8])>,
    ) -> Result<(u16, Vec<u8>)> {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        let mut body: &[u8] = &[];
        if let Some((meta, content)) = frame {
            let (meta, length) = (STANDARD.encode(meta), content.len());
            request += &format!("xs-meta: {meta}\r\nContent-Length: {length}\r\n");
            body = content;
        }
        request += "\r\n";
        let answered = UnixStream::connect(&self.socket).and_then(|mut stream| {
            stream.set_read_timeout(Some(SILENCE))?;
            stream.set_write_timeout(Some(SILENCE))?;
            stream.write_all(request.as_bytes())?;
            stream.write_all(body)?;
            answer(BufReader::new(stream))
        });
        answered.map_err(|error| self.failed(&error.to_string()))
    }

    fn failed(&self, reason: &str) -> Error {
        FormatError::NoXs {
            socket: self.socket.clone(),
            reason: reason.into(),
        }
        .into()
    }
}

/// The contents of a running xs.
impl Contents for Server {
    fn content(&self, hash: &ContentHash) -> Result<Option<Vec<u8>>> {
        // xs takes the hash as it is, with the characters of base64.
        let path = format!("/cas/sha256-{}", STANDARD.encode(hash.0));
        match self.request("GET", &path, None)? {
            (404, _) => Ok(None),
            answer => self.expect_200(&path, answer).map(Some),
        }
    }
}

/// The status and the body of an answer. Memory is bounded, for any server.
fn answer(mut stream: BufReader<UnixStream>) -> io::Result<(u16, Vec<u8>)> {
    let invalid = || io::Error::other("its answer is no HTTP");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let read = stream.read_until(b'\n', &mut head)?;
        if read == 0 || head.len() > MAX_HEAD {
            return Err(invalid());
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut response = httparse::Response::new(&mut headers);
    response.parse(&head).map_err(|_| invalid())?;
    let status = response.code.unwrap_or(0);
    let header = |name: &str| {
        let mut headers = response.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok()
    };
    let length: Option<u64> = header("content-length").and_then(|value| value.parse().ok());
    let is_chunked = header("transfer-encoding").is_some();
    let body = match length {
        _ if is_chunked => read_up_to(chunked_transfer::Decoder::new(stream), MAX_SOURCE)?,
        Some(length) => read_up_to(stream.take(length), MAX_SOURCE)?,
        None => read_up_to(stream, MAX_SOURCE)?,
    };
    match length {
        Some(length) if !is_chunked && length != body.len() as u64 => {
            Err(io::Error::other("its answer was cut off"))
        }
        _ => Ok((status, body)),
    }
}
