//! The options of a server: its address, TLS, and limits.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// The options of a server: its address, TLS, and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The address to listen on; port 0: any free port.
    pub listen: SocketAddr,
    /// The certificate and its key; none: no TLS.
    pub tls: Option<TlsFiles>,
    /// True if a reverse proxy in front of the server takes care of TLS. Then every request needs a token, and the
    /// proxy limits the requests of one address.
    pub behind_proxy: bool,
    /// True if the server is for one browser of this user, which gets in by a link that works once
    /// ([`BoundServer::link`](crate::BoundServer::link)). Tokens of the stores count beside it.
    pub one_time_link: bool,
    /// The limits for clients.
    pub limits: Limits,
}

impl Default for Options {
    /// Port 7467 of this machine, without TLS.
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 7467).into(),
            tls: None,
            behind_proxy: false,
            one_time_link: false,
            limits: Limits::default(),
        }
    }
}

/// The files of a certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those that sign it.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The limits for clients. 0: no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a request's body.
    pub body_bytes: usize,
    /// The requests a second with one token, on average.
    pub rate: u32,
    /// The requests above that rate that may come at once.
    pub burst: u32,
    /// The connections at one time; others wait.
    pub connections: usize,
    /// The searches and prompt blocks that are made at one time; others wait.
    pub searches: usize,
    /// How long a client may take for the head of a request, or leave a connection unused.
    pub header_time: Duration,
    /// How long a client may take for the body of a request.
    pub body_time: Duration,
    /// How long a client may take to read what it is sent.
    pub write_time: Duration,
    /// How long the answer to a request may take.
    pub handler_time: Duration,
    /// How long a stopping server waits for requests that are still running.
    pub stop_time: Duration,
    /// The time between two signs of life of a feed without news.
    pub heartbeat: Duration,
    /// The store calls that may run at one time.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            rate: 200,
            burst: 400,
            connections: 1024,
            // Each has a processor.
            searches: std::thread::available_parallelism().map_or(2, |all| all.get().max(2)),
            header_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            handler_time: Duration::from_secs(60),
            stop_time: Duration::from_secs(15),
            heartbeat: Duration::from_secs(15),
            threads: 128,
        }
    }
}
