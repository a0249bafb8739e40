//! Whom a connection trusts, and why it does not.

use std::io;

use jiff::Timestamp;
use rustls::pki_types::UnixTime;
use rustls::{CertificateError, Error as TlsError};
use ureq::tls::{Certificate, PemItem, RootCerts, parse_pem};
use waynote::error::safe;

/// A certificate of an authority: certificates that it signed are trusted.
#[derive(Clone, Debug)]
pub struct Authority(Certificate<'static>);

impl Authority {
    /// The certificate in this form (DER).
    pub fn of_der(der: &[u8]) -> Self {
        Self(Certificate::from_der(der).to_owned())
    }

    /// All certificates in a text (PEM); the rest of the text is skipped.
    pub fn all_of_pem(pem: &[u8]) -> Vec<Self> {
        let items = parse_pem(pem).filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(Self(certificate)),
            _ => None,
        });
        items.collect()
    }
}

/// The trusted roots for the server's certificate; without authorities, those that this program was built with.
pub(crate) fn roots(authorities: &[Authority]) -> RootCerts {
    if authorities.is_empty() {
        return RootCerts::WebPki;
    }
    let certificates = authorities.iter().map(|authority| authority.0.clone());
    RootCerts::from(certificates.collect::<Vec<_>>())
}

/// Why a server cannot be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Distrust {
    /// No trusted authority signed its certificate.
    #[error("its certificate is signed by an authority that this machine does not know")]
    UnknownAuthority,
    /// The server shows the certificate of an authority as its own.
    #[error("its certificate is that of an authority, which no server may use for itself")]
    IsAuthority,
    /// The certificate is for other hosts.
    #[error("its certificate is not for this host{}", others(names))]
    OtherHost {
        /// The names in the certificate, if any.
        names: Vec<String>,
    },
    /// The certificate is too old.
    #[error("its certificate {}", time("has expired", "expired at", *since))]
    Expired {
        /// When it ended, if the error says so.
        since: Option<Timestamp>,
    },
    /// The certificate is too new.
    #[error("its certificate is not valid {}", time("yet", "before", *from))]
    NotYetValid {
        /// When it begins, if the error says so.
        from: Option<Timestamp>,
    },
    /// No TLS is spoken there.
    #[error("it does not speak TLS")]
    NoTls,
    /// Anything else, in the words of the TLS library.
    #[error("{}", safe(.0))]
    Other(String),
}

impl Distrust {
    /// The hint.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::UnknownAuthority => "name the certificate of the authority that signed it",
            Self::IsAuthority => {
                "whoever runs the server has to make one with `basicConstraints=CA:FALSE`, signed by that authority or by itself"
            }
            Self::OtherHost { .. } => "use a name that the certificate is for",
            Self::Expired { .. } => "whoever runs the server has to renew it",
            Self::NotYetValid { .. } => "check the clock of this machine",
            Self::NoTls => "check the host and the port",
            Self::Other(_) => "check the address, and ask whoever runs the server",
        }
    }

    /// The reason of distrust in an error of a connection, if it is one of TLS.
    pub(crate) fn of_io(error: &io::Error) -> Option<Self> {
        let inner = error.get_ref()?;
        inner.downcast_ref::<TlsError>().map(Self::of_tls)
    }

    pub(crate) fn of_tls(error: &TlsError) -> Self {
        use CertificateError as Of;
        match error {
            TlsError::InvalidCertificate(why) => match why {
                // A certificate that signs itself, and that nobody named.
                Of::UnknownIssuer => Self::UnknownAuthority,
                Of::Expired => Self::Expired { since: None },
                Of::ExpiredContext { not_after, .. } => Self::Expired {
                    since: timestamp(*not_after),
                },
                Of::NotValidYet => Self::NotYetValid { from: None },
                Of::NotValidYetContext { not_before, .. } => Self::NotYetValid {
                    from: timestamp(*not_before),
                },
                Of::NotValidForName => Self::OtherHost { names: Vec::new() },
                Of::NotValidForNameContext { presented, .. } => Self::OtherHost {
                    names: presented.iter().map(|name| plain(name)).collect(),
                },
                // The TLS library has no name of its own for it.
                Of::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
                    Self::IsAuthority
                }
                _ => Self::Other(error.to_string()),
            },
            TlsError::InvalidMessage(_) => Self::NoTls,
            _ => Self::Other(error.to_string()),
        }
    }
}

/// A name without the words that the TLS library puts around it: `DnsName("localhost")`.
fn plain(name: &str) -> String {
    let inner = name.split_once('(').map_or(name, |(_, inner)| inner);
    inner.trim_end_matches(')').trim_matches('"').to_owned()
}

fn others(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!(", but for {}", safe(names.join(", "))),
    }
}

fn time(without: &str, with: &str, time: Option<Timestamp>) -> String {
    time.map_or(without.to_owned(), |time| format!("{with} {time}"))
}

fn timestamp(time: UnixTime) -> Option<Timestamp> {
    let seconds = i64::try_from(time.as_secs()).ok()?;
    Timestamp::from_second(seconds).ok()
}
