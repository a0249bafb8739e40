//! A store behind TLS, with a certificate of a company's own authority.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use super::common::{Run, Scratch, has};
use super::served::Served;

/// An authority that nobody knows, with its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    scratch: Scratch,
    file: PathBuf,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        let scratch = Scratch::new();
        Self {
            issuer: Issuer::new(params, key),
            file: scratch.put("ca.pem", certificate.pem()),
            scratch,
        }
    }

    /// `waynote serve` with a certificate for that host, changed so, and the URL of its store.
    fn serve(&self, host: &str, change: impl FnOnce(&mut CertificateParams)) -> (Served, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        self.scratch.put("work/cert.pem", certificate.pem());
        self.scratch.put("work/key.pem", key.serialize_pem());
        let options = "--tls-cert cert.pem --tls-key key.pem".split(' ');
        let served = Served::start(&self.scratch, options);
        let url = served.url.replace("127.0.0.1", "localhost");
        (served, format!("{url}/s/default"))
    }
}

#[test]
fn commands_work_over_tls_with_an_authority_of_ones_own() {
    let (authority, here) = (Authority::new(), Scratch::new());
    let (_served, url) = authority.serve("localhost", |_| {});
    let file = &authority.file;
    let run = |words: &str| here.run(words).env("WAYNOTE_STORE", &url);
    let trusting = |words: &str| run(words).env("WAYNOTE_CA_FILE", file);
    trusting("place write the-first").ok();
    // A hook waits for a part of its time alone.
    let hook = |event: &str| {
        let input = json!({
            "session_id": "s", "cwd": here.home().join("work"), "prompt": "go on", "source": "startup",
        });
        let run = trusting(&format!("hook claude-code {event} --no-search"));
        let run = run.env("WAYNOTE_HOOK_WAIT", "30");
        run.stdin(input.to_string()).ok()
    };
    has(hook("SessionStart"), "the-first");
    trusting("--agent other place write the-second").ok();
    has(hook("UserPromptSubmit"), "the-second");
    // The authorities of the system count as well, beside a file that names another.
    let system = || run("place read").env("SSL_CERT_FILE", file);
    system().ok();
    system().env("WAYNOTE_CA_FILE", Authority::new().file).ok();
    // A setting of the file, in a loop as well: the agent uses the same server.
    here.ok(&format!("config set ca_file {}", file.display()));
    let agent = env!("CARGO_BIN_EXE_waynote");
    run(&format!(
        "--session nightly loop --iterations 1 -- {agent} log add --type tip use-lld"
    ))
    .ok();
    has(run("--session nightly log list").ok(), "use-lld");
}

#[test]
fn an_error_says_why_a_server_is_not_trusted_and_what_to_do() {
    let (authority, here) = (Authority::new(), Scratch::new());
    let folder = authority.scratch.home().display().to_string();
    let neutral = |run: Run, url: &str| {
        let said = run.env("WAYNOTE_STORE", url).said();
        said.replace(url, "STORE").replace(&folder, "FOLDER")
    };
    let list = || here.run("key list");
    let trusting = || list().env("WAYNOTE_CA_FILE", &authority.file);
    let (_good, good) = authority.serve("localhost", |_| {});
    let mut all = vec![neutral(list(), &good)];
    for change in [
        |params: &mut CertificateParams| {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        },
        // As `openssl req -x509` makes one by default.
        |params: &mut CertificateParams| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
    ] {
        let (_served, url) = authority.serve("localhost", change);
        all.push(neutral(trusting(), &url));
    }
    let (_served, url) = authority.serve("notes.example", |_| {});
    all.push(neutral(trusting(), &url));
    // A server that speaks no TLS.
    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/s/default", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in plain.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 512]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    all.push(neutral(list(), &url));
    // Files that are of no use.
    authority.scratch.put("empty.pem", "no certificate\n");
    for name in ["missing.pem", "empty.pem"] {
        let file = authority.scratch.home().join(name);
        all.push(neutral(list().env("WAYNOTE_CA_FILE", file), &good));
    }
    insta::assert_snapshot!(all.join("\n"), @"
    exit 1
    error: the server of STORE cannot be trusted: its certificate is signed by an authority that this machine does not know
      name the certificate of the authority that signed it; `waynote config set ca_file FILE` names the file that whoever runs the server gives you

    exit 1
    error: the server of STORE cannot be trusted: its certificate expired at 2021-01-01T00:00:00Z
      whoever runs the server has to renew it

    exit 1
    error: the server of STORE cannot be trusted: its certificate is that of an authority, which no server may use for itself
      whoever runs the server has to make one with `basicConstraints=CA:FALSE`, signed by that authority or by itself

    exit 1
    error: the server of STORE cannot be trusted: its certificate is not for this host, but for notes.example
      use a name that the certificate is for

    exit 1
    error: the server of STORE cannot be trusted: it does not speak TLS
      check the host and the port

    exit 2
    error: the setting `ca_file` cannot be used: FOLDER/missing.pem cannot be read: No such file or directory (os error 2)
      name a file with the certificate of the authority that signed the server's, in PEM (-----BEGIN CERTIFICATE-----)

    exit 2
    error: the setting `ca_file` cannot be used: FOLDER/empty.pem holds no certificate
      name a file with the certificate of the authority that signed the server's, in PEM (-----BEGIN CERTIFICATE-----)
    ");
}
