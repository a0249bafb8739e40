//! How a store on a server is reached.

use std::time::Duration;

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

    /// Sets where the last blocks are kept.
    pub fn keep(self, keep: impl Into<Option<Keep>>) -> Self {
        Self {
            keep: keep.into(),
            ..self
        }
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
    /// For all calls together, from the opening of the store; none: no limit.
    pub all: Option<Duration>,
}

impl Default for Times {
    /// 5 s to connect, and 60 s for a call.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(60),
            all: None,
        }
    }
}

impl Times {
    /// One limit for everything together, for a hook.
    pub fn at_most(all: Duration) -> Self {
        Self {
            connect: all,
            call: all,
            all: Some(all),
        }
    }

    /// Sets the time to connect.
    pub fn connect(self, connect: Duration) -> Self {
        Self { connect, ..self }
    }

    /// Sets the time for a whole call.
    pub fn call(self, call: Duration) -> Self {
        Self { call, ..self }
    }
}
