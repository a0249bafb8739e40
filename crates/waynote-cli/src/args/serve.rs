//! The arguments of `waynote serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

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
    /// The stores are of several people, for good: they take no notes on paths of one machine, and each holder of a token
    /// has a notebook of his own
    #[arg(long, conflicts_with = "database")]
    pub(crate) shared: bool,
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
    /// The requests a second with one token, on average; twice as many may come at once. 0: no limit
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) rate: u32,
}

/// An address to listen on. A name is none: it can stand for several.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "write an IP address and a port, as in 127.0.0.1:7467")
}
