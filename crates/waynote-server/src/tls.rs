//! TLS: the certificate and its key, which are read again when their files change.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::app::App;
use crate::error::StartError;
use crate::options::TlsFiles;
use crate::visit::waiting;

/// How often the files are looked at.
const LOOKED_AT: Duration = Duration::from_secs(5);

/// The certificate of a server, as it is now.
pub(crate) struct Certificates {
    files: TlsFiles,
    current: Mutex<TlsAcceptor>,
    /// Somebody asks for the files to be read again.
    asked: Notify,
}

/// Reads a server's certificate again, from any thread.
#[derive(Clone)]
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
        Ok(Arc::new(Self {
            current: Mutex::new(acceptor(files)?),
            files: files.clone(),
            asked: Notify::new(),
        }))
    }

    /// An acceptor of connections.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.current.lock().clone()
    }

    /// When the files were changed.
    fn changed(&self) -> [Option<SystemTime>; 2] {
        let files = [&self.files.cert, &self.files.key];
        files.map(|file| file.metadata().and_then(|data| data.modified()).ok())
    }
}

/// Reads the files again when they have changed, and when somebody asks for it.
pub(crate) async fn watch(app: App, certificates: Arc<Certificates>) {
    let mut seen = None;
    loop {
        let is_asked = tokio::select! {
            () = tokio::time::sleep(LOOKED_AT) => false,
            () = certificates.asked.notified() => true,
        };
        let of = certificates.clone();
        let read = waiting(move || {
            let changed = of.changed();
            let is_new = is_asked || seen != Some(changed);
            let read = is_new.then(|| acceptor(&of.files));
            (changed, read)
        });
        let Ok((changed, read)) = read.await else {
            continue;
        };
        seen = Some(changed);
        match read {
            None => {}
            Some(Ok(acceptor)) => {
                *certificates.current.lock() = acceptor;
                app.log_event("certificate_read", None);
            }
            Some(Err(error)) => app.log_event("certificate_unusable", error.to_string()),
        }
    }
}

/// An acceptor with the certificate of these files.
fn acceptor(TlsFiles { cert, key }: &TlsFiles) -> Result<TlsAcceptor, StartError> {
    let of_cert = |reason: String| unusable(cert, reason);
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(cert).and_then(|certificates| certificates.collect());
    let chain = chain.map_err(|error| of_cert(error.to_string()))?;
    if chain.is_empty() {
        return Err(of_cert("it has no certificate".into()));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        pem::Error::NoItemsFound => unusable(key, "it has no private key".into()),
        error => unusable(key, error.to_string()),
    })?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|error| of_cert(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unusable(file: &Path, reason: String) -> StartError {
    let file = file.to_owned();
    StartError::Certificate { file, reason }
}
