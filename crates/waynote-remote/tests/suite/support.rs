//! Servers on free ports of this machine: a real one, and one with scripted answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use jiff::Timestamp;
use waynote::{Options as StoreOptions, SqliteStore, Stamp};
use waynote_remote::{Options, RemoteStore};
use waynote_server::{Log, Server, Stopper, Stores};

pub(crate) fn now() -> Timestamp {
    "2026-08-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn stamp() -> Stamp {
    Stamp::new(now(), "agent:builder".parse().unwrap())
}

/// A server with an empty store `notes`, until it is dropped.
pub(crate) struct Served {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    folder: Option<tempfile::TempDir>,
}

pub(crate) fn serve() -> Served {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let store = Arc::new(SqliteStore::open(path, &StoreOptions::default()).unwrap());
    served(store, folder, Arc::new(now))
}

/// A server of a store, by this clock.
pub(crate) fn served(
    store: Arc<SqliteStore>,
    folder: tempfile::TempDir,
    clock: waynote_server::Clock,
) -> Served {
    let (address, stopper, thread) = run(&store, clock, "127.0.0.1:0".parse().unwrap());
    Served {
        store,
        address,
        stopper,
        thread: Some(thread),
        folder: Some(folder),
    }
}

fn run(
    store: &Arc<SqliteStore>,
    clock: waynote_server::Clock,
    listen: SocketAddr,
) -> (SocketAddr, Stopper, JoinHandle<()>) {
    let options = waynote_server::Options {
        listen,
        ..Default::default()
    };
    let server = Server::new(
        &Stores::default().with("notes", store.clone()),
        options,
        clock,
        Log::to(std::io::sink()),
    );
    let bound = server.bind().unwrap();
    let (address, stopper) = (bound.address(), bound.stopper());
    let thread = std::thread::spawn(move || bound.run().unwrap());
    (address, stopper, thread)
}

impl Served {
    pub(crate) fn url(&self) -> String {
        url(self.address)
    }

    pub(crate) fn remote(&self) -> RemoteStore {
        RemoteStore::open(&self.url(), Options::default()).unwrap()
    }

    /// Stops it, and returns the folder of its store.
    pub(crate) fn stopped(mut self) -> tempfile::TempDir {
        self.stop();
        self.folder.take().unwrap()
    }

    /// Starts it again at its address.
    pub(crate) fn start(&mut self) {
        let (_, stopper, thread) = run(&self.store, Arc::new(now), self.address);
        (self.stopper, self.thread) = (stopper, Some(thread));
    }

    pub(crate) fn stop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

pub(crate) fn url(address: SocketAddr) -> String {
    format!("http://{address}/s/notes")
}

/// A request to a [`Told`] server: its head, and its body.
pub(crate) type Request = (String, Vec<u8>);

/// A server that gives each request the answer that a function makes of it; none: it ends the connection.
pub(crate) struct Told {
    pub(crate) address: SocketAddr,
    pub(crate) requests: Arc<Mutex<Vec<Request>>>,
}

pub(crate) fn told(
    answer: impl Fn(usize, &Request) -> Option<Vec<u8>> + Send + Sync + 'static,
) -> Told {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&requests);
    let count = Arc::new(AtomicUsize::new(0));
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let (seen, count, answer) = (seen.clone(), count.clone(), answer.clone());
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while let Some(request) = next(&mut reader) {
                    let number = count.fetch_add(1, Ordering::SeqCst);
                    let answer = answer(number, &request);
                    seen.lock().unwrap().push(request);
                    match answer {
                        Some(answer) if stream.write_all(&answer).is_ok() => {}
                        _ => return,
                    }
                }
            });
        }
    });
    Told { address, requests }
}

fn next(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// Sends a request on to a true server, and returns its whole answer.
pub(crate) fn passed_on(to: SocketAddr, (head, body): &Request) -> Vec<u8> {
    let mut stream = TcpStream::connect(to).unwrap();
    let mut text = String::new();
    for line in head.lines() {
        let name = line.to_lowercase();
        if !name.starts_with("host:") && !name.starts_with("connection:") {
            text.push_str(line.trim_end());
            text.push_str("\r\n");
        }
    }
    text.push_str(&format!("Host: {to}\r\nConnection: close\r\n\r\n"));
    stream.write_all(text.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

/// An answer.
pub(crate) fn answer(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    format!("{head}\r\n{body}").into_bytes()
}
