//! The access matrix: every kind of token asks every route for every note. No answer has a name or a text that the
//! token may not see, and nothing changes where it may not write.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waynote::{Change, Options, SqliteStore, Stamp, Store};

use super::asked::{Asked, PLANTED, Planted, asked, reads, writes};
use super::client::Client;
use super::server::{RunningServer, command};

/// A kind of token.
struct Kind {
    name: &'static str,
    rights: &'static str,
    /// Numbers of [`PLANTED`]. Empty: the whole store.
    of: &'static [usize],
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Valid,
    Revoked,
    /// A token of another store of the same server.
    Elsewhere,
    /// One that no store has made; empty: none is sent.
    MadeUp(&'static str),
}

const KINDS: [Kind; 17] = [
    kind("none", "", &[], State::MadeUp("")),
    kind("made up", "", &[], State::MadeUp("wn_made-up")),
    kind("revoked", "--admin", &[], State::Revoked),
    kind("reads elsewhere", "--read", &[], State::Elsewhere),
    kind("administers elsewhere", "--admin", &[], State::Elsewhere),
    kind("reads an agent", "--read", &[0], State::Valid),
    kind("writes an agent", "--write", &[0], State::Valid),
    kind("reads a place", "--read", &[2], State::Valid),
    kind("writes a place", "--write", &[2], State::Valid),
    kind("writes an inner place", "--write", &[3], State::Valid),
    kind("reads a session", "--read", &[5], State::Valid),
    kind("writes a session", "--write", &[5], State::Valid),
    kind("reads one of each", "--read", &[1, 4, 6], State::Valid),
    kind("writes one of each", "--write", &[1, 4, 6], State::Valid),
    kind("reads all", "--read", &[], State::Valid),
    kind("writes all", "--write", &[], State::Valid),
    kind("administers", "--admin", &[], State::Valid),
];

const fn kind(
    name: &'static str,
    rights: &'static str,
    of: &'static [usize],
    state: State,
) -> Kind {
    Kind {
        name,
        rights,
        of,
        state,
    }
}

impl Kind {
    fn sees(&self, planted: &Planted) -> bool {
        let is_inside = |number: &usize| {
            let of = &PLANTED[*number];
            let below = format!("{}/", of.name);
            of.kind() == planted.kind()
                && (of.name == planted.name
                    || of.kind() == "place" && planted.name.starts_with(&below))
        };
        self.state == State::Valid && (self.of.is_empty() || self.of.iter().any(is_inside))
    }

    fn writes(&self, planted: &Planted) -> bool {
        self.rights != "--read" && self.sees(planted)
    }

    /// The token of this kind, of the store in `here` or of that in `elsewhere`.
    fn token(&self, program: &Path, here: &Path, elsewhere: &Path) -> Result<String> {
        if let State::MadeUp(token) = self.state {
            return Ok(token.to_owned());
        }
        let folder = match self.state {
            State::Elsewhere => elsewhere,
            _ => here,
        };
        let name = self.name.replace(' ', "-");
        let mut create = command(program, folder);
        create.args(["token", "create", &name, self.rights, "--json"]);
        for number in self.of {
            create.args([PLANTED[*number].option, PLANTED[*number].name]);
        }
        let created: Value = serde_json::from_slice(&create.output()?.stdout)?;
        let token = created["token"].as_str().context("a token")?.to_owned();
        if self.state == State::Revoked {
            let revoked = command(program, folder)
                .args(["token", "revoke", &name])
                .output()?;
            ensure!(revoked.status.success(), "the token was not revoked");
        }
        Ok(token)
    }
}

/// A client with an administrator's token, and how much was asked.
struct Matrix {
    client: Client,
    admin: String,
    requests: usize,
}

impl Matrix {
    fn ask(&mut self, asked: &Asked, token: &str) -> Result<(u16, String)> {
        self.requests += 1;
        let mut headers = "Accept: application/json, text/event-stream, text/html\r\n".to_owned();
        if asked.path.ends_with("/mcp") {
            headers += "MCP-Protocol-Version: 2025-11-25\r\n";
        }
        if !token.is_empty() {
            headers += &format!("Authorization: Bearer {token}\r\n");
        }
        let body = match asked.body {
            Value::Null => String::new(),
            ref body => body.to_string(),
        };
        let (status, answer) = self
            .client
            .send_with(asked.method, &asked.path, &headers, &body)?;
        Ok((status, String::from_utf8_lossy(&answer).into_owned()))
    }

    /// Everything that the store has, by scope or session: each change, each event.
    fn all(&mut self) -> Result<BTreeSet<String>> {
        let admin = self.admin.clone();
        let mut parts = BTreeSet::new();
        let body = json!({"feed": [{}], "event_sessions": true});
        let (status, answer) = self.ask(&asked("POST", "/read", "/read", body), &admin)?;
        ensure!(status == 200, "the feed: {status} {answer}");
        let answer: Value = serde_json::from_str(&answer)?;
        let feed = answer["feed"][0].as_array();
        for item in feed.with_context(|| format!("no feed: {answer}"))? {
            parts.insert(item.to_string());
        }
        Ok(parts)
    }
}

pub(super) fn run(program: &Path) -> Result<()> {
    let folder = tempfile::tempdir_in(kit::registries::target())?;
    let (here, elsewhere) = (folder.path().join("here"), folder.path().join("elsewhere"));
    for folder in [&here, &elsewhere] {
        std::fs::create_dir(folder)?;
    }
    let store = SqliteStore::open(super::server::store(&here), &Options::default())?;
    let mut keys = Vec::new();
    for planted in &PLANTED {
        keys.push(plant(&store, planted)?);
    }
    let tokens = KINDS
        .iter()
        .map(|kind| kind.token(program, &here, &elsewhere));
    let tokens = tokens.collect::<Result<Vec<_>>>()?;
    let admin = super::server::admin_token(program, &here, "looks-on")?;
    let other = format!("other={}", elsewhere.join("notes.db").display());
    let own = format!("default={}", here.join("notes.db").display());
    let options = ["--behind-proxy", "--store", &own, "--store", &other];
    let serving = RunningServer::start_with(program, &here, 0, &options)?;
    let client = Client::connect(serving.address)?;
    let mut matrix = Matrix {
        client,
        admin,
        requests: 0,
    };
    let mut routes = BTreeSet::new();
    for (kind, token) in KINDS.iter().zip(&tokens) {
        for (planted, keys) in PLANTED.iter().zip(&keys) {
            read_all(&mut matrix, kind, token, &reads(planted, keys), &mut routes)?;
        }
    }
    let mut changes = 0;
    for (kind, token) in KINDS.iter().zip(&tokens) {
        for (planted, keys) in PLANTED.iter().zip(&keys) {
            changes += write_all(
                &mut matrix,
                kind,
                token,
                &writes(planted, keys),
                &mut routes,
            )?;
        }
    }
    let missing = documented(&mut matrix)?;
    let missing: Vec<_> = missing.difference(&routes).collect();
    ensure!(missing.is_empty(), "not asked: {missing:?}");
    println!(
        "access matrix: {} kinds of token, {} requests, {changes} changes, each where it is allowed; nothing leaked",
        KINDS.len(),
        matrix.requests
    );
    Ok(())
}

/// Plants three notes, and in a session a question. Returns the addresses of two of the notes.
fn plant(store: &SqliteStore, planted: &Planted) -> Result<Vec<String>> {
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    let is_session = planted.kind() == "session";
    let words = ["one", "first", "concealed"];
    // An entry's id has 25 digits and letters, some of them left out.
    let number = &planted.tag[planted.tag.len() - 1..];
    let keys = words.map(|word| match is_session {
        true => format!("{number}{:0<24}", word.len()),
        false => format!("{word}-{}", planted.tag),
    });
    let changes = words.iter().zip(&keys).map(|(word, key)| {
        let content = format!("{word}-text-{}", planted.tag);
        let change = match is_session {
            true => json!({"append": {
                "session": planted.name, "type": "tip", "id": key, "iteration": 1, "content": content,
            }}),
            false => json!({"save": {"address": format!("{}#{key}", planted.scope()), "content": content}}),
        };
        Ok(serde_json::from_value::<Change>(change)?)
    });
    store.apply(&changes.collect::<Result<Vec<_>>>()?, &stamp)?;
    if is_session {
        let question = format!("question-text-{}", planted.tag);
        let session = planted.name.parse()?;
        let holder = json!({"pid": 1, "start": 1, "host": "elsewhere", "boot": ""});
        let events = [
            json!({"event": "loop_started", "holder": holder, "directory": "/srv"}),
            json!({"event": "iteration_started", "iteration": 1}),
            json!({"event": "blocked", "iteration": 1, "question": question}),
        ];
        // The first event has the number of the loop that records the others.
        for (event, lease) in events.into_iter().zip([None, Some(1), Some(1)]) {
            store.record(&session, &[serde_json::from_value(event)?], lease, &stamp)?;
        }
    }
    let address = |key: &String| format!("{}#{key}", planted.scope());
    Ok(keys.iter().take(2).map(address).collect())
}

/// Reads everything with a token: no answer has what it may not see, and what it may see is in one of them.
fn read_all(
    matrix: &mut Matrix,
    kind: &Kind,
    token: &str,
    all: &[Asked],
    routes: &mut BTreeSet<String>,
) -> Result<()> {
    let mut seen = String::new();
    for asked in all {
        routes.insert(format!("{} {}", asked.method, asked.route));
        let (status, answer) = matrix.ask(asked, token)?;
        let (path, name) = (&asked.path, kind.name);
        let is_admin = name == "administers";
        ensure!(
            status < 500 && (!is_admin || status == 200),
            "{name}: {} {path}: {status} {answer}",
            asked.method
        );
        let is_refused = path.ends_with("/mcp") && !answer.contains("\"isError\":false");
        ensure!(!is_admin || !is_refused, "{name}: {}: {answer}", asked.body);
        let said = format!("{path} {}", asked.body);
        for planted in PLANTED.iter().filter(|planted| !kind.sees(planted)) {
            let mut words = planted.texts().to_vec();
            let is_in_name = |seen: &&Planted| kind.sees(seen) && seen.name.contains(planted.tag);
            if !said.contains(planted.tag) && !PLANTED.iter().any(|seen| is_in_name(&seen)) {
                words.push(planted.tag.to_owned());
            }
            for word in words {
                ensure!(
                    !answer.contains(&word),
                    "{name} reads {word}: {} {path} {}: {status} {answer}",
                    asked.method,
                    asked.body
                );
            }
        }
        seen += &answer;
    }
    for planted in PLANTED.iter().filter(|planted| kind.sees(planted)) {
        let [_, concealed, ..] = planted.texts();
        ensure!(
            seen.contains(&concealed),
            "{} does not see {concealed}",
            kind.name
        );
    }
    Ok(())
}

/// Writes everything with a token, and compares the store before and after. Returns how many changes there were.
fn write_all(
    matrix: &mut Matrix,
    kind: &Kind,
    token: &str,
    all: &[Asked],
    routes: &mut BTreeSet<String>,
) -> Result<usize> {
    let before = matrix.all()?;
    for asked in all {
        routes.insert(format!("{} {}", asked.method, asked.route));
        let (status, answer) = matrix.ask(asked, token)?;
        let path = &asked.path;
        ensure!(status < 500, "{}: {path}: {status} {answer}", kind.name);
        let is_tokens = asked.route.starts_with("/tokens");
        let is_admin = kind.name == "administers";
        ensure!(
            !is_tokens || is_admin || status >= 400,
            "{}: {path}: {status} {answer}",
            kind.name
        );
    }
    let after = matrix.all()?;
    let new: Vec<&String> = after.difference(&before).collect();
    for change in &new {
        let is_own = |planted: &Planted| kind.of.is_empty() || change.contains(planted.tag);
        let is_allowed = PLANTED
            .iter()
            .any(|planted| kind.writes(planted) && is_own(planted));
        ensure!(is_allowed, "{} changed {change}", kind.name);
    }
    Ok(new.len())
}

/// The routes of the API's document, each with its method. The feed is the one that is not asked here: it has no end.
fn documented(matrix: &mut Matrix) -> Result<BTreeSet<String>> {
    let admin = matrix.admin.clone();
    let (_, document) = matrix.ask(
        &asked("GET", "/openapi.json", "/openapi.json", Value::Null),
        &admin,
    )?;
    let document: Value = serde_json::from_str(&document)?;
    let paths = document["paths"].as_object().context("no paths")?;
    let routes = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, _)| format!("{} {path}", method.to_uppercase()))
    });
    Ok(routes
        .filter(|route| route != "GET /changes" && !route.ends_with("parameters"))
        .collect())
}
