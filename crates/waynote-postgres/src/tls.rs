//! TLS by rustls, with the provider that the server has too.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use sha2::{Digest as _, Sha256, Sha384, Sha512};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use waynote::Error;

use crate::dial::{Line, Watched, Ways};
use crate::options::path_of;

/// Whom a connection trusts: `sslmode` and `sslrootcert`, as libpq means them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trust {
    mode: Mode,
    /// A file with certificates; none: the well-known authorities.
    roots: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nobody named one: TLS off this machine, and on it if the server has it. The certificate is not checked.
    Unnamed,
    Disable,
    /// TLS if the server has it; its certificate is not checked.
    Prefer,
    /// TLS; the certificate is not checked.
    Require,
    /// A server with a certificate of an authority that is trusted.
    VerifyCa,
    /// And for the name by which it was called.
    VerifyFull,
}

impl Trust {
    pub(crate) fn of(mode: Option<&str>, roots: Option<&str>) -> Result<Self, &'static str> {
        let is_system = roots == Some("system");
        let mode = match mode {
            None if is_system => Mode::VerifyFull,
            // With somebody to be held against, it is.
            None | Some("require") if roots.is_some() => Mode::VerifyCa,
            None => Mode::Unnamed,
            Some("disable") => Mode::Disable,
            Some("prefer") => Mode::Prefer,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(_) => return Err("sslmode is disable, prefer, require, verify-ca or verify-full"),
        };
        if is_system && mode != Mode::VerifyFull {
            return Err("sslrootcert=system needs sslmode=verify-full");
        }
        let roots = roots.filter(|_| !is_system).map(str::to_owned);
        Ok(Self { mode, roots })
    }

    /// The mode of a host, which may be on this machine.
    pub(crate) fn mode(&self, is_here: bool) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Unnamed if is_here => SslMode::Prefer,
            Mode::Prefer => SslMode::Prefer,
            Mode::Unnamed | Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    /// Returns the TLS connector. Reads the file with the certificates.
    pub(crate) fn connector(&self) -> Result<Tls, Error> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| bad_tls(&error))?;
        let config = match self.mode {
            Mode::Unnamed | Mode::Disable | Mode::Prefer | Mode::Require => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anybody(provider))),
            Mode::VerifyFull => builder.with_root_certificates(self.roots()?),
            Mode::VerifyCa => {
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(self.roots()?), provider);
                let verifier = verifier.build().map_err(|error| bad_tls(&error))?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(AnyName(verifier)))
            }
        };
        Ok(Tls(Arc::new(config.with_no_client_auth())))
    }

    fn roots(&self) -> Result<RootCertStore, Error> {
        let mut roots = RootCertStore::empty();
        let Some(path) = &self.roots else {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            return Ok(roots);
        };
        let path = path_of(path);
        let of = |reason: String| {
            Error::file(
                &path,
                "read",
                io::Error::new(io::ErrorKind::InvalidData, reason),
            )
        };
        /// A system's whole collection has some 200 KB.
        const LONGEST: u64 = 4 << 20;
        let pem = waynote::file::contents(&path, LONGEST)
            .map_err(|error| Error::file(&path, "read", error))?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| of(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| of(error.to_string()))?;
        }
        match roots.is_empty() {
            true => Err(of("it has no certificate".into())),
            false => Ok(roots),
        }
    }
}

fn bad_tls(error: &dyn fmt::Display) -> Error {
    Error::Engine {
        path: "TLS".into(),
        source: error.to_string().into(),
    }
}

/// Makes TLS connections.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// A connection to a server of that name. A socket has no name, and no TLS.
    pub(crate) fn to(&self, name: &str, ways: Ways) -> Named {
        Named {
            config: Arc::clone(&self.0),
            name: ServerName::try_from(name.to_owned()).ok(),
            ways,
        }
    }
}

/// Makes a TLS connection to a server of that name.
pub(crate) struct Named {
    config: Arc<ClientConfig>,
    name: Option<ServerName<'static>>,
    ways: Ways,
}

/// A connection with TLS.
pub(crate) type Secured = Watched<Box<Stream<Line>>>;

impl TlsConnect<Line> for Named {
    type Stream = Secured;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secured>> + Send>>;

    fn connect(self, stream: Line) -> Self::Future {
        Box::pin(async move {
            let name = self.name.ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidInput, "TLS needs a host with a name")
            })?;
            let secured = TlsConnector::from(self.config)
                .connect(name, stream)
                .await?;
            Ok(Watched::secured(Box::new(secured), self.ways))
        })
    }
}

impl TlsStream for Secured {
    fn channel_binding(&self) -> ChannelBinding {
        let certificates = self.get_ref().get_ref().1.peer_certificates();
        let hash = certificates.and_then(|all| end_point(all.first()?));
        hash.map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

/// The hash of a certificate that binds a log-in to it (RFC 5929): by the hash function of its signature, SHA-256 for
/// an older one. None for a signature without a hash function of its own.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    // A certificate is a sequence of its contents, the algorithm of its signature, and the signature.
    let (_, whole, _) = element(certificate)?;
    let (_, _, after) = element(whole)?;
    let (_, algorithm, _) = element(after)?;
    let (_, algorithm, _) = element(algorithm)?;
    // RSA (1.2.840.113549.1.1.x), ECDSA with SHA-1 (…10045.4.1) and with SHA-2 (…10045.4.3.x).
    Some(match algorithm {
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 12]
        | [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3] => Sha384::digest(certificate).to_vec(),
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 13]
        | [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 4] => Sha512::digest(certificate).to_vec(),
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 4 | 5 | 11]
        | [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1 | 3, ..] => Sha256::digest(certificate).to_vec(),
        _ => return None,
    })
}

/// The first element of some DER: its tag, its contents, and the rest after it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = digits
                .iter()
                .fold(0, |length, digit| length << 8 | usize::from(*digit));
            (length, rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some((tag, contents, rest))
}

/// Takes a certificate for any name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        match self
            .0
            .verify_server_cert(certificate, between, name, ocsp, now)
        {
            Err(TlsError::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Takes any certificate whose key the server has. This protects against listeners, not against an attacker in between.
/// PostgreSQL clients do the same for `prefer` and `require`.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(
            message,
            certificate,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
