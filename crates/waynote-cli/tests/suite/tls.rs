//! A store behind TLS, with a certificate of a company's own authority.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;

use super::common::{Run, Scratch, has};
use super::served::Served;

/// An authority that nobody knows, and the file with its certificate.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let folder = tempfile::tempdir().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).unwrap();
        Self {
            issuer: Issuer::new(params, key),
            folder,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// `waynote serve` with a certificate for that host, changed so.
    fn serve(&self, host: &str, change: impl FnOnce(&mut CertificateParams)) -> Server {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let scratch = Scratch::new();
        let (cert_file, key_file) = (scratch.path("cert.pem"), scratch.path("key.pem"));
        std::fs::write(&cert_file, certificate.pem()).unwrap();
        std::fs::write(&key_file, key.serialize_pem()).unwrap();
        let options = [
            "--tls-cert".as_ref(),
            cert_file.as_os_str(),
            "--tls-key".as_ref(),
            key_file.as_os_str(),
        ];
        let served = Served::start(&scratch, options);
        let url = format!("{}/s/default", served.url);
        Server {
            url: url.replace("127.0.0.1", "localhost"),
            _served: served,
            _scratch: scratch,
        }
    }
}

/// A server, until it is dropped.
struct Server {
    url: String,
    _served: Served,
    _scratch: Scratch,
}

impl Server {
    fn run(&self, here: &Scratch, words: &str) -> Run {
        here.run(words).env("WAYNOTE_STORE", &self.url)
    }

    fn run_trusting(&self, here: &Scratch, words: &str, file: &Path) -> Run {
        self.run(here, words).env("WAYNOTE_CA_FILE", file)
    }

    /// The output without the parts that differ from run to run.
    fn neutral(&self, said: &str, authority: &Authority) -> String {
        let folder = authority.folder.path().to_str().unwrap();
        said.replace(&self.url, "STORE").replace(folder, "FOLDER")
    }
}

#[test]
fn commands_work_over_tls_with_an_authority_of_ones_own() {
    let (authority, here) = (Authority::new(), Scratch::new());
    let server = authority.serve("localhost", |_| {});
    let file = authority.file();
    let save = "place write the-first";
    server.run_trusting(&here, save, &file).ok();
    // A hook waits for a part of its time alone.
    let hook = |event: &str| {
        let input = json!({
            "session_id": "s", "cwd": here.home().join("work"), "prompt": "go on", "source": "startup",
        });
        let words = format!("hook claude-code {event} --no-search");
        let run = server.run_trusting(&here, &words, &file);
        run.env("WAYNOTE_HOOK_WAIT", "30")
            .stdin(input.to_string())
            .ok()
    };
    has(hook("SessionStart"), "the-first");
    let changes = "--agent other place write the-second";
    server.run_trusting(&here, changes, &file).ok();
    has(hook("UserPromptSubmit"), "the-second");
    // The authorities of the system count as well, beside a file that names another.
    let other = Authority::new();
    let system = |run: Run| run.env("SSL_CERT_FILE", &file);
    system(server.run(&here, "place read")).ok();
    system(server.run_trusting(&here, "place read", &other.file())).ok();
    // A setting of the file, in a loop as well: the agent uses the same server.
    here.waynote(["config", "set", "ca_file", file.to_str().unwrap()])
        .ok();
    let agent = env!("CARGO_BIN_EXE_waynote");
    let looped =
        format!("--session nightly loop --iterations 1 -- {agent} log add --type learning use-lld");
    server.run(&here, &looped).ok();
    has(
        server.run(&here, "--session nightly log list").ok(),
        "use-lld",
    );
}

#[test]
fn an_error_says_why_a_server_is_not_trusted_and_what_to_do() {
    let (authority, here) = (Authority::new(), Scratch::new());
    let (file, list) = (authority.file(), "key list");
    let good = authority.serve("localhost", |_| {});
    let mut all = vec![good.neutral(&good.run(&here, list).said(), &authority)];
    for change in [
        |params: &mut CertificateParams| {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        },
        // As `openssl req -x509` makes one by default.
        |params: &mut CertificateParams| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
    ] {
        let server = authority.serve("localhost", change);
        let said = server.run_trusting(&here, list, &file).said();
        all.push(server.neutral(&said, &authority));
    }
    let other = authority.serve("notes.example", |_| {});
    let said = other.run_trusting(&here, list, &file).said();
    all.push(other.neutral(&said, &authority));
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
    let said = here.run(list).env("WAYNOTE_STORE", &url).said();
    all.push(said.replace(&url, "STORE"));
    // Files that are of no use.
    let missing = authority.folder.path().join("missing.pem");
    let empty = authority.folder.path().join("empty.pem");
    std::fs::write(&empty, "no certificate\n").unwrap();
    for file in [missing, empty] {
        let said = good.run_trusting(&here, list, &file).said();
        all.push(good.neutral(&said, &authority));
    }
    insta::assert_snapshot!(all.join("\n"), @"
    exit 1
    error: the server of STORE cannot be trusted: its certificate is signed by an authority that this machine does not know
      name the certificate of the authority that signed it: `waynote config set ca_file FILE`, or WAYNOTE_CA_FILE=FILE, with the file that whoever runs the server gives you

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
