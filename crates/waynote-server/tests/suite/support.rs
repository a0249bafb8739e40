//! A server on a free port of this machine, and a client that sends requests byte for byte.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use waynote::engine::Writing;
use waynote::jiff::Timestamp;
use waynote::store::{SideData as _, SideValue};
use waynote::{Options as StoreOptions, SqliteStore};
use waynote_server::{
    Limits, Log, NewToken, Options, Reloader, Rights, Server, Stopper, Stores, Tokens,
};

/// The API of the store of every server here.
pub(crate) const API: &str = "/s/notes/api/v1";

/// How long a test waits for an answer before it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A server that runs until it is dropped.
pub(crate) struct RunningServer {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) log: Lines,
    /// The one-time link, if the server has one.
    pub(crate) link: Option<String>,
    pub(crate) stopper: Stopper,
    pub(crate) reloader: Option<Reloader>,
    thread: Option<JoinHandle<()>>,
    folder: tempfile::TempDir,
}

/// The lines of a log.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The time of every server here.
pub(crate) fn now() -> Timestamp {
    "2026-08-01T12:00:00Z".parse().unwrap()
}

/// Options for any free port of this machine.
pub(crate) fn options() -> Options {
    limited(Limits::default())
}

/// The same with these limits.
pub(crate) fn limited(limits: Limits) -> Options {
    Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        limits,
        ..Options::default()
    }
}

/// A server with an empty store `notes`.
pub(crate) fn start() -> RunningServer {
    start_with(options())
}

pub(crate) fn start_with(options: Options) -> RunningServer {
    start_as(options, |server| server)
}

/// The same for a server that `told` changes first.
pub(crate) fn start_as(options: Options, told: impl FnOnce(Server) -> Server) -> RunningServer {
    started(options, |stores, _| stores, told)
}

/// The same with other stores, or with one of its own in the place of `notes`.
pub(crate) fn start_over(
    options: Options,
    stores: impl FnOnce(Stores, &Path) -> Stores,
) -> RunningServer {
    started(options, stores, |server| server)
}

pub(crate) fn open(path: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(path, &StoreOptions::default()).unwrap())
}

fn started(
    options: Options,
    more: impl FnOnce(Stores, &Path) -> Stores,
    told: impl FnOnce(Server) -> Server,
) -> RunningServer {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("notes.db"));
    let log = Lines::default();
    let stores = Stores::default().with("notes", store.clone());
    let stores = more(stores, folder.path());
    let server = Server::new(&stores, options, Arc::new(now), Log::to(log.clone()));
    let bound = told(server).bind().unwrap();
    RunningServer {
        address: bound.address(),
        store,
        log,
        link: bound.link(),
        stopper: bound.stopper(),
        reloader: bound.reloader(),
        thread: Some(std::thread::spawn(move || bound.run().unwrap())),
        folder,
    }
}

impl RunningServer {
    pub(crate) fn stop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Creates a token of a person with this name. From the first one on, the store needs a token.
    pub(crate) fn token(&self, name: &str, rights: Rights) -> String {
        self.token_of(name, name, false, rights)
    }

    pub(crate) fn token_of(
        &self,
        name: &str,
        holder: &str,
        is_agents: bool,
        rights: Rights,
    ) -> String {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let random = waynote::Content::imported(format!("token {number}"))
            .hash()
            .0;
        let new = NewToken {
            name: name.parse().unwrap(),
            holder: holder.parse().unwrap(),
            is_agents,
            rights,
            expires_at: None,
        };
        let tokens = Tokens::new(&*self.store);
        tokens
            .create(&new, now(), random)
            .unwrap()
            .0
            .expose()
            .to_owned()
    }

    pub(crate) fn revoke(&self, name: &str) {
        let name = name.parse().unwrap();
        Tokens::new(&*self.store).revoke(&name).unwrap();
    }

    /// Puts a token beside the notes, so that the store needs one. Nobody can sign in with it.
    pub(crate) fn needs_tokens(&self) {
        let token = SideValue {
            key: "somebody".into(),
            value: b"{}".to_vec(),
            about: None,
        };
        self.store
            .put_side_values("tokens", &[token], &[], Writing::Relaxed)
            .unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Response {
        let mut stream = self.connect();
        let head = self.head(method, path, headers, body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a request may not read its body.
        let _ = stream.write_all(body.as_bytes());
        Response::read(&mut stream)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send("GET", path, &[], "")
    }

    /// Sends a request to the API of the store, with a token unless that is empty.
    pub(crate) fn api(&self, token: &str, method: &str, path: &str, body: &str) -> Response {
        let header = format!("Authorization: Bearer {token}");
        let headers: &[&str] = if token.is_empty() { &[] } else { &[&header] };
        self.send(method, &format!("{API}{path}"), headers, body)
    }

    fn head(&self, method: &str, path: &str, headers: &[&str], length: usize) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let has = |name: &str| {
            headers
                .iter()
                .any(|header| header.to_lowercase().starts_with(name))
        };
        if !has("host:") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        if length > 0 && !has("content-type:") {
            head.push_str("Content-Type: application/json\r\n");
        }
        if length > 0 && !has("content-length:") && !has("transfer-encoding:") {
            head.push_str(&format!("Content-Length: {length}\r\n"));
        }
        for header in headers {
            head.push_str(&format!("{header}\r\n"));
        }
        head + "\r\n"
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A response of a server.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Response {
    /// Reads everything until the connection ends.
    pub(crate) fn read(stream: &mut (impl Read + ?Sized)) -> Self {
        let mut bytes = Vec::new();
        // A server that refuses a request may reset the connection after its answer.
        let _ = stream.read_to_end(&mut bytes);
        Self::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no answer: {text:?}"));
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        });
        Self {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The status, and the kind of a problem.
    pub(crate) fn problem(&self) -> (u16, String) {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{self:?}"
        );
        let body = self.json();
        assert_eq!(body["status"], self.status);
        assert!(
            body["title"].is_string() && body["detail"].is_string(),
            "{body}"
        );
        assert!(body["hint"].is_string(), "{body}");
        let kind = body["type"]
            .as_str()
            .unwrap()
            .rsplit([':', '/'])
            .next()
            .unwrap();
        (self.status, kind.to_owned())
    }
}

/// The pieces of text in HTML, without its tags.
pub(crate) fn pieces(html: &str) -> impl Iterator<Item = &str> {
    html.split('<').filter_map(|piece| piece.rsplit('>').next())
}

/// Waits until a condition is true.
pub(crate) fn wait_until(mut is_so: impl FnMut() -> bool, what: &str) {
    let until = std::time::Instant::now() + PATIENCE;
    while !is_so() {
        assert!(std::time::Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
