//! The client's certificate, and a password that is asked for.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rcgen::{CertificateParams, DnType, Issuer, KeyPair};
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, store_at};

/// An authority, with its certificate in PEM.
fn authority(name: &str) -> (Issuer<'static, KeyPair>, String) {
    let key = KeyPair::generate().unwrap();
    let mut of = CertificateParams::new(Vec::<String>::new()).unwrap();
    of.distinguished_name.push(DnType::CommonName, name);
    of.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let pem = of.self_signed(&key).unwrap().pem();
    (Issuer::new(of, key), pem)
}

/// The key and the certificate, in PEM, for somebody.
fn signed(by: &Issuer<'_, KeyPair>, name: &str) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let mut of = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    of.distinguished_name.push(DnType::CommonName, name);
    let certificate = of.signed_by(&key, by).unwrap();
    (key.serialize_pem(), certificate.pem())
}

/// What a server says to somebody, without the numbers of this run.
fn said(cluster: &Cluster, folder: &Path, options: waynote::Result<Options>) -> String {
    let error = match options.and_then(open) {
        Ok(_) => return "open".to_owned(),
        Err(error) => error,
    };
    let text = format!("{}: {error}", error.kind());
    let text = text.replace(&cluster.port().to_string(), "PORT");
    text.replace(&folder.display().to_string(), "DIR")
}

#[test]
fn a_server_that_wants_a_certificate_gets_one() {
    if !has_postgres() {
        return skipped("a_server_that_wants_a_certificate_gets_one");
    }
    let folder = tempfile::tempdir().unwrap();
    let (ours, pem) = authority("ours");
    let (strangers, _) = authority("strangers");
    let cluster = Cluster::start(&Setup {
        tls: Some(signed(&ours, "localhost")),
        clients: Some(pem),
        access: "hostssl all team 127.0.0.1/32 trust clientcert=verify-full".into(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE team LOGIN SUPERUSER");
    let write = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, by, of) in [
        ("team", &ours, "team"),
        ("other", &ours, "other"),
        ("stranger", &strangers, "team"),
    ] {
        let (key, certificate) = signed(by, of);
        write(&format!("{name}.key"), &key, 0o600);
        write(&format!("{name}.pem"), &certificate, 0o644);
        write(&format!("{name}-open.key"), &key, 0o644);
    }
    let encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    write("encrypted.key", encrypted, 0o600);
    let (port, path) = (cluster.port(), |name: &str| {
        folder.path().join(name).display().to_string()
    });
    let url = format!("postgres://team@localhost:{port}/postgres?store=s");
    let at = |files: Option<(&str, &str)>| {
        let rest = files.map(|(certificate, key)| {
            format!("&sslcert={}&sslkey={}", path(certificate), path(key))
        });
        Options::of_url(&format!(
            "{url}&sslmode=require{}",
            rest.unwrap_or_default()
        ))
    };
    stores::create(at(Some(("team.pem", "team.key"))).unwrap()).unwrap();
    let variable = |name: &str| match name {
        "PGSSLCERT" => Some(path("team.pem")),
        "PGSSLKEY" => Some(path("team.key")),
        _ => None,
    };
    let of_variables = Options::of_url_and(&format!("{url}&sslmode=require"), &variable);
    let mut all = said(&cluster, folder.path(), of_variables);
    for files in [
        None,
        Some(("other.pem", "other.key")),
        Some(("stranger.pem", "stranger.key")),
        Some(("team.pem", "other.key")),
        Some(("team.pem", "team-open.key")),
        Some(("team.pem", "encrypted.key")),
        Some(("team.pem", "team.pem")),
        Some(("team.key", "team.key")),
        Some(("gone.pem", "team.key")),
    ] {
        all.push('\n');
        all.push_str(&said(&cluster, folder.path(), at(files)));
    }
    insta::assert_snapshot!(all, @r#"
    open
    server_refuses: the server of postgres://team@localhost:PORT/postgres?store=s refuses: connection requires a valid client certificate
    server_refuses: the server of postgres://team@localhost:PORT/postgres?store=s refuses: "trust" authentication failed for user "team"
    server_refuses: the server of postgres://team@localhost:PORT/postgres refuses: it does not know the authority that signed the certificate of sslcert
    file: DIR/other.key cannot be read: it is not the key of DIR/team.pem
    key_file_open: the key DIR/team-open.key of the client's certificate is not used: others may read it
    file: DIR/encrypted.key cannot be read: it is encrypted; write it without a pass phrase into a file that only you may read
    key_file_open: the key DIR/team.pem of the client's certificate is not used: others may read it
    file: DIR/team.key cannot be read: it has no certificate
    file: DIR/gone.pem cannot be read: No such file or directory (os error 2)
    "#);
}

#[test]
fn a_password_is_asked_for_and_kept_for_a_minute() {
    if !has_postgres() {
        return skipped("a_password_is_asked_for_and_kept_for_a_minute");
    }
    let cluster = Cluster::start(&Setup {
        tcp: true,
        access: "host all team 127.0.0.1/32 scram-sha-256".into(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE team LOGIN SUPERUSER PASSWORD 'first-word'");
    let url = store_at("team", cluster.port());
    let asked = Arc::new(AtomicU32::new(0));
    let at = |name: &str, word: &'static str| {
        let asked = Arc::clone(&asked);
        let options = Options::of_url(&url).unwrap();
        options.password_from(name, move || {
            asked.fetch_add(1, Ordering::SeqCst);
            match word {
                "" => Err("the command failed".to_owned()),
                word => Ok(word.to_owned()),
            }
        })
    };
    let tried = |options| said(&cluster, Path::new("/nowhere"), Ok(options));
    stores::create(at("right", "first-word")).unwrap();
    assert_eq!(tried(at("right", "first-word")), "open");
    assert_eq!(
        tried(at("wrong", "second-word").password("first-word".to_owned())),
        "open"
    );
    // A store that stays open: connections that are made anew ask once a minute.
    asked.store(0, Ordering::SeqCst);
    let options = at("kept", "first-word");
    let stores: Vec<_> = (0..3)
        .map(|_| {
            let store = open(options.clone()).unwrap();
            cluster.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'team'",
            );
            store
        })
        .collect();
    assert_eq!((stores.len(), asked.load(Ordering::SeqCst)), (3, 1));
    let wrong = at("refused", "second-word");
    insta::assert_snapshot!(tried(wrong.clone()), @r#"server_refuses: the server of postgres://team@127.0.0.1:PORT/postgres?store=s refuses: password authentication failed for user "team""#);
    asked.store(0, Ordering::SeqCst);
    tried(wrong);
    assert_eq!(
        asked.load(Ordering::SeqCst),
        1,
        "one that was refused is not kept"
    );
    insta::assert_snapshot!(tried(at("failed", "")), @"password_unknown: there is no password for the server of postgres://team@127.0.0.1:PORT/postgres: the command failed");
}
