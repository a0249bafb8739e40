//! What happens in a store, as it happens.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use waynote::Result;

use crate::store::RemoteStore;

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// From here on, everything is heard of.
    Connected,
    /// A note changed.
    Note,
    /// An event of a session.
    Event,
    /// Something was forgotten.
    Forgotten,
    /// Something that this version does not know.
    Other,
}

impl News {
    fn named(name: &str) -> Self {
        match name {
            "note" => Self::Note,
            "event" => Self::Event,
            "forgotten" => Self::Forgotten,
            _ => Self::Other,
        }
    }
}

/// Why listening has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The time of one connection is over; nothing was lost.
    TimeOver,
    /// The connection was lost, or the server has ended it.
    Lost,
    /// Nobody wants to hear more.
    Unwanted,
}

impl RemoteStore {
    /// Listens for so long, and reports what happens, until `heard` returns false. Whoever wants to hear more listens again:
    /// a connection that was lost without a sign is found out this way.
    ///
    /// # Errors
    /// As those of every call, while there is no connection.
    pub fn follow(&self, longest: Duration, mut heard: impl FnMut(News) -> bool) -> Result<End> {
        let stream = self.exchange.stream("changes", longest)?;
        if !heard(News::Connected) {
            return Ok(End::Unwanted);
        }
        let mut lines = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => return Ok(End::Lost),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => return Ok(End::TimeOver),
                Err(_) => return Ok(End::Lost),
            }
            let name = line.strip_prefix(b"event:").map(String::from_utf8_lossy);
            if name.is_some_and(|name| !heard(News::named(name.trim()))) {
                return Ok(End::Unwanted);
            }
        }
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(ureq::Error::Timeout(_)))
        || matches!(
            error.kind(),
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock
        )
}
