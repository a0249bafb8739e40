//! Many clients on one thread. A thread for each would take as much of the machine as the server that is measured.

use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use kit::random::Random;

/// How many headers an answer has at most.
const HEADERS: usize = 32;

/// The clients' measurements.
#[derive(Default)]
pub(super) struct Measurements {
    pub(super) reads: Vec<Duration>,
    pub(super) writes: Vec<Duration>,
    pub(super) errors: Vec<String>,
}

/// A client that keeps its connection and waits for each answer.
pub(super) struct Client {
    stream: TcpStream,
    head: String,
    buffer: Vec<u8>,
    pub(super) random: Random,
    pub(super) seen: Measurements,
}

impl Client {
    async fn connect(address: SocketAddr, number: u64) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            head: format!("Host: {address}\r\n"),
            buffer: Vec::new(),
            random: Random::of(2, number),
            seen: Measurements::default(),
        })
    }

    /// Sends a request and reads its answer. An answer that is no success is an error.
    pub(super) async fn send(&mut self, method: &str, path: &str, body: &str) {
        match self.answer(method, path, body).await {
            Ok((200 | 201, _)) => {}
            Ok((status, body)) => self.seen.errors.push(format!("{status} {body}")),
            Err(error) => self.seen.errors.push(error.to_string()),
        }
    }

    async fn answer(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, String)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.head,
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof));
            }
            let Some((status, begin, length)) = head(&self.buffer)? else {
                continue;
            };
            if let Some(body) = self.buffer.get(begin..begin + length) {
                return Ok((status, String::from_utf8_lossy(body).into_owned()));
            }
        }
    }
}

/// The status of an answer, where its body begins, and how long it is; none while its head is not whole.
pub(super) fn head(bytes: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let invalid = |_| Error::from(ErrorKind::InvalidData);
    let httparse::Status::Complete(begin) = answer.parse(bytes).map_err(invalid)? else {
        return Ok(None);
    };
    let mut headers = answer.headers.iter();
    let length = headers.find(|of| of.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|of| std::str::from_utf8(of.value).ok()?.parse().ok());
    Ok(Some((
        answer.code.unwrap_or_default(),
        begin,
        length.unwrap_or_default(),
    )))
}

/// So many clients, each of which does its work again and again for this time, or until it sees an error.
pub(super) fn clients(
    address: SocketAddr,
    clients: usize,
    time: Duration,
    work: &impl AsyncFn(&mut Client),
) -> anyhow::Result<Measurements> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let end = Instant::now() + time;
    let one = async |number: usize| -> Result<Measurements> {
        let mut client = Client::connect(address, number as u64).await?;
        while Instant::now() < end && client.seen.errors.is_empty() {
            work(&mut client).await;
        }
        Ok(client.seen)
    };
    let mut whole = Measurements::default();
    for seen in runtime.block_on(join_all((0..clients).map(one))) {
        let seen = seen.context("connect a client")?;
        whole.reads.extend(seen.reads);
        whole.writes.extend(seen.writes);
        whole.errors.extend(seen.errors);
    }
    Ok(whole)
}
