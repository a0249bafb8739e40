//! Stopping.

use std::io::{Read, Write};
use std::net::TcpStream;

use waynote::engine::Engine;

use super::support::{Response, start, wait_until};

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

#[test]
fn a_write_in_flight_is_answered_before_the_server_stops() {
    let mut server = start();
    let path = "/s/notes/api/v1/notes/agent%3Aa%23k";
    server.send("PUT", path, &[], r#"{"content":"one"}"#);
    let store = server.store.clone();
    let (address, stopper) = (server.address, server.stopper());
    let mut writer = None;
    store
        .engine()
        .exclusively(&mut |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            writer = Some(std::thread::spawn(move || {
                let body = r#"{"content":"two"}"#;
                let head = format!(
                    "PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
                Response::read(&mut stream)
            }));
            let is_running = || {
                let figures = server.get("/metrics").body;
                figures.contains("waynote_store_calls_running 1\n")
            };
            wait_until(is_running, "the write has reached the server");
            stopper.stop();
            wait_until(|| TcpStream::connect(address).is_err(), "nobody listens");
            Ok(())
        })
        .unwrap();
    let answer = writer.unwrap().join().unwrap();
    assert_eq!((answer.status, answer.header("etag")), (200, "\"2\""));
    server.stop();
}
