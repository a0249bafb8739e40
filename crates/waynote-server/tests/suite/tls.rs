//! TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring,
};
use waynote::SqliteStore;
use waynote_server::{Limits, Log, Server, Stores, TlsFiles};

use super::support::{Lines, Response, RunningServer, now, options, start_with, wait_until};

/// A server with a self-made certificate for `localhost`, and that certificate.
fn start(limits: Limits) -> (RunningServer, CertificateDer<'static>) {
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
fn a_certificate_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let files = TlsFiles {
        cert: folder.path().join("cert.pem"),
        key: folder.path().join("key.pem"),
    };
    let make = || {
        let params = rcgen::CertificateParams::new(vec!["localhost".into()]).unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let cert = params.self_signed(&key).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
        std::fs::write(&files.cert, cert.pem()).unwrap();
        cert.der().clone()
    };
    let old = make();
    let store = SqliteStore::open(folder.path().join("n.db"), &waynote::Options::default());
    let stores = Stores::default().with("notes", Arc::new(store.unwrap()));
    let options = options().tls(files.clone());
    let log = Lines::default();
    let server = Server::new(&stores, options, Arc::new(now), Log::to(log.clone()));
    let bound = server.bind().unwrap();
    let (address, stopper) = (bound.address(), bound.stopper());
    let reloader = bound.reloader().unwrap();
    let thread = std::thread::spawn(move || bound.run().unwrap());
    let get = |cert: &CertificateDer<'static>, path: &str| {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        asked(TcpStream::connect(address).unwrap(), cert.clone(), &request)
    };
    // A file that cannot be used changes nothing.
    std::fs::write(&files.cert, "no certificate").unwrap();
    reloader.reload();
    let is_told = || log.text().contains("certificate_unusable");
    wait_until(is_told, "the log says so");
    assert_eq!(get(&old, "/healthz").unwrap().status, 200);

    // Without being told, too.
    let new = make();
    wait_until(|| get(&new, "/healthz").is_ok(), "the new one is used");
    assert!(get(&old, "/healthz").is_err());
    stopper.stop();
    thread.join().unwrap();
}

#[test]
fn a_request_over_tls_is_answered_and_one_without_is_not() {
    let (server, cert) = start(Limits::default());
    let request =
        "GET /s/notes/api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = asked(server.connect(), cert, request).unwrap();
    assert_eq!(
        answer.header("strict-transport-security"),
        "max-age=31536000"
    );
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, r#"{"sessions":[],"next":null}"#)
    );

    let mut plain = server.connect();
    plain.write_all(request.as_bytes()).unwrap();
    let answer = Response::read(&mut plain);
    assert_eq!(answer.status, 400);
    insta::assert_snapshot!(answer.body, @"this server speaks TLS: use https:// in place of http://");
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
