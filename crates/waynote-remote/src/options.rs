//! How a store on a server is reached.

use std::time::Duration;

use crate::keep::Keep;
use crate::token::Token;
use crate::trust::Authority;

/// How a store on a server is reached.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The token.
    pub token: Token,
    /// How long calls may take.
    pub times: Times,
    /// The authorities that may have signed the server's certificate; none: the well-known ones built into this crate.
    pub authorities: Vec<Authority>,
    /// The cache of the last blocks, for a start while the server is away; none: no cache.
    pub keep: Option<Keep>,
}

/// How long calls may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// To connect, TLS included.
    pub connect: Duration,
    /// The limit for a whole call, including the repetition of a write whose answer was lost.
    pub call: Duration,
    /// How long a call waits for a server that is away: it is sent again, as long as that is safe.
    pub wait: Duration,
    /// For all calls together, from the opening of the store; none: no limit.
    pub all: Option<Duration>,
}

impl Default for Times {
    /// 5 s to connect, 60 s for a call, and 5 s for a server that is away.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(60),
            wait: Duration::from_secs(5),
            all: None,
        }
    }
}

impl Times {
    /// One limit for everything together, for a hook; half of it for a server that is away.
    pub fn at_most(all: Duration) -> Self {
        Self {
            connect: all,
            call: all,
            wait: all / 2,
            all: Some(all),
        }
    }
}
