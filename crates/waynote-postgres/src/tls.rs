//! TLS by rustls, with the provider that the server has too.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore,
    SignatureScheme,
};
use waynote::Error;

use crate::error::Fault;

/// Whom a connection trusts: `sslmode` and `sslrootcert`, as libpq means them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trust {
    mode: Mode,
    /// A file with certificates; none: the well-known authorities.
    roots: Option<String>,
    /// The files of the certificate of this side, and of its key.
    identity: Option<(String, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
enum Mode {
    /// Nobody named one: TLS off this machine, and on it if the server has it. The certificate is not checked.
    #[strum(disabled)]
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
            Some(word) => word
                .parse()
                .map_err(|_| "sslmode is disable, prefer, require, verify-ca or verify-full")?,
        };
        if is_system && mode != Mode::VerifyFull {
            return Err("sslrootcert=system needs sslmode=verify-full");
        }
        let roots = roots.filter(|_| !is_system).map(str::to_owned);
        Ok(Self {
            mode,
            roots,
            identity: None,
        })
    }

    /// With the files of the certificate of this side, and of its key.
    pub(crate) fn with_identity(self, identity: Option<(String, String)>) -> Self {
        Self { identity, ..self }
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
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, Error> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| bad_tls(&error))?;
        let lenient = |authority| {
            let provider = Arc::clone(&provider);
            Arc::new(LenientVerifier {
                authority,
                provider,
            })
        };
        let config = match self.mode {
            Mode::VerifyFull => builder.with_root_certificates(self.roots()?),
            Mode::VerifyCa => {
                let roots = Arc::new(self.roots()?);
                let authority =
                    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
                let authority = authority.build().map_err(|error| bad_tls(&error))?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(lenient(Some(authority)))
            }
            Mode::Unnamed | Mode::Disable | Mode::Prefer | Mode::Require => builder
                .dangerous()
                .with_custom_certificate_verifier(lenient(None)),
        };
        let Some((certificate, key)) = &self.identity else {
            return Ok(MakeRustlsConnect::new(config.with_no_client_auth()));
        };
        let chain = certificates(Path::new(certificate))?;
        let config = config.with_client_auth_cert(chain, private_key(Path::new(key))?);
        let config = config.map_err(|error| match error {
            TlsError::InconsistentKeys(_) => unusable(
                Path::new(key),
                format!("it is not the key of {certificate}"),
            ),
            // The library's own words name neither the version nor the way out.
            error if format!("{error:?}").contains("UnsupportedCertVersion") => unusable(
                Path::new(certificate),
                "it is of X.509 version 1, and has to be of version 3: sign it with `openssl x509 -req -extfile FILE`",
            ),
            error => unusable(Path::new(certificate), error.to_string()),
        });
        Ok(MakeRustlsConnect::new(config?))
    }

    fn roots(&self) -> Result<RootCertStore, Error> {
        let mut roots = RootCertStore::empty();
        let Some(path) = &self.roots else {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            return Ok(roots);
        };
        let path = Path::new(path);
        for certificate in certificates(path)? {
            let added = roots.add(certificate);
            added.map_err(|error| unusable(path, error.to_string()))?;
        }
        Ok(roots)
    }
}

/// A system's whole collection of certificates has some 200 KB.
const LONGEST: u64 = 4 << 20;

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    waynote_files::contents(path, LONGEST).map_err(|error| Error::file(path, "read", error))
}

/// The error for a file that does not have what it should.
fn unusable(path: &Path, reason: impl Into<String>) -> Error {
    let reason = io::Error::new(io::ErrorKind::InvalidData, reason.into());
    Error::file(path, "read", reason)
}

/// The certificates of a file, at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    match certificates {
        Ok(none) if none.is_empty() => Err(unusable(path, "it has no certificate")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(unusable(path, error.to_string())),
    }
}

/// A key that only its owner may read, or the group of a key of root's, as libpq wants it.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    let meta = std::fs::metadata(path).map_err(|error| Error::file(path, "read", error))?;
    let others = if meta.uid() == 0 { 0o037 } else { 0o077 };
    if meta.mode() & others != 0 {
        return Err(Fault::OpenKey.of(path.display().to_string(), "").into());
    }
    let pem = read(path)?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|error| match error {
        pem::Error::NoItemsFound if String::from_utf8_lossy(&pem).contains("ENCRYPTED") => {
            unusable(path, "it is encrypted; write it without a pass phrase into a file that only you may read")
        }
        pem::Error::NoItemsFound => unusable(path, "it has no private key"),
        error => unusable(path, error.to_string()),
    })
}

fn bad_tls(error: &dyn fmt::Display) -> Error {
    Error::engine("TLS", error.to_string())
}

/// Checks a certificate as little as the mode asks for. The server always has to have the key of its certificate: that
/// protects against listeners. PostgreSQL clients do the same for these modes.
#[derive(Debug)]
struct LenientVerifier {
    /// Checks that an authority has signed the certificate, for any name; none: nobody need have.
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        let Some(authority) = &self.authority else {
            return Ok(ServerCertVerified::assertion());
        };
        match authority.verify_server_cert(certificate, between, name, ocsp, now) {
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
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
