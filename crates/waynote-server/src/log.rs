//! The log: a line of JSON for each request. It holds no query, body, address of a note, path or header.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;

use serde::Serialize;

/// The destination of the log.
#[derive(Clone)]
pub struct Log(Arc<Mutex<Box<dyn Write + Send>>>);

impl Log {
    /// A log that is written here, a line at a time.
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(writer))))
    }

    /// Writes a line. A line that cannot be written is lost: a full disk must not stop the server.
    pub(crate) fn line(&self, line: &impl Serialize) {
        if let Ok(mut line) = serde_json::to_vec(line) {
            line.push(b'\n');
            let _ = self.0.lock().write_all(&line);
        }
    }
}

/// The line of a request.
#[derive(Serialize)]
pub(crate) struct RequestLine<'a> {
    pub(crate) time: String,
    pub(crate) id: &'a str,
    pub(crate) method: &'a str,
    /// As the server names it: `/s/{store}/api/v1/notes/{address}`.
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) ms: f64,
    /// The bytes of the answer, as far as they are known when it begins: a stream has none.
    pub(crate) bytes: Option<u64>,
    /// Only that of a caller who was let in: others could write any name here.
    pub(crate) store: Option<&'a str>,
    pub(crate) token: Option<&'a str>,
}

/// The line of something else that happened.
#[derive(Serialize)]
pub(crate) struct EventLine<'a> {
    pub(crate) time: String,
    pub(crate) event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}
