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
    let (_, address) = url.split_once("://").unwrap();
    let (address, path) = address.split_once('/').unwrap();
    let cookie = cookie.map(|cookie| format!("Cookie: {cookie}"));
    let headers: Vec<&str> = cookie.iter().map(String::as_str).collect();
    let request = format!("GET /{path}");
    exchange(address.parse().unwrap(), &request, &headers, &Value::Null).unwrap()
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
