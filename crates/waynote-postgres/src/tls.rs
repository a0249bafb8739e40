//! TLS by rustls, with the provider that the server has too. The server always has to prove who it is.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use waynote::Error;

/// Returns the TLS connector, which trusts the authorities of a file; without one, the well-known ones.
pub(crate) fn connector(file: Option<&str>) -> Result<MakeRustlsConnect, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::engine("TLS", error.to_string()))?;
    let config = builder.with_root_certificates(roots(file)?);
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn roots(file: Option<&str>) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    let Some(path) = file.filter(|file| *file != "system").map(Path::new) else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let failed = |error| Error::file(path, "read", error);
    let unusable = |reason: String| failed(io::Error::new(io::ErrorKind::InvalidData, reason));
    /// A system's whole collection of certificates has some 200 KB.
    const LONGEST: u64 = 4 << 20;
    let pem = waynote_files::contents(path, LONGEST).map_err(failed)?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        let added = roots.add(certificate);
        added.map_err(|error| unusable(error.to_string()))?;
    }
    match roots.is_empty() {
        true => Err(unusable("it has no certificate".into())),
        false => Ok(roots),
    }
}
