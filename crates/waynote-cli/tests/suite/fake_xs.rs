//! A socket that speaks the protocol of a running xs, as its versions do.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The version of xs that it plays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// 0.13.4: frames go to `POST /append/TOPIC`, and topics are checked.
    Append,
    /// 0.8.0: frames go to `POST /TOPIC`, for any topic.
    ByTopic,
    /// 0.8.0 that reports a newer version.
    Mislabelled,
}

/// A running xs store: frames in memory and contents in files, served on `STORE/sock` until the test ends.
pub(crate) struct FakeXs {
    pub(crate) store: PathBuf,
    frames: Arc<Mutex<Vec<Value>>>,
}

impl FakeXs {
    /// Serves a store with these frames, one a line.
    pub(crate) fn serving(store: &Path, version: Version, frames: &str) -> Self {
        fs::create_dir_all(store).unwrap();
        let listener = UnixListener::bind(store.join("sock")).unwrap();
        let frames = frames
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let frames: Arc<Mutex<Vec<Value>>> = Arc::new(Mutex::new(frames.collect()));
        let fake = Self {
            store: store.to_owned(),
            frames: Arc::clone(&frames),
        };
        let store = store.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(
                    &mut stream.unwrap(),
                    &store,
                    version,
                    &mut frames.lock().unwrap(),
                );
            }
        });
        fake
    }

    /// Topic, content and meta of the frames that were appended.
    pub(crate) fn appended(&self) -> Vec<(String, String, Value)> {
        let frames = self.frames.lock().unwrap();
        let appended = frames.iter().filter(|frame| frame["ttl"] == "appended");
        let told = appended.map(|frame| {
            let body = content(&self.store, frame["hash"].as_str().unwrap()).unwrap();
            (
                frame["topic"].as_str().unwrap().to_owned(),
                String::from_utf8(body).unwrap(),
                frame["meta"].clone(),
            )
        });
        told.collect()
    }
}

fn answer(stream: &mut UnixStream, store: &Path, version: Version, frames: &mut Vec<Value>) {
    let (line, headers, body) = request(stream);
    let (method, path) = line.split_once(' ').unwrap();
    let path = path.split(' ').next().unwrap();
    match (method, path) {
        ("GET", "/version") => {
            let number = match version {
                Version::ByTopic => "0.8.0",
                Version::Append | Version::Mislabelled => "0.13.4",
            };
            respond(
                stream,
                200,
                json!({ "version": number }).to_string().as_bytes(),
            );
        }
        ("GET", path) if path.starts_with("/cas/") => match content(store, &path[5..]) {
            Some(bytes) => respond(stream, 200, &bytes),
            None => respond(stream, 404, b"not found"),
        },
        ("GET", path) => stream_frames(stream, path, frames),
        ("POST", path) => {
            let topic = match version {
                Version::Append => path.strip_prefix("/append/"),
                Version::ByTopic | Version::Mislabelled => path.strip_prefix('/'),
            };
            let Some(topic) = topic else {
                return respond(stream, 404, b"not found");
            };
            if version == Version::Append && topic.contains('%') {
                return respond(stream, 500, b"Topic contains invalid character");
            }
            let meta = headers
                .iter()
                .find_map(|header| header.strip_prefix("xs-meta: "))
                .unwrap();
            let meta: Value = serde_json::from_slice(&STANDARD.decode(meta).unwrap()).unwrap();
            let frame = json!({
                "topic": topic, "id": format!("03zzzzzzzzzzzzzzzzzzzz{:03}", frames.len()),
                "hash": put(store, &body), "meta": meta, "ttl": "appended",
            });
            respond(stream, 200, frame.to_string().as_bytes());
            frames.push(frame);
        }
        ("DELETE", path) => {
            frames.retain(|frame| frame["id"] != path[1..]);
            respond(stream, 204, b"");
        }
        _ => respond(stream, 404, b"not found"),
    }
}

/// As xs streams them: chunk by chunk.
fn stream_frames(stream: &mut UnixStream, path: &str, frames: &[Value]) {
    let topic = path
        .strip_prefix("/?topic=")
        .map(|topic| topic.replace("%2F", "/"));
    let wanted = frames
        .iter()
        .filter(|frame| topic.as_ref().is_none_or(|topic| frame["topic"] == **topic));
    let mut out = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for frame in wanted {
        let line = frame.to_string();
        out.extend(format!("{:x}\r\n{line}\n\r\n", line.len() + 1).into_bytes());
    }
    out.extend(b"0\r\n\r\n");
    stream.write_all(&out).unwrap();
}

fn request(stream: &std::os::unix::net::UnixStream) -> (String, Vec<String>, Vec<u8>) {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim_end().is_empty() {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let length = lines
        .iter()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (lines.remove(0), lines, body)
}

fn respond(stream: &mut impl Write, status: u16, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
}

pub(crate) fn file_of(store: &Path, digest: &[u8]) -> PathBuf {
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    store
        .join("cacache/content-v2/sha256")
        .join(&hex[..2])
        .join(&hex[2..4])
        .join(&hex[4..])
}

fn content(store: &Path, hash: &str) -> Option<Vec<u8>> {
    fs::read(file_of(
        store,
        &STANDARD.decode(hash.strip_prefix("sha256-")?).ok()?,
    ))
    .ok()
}

fn put(store: &Path, body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let path = file_of(store, &digest);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, body).unwrap();
    format!("sha256-{}", STANDARD.encode(digest))
}
