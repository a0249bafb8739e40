//! TLS: the certificate and its key, which are read again when their files change.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};

use crate::app::App;
use crate::error::StartError;
use crate::options::TlsFiles;
use crate::visit::waiting;

/// How often the files are looked at.
const LOOKED_AT: Duration = Duration::from_secs(5);

/// The certificate of a server, as it is now.
#[derive(Debug)]
pub(crate) struct Certificates {
    files: TlsFiles,
    provider: CryptoProvider,
    current: Mutex<LoadedCertificate>,
    /// Somebody asks for the files to be read again.
    asked: Notify,
}

#[derive(Clone, Debug)]
struct LoadedCertificate {
    key: Arc<CertifiedKey>,
    changed: FileTimes,
}

/// When the files were changed.
type FileTimes = [Option<SystemTime>; 2];

/// Reads a server's certificate again, from any thread.
#[derive(Clone, Debug)]
pub struct Reloader(pub(crate) Arc<Certificates>);

impl Reloader {
    /// Reads the files again soon. If they cannot be used, the server goes on with the certificate that it has, and its
    /// log says so.
    pub fn reload(&self) {
        self.0.asked.notify_one();
    }
}

impl Certificates {
    pub(crate) fn read(files: &TlsFiles) -> Result<Arc<Self>, StartError> {
        let provider = ring::default_provider();
        Ok(Arc::new(Self {
            current: Mutex::new(current(files, &provider)?),
            files: files.clone(),
            provider,
            asked: Notify::new(),
        }))
    }

    /// An acceptor of connections.
    pub(crate) fn acceptor(self: &Arc<Self>) -> Result<TlsAcceptor, StartError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(self.provider.clone()))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&self.files.cert, error.to_string()))?
            .with_no_client_auth()
            .with_cert_resolver(self.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn reload(&self) -> Result<(), StartError> {
        *self.current.lock() = current(&self.files, &self.provider)?;
        Ok(())
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.lock().key.clone())
    }
}

/// Reads the files again when they have changed, and when somebody asks for it.
pub(crate) async fn watch(app: App, certificates: Arc<Certificates>) {
    let mut seen = certificates.current.lock().changed;
    loop {
        let is_asked = tokio::select! {
            () = tokio::time::sleep(LOOKED_AT) => false,
            () = certificates.asked.notified() => true,
        };
        let of = certificates.clone();
        let read = waiting(move || {
            let changed = changed(&of.files);
            let is_new = is_asked || changed != seen;
            (changed, is_new.then(|| of.reload()))
        });
        let Ok((changed, read)) = read.await else {
            continue;
        };
        seen = changed;
        match read {
            None => {}
            Some(Ok(())) => app.log_event("certificate_read", None),
            Some(Err(error)) => app.log_event("certificate_unusable", error.to_string()),
        }
    }
}

fn changed(files: &TlsFiles) -> FileTimes {
    [&files.cert, &files.key].map(|file| file.metadata().and_then(|data| data.modified()).ok())
}

fn current(files: &TlsFiles, provider: &CryptoProvider) -> Result<LoadedCertificate, StartError> {
    let TlsFiles { cert, key } = files;
    let changed = changed(files);
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
    let key = CertifiedKey::from_der(chain, private, provider)
        .map_err(|error| of_cert(error.to_string()))?;
    Ok(LoadedCertificate {
        key: Arc::new(key),
        changed,
    })
}

fn unusable(file: &Path, reason: String) -> StartError {
    StartError::Certificate {
        file: file.to_owned(),
        reason,
    }
}
