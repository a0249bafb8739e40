//! The errors of a connection to a server, beside those of a store.

use std::time::Duration;

use waynote::Error;
use waynote::error::{CustomError, ErrorClass, safe};
use waynote::text::seconds;

use crate::trust::Distrust;

/// An error of the connection to a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum RemoteError {
    /// The address is not that of a store.
    #[error("`{}` is not the address of a store on a server: {reason}", safe(url))]
    BadUrl {
        /// The address, without credentials.
        url: String,
        /// The problem with it.
        reason: &'static str,
    },
    /// The server does not answer.
    #[error("the store {} does not answer: {away}", safe(url))]
    #[strum(serialize = "server_away")]
    Away {
        /// The store.
        url: String,
        /// How that showed.
        away: Away,
        /// True if a write was sent. It may have been carried out.
        sent_write: bool,
    },
    /// The certificate of the server cannot be trusted, or it speaks no TLS.
    #[error("the server of {} cannot be trusted: {reason}", safe(url))]
    #[strum(serialize = "server_not_trusted")]
    NotTrusted {
        /// The store.
        url: String,
        /// Why.
        reason: Distrust,
    },
    /// The server does not know the token, or got none.
    #[error("the store {} {}", safe(url), match had_token {
        true => "does not take this token",
        false => "needs a token",
    })]
    Unauthorized {
        /// The store.
        url: String,
        /// True if a token was sent.
        had_token: bool,
    },
    /// There is no token to send.
    #[error("there is no token for the store {}: {}", safe(url), safe(reason))]
    NoToken {
        /// The store.
        url: String,
        /// The reason. It never holds the token.
        reason: String,
    },
    /// Something else answers at the address.
    #[error("{} is not served by waynote: {}", safe(url), safe(reason))]
    NotAServer {
        /// The store.
        url: String,
        /// The answer's source.
        reason: String,
    },
    /// The server speaks another version of the API.
    #[error(
        "the server of {} speaks version {theirs} of the API, and this program version {ours}",
        safe(url)
    )]
    OtherVersion {
        /// The store.
        url: String,
        /// The server's.
        theirs: u16,
        /// This program's.
        ours: u16,
    },
}

/// How it showed that a server does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Away {
    /// No answer within the time.
    #[error("no answer within {}", seconds(*.0))]
    TimedOut(Duration),
    /// No connection.
    #[error("no connection ({})", safe(.0))]
    Unreachable(String),
    /// The connection ended before the answer did.
    #[error("the connection ended ({})", safe(.0))]
    Lost(String),
    /// An error of the server or of a proxy in front of it.
    #[error("it answers with status {0}")]
    Status(u16),
    /// An error of the server, with its reason.
    #[error("{} (status {status})", safe(detail))]
    Problem {
        /// The status.
        status: u16,
        /// The failure in the server's words.
        detail: String,
    },
}

impl CustomError for RemoteError {
    fn kind(&self) -> &'static str {
        self.into()
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::BadUrl { .. } => ErrorClass::Invalid,
            Self::Unauthorized { .. } | Self::NoToken { .. } => ErrorClass::Denied,
            Self::Away { .. }
            | Self::NotTrusted { .. }
            | Self::NotAServer { .. }
            | Self::OtherVersion { .. } => ErrorClass::Unreachable,
        }
    }

    fn advice(&self) -> Option<String> {
        Some(match self {
            Self::BadUrl { .. } => "write it as https://HOST/s/NAME".into(),
            Self::Away {
                sent_write: true, ..
            } => {
                "try again later; a write that was sent may have been carried out, so look before you repeat it".into()
            }
            Self::Away {
                away: Away::Unreachable(_),
                ..
            } => "check the address, and whether the server runs".into(),
            Self::Away { .. } => "try again later".into(),
            Self::NotTrusted { reason, .. } => reason.advice().into(),
            Self::Unauthorized { had_token, .. } => match had_token {
                true => "it has expired, was revoked or is another store's: ask whoever runs the server for one".into(),
                false => "ask whoever runs the server for a token".into(),
            },
            Self::NoToken { .. } => "check where the token comes from".into(),
            Self::NotAServer { url, .. } => match url.starts_with("http:") {
                true => "check the address; a server with TLS is reached as https://HOST/s/NAME".into(),
                false => "check the address: https://HOST/s/NAME".into(),
            },
            Self::OtherVersion { theirs, ours, .. } => match theirs < ours {
                true => "update the server".into(),
                false => "update waynote on this machine".into(),
            },
        })
    }
}

/// True if an error says that the server is away: no answer in time, no connection, or an error of its own. False for
/// the server's decisions about the request, and for a server that cannot be trusted.
pub fn is_away(error: &Error) -> bool {
    match error.downcast_ref::<RemoteError>() {
        Some(error) => matches!(error, RemoteError::Away { .. }),
        // Another loop may have the session; the server is well.
        None if matches!(error, Error::Loop(_)) => false,
        None => matches!(
            error.class(),
            ErrorClass::Busy | ErrorClass::Unreachable | ErrorClass::Damaged
        ),
    }
}
