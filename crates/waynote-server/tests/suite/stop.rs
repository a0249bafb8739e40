//! Stopping.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::support::{start, wait_until};

#[test]
fn a_stopped_server_closes_what_is_open_and_listens_no_more() {
    let mut server = start();
    let mut idle = server.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut some = [0; 12];
    idle.read_exact(&mut some).unwrap();
    assert_eq!(&some, b"HTTP/1.1 200");
    server.stop();
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).unwrap();
    wait_until(
        || TcpStream::connect(server.address).is_err(),
        "nobody listens",
    );
}
