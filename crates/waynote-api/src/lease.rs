//! Whether the loops that hold sessions live.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use waynote::{Name, Result};

/// The loop that holds a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The session.
    pub session: String,
    /// The number of the event with which the loop took it.
    pub lease: u64,
}

impl Lease {
    /// The loop that took this session with that event.
    pub fn new(session: &Name, lease: u64) -> Self {
        Self {
            session: session.to_string(),
            lease,
        }
    }

    /// The session and the number.
    ///
    /// # Errors
    /// [`waynote::Error::InvalidName`].
    pub fn parts(self) -> Result<(Name, u64)> {
        Ok((self.session.parse()?, self.lease))
    }
}

/// How long ago a loop was heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Silence {
    /// In milliseconds; none: it never was, or it no longer holds the session.
    pub silence_ms: Option<u64>,
}

impl From<Option<Duration>> for Silence {
    fn from(silence: Option<Duration>) -> Self {
        let millis = |silence: Duration| u64::try_from(silence.as_millis()).unwrap_or(u64::MAX);
        Self {
            silence_ms: silence.map(millis),
        }
    }
}

impl From<Silence> for Option<Duration> {
    fn from(of: Silence) -> Self {
        of.silence_ms.map(Duration::from_millis)
    }
}
