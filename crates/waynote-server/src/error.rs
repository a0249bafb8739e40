//! Reasons for a server not to start.

use std::net::SocketAddr;
use std::path::PathBuf;

use waynote::error::{CustomError, ErrorClass};

/// The reason for a server not to start.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum StartError {
    /// Others can reach the address, or a proxy lets them in, and a store has no tokens.
    #[error("store `{store}` has no tokens, and {}", reached(listen, *behind_proxy))]
    NoTokens {
        /// The store.
        store: String,
        /// The address.
        listen: SocketAddr,
        /// True if a proxy is in front of the server.
        behind_proxy: bool,
    },

    /// Others can reach the address, and nothing encrypts what they send.
    #[error("{listen} can be reached by others, and tokens and notes would go there unencrypted")]
    NoTls {
        /// The address.
        listen: SocketAddr,
    },

    /// A one-time link is for this machine alone, and others can reach the address.
    #[error("a one-time link is for this machine alone, and others can reach {listen}")]
    LinkNotLocal {
        /// The address.
        listen: SocketAddr,
    },

    /// A name that a store cannot have in a path.
    #[error("`{name}` cannot be the name of a store: letters, digits, `-`, `_` and `.` can")]
    InvalidStoreName {
        /// The name.
        name: String,
    },

    /// There is nothing to serve.
    #[error("there is no store to serve")]
    NoStore,

    /// The address cannot be listened on.
    #[error("{listen} cannot be listened on: {source}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// The reason of the operating system.
        source: std::io::Error,
    },

    /// A file of the certificate cannot be used.
    #[error("{} cannot be used: {reason}", file.display())]
    Certificate {
        /// The file.
        file: PathBuf,
        /// The reason.
        reason: String,
    },

    /// The system does not give what a server needs.
    #[error("the server cannot run: {0}")]
    System(std::io::Error),
}

/// The way by which others reach the stores.
fn reached(listen: &SocketAddr, behind_proxy: bool) -> String {
    match behind_proxy && listen.ip().is_loopback() {
        true => "a proxy lets others in".into(),
        false => format!("others can reach {listen}"),
    }
}

impl CustomError for StartError {
    fn kind(&self) -> &'static str {
        self.into()
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::InvalidStoreName { .. } | Self::NoStore | Self::Certificate { .. } => {
                ErrorClass::Invalid
            }
            Self::NoTokens { .. } | Self::NoTls { .. } | Self::LinkNotLocal { .. } => {
                ErrorClass::Refused
            }
            Self::Listen { .. } | Self::System(_) => ErrorClass::Unreachable,
        }
    }

    fn advice(&self) -> Option<String> {
        Some(
            match self {
                Self::NoTokens {
                    behind_proxy: true, ..
                } => {
                    "make one for each who may use it: `waynote --store STORE token create NAME --admin`"
                }
                Self::NoTokens { .. } => {
                    "make one for each who may use it: `waynote --store STORE token create NAME --admin`; or listen on \
                     127.0.0.1"
                }
                Self::NoTls { .. } => {
                    "name a certificate (`--tls-cert FILE --tls-key FILE`), or say that a proxy encrypts (`--behind-proxy`)"
                }
                Self::LinkNotLocal { .. } => "listen on 127.0.0.1",
                Self::InvalidStoreName { .. } => "choose another name",
                Self::NoStore => "name one: `--store NAME=PATH`",
                Self::Listen { .. } => "another program may use it: choose another port, or 0 for any free one",
                Self::Certificate { .. } => "give the certificate and its key as PEM files",
                Self::System(_) => "look at the limits of this process (`ulimit -a`)",
            }
            .into(),
        )
    }
}
