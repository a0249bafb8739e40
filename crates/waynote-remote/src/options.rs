//! How a store on a server is reached.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Away;
use crate::keep::Keep;
use crate::token::Token;
use crate::trust::Authority;

/// How a store on a server is reached.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The token.
    pub token: Token,
    /// How long calls may take.
    pub times: Times,
    /// True if `http://` is allowed beyond this machine.
    pub insecure: bool,
    /// The authorities that may have signed the server's certificate; none: the well-known ones built into this crate.
    pub authorities: Vec<Authority>,
    /// Told once while the server is away for longer than a moment; none: nobody.
    pub waits: Option<Waits>,
    /// The cache of the last blocks, for a start while the server is away; none: no cache.
    pub keep: Option<Keep>,
}

impl Options {
    /// Sets the token.
    pub fn token(self, token: Token) -> Self {
        Self { token, ..self }
    }

    /// Sets how long calls may take.
    pub fn times(self, times: Times) -> Self {
        Self { times, ..self }
    }

    /// Sets whether `http://` is allowed beyond this machine.
    pub fn insecure(self, insecure: bool) -> Self {
        Self { insecure, ..self }
    }

    /// Sets the authorities that may have signed the server's certificate.
    pub fn authorities(self, authorities: Vec<Authority>) -> Self {
        Self {
            authorities,
            ..self
        }
    }

    /// Sets who is told that the server is away and that a call waits for it.
    pub fn waits(self, told: impl Fn(&Waiting<'_>) + Send + Sync + 'static) -> Self {
        Self {
            waits: Some(Waits(Arc::new(told))),
            ..self
        }
    }

    /// Sets where the last blocks are kept.
    pub fn keep(self, keep: impl Into<Option<Keep>>) -> Self {
        Self {
            keep: keep.into(),
            ..self
        }
    }
}

/// A call that waits for its server.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Waiting<'w> {
    /// The store.
    pub url: &'w str,
    /// How it showed that the server is away.
    pub away: &'w Away,
    /// How long the call waits, from the beginning.
    pub longest: Duration,
}

/// Who is told that a call waits.
#[derive(Clone)]
pub struct Waits(pub(crate) Arc<dyn Fn(&Waiting<'_>) + Send + Sync>);

impl fmt::Debug for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waits")
    }
}

/// How long calls may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

    /// Sets the time to connect.
    pub fn connect(self, connect: Duration) -> Self {
        Self { connect, ..self }
    }

    /// Sets how long a call waits for a server that is away.
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Sets the time for a whole call.
    pub fn call(self, call: Duration) -> Self {
        Self { call, ..self }
    }
}
