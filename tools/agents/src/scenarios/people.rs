//! Two people: homes, clones and clients of their own, and one team's store beside their own notes.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use kit::served::Server;
use waynote_test_postgres::{Cluster, has_postgres, store_at};

use super::super::clients::AGENTS;
use super::super::home::Bench;
use super::projects::{saves, session};
use super::{each_once, none_holds};

/// A person, what their agent saves under a key, and what only their agents may get.
struct Person<'b> {
    bench: &'b Bench,
    clone: PathBuf,
    name: &'static str,
    key: &'static str,
    note: &'static str,
    preference: &'static str,
}

impl Person<'_> {
    /// Makes the clone, connects the client, and keeps the preference.
    fn begins(&self) -> Result<()> {
        std::fs::create_dir_all(&self.clone)?;
        let git = ["-C", &self.clone.to_string_lossy()];
        self.bench.git(&[&git[..], &["init", "--quiet"]].concat())?;
        let origin = ["remote", "add", "origin", "https://github.com/acme/shop"];
        self.bench.git(&[&git[..], &origin].concat())?;
        self.runs(&["install", self.bench.agent.client])?;
        self.runs(&[
            "key",
            "save",
            "--notebook",
            "style",
            self.preference,
            "--pin",
        ])?;
        self.runs(&["config", "set", "team.repositories", "github.com/acme/*"])?;
        saves(self.bench, &self.clone, "question-one", self.key, self.note)
    }

    fn runs(&self, words: &[&str]) -> Result<String> {
        self.bench.waynote_in(&self.clone, words)
    }
}

/// Alice with Claude Code and Bob with this client, with a team's store on a server, then with one in PostgreSQL.
pub(crate) fn two_people(bench: &Bench) -> Result<()> {
    let program = bench.waynote_program()?;
    let hers = Bench::bare(AGENTS[0], &AGENTS[0].installed()?, &program)?;
    let alice = Person {
        bench: &hers,
        clone: hers.home()?.join("shop"),
        name: "alice",
        key: "fees",
        note: "canary-3301: fees are in cents",
        preference: "canary-3311: answer in French",
    };
    let bob = Person {
        bench,
        clone: bench.home()?.join("clones/the-shop"),
        name: "bob",
        key: "port",
        note: "canary-3302: the port is 3000",
        preference: "canary-3312: answer in Greek",
    };
    let people = [&alice, &bob];
    let server = Server::start(&program, &bench.folder_of_its_own("server")?, &["--shared"])?;
    for person in people {
        person.begins()?;
        let token = server.token(person.name, "--write")?;
        person.bench.sets("WAYNOTE_TOKEN", &token);
    }
    share(people, [&server.store; 2])?;
    if !has_postgres() {
        kit::unchecked::not_checked("two people with a database", "PostgreSQL is missing");
        return Ok(());
    }
    let cluster = Cluster::tcp();
    let stores = people.map(|person| {
        cluster.sql(&format!("CREATE ROLE {} LOGIN SUPERUSER", person.name));
        store_at(person.name, cluster.port())
    });
    alice.runs(&["stores", "create", "--shared", &stores[0]])?;
    share(people, stores.each_ref())
}

/// Each gives a note to the team's store, by an address of their own, and takes it back at the end.
fn share(people: [&Person<'_>; 2], stores: [&String; 2]) -> Result<()> {
    for (person, store) in people.iter().zip(stores) {
        person.runs(&["config", "set", "team.store", store])?;
        person.runs(&["share", "--to", "team", person.key])?;
    }
    let [alice, bob] = people;
    for (person, other) in [(alice, bob), (bob, alice)] {
        let requests = session(person.bench, &person.clone, "question-two")?;
        for Person {
            name, key, note, ..
        } in people
        {
            each_once(&requests, note, "the team's notes")?;
            let heading = format!("`repo:/#{key}` (team, by {name})");
            each_once(&requests, &heading, "the team's notes")?;
        }
        each_once(&requests, person.preference, "the person's own")?;
        none_holds(&requests, other.preference, "the other's own")?;
    }
    let there = |number: usize, words: &[&str]| {
        people[number].runs(&[&["--store", stores[number]], words].concat())
    };
    for (number, of) in people.iter().enumerate() {
        let said = there(number, &["history", of.key])?;
        let is_by = said.contains(of.name) && !said.contains("person");
        ensure!(is_by, "the history of {}: {said}", of.key);
        there(number, &["status"])?;
    }
    // Each takes back only what is their own.
    let undone = there(0, &["undo"])?;
    ensure!(undone.contains("#fees"), "alice: {undone}");
    let news = there(1, &["status"])?;
    ensure!(news.contains("1 change by alice"), "the news: {news}");
    let requests = session(bob.bench, &bob.clone, "question-three")?;
    none_holds(&requests, alice.note, "taken back")?;
    each_once(&requests, bob.note, "the team's notes")?;
    let undone = there(1, &["undo"])?;
    ensure!(undone.contains("#port"), "bob: {undone}");
    Ok(())
}
