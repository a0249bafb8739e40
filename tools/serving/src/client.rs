//! A client that keeps its connection and waits for each answer.

use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::many::head;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    pub(super) fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::new(stream),
            head: format!("Host: {address}\r\n"),
        })
    }

    /// Sends a request with more headers, each with its line end, and reads its answer: the status and the body.
    pub(super) fn send(
        &mut self,
        (method, path): (&str, &str),
        headers: &str,
        body: &str,
    ) -> Result<(u16, Vec<u8>)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{}{headers}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.head,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut bytes = Vec::new();
        loop {
            let read = self.stream.fill_buf()?;
            let count = read.len();
            if count == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof));
            }
            bytes.extend_from_slice(read);
            self.stream.consume(count);
            if let Some((status, begin, length)) = head(&bytes)?
                && let Some(body) = bytes.get(begin..begin + length)
            {
                return Ok((status, body.to_vec()));
            }
        }
    }

    /// Begins to read the feed after an item, and hands over the point and the data of each, until the connection ends
    /// or `each` returns false.
    pub(super) fn feed(
        mut self,
        path: &str,
        after: &str,
        mut each: impl FnMut(&str, &str) -> bool,
    ) -> Result<()> {
        self.stream
            .get_ref()
            .set_read_timeout(Some(Duration::from_millis(200)))?;
        let request = format!(
            "GET {path} HTTP/1.1\r\n{}Last-Event-ID: {after}\r\n\r\n",
            self.head
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        let mut id = String::new();
        loop {
            match self.stream.read_line(&mut line) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                // A part of a line stays until the rest of it comes.
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !each("", "") {
                        return Ok(());
                    }
                    continue;
                }
                Err(error) => return Err(error),
            }
            if let Some(of) = line.trim_end().strip_prefix("id: ") {
                of.clone_into(&mut id);
            } else if let Some(data) = line.trim_end().strip_prefix("data: ")
                && line.ends_with('\n')
                && !each(&id, data)
            {
                return Ok(());
            }
            line.clear();
        }
    }
}
