//! Two people on three machines: Alice's and Bob's, each with a home and a clone of its own, and the one of the store.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::json;
use waynote_test_postgres::{Cluster, has_postgres, skipped};

use super::common::{Run, Scratch, fields, git, has, lacks};
use super::hook_session::added;
use super::http;
use super::mcp_client::Client;
use super::served::Running;

/// A person's machine.
struct Person {
    scratch: Scratch,
    clone: PathBuf,
    store: String,
    token: String,
}

impl Person {
    /// A machine with a clone at this path of the home.
    fn at(path: &str, store: &str, token: &str) -> Self {
        let scratch = Scratch::ticking();
        scratch.put(&format!("{path}/README.md"), "shop\n");
        let clone = scratch.home().join(path);
        git(&clone, "init -q");
        git(&clone, "remote add origin https://github.com/acme/shop.git");
        Self {
            scratch,
            clone,
            store: store.to_owned(),
            token: token.to_owned(),
        }
    }

    fn run(&self, words: &str) -> Run {
        let run = self.scratch.run(words).cwd(&self.clone);
        run.env("WAYNOTE_STORE", &self.store)
            .env("WAYNOTE_TOKEN", &self.token)
    }

    fn ok(&self, words: &str) -> String {
        self.run(words).ok()
    }

    /// The client of the person's agent.
    fn agent(&self) -> Client {
        let mut command = self.scratch.command("mcp");
        command.current_dir(&self.clone);
        command.env("WAYNOTE_STORE", &self.store);
        command.env("WAYNOTE_TOKEN", &self.token);
        let mut client = Client::spawn(command);
        client.initialize(json!({}));
        client
    }

    /// The block with which a session of the person's agent begins.
    fn begins(&self, session: &str) -> String {
        let begun = json!({ "session_id": session, "source": "startup", "cwd": self.clone });
        let run = self.run("hook claude-code SessionStart");
        added(run.stdin(begun.to_string()).patient())
    }
}

/// The two people's work in a store. `meanwhile` is done to the store in the middle.
fn work(alice: &Person, bob: &Person, meanwhile: &mut dyn FnMut()) {
    // The project's notes are everybody's, a preference is not.
    alice.ok("key save staging 'staging is read-only'");
    alice.ok("key save --notebook language 'answer in French'");
    bob.ok("key save --notebook language 'answer in Greek'");
    for path in ["--at ~", "--path"] {
        let refused = alice.run(&format!("place write {path} mine")).said();
        has(&refused, "cannot be in a store of several people");
        has(&refused, "keep the note in your own store");
    }
    let saved = alice
        .agent()
        .call("note_save", json!({ "key": "fees", "content": "in cents" }));
    has(saved, "repo:github.com/acme/shop#fees");
    let mut agent = bob.agent();
    let notebook = json!({ "scope": "agent", "key": "tests", "content": "need redis" });
    has(agent.call("note_save", notebook), "agent:bob#tests");
    agent.call("note_save", json!({ "key": "port", "content": "3000" }));
    // Another's text is shown before it is replaced.
    let replaced = agent.call("note_save", json!({ "key": "fees", "content": "in euros" }));
    has(replaced, "text by alice's agent");
    drop(agent);
    let (hers, his) = (alice.begins("one"), bob.begins("two"));
    has(&hers, "answer in French");
    lacks(&hers, "Greek");
    lacks(&hers, "redis");
    has(&hers, "`repo:/#port` (by bob's agent)");
    lacks(&hers, "by alice");
    has(&his, "answer in Greek");
    has(&his, "need redis");
    lacks(&his, "French");
    has(&his, "`repo:/#fees` (by alice's agent)");
    has(&his, "`repo:/#staging` (by alice)");
    lacks(&his, "by bob");
    has(bob.ok("context"), "answer in Greek");
    lacks(bob.ok("context"), "French");
    has(bob.ok("key list --notebook"), "agent:bob#language");
    has(bob.ok("key show --notebook language"), "answer in Greek");

    meanwhile();

    // Each takes back only what is his own.
    bob.ok("key save db 'Postgres 17'");
    has(bob.ok("undo"), "#db");
    has(bob.ok("undo"), "agent:bob#language");
    let nothing = bob.run("undo").said();
    has(nothing, "there is nothing to undo");
    has(bob.ok("--author agent:default undo"), "#port");
    has(bob.ok("redo"), "agent:bob#language");
    has(alice.ok("key show staging"), "staging is read-only");
    has(alice.ok("key show fees"), "in cents");

    // In the morning, each sees what the others did.
    bob.ok("status");
    alice.ok("status");
    alice.ok("key save staging 'staging is writable'");
    alice.ok("--author agent:codex key save ci 'is slow'");
    let morning = bob.ok("status");
    has(&morning, "1 change by alice's agent codex");
    has(&morning, "1 change by alice\n");
    lacks(&morning, "by bob");
    bob.ok("key save staging 'staging is gone'");
    let morning = alice.ok("status");
    has(&morning, "1 change by bob");
    has(
        &morning,
        "your repo:github.com/acme/shop#staging was changed by bob",
    );
    let history = bob.ok("history staging");
    for author in ["alice", "bob"] {
        has(&history, author);
    }
    lacks(&history, "person");
    has(bob.ok("history fees"), "alice's agent");
    has(bob.ok("ls"), "alice's agent codex");
    let changed = bob.run("history fees --json").json();
    assert_eq!(fields(&changed[0], "token"), "alice");
}

/// Starts a server of a store of several people. Returns its address.
fn serve(machine: &Scratch, listen: &str) -> (Running, String) {
    let words = format!("serve --shared --json --listen {listen}");
    let mut running = Running::start(machine, machine.command(&words));
    let url = fields(&running.json(), "url");
    (running, url)
}

#[test]
fn two_people_on_three_machines() {
    let machine = Scratch::new();
    let token = |holder: &str| {
        let made = machine.json(&format!("token create {holder} --write --json"));
        fields(&made, "token")
    };
    let (hers, his) = (token("alice"), token("bob"));
    let (running, url) = serve(&machine, "127.0.0.1:0");
    let store = format!("{url}/s/default");
    let alice = Person::at("work/shop", &store, &hers);
    let bob = Person::at("src/clones/the-shop", &store, &his);
    let listen = url.strip_prefix("http://").unwrap().to_owned();
    let mut running = Some(running);
    work(&alice, &bob, &mut || {
        if let Some(mut server) = running.take() {
            server.kill();
        }
        running = Some(serve(&machine, &listen).0);
    });
    let of_fees = "notes/history?note=repo%3Agithub.com%2Facme%2Fshop%23fees";
    let page = http::get_with(
        &format!("{store}/{of_fees}"),
        &format!("Authorization: Bearer {his}"),
    );
    has(page, "by alice's agent");
    // It stays a store of several people, however it is opened.
    if let Some(server) = running {
        server.end(Signal::TERM);
    }
    let refused = machine.run("place write --at ~ mine").said();
    has(refused, "cannot be in a store of several people");
    let own = Scratch::new();
    own.ok("place write --at ~ mine");
    let command = own.command("serve --shared --listen 127.0.0.1:0").output();
    let said = String::from_utf8(command.unwrap().stderr).unwrap();
    has(said, "place:~ cannot be in a store of several people");
    let new = Scratch::new();
    let command = new.command("serve --shared --listen 127.0.0.1:0 --store team=new.db");
    let mut running = Running::start(&new, command);
    running.line();
    let (_, said) = running.end(Signal::TERM);
    has(&said, "there is no store new.db: a new one is served");
    has(
        said,
        "the store team has no tokens: all who write are one `person`",
    );
}

#[test]
fn two_people_over_a_database() {
    if !has_postgres() {
        return skipped("two_people_over_a_database");
    }
    let cluster = Cluster::tcp();
    for role in ["alice", "bob"] {
        cluster.sql(&format!("CREATE ROLE {role} LOGIN SUPERUSER"));
    }
    let of = |role: &str| waynote_test_postgres::store_at(role, cluster.port());
    let machine = Scratch::new();
    let created = machine.ok(&format!("stores create --shared {}", of("waynote")));
    has(created, "a store of several people");
    let alice = Person::at("work/shop", &of("alice"), "");
    let bob = Person::at("src/clones/the-shop", &of("bob"), "");
    work(&alice, &bob, &mut || {});
}
