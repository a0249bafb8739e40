//! A running xs, over its unix socket: HTTP/1.1, one request a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use waynote::{ContentHash, Error, Result};

use super::contents::Contents;
use super::frame::appended;
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

    /// Frames as lines of JSON: of one topic, or of all.
    ///
    /// # Errors
    /// [`FormatError::NoXs`] when xs does not answer.
    pub fn frames(&self, topic: Option<&str>) -> Result<Vec<u8>> {
        let path = topic.map_or("/".into(), |topic| {
            format!("/?topic={}", utf8_percent_encode(topic, ESCAPED))
        });
        self.expect_200(&path, self.request("GET", &path, &[], &[])?)
    }

    /// How this xs takes frames.
    pub(super) fn routes(&self) -> Result<Routes> {
        let version = match self.request("GET", "/version", &[], &[])? {
            (200, body) => serde_json::from_slice::<Value>(&body).ok(),
            // Before versions could be asked for.
            _ => return Ok(Routes::ByTopic),
        };
        let version = version.as_ref().and_then(|value| value["version"].as_str());
        let numbers = version.map(|version| version.split(['.', '-', '+']));
        let mut numbers = numbers.into_iter().flatten().map(str::parse::<u32>);
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
        let meta = [("xs-meta", STANDARD.encode(meta))];
        let reply = self.expect_200(&path, self.request("POST", &path, &meta, content)?)?;
        let Some((filed, id)) = appended(&reply) else {
            return Err(self.failed(&format!("its answer to {path} is no frame")));
        };
        if filed == topic {
            return Ok(());
        }
        // Best effort: the error names the frame if it stays.
        let removed = self.request("DELETE", &format!("/{id}"), &[], &[]);
        Err(FormatError::WrongTopic {
            frame: id,
            filed,
            topic: topic.into(),
            removed: matches!(removed, Ok((200..=299, _))),
        }
        .into())
    }

    fn expect_200(&self, path: &str, response: (u16, Vec<u8>)) -> Result<Vec<u8>> {
        match response {
            (200, body) => Ok(body),
            (status, _) => Err(self.failed(&format!("it answered {status} to {path}"))),
        }
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, String)],
        body: &[u8],
    ) -> Result<(u16, Vec<u8>)> {
        let io = |error: std::io::Error| self.failed(&error.to_string());
        let mut stream = UnixStream::connect(&self.socket).map_err(io)?;
        stream.set_read_timeout(Some(SILENCE)).map_err(io)?;
        stream.set_write_timeout(Some(SILENCE)).map_err(io)?;
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "POST" {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body))
            .map_err(io)?;
        self.response(BufReader::new(stream))
    }

    fn response(&self, mut stream: BufReader<UnixStream>) -> Result<(u16, Vec<u8>)> {
        let io = |error: std::io::Error| self.failed(&error.to_string());
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let read = stream.read_until(b'\n', &mut head).map_err(io)?;
            if read == 0 || head.len() > MAX_HEAD {
                return Err(self.failed("its answer is no HTTP"));
            }
        }
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut headers);
        response
            .parse(&head)
            .map_err(|error| self.failed(&format!("its answer is no HTTP: {error}")))?;
        let header = |name: &str| {
            let found = response
                .headers
                .iter()
                .find(|header| header.name.eq_ignore_ascii_case(name));
            found.and_then(|header| std::str::from_utf8(header.value).ok())
        };
        let mut body = Vec::new();
        let chunked =
            header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        let length: Option<u64> = header("content-length").and_then(|value| value.parse().ok());
        // Memory is bounded, for any server.
        let most = MAX_SOURCE + 1;
        let read = match length {
            _ if chunked => chunked_transfer::Decoder::new(stream)
                .take(most)
                .read_to_end(&mut body),
            Some(length) => stream.take(length.min(most)).read_to_end(&mut body),
            None => stream.take(most).read_to_end(&mut body),
        };
        let read = read.map_err(io)?;
        if body.len() as u64 == most {
            let most = MAX_SOURCE >> 20;
            return Err(self.failed(&format!("its answer is larger than {most} MiB")));
        }
        if !chunked && length.is_some_and(|length| length != read as u64) {
            return Err(self.failed("its answer was cut off"));
        }
        Ok((response.code.unwrap_or(0), body))
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
        match self.request("GET", &path, &[], &[])? {
            (200, body) => Ok(Some(body)),
            (404, _) => Ok(None),
            (status, _) => Err(self.failed(&format!("it answered {status} to {path}"))),
        }
    }
}

/// Characters that stand in a query as they are; all others are percent-encoded.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
