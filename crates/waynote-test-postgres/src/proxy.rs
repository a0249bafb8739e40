//! A proxy between a client and a server that can lose what it forwards.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The proxy's treatment of a client's messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Forwards everything.
    Forward,
    /// Forwards everything, a server's answers after this time: as over a long way. What a client sends before it has
    /// the answer is then of one trip, however busy this machine is.
    Far(Duration),
    /// Forwards nothing, in either direction, and keeps connections open: as a network that is cut does.
    Nothing,
    /// Forwards what a client sends, and holds the answers until it does something else: as a server that is slow.
    HoldAnswers,
    /// Ends the connection at the first message with these bytes, which the server never gets.
    CutBefore(Vec<u8>),
    /// Ends the client's connection at the first message with these bytes, which the server gets.
    CutAfter(Vec<u8>),
}

/// A running proxy on a loopback port before one or more servers. It forwards until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<ProxyState>,
}

#[derive(Debug)]
struct ProxyState {
    servers: Mutex<Vec<SocketAddr>>,
    next: AtomicUsize,
    connections: Vec<AtomicUsize>,
    does: Mutex<Does>,
    cuts: AtomicU32,
    trips: AtomicU32,
    /// True if the last bytes came from a server.
    is_answered: AtomicBool,
    is_over: AtomicBool,
}

impl ProxyState {
    fn does(&self) -> Does {
        self.does
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn wait_while_held(&self, is_client: bool) {
        let is_held = || match self.does() {
            Does::Nothing => true,
            Does::HoldAnswers => !is_client,
            _ => false,
        };
        while is_held() && !self.is_over.load(Ordering::SeqCst) {
            thread::sleep(LOOKS);
        }
    }

    fn next_server(&self) -> Option<TcpStream> {
        let turn = self.next.fetch_add(1, Ordering::SeqCst);
        let count = self.connections.len();
        (turn..turn + count).find_map(|number| {
            let servers = self.servers.lock();
            let server = servers.unwrap_or_else(PoisonError::into_inner)[number % count];
            let stream = TcpStream::connect(server).ok()?;
            self.connections[number % count].fetch_add(1, Ordering::SeqCst);
            Some(stream)
        })
    }
}

/// How often a stalled direction looks whether it may go on.
const LOOKS: Duration = Duration::from_millis(20);

/// The last message of a client.
const TERMINATE: &[u8] = b"X\0\0\0\x04";

impl Proxy {
    /// Starts one before a loopback port.
    ///
    /// # Panics
    /// When there is no port for it.
    pub fn start(port: u16) -> Self {
        Self::balancing(&[port])
    }

    /// Starts one that gives each connection to the next server in turn that accepts it.
    ///
    /// # Panics
    /// When there is no port for it.
    pub fn balancing(ports: &[u16]) -> Self {
        let servers: Vec<SocketAddr> = ports.iter().map(|port| loopback(*port)).collect();
        Self::between(loopback(0), &servers)
    }

    /// As [`Proxy::balancing`], with whole addresses.
    ///
    /// # Panics
    /// When its address is taken.
    pub fn between(address: SocketAddr, servers: &[SocketAddr]) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(ProxyState {
            servers: Mutex::new(servers.to_vec()),
            next: AtomicUsize::new(0),
            connections: servers.iter().map(|_| AtomicUsize::new(0)).collect(),
            does: Mutex::new(Does::Forward),
            cuts: AtomicU32::new(0),
            trips: AtomicU32::new(0),
            is_answered: AtomicBool::new(true),
            is_over: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if of_thread.is_over.load(Ordering::SeqCst) {
                    return;
                }
                // A client that finds no server is hung up on.
                let Some(server) = of_thread.next_server() else {
                    continue;
                };
                forward(&client, &server, &of_thread, true);
                forward(&server, &client, &of_thread, false);
            }
        });
        Self { address, shared }
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Names the port of a server that was started again.
    pub fn replace(&self, number: usize, port: u16) {
        let servers = self.shared.servers.lock();
        servers.unwrap_or_else(PoisonError::into_inner)[number] = loopback(port);
    }

    /// How many connections each server has got.
    pub fn connections(&self) -> Vec<usize> {
        let counts = self.shared.connections.iter();
        counts.map(|count| count.load(Ordering::SeqCst)).collect()
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets the mode. A cut happens once.
    pub fn does(&self, does: Does) {
        *self
            .shared
            .does
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = does;
    }

    /// How often a client has sent something after an answer.
    pub fn trips(&self) -> u32 {
        self.shared.trips.load(Ordering::SeqCst)
    }

    /// How often it has cut a connection.
    pub fn cuts(&self) -> u32 {
        self.shared.cuts.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|of| of == word)
}

/// Forwards one direction in a thread of its own.
fn forward(from: &TcpStream, to: &TcpStream, shared: &Arc<ProxyState>, is_client: bool) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let bytes = &buffer[..read];
            if let (Does::Far(time), false) = (shared.does(), is_client) {
                thread::sleep(time);
            }
            // A client's good-bye has no answer, and may come late.
            let is_trip = bytes != TERMINATE;
            if is_trip && shared.is_answered.swap(!is_client, Ordering::SeqCst) && is_client {
                shared.trips.fetch_add(1, Ordering::SeqCst);
            }
            shared.wait_while_held(is_client);
            // The bytes that come through before a cut.
            let cut = match shared.does() {
                Does::CutBefore(word) if is_client && has(bytes, &word) => Some(0),
                Does::CutAfter(word) if is_client && has(bytes, &word) => Some(read),
                _ => None,
            };
            match cut {
                None => {
                    if to.write_all(bytes).is_err() {
                        break;
                    }
                }
                Some(sent) => {
                    *shared.does.lock().unwrap_or_else(PoisonError::into_inner) = Does::Forward;
                    // The answer is discarded.
                    let _ = from.shutdown(Shutdown::Both);
                    let _ = to.write_all(&bytes[..sent]);
                    shared.cuts.fetch_add(1, Ordering::SeqCst);
                    // The server still works on it: its end comes with the end of this connection.
                    let _ = to.shutdown(Shutdown::Write);
                    return;
                }
            }
        }
        // Nor does the end of a connection come through.
        shared.wait_while_held(is_client);
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
}
