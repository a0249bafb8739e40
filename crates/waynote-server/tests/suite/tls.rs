//! TLS.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring,
};
use waynote_server::{Limits, TlsFiles};

use super::support::{Response, Running, options, start_with};

/// A server with a self-made certificate for `localhost`, and that certificate.
fn start(limits: Limits) -> (Running, CertificateDer<'static>) {
    let folder = tempfile::tempdir().unwrap();
    let (cert, key) = (
        folder.path().join("cert.pem"),
        folder.path().join("key.pem"),
    );
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let options = options().tls(TlsFiles { cert, key }).limits(limits);
    (start_with(options), made.cert.der().clone())
}

#[test]
fn a_request_over_tls_is_answered_and_one_without_is_not() {
    let (server, cert) = start(Limits::default());
    let mut roots = RootCertStore::empty();
    roots.add(cert).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, server.connect());
    let request =
        "GET /s/notes/api/v1/scopes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let answer = Response::read(&mut stream);
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, r#"{"scopes":[],"next":null}"#)
    );

    let mut plain = server.connect();
    plain.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[test]
fn a_client_that_does_not_agree_on_tls_is_cut_off() {
    let (server, _) = start(Limits {
        header_time: Duration::from_millis(200),
        ..Limits::default()
    });
    let began = Instant::now();
    let mut rest = Vec::new();
    let _ = server.connect().read_to_end(&mut rest);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "what it has by default"
    );
}
