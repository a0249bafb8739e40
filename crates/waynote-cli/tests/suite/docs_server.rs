//! Runs the examples of docs/server.md: requests by curl, command lines, the container file; and the packages' unit for
//! systemd.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rcgen::generate_simple_self_signed;
use waynote_testing::not_checked;

use super::common::Scratch;
use super::served::Running;

const PAGE: &str = include_str!("../../../../docs/server.md");

const UNIT: &str = include_str!("../../../../xtask/src/package/templates/waynote.service");

/// The blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let open = format!("```{language}\n");
    let rest = PAGE.split(&open).skip(1);
    rest.map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The words of the block that begins so, with its continued lines joined.
fn line(language: &str, begins: &str) -> String {
    let text = blocks(language).join("\n").replace("\\\n", " ");
    let mut lines = text.lines().filter(|line| line.starts_with(begins));
    lines
        .next()
        .unwrap_or_else(|| panic!("{begins}"))
        .to_owned()
}

/// The text of the page, for this machine: in a folder of the test, on a free port.
fn here(scratch: &Scratch, text: &str) -> String {
    let home = scratch.home();
    let folder = home.to_str().unwrap();
    let text = ["/srv/waynote", "/etc/waynote", "/var/lib/waynote", "/data"]
        .iter()
        .fold(text.to_owned(), |text, path| text.replace(path, folder));
    text.replace("0.0.0.0:7467", "0.0.0.0:0")
}

/// Runs a command line of the page, which prints its address. Returns the server and the address.
fn serve(scratch: &Scratch, line: &str) -> (Running, String) {
    let line = here(scratch, line);
    let mut words = line
        .split_whitespace()
        .skip(1)
        .collect::<Vec<_>>()
        .join(" ");
    if !words.contains("--listen") {
        words += " --listen 127.0.0.1:0";
    }
    let mut serving = Running::start(scratch, scratch.command(&words));
    let said = serving.line();
    let url = said.strip_prefix("listening on ");
    let url = url.unwrap_or_else(|| panic!("{line}: {said}")).to_owned();
    (serving, url)
}

fn token(scratch: &Scratch, line: &str) -> String {
    let line = here(scratch, line);
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let created = scratch.waynote([&words[..], &["--json"]].concat()).json();
    created["token"].as_str().unwrap().to_owned()
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").output();
    run.is_ok_and(|run| run.status.success())
}

fn shell(scratch: &Scratch, script: &str) -> String {
    let mut command = Command::new("bash");
    command.args(["-euc", script]).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap());
    let output = command.current_dir(scratch.home()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_requests_do_what_the_page_says() {
    if !is_there("curl") {
        return not_checked("the requests of docs/server.md", "there is no curl");
    }
    let scratch = Scratch::new();
    let (_serving, url) = serve(&scratch, &line("sh", "waynote serve"));
    let api = format!("api={url}/s/default/api/v1");
    let blocks = blocks("sh");
    let block = blocks
        .iter()
        .find(|block| block.starts_with("api="))
        .unwrap();
    let (shown, requests) = block.split_once('\n').unwrap();
    assert_eq!(shown, "api=http://127.0.0.1:7467/s/default/api/v1");
    // Each with its status in a line of its own.
    let requests = requests.replace(
        "curl -s",
        "curl --fail-with-body -w '\\n%{http_code}\\n' -s",
    );
    let said = shell(&scratch, &format!("{api}\n{requests}"));
    let statuses: Vec<&str> = said
        .lines()
        .filter(|line| line.len() == 3 && line.parse::<u16>().is_ok())
        .collect();
    assert_eq!(
        statuses,
        [
            "200", "201", "200", "200", "200", "200", "200", "200", "200", "201"
        ],
        "{said}"
    );
    assert!(said.to_lowercase().contains("etag: \"1\""), "{said}");
    assert!(said.contains("run `make ship-all`"), "{said}");

    let feed = line("sh", "curl -sN");
    let script = format!(
        "{api}\nexec {}",
        feed.replace("/changes", "/changes?after=start")
    );
    let mut child = Command::new("bash")
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found = lines.find(|line| line.as_ref().is_ok_and(|line| line == "event: note"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(found.is_some());
}

#[test]
fn tokens_are_created_by_the_lines_of_the_page() {
    let scratch = Scratch::new();
    let admin = token(&scratch, &line("sh", "waynote token create admin"));
    let (_serving, url) = serve(&scratch, &line("sh", "waynote serve --behind-proxy"));
    let url = format!("{url}/s/team");
    let list = scratch.waynote(["--store", &url, "key", "list"]);
    list.env("WAYNOTE_TOKEN", &admin).ok();
    if is_there("jq") {
        let home = scratch.home();
        let bare = here(&scratch, &line("sh", "(umask 077; waynote token create"));
        let program = env!("CARGO_BIN_EXE_waynote");
        let script = format!(
            "export HOME={}\nwaynote() {{ '{program}' \"$@\"; }}\n{bare}\nls -l laptop.token | cut -c1-10",
            home.display()
        );
        assert_eq!(shell(&scratch, &script), "-rw-------\n");
        let file = home.join("laptop.token");
        let save = scratch.waynote(["--store", &url, "key", "save", "deploy", "run make ship"]);
        save.env("WAYNOTE_TOKEN_FILE", &file).ok();
    }
}

/// What nginx passes on by the block of the page: the page with its style and script, signing in, and the API.
#[test]
fn the_proxy_of_the_page_passes_all_of_the_page_on() {
    let block = blocks("nginx").join("");
    let passed: Vec<&str> = block
        .lines()
        .filter_map(|line| line.strip_prefix("location ")?.strip_suffix(" {"))
        .collect();
    let scratch = Scratch::new();
    token(
        &scratch,
        "waynote token create admin --admin --store /srv/waynote/team.db",
    );
    let (_serving, url) = serve(&scratch, &line("sh", "waynote serve --behind-proxy"));
    let page = super::http::get(&format!("{url}/s/team/sign-in"), None);
    let links = page.split('"').filter(|part| part.starts_with('/'));
    let links: Vec<&str> = links.chain(["/", "/s/team/api/v1/changes"]).collect();
    assert!(links.iter().any(|link| link.ends_with(".css")), "{page}");
    assert!(links.iter().any(|link| link.ends_with(".js")), "{page}");
    for link in links {
        let is_passed = passed.iter().any(|prefix| link.starts_with(prefix));
        assert!(is_passed, "{link} is behind none of {passed:?}");
    }
    for header in ["Host $host", "X-Forwarded-For $proxy_add_x_forwarded_for"] {
        assert!(
            block.contains(&format!("proxy_set_header {header};")),
            "{header}"
        );
    }
}

#[test]
fn servers_start_by_the_lines_of_the_page() {
    let scratch = Scratch::new();
    token(&scratch, &line("sh", "waynote token create admin"));
    let made = generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    scratch.put("cert.pem", made.cert.pem());
    scratch.put("key.pem", made.signing_key.serialize_pem());
    let (serving, url) = serve(&scratch, &line("sh", "waynote serve --listen"));
    assert!(url.starts_with("https://"), "{url}");
    drop(serving);
    let started = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let options = UNIT.split("\"WAYNOTE_SERVE=").nth(1).unwrap();
    let options = options.split('"').next().unwrap();
    serve(
        &scratch,
        &started.unwrap().replace("$WAYNOTE_SERVE", options),
    );
    let words = |name: &str| -> Vec<String> {
        let line = line("dockerfile", &format!("{name} "));
        serde_json::from_str(&line[name.len()..]).unwrap()
    };
    let container = [words("ENTRYPOINT"), words("CMD")].concat().join(" ");
    serve(&scratch, &container);
}

#[test]
fn the_unit_is_one_that_systemd_takes() {
    if !is_there("systemd-analyze") {
        return not_checked("the packages' unit", "there is no systemd-analyze");
    }
    let scratch = Scratch::new();
    let unit = UNIT.replace("/usr/bin/waynote", env!("CARGO_BIN_EXE_waynote"));
    let file = scratch.home().join("waynote.service");
    std::fs::write(&file, unit).unwrap();
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no", "--recursive-errors=no"])
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&verified.stderr);
    // It also speaks of other units of this machine.
    let of_ours: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("waynote.service"))
        .collect();
    assert!(of_ours.is_empty(), "{said}");
}

/// Options and paths that the text names without showing a command line.
#[test]
fn every_option_and_path_exists() {
    let scratch = Scratch::new();
    let help: String = [
        "serve",
        "token create",
        "token list",
        "token clear",
        "key list",
        "verify",
        "install",
    ]
    .map(|command| scratch.ok(&format!("{command} --help")))
    .concat();
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '-';
    let mut options = 0;
    let prose: String = PAGE.split("```").step_by(2).collect();
    for code in prose.split('`').skip(1).step_by(2) {
        for word in code
            .split_whitespace()
            .filter(|word| word.starts_with("--"))
        {
            let option = word.split(|char| !is_of_name(char)).next().unwrap();
            // Those of other programs.
            if !["--pipe", "--wait"].contains(&option) {
                let stands = |end: &str| help.contains(&format!("{option}{end}"));
                assert!(stands(" ") || stands("\n") || stands("..."), "{option}");
                options += 1;
            }
        }
    }
    assert!(options > 10, "{options}");
    let (_serving, url) = serve(&scratch, &line("sh", "waynote serve"));
    let rows = PAGE.lines().filter(|line| line.starts_with("| `/"));
    let mut paths = 0;
    for path in rows.flat_map(|row| row.split('|').nth(1).unwrap().split(',')) {
        let path = path.trim().trim_matches('`').replace("NAME", "default");
        let (status, _) = get(&format!("{url}{path}"));
        // The MCP endpoint takes POST, and the feed and the API's root are no documents.
        let is_there = match path.as_str() {
            "/s/default/mcp" => status == 405,
            "/s/default/api/v1" => status == 404,
            _ => status == 200,
        };
        assert!(is_there, "{path}: {status}");
        paths += 1;
    }
    assert!(paths >= 8, "{paths}");
    let named = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    assert!(named.exists());
}

/// The status of an answer, and its first bytes.
fn get(url: &str) -> (u16, String) {
    use std::io::{Read, Write};
    let (address, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut begin = [0; 512];
    let read = stream.read(&mut begin).unwrap();
    let text = String::from_utf8_lossy(&begin[..read]).into_owned();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text)
}
