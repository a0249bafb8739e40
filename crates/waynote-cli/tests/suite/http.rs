//! Requests to a server, each on a connection of its own, and a feed that continues after a break.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often a feed in which nothing happens asks whether to go on.
const LOOKS: Duration = Duration::from_millis(100);

/// An answer that came whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Null when there is none.
    pub(super) body: Value,
}

/// Sends a request on a connection of its own. An answer that ends too early is an error.
pub(super) fn send(
    address: SocketAddr,
    request: &str,
    headers: &[&str],
    body: &Value,
) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let mut head = format!("{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for header in headers {
        head.push_str(&format!("{header}\r\n"));
    }
    let length = body.len();
    let sent =
        format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(sent.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    read(&answer).ok_or_else(|| Error::new(ErrorKind::UnexpectedEof, answer))
}

/// The whole answer to a browser with this cookie.
pub(super) fn get(url: &str, cookie: Option<&str>) -> String {
    let (_, address) = url.split_once("://").unwrap();
    let (address, path) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let cookie = cookie.map_or(String::new(), |cookie| format!("Cookie: {cookie}\r\n"));
    let head =
        format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\n{cookie}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn read(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.map_or(Some(0), |length| length.trim().parse().ok())?;
    let body = (body.len() == length).then_some(body)?;
    Some(Answer {
        status: head.split(' ').nth(1)?.parse().ok()?,
        body: match body {
            "" => Value::Null,
            body => serde_json::from_str(body).ok()?,
        },
    })
}

/// Reads a feed after the item with this id. Passes on the id and the data of each complete item, until the connection
/// ends or `goes_on` returns false.
pub(super) fn follow(
    address: SocketAddr,
    path: &str,
    after: &str,
    goes_on: &dyn Fn() -> bool,
    mut each: impl FnMut(String, Value),
) -> Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(LOOKS))?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nLast-Event-ID: {after}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut stream = BufReader::new(stream);
    let (mut line, mut id, mut data) = (Vec::new(), String::new(), None);
    while goes_on() {
        match stream.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) if !line.ends_with(b"\n") => return Ok(()),
            Ok(_) => {}
            // A part of a line stays until the rest of it comes.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                continue;
            }
            Err(error) => return Err(error),
        }
        // Between the items there are the sizes of chunks, which are nothing to it.
        let text = String::from_utf8_lossy(&line);
        if let Some(of) = text.strip_prefix("id: ") {
            of.trim_end().clone_into(&mut id);
        } else if let Some(of) = text.strip_prefix("data: ") {
            data = Some(serde_json::from_str(of)?);
        } else if text == "\n"
            && let Some(data) = data.take()
        {
            // Its last line has come, so that it came whole.
            each(id.clone(), data);
        }
        line.clear();
    }
    Ok(())
}
