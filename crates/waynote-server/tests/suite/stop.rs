//! Stopping.

use std::io::{Read, Write};
use std::net::TcpStream;

use waynote::engine::Engine;

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

#[test]
fn a_write_in_flight_is_answered_before_the_server_stops() {
    let server = start();
    let save = |text: &str| server.api("", "PUT", "/notes/agent%3Aa%23k", text);
    save(r#"{"content":"one"}"#);
    std::thread::scope(|scope| {
        let mut writer = None;
        let held = server.store.engine().exclusively(&mut |_| {
            writer = Some(scope.spawn(|| save(r#"{"content":"two"}"#)));
            let is_running = || {
                let figures = server.get("/metrics").body;
                figures.contains("waynote_store_calls_running 1\n")
            };
            wait_until(is_running, "the write has reached the server");
            server.stopper.stop();
            let is_closed = || TcpStream::connect(server.address).is_err();
            wait_until(is_closed, "nobody listens");
            Ok(())
        });
        held.unwrap();
        let answer = writer.unwrap().join().unwrap();
        assert_eq!((answer.status, answer.header("etag")), (200, "\"2\""));
    });
}
