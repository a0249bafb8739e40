//! Requests to a server, each on a connection of its own.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// An answer that came whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Null when there is none.
    pub(super) body: Value,
}

/// Sends a request. An answer that ends too early is an error.
pub(super) fn send(
    address: SocketAddr,
    request: &str,
    headers: &[&str],
    body: &Value,
) -> Result<Answer> {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let headers = [headers, &["Content-Type: application/json"]].concat();
    let answer = exchange(address, request, &headers, &body)?;
    read(&answer).ok_or_else(|| Error::new(ErrorKind::UnexpectedEof, answer))
}

/// The whole answer to a browser with this cookie.
pub(super) fn get(url: &str, cookie: Option<&str>) -> String {
    get_with(url, &format!("Cookie: {}", cookie.unwrap_or_default()))
}

/// The whole answer to a browser that sends this header.
pub(super) fn get_with(url: &str, header: &str) -> String {
    let (_, address) = url.split_once("://").unwrap();
    let (address, path) = address.split_once('/').unwrap();
    let headers = [
        &format!("Origin: http://{address}"),
        "Content-Type: application/x-www-form-urlencoded",
        header,
    ];
    let request = format!("GET /{path}");
    exchange(address.parse().unwrap(), &request, &headers, "").unwrap()
}

/// The whole answer to a request.
fn exchange(address: SocketAddr, request: &str, headers: &[&str], body: &str) -> Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let headers = headers.join("\r\n");
    let length = body.len();
    let sent = format!(
        "{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(sent.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
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
