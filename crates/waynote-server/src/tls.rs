//! TLS: the certificate and its key.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::error::StartError;
use crate::options::TlsFiles;

/// An acceptor of connections with this certificate.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let TlsFiles { cert, key } = files;
    let of_cert = |reason: String| unusable(cert, reason);
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(cert)
        .map_err(|error| of_cert(error.to_string()))?
        .collect();
    let chain = chain.map_err(|error| of_cert(error.to_string()))?;
    if chain.is_empty() {
        return Err(of_cert("it has no certificate".into()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| {
        unusable(
            key,
            match error {
                rustls::pki_types::pem::Error::NoItemsFound => "it has no private key".into(),
                error => error.to_string(),
            },
        )
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| of_cert(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| of_cert(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unusable(file: &Path, reason: String) -> StartError {
    StartError::Certificate {
        file: file.to_owned(),
        reason,
    }
}
