//! A balancer below HTTP: each connection goes to the next server.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A running balancer on a loopback port, until it is dropped.
pub(super) struct Balancer {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    servers: Vec<Server>,
    next: AtomicUsize,
    is_over: AtomicBool,
}

struct Server {
    address: Mutex<SocketAddr>,
    connections: AtomicUsize,
}

impl Balancer {
    pub(super) fn start(servers: &[SocketAddr]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = |address: &SocketAddr| Server {
            address: Mutex::new(*address),
            connections: AtomicUsize::new(0),
        };
        let shared = Arc::new(Shared {
            servers: servers.iter().map(server).collect(),
            next: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if of_thread.is_over.load(Ordering::SeqCst) {
                    return;
                }
                // A client that finds no server is hung up on.
                if let Some(server) = of_thread.next_server() {
                    forward(&client, &server);
                    forward(&server, &client);
                }
            }
        });
        Self { address, shared }
    }

    /// A server that was started again has another address.
    pub(super) fn replace(&self, number: usize, address: SocketAddr) {
        *self.shared.servers[number].address.lock().unwrap() = address;
    }

    /// How many connections each server has got.
    pub(super) fn connections(&self) -> Vec<usize> {
        let servers = self.shared.servers.iter();
        servers
            .map(|server| server.connections.load(Ordering::SeqCst))
            .collect()
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    /// A connection to the next server in turn that accepts it.
    fn next_server(&self) -> Option<TcpStream> {
        let turn = self.next.fetch_add(1, Ordering::SeqCst);
        (turn..turn + self.servers.len()).find_map(|number| {
            let server = &self.servers[number % self.servers.len()];
            let address = *server.address.lock().unwrap();
            let stream = TcpStream::connect(address).ok()?;
            server.connections.fetch_add(1, Ordering::SeqCst);
            Some(stream)
        })
    }
}

/// Forwards one direction in a thread of its own.
fn forward(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || match io::copy(&mut from, &mut to) {
        // It may still hear the answer.
        Ok(_) => to.shutdown(Shutdown::Write),
        Err(_) => to
            .shutdown(Shutdown::Both)
            .and(from.shutdown(Shutdown::Both)),
    });
}
