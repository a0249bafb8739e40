//! TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring,
};
use waynote_server::{Limits, Options, TlsFiles};

use super::support::{Response, limited, start_with, wait_until};

/// The answer to a request of a client that trusts this certificate alone.
fn asked(
    stream: TcpStream,
    cert: CertificateDer<'static>,
    request: &str,
) -> std::io::Result<Response> {
    let mut roots = RootCertStore::empty();
    roots.add(cert).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(client, stream);
    stream.write_all(request.as_bytes())?;
    Ok(Response::read(&mut stream))
}

#[test]
fn a_certificate_is_used_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles {
        cert: folder.path().join("cert.pem"),
        key: folder.path().join("key.pem"),
    };
    let make = || {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
        std::fs::write(&files.cert, made.cert.pem()).unwrap();
        made.cert.der().clone()
    };
    let old = make();
    let server = start_with(Options {
        tls: Some(files.clone()),
        ..limited(Limits {
            header_time: Duration::from_secs(2),
            ..Limits::default()
        })
    });
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let get = |cert: &CertificateDer<'static>| asked(server.connect(), cert.clone(), request);
    // A file that cannot be used changes nothing.
    std::fs::write(&files.cert, "no certificate").unwrap();
    server.reloader.as_ref().unwrap().reload();
    let is_told = || server.log.text().contains("certificate_unusable");
    wait_until(is_told, "the log says so");
    let answer = get(&old).unwrap();
    assert_eq!(answer.status, 200);
    let header = "strict-transport-security";
    assert_eq!(answer.header(header), "max-age=31536000");

    // Without being told, too.
    let new = make();
    wait_until(|| get(&new).is_ok(), "the new one is used");
    assert!(get(&old).is_err());

    // Whoever does not agree on TLS is cut off, whether it speaks or not.
    for sent in ["", request] {
        let mut plain = server.connect();
        plain.write_all(sent.as_bytes()).unwrap();
        let began = Instant::now();
        let mut rest = Vec::new();
        let _ = plain.read_to_end(&mut rest);
        assert!(began.elapsed() < Duration::from_secs(10), "by default");
        assert!(!rest.starts_with(b"HTTP"), "{rest:?}");
    }
}
