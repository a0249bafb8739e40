//! The log: a line of JSON for each request. It holds no query, body, address of a note, path or header.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;

use serde::Serialize;

/// The destination of the log, if there is one.
#[derive(Clone)]
pub struct Log {
    to: Option<Arc<Mutex<Box<dyn Write + Send>>>>,
}

impl Log {
    /// A log that is written here, a line at a time.
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self {
            to: Some(Arc::new(Mutex::new(Box::new(writer)))),
        }
    }

    /// No log.
    pub fn none() -> Self {
        Self { to: None }
    }

    /// Writes a line. A line that cannot be written is lost: a full disk must not stop the server.
    pub(crate) fn line(&self, line: &impl Serialize) {
        if let (Some(to), Ok(mut line)) = (&self.to, serde_json::to_vec(line)) {
            line.push(b'\n');
            let _ = to.lock().write_all(&line);
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
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
