//! The arguments of `waynote serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::duration;

// Not deferred: its own `--store` must be there before the global one is handed down, which would take its name.
#[derive(Subcommand)]
pub(crate) enum ServerCommand {
    /// Serve stores over HTTP: a JSON API, a feed of changes, MCP and a page for the browser
    ///
    /// On this machine alone (127.0.0.1), a store without tokens is open to everybody on it. Any other address needs
    /// tokens and TLS. What happens is logged to standard error as JSON. SIGTERM and SIGINT stop the server: requests
    /// that are running are answered first.
    Serve(ServeArgs),
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The address to listen on; port 0: any free port
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7467", value_parser = address)]
    pub(crate) listen: SocketAddr,
    /// A store with its name in the URL, /s/NAME: a file, or a store in PostgreSQL
    /// (postgres://HOST/DATABASE?store=NAME). Give the option once for each store. One without a name is the store
    /// `default` [env: WAYNOTE_STORE]
    #[arg(id = "store", long, value_name = "NAME=PATH")]
    pub(crate) stores: Vec<String>,
    /// A database in PostgreSQL (postgres://HOST/DATABASE): each of its stores is served under its name, also those that
    /// are made later
    #[arg(long, value_name = "URL")]
    pub(crate) database: Option<String>,
    /// The server's certificate, and those that sign it (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A reverse proxy in front of the server encrypts. Every request then needs a token
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// An address to listen on. A name is none: it can stand for several.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an IP address and a port, as in 127.0.0.1:7467")
}

// What the server allows.
#[derive(Args)]
#[command(next_help_heading = "Limits (for numbers, 0 is no limit)")]
pub(crate) struct LimitArgs {
    /// The bytes of a request's body
    #[arg(long, value_name = "N", default_value_t = 8 << 20)]
    pub(crate) body_limit: usize,
    /// The requests a second with one token, on average
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) rate: u32,
    /// The requests with one token that may come at once
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(crate) burst: u32,
    /// The connections at one time
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) connections: usize,
    /// How long a client may take to send a request or to read its answer
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration::with_unit)]
    pub(crate) client_timeout: Duration,
    /// How long the answer to a request may take
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::with_unit)]
    pub(crate) request_timeout: Duration,
}
