//! Two people on three machines: Alice's and Bob's, each with a home and a clone of its own, and the one of the store.

use rustix::process::Signal;
use serde_json::json;
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped};

use super::common::{Scratch, fields, has, lacks};
use super::hook_session::added;
use super::http;
use super::mcp_client::Client;
use super::served::Running;
use super::team::{AWAY, MINUTE, Person, Team};

/// The two, each with a way to the store: its address and a token.
fn people([hers, his]: [(String, String); 2], is_alone: bool) -> [Person; 2] {
    [("shop", hers), ("clones/the-shop", his)].map(|(clone, (store, token))| {
        let mut person = Person::at(clone, Scratch::ticking(), &store, token);
        person.is_alone = is_alone;
        person
    })
}

/// The client of a person's agent.
fn agent(of: &Person) -> Client {
    let mut client = Client::spawn(of.run("mcp").command);
    client.initialize(json!({}));
    client
}

/// The two people's work in a store. `meanwhile` is done to the store in the middle.
fn work([alice, bob]: &[Person; 2], meanwhile: &mut dyn FnMut()) {
    // The project's notes are everybody's, a preference is not.
    alice.ok("key save staging 'staging is read-only'");
    alice.ok("key save --notebook language 'answer in French'");
    bob.ok("key save --notebook language 'answer in Greek'");
    for path in ["--at ~", "--path"] {
        let refused = alice.run(&format!("place write {path} mine")).said();
        has(&refused, "cannot be in a store of several people");
        has(&refused, "keep the note in your own store");
    }
    let saved = agent(alice).call("note_save", json!({ "key": "fees", "content": "in cents" }));
    has(saved, "repo:github.com/acme/shop#fees");
    let mut of_bob = agent(bob);
    let notebook = json!({ "scope": "agent", "key": "tests", "content": "need redis" });
    has(of_bob.call("note_save", notebook), "agent:bob#tests");
    of_bob.call("note_save", json!({ "key": "port", "content": "3000" }));
    // Another's text is shown before it is replaced.
    let replaced = of_bob.call("note_save", json!({ "key": "fees", "content": "in euros" }));
    has(replaced, "text by alice's agent");
    drop(of_bob);
    let (hers, his) = (alice.start("one"), bob.start("two"));
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
    has(
        bob.run("undo staging").said(),
        "the last change of repo:github.com/acme/shop#staging is by alice",
    );
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

/// A database with a role for each of the two, and a store of several people behind a proxy.
struct Database {
    cluster: Cluster,
    proxy: Proxy,
}

impl Database {
    fn new() -> Self {
        let cluster = Cluster::tcp();
        for role in ["alice", "bob"] {
            cluster.sql(&format!("CREATE ROLE {role} LOGIN SUPERUSER"));
        }
        let proxy = Proxy::start(cluster.port());
        let database = Self { cluster, proxy };
        let created = format!("stores create --shared {}", database.of("waynote"));
        has(Scratch::new().ok(&created), "a store of several people");
        database
    }

    /// The way of a role to the store.
    fn of(&self, role: &str) -> String {
        waynote_test_postgres::store_at(role, self.proxy.port())
    }
}

/// The two people's work with a team's store beside their own, behind that proxy. `keep` makes a copy of the store, and
/// `restore` puts it in its place.
fn work_beside(people: &[Person; 2], proxy: &Proxy, keep: &dyn Fn(), restore: &dyn Fn()) {
    let [alice, bob] = people;
    let there = |of: &Person, words: &str| {
        let alone = format!("--store {} {words}", of.store);
        of.run(&alone).said()
    };
    for (of, key, language) in [(alice, "fees", "French"), (bob, "port", "Greek")] {
        of.ok(&format!("key save --notebook language 'in {language}'"));
        of.ok(&format!("note --key {key} 'of {key}'"));
        of.ok(&format!("share --to team {key}"));
    }
    let blocks = people.each_ref().map(|of| of.start("one"));
    for (block, own, others) in [
        (&blocks[0], "French", "Greek"),
        (&blocks[1], "Greek", "French"),
    ] {
        has(block, "`repo:/#fees` (team, by alice): `of fees`");
        has(block, "`repo:/#port` (team, by bob): `of port`");
        has(block, own);
        lacks(block, others);
    }

    // The answers come after the hooks have ended.
    alice.ok("note --key db 'Postgres 17'");
    alice.ok("share --to team db");
    proxy.does(Does::HoldAnswers);
    for of in people {
        let block = added(of.hook("SessionStart", "slow"));
        has(&block, AWAY);
        has(&block, "`repo:/#fees` (team, by alice)");
        // It is kept where it was shared.
        assert_eq!(
            block.contains("#db` (team"),
            std::ptr::eq(of, alice),
            "{block}"
        );
    }
    proxy.does(Does::Forward);
    bob.ok("note --key late 'is late'");
    bob.ok("share --to team late");
    // An answer to a share ends the minute for which the store is left alone.
    has(
        alice.start("again"),
        "the team's store did not answer at 20",
    );
    alice.wait(MINUTE);
    for of in people {
        let block = of.start("later");
        has(&block, "`repo:/#db` (team, by alice): `Postgres 17`");
        has(&block, "`repo:/#late` (team, by bob): `is late`");
        lacks(&block, AWAY);
    }

    // The store is replaced by an earlier copy. The author still has what it lacks then, and shares it again.
    keep();
    alice.ok("note --key lost 'a lost text'");
    alice.ok("share --to team lost");
    has(bob.start("before"), "a lost text");
    restore();
    // It has as many writes as before.
    bob.ok("note --key other 'another text'");
    bob.ok("share --to team other");
    let block = bob.start("restored");
    has(&block, "`repo:/#db` (team, by alice)");
    has(&block, "another text");
    lacks(block, "a lost text");
    has(alice.start("restored"), "`repo:/#lost`: `a lost text`");
    has(alice.ok("share --to team lost"), "shared with the team");
    has(bob.start("shared"), "`repo:/#lost` (team, by alice)");

    // Each takes back only what is his own, and sees in the morning what the other did.
    there(alice, "status");
    for key in ["other", "late", "port"] {
        has(there(bob, "undo"), format!("#{key}"));
    }
    has(there(bob, "undo"), "there is nothing to undo");
    has(bob.ok("undo"), "repo:github.com/acme/shop#other");
    has(there(alice, "status"), "3 changes by bob\n");
    has(there(alice, "undo"), "#lost");
    let history = there(bob, "history fees");
    has(&history, "alice");
    lacks(history, "person");
    let block = bob.start("end");
    has(&block, "`repo:/#fees` (team, by alice)");
    for part in ["other", "by bob", "a lost text"] {
        lacks(&block, part);
    }
    has(block, "`repo:/#port`: `of port`");
}

#[test]
fn two_people_on_three_machines() {
    let team = Team::with(&["--shared"]);
    let ways = ["alice", "bob"].map(|name| (team.url(), team.token(name)));
    let store = team.url();
    let header = format!("Authorization: Bearer {}", ways[1].1);
    let people = people(ways, true);
    let [alice, bob] = &people;
    work(&people, &mut || {
        // The answer comes after the hook has ended. This machine has the last block.
        team.proxy.does(Does::HoldAnswers);
        let late = added(bob.hook("SessionStart", "late"));
        team.proxy.does(Does::Forward);
        has(&late, "may be out of date");
        has(&late, "in cents");
        lacks(bob.start("again"), "may be out of date");
        team.scratch.ok("backup b.db");
        alice.ok("key save lost 'a lost text'");
        team.restart(|machine| drop(machine.ok("restore b.db --replace")));
        lacks(bob.start("restored"), "lost");
    });
    let of_fees = "notes/history?note=repo%3Agithub.com%2Facme%2Fshop%23fees";
    let page = http::get_with(&format!("{store}/{of_fees}"), &header);
    has(page, "by alice's agent");
    // It stays a store of several people, however it is opened.
    let refused = team.scratch.run("place write --at ~ mine").said();
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
    new.ok("token create ann --write --store new.db");
    new.ok("token revoke ann --store new.db");
    let command = new.command("serve --shared --listen 127.0.0.1:0 --store team=new.db");
    let mut running = Running::start(&new, command);
    running.line();
    // It is still closed, so the line is that of the first start.
    let said = running.end(Signal::TERM).1;
    assert_eq!(said.matches("all who write").count(), 1, "{said}");
}

#[test]
fn two_people_with_a_teams_store_beside_their_own() {
    let team = Team::with(&["--shared"]);
    let ways = ["alice", "bob"].map(|name| (team.url(), team.token(name)));
    let keep = || drop(team.scratch.ok("backup b.db"));
    let restore = || team.restart(|machine| drop(machine.ok("restore b.db --replace")));
    work_beside(&people(ways, false), &team.proxy, &keep, &restore);
}

#[test]
fn two_people_over_a_database() {
    if !has_postgres() {
        return skipped("two_people_over_a_database");
    }
    let database = Database::new();
    let ways = ["alice", "bob"].map(|role| (database.of(role), String::new()));
    work(&people(ways, true), &mut || {});
}

#[test]
fn two_people_with_a_teams_database_beside_their_own() {
    if !has_postgres() {
        return skipped("two_people_with_a_teams_database_beside_their_own");
    }
    let database = Database::new();
    let ways = ["alice", "bob"].map(|role| (database.of(role), String::new()));
    let run = |sql: &str| drop(database.cluster.sql_in("template1", sql));
    let keep = || run("CREATE DATABASE copy TEMPLATE postgres");
    let restore =
        || run("ALTER DATABASE postgres RENAME TO lost; ALTER DATABASE copy RENAME TO postgres");
    work_beside(&people(ways, false), &database.proxy, &keep, &restore);
}
