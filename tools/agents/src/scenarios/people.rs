//! Two people: homes, clones and clients of their own, and one team's store beside their own notes.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use kit::served::Server;
use waynote_test_postgres::{Cluster, has_postgres, store_at};

use super::super::clients::AGENTS;
use super::super::home::Bench;
use super::projects::{saves, session};
use super::{each_once, none_holds};

/// A person with a clone, and what only that person's agents may get.
struct Person<'b> {
    bench: &'b Bench,
    clone: PathBuf,
    name: &'static str,
    preference: &'static str,
}

/// What each person's agent saves, by its key.
const NOTES: [(&str, &str); 2] = [
    ("fees", "canary-3301: fees are in cents"),
    ("port", "canary-3302: the port is 3000"),
];

impl<'b> Person<'b> {
    /// With a clone in that folder of the home.
    fn at(
        clone: &str,
        bench: &'b Bench,
        name: &'static str,
        preference: &'static str,
    ) -> Result<Self> {
        let clone = bench.home()?.join(clone);
        std::fs::create_dir_all(&clone)?;
        let folder = clone.to_string_lossy();
        bench.git(&["-C", &folder, "init", "--quiet"])?;
        let url = "https://github.com/acme/shop.git";
        bench.git(&["-C", &folder, "remote", "add", "origin", url])?;
        bench.waynote(&["install", bench.agent.client])?;
        bench.waynote(&["key", "save", "--notebook", "style", preference, "--pin"])?;
        bench.waynote(&["config", "set", "team.repositories", "github.com/acme/*"])?;
        Ok(Self {
            bench,
            clone,
            name,
            preference,
        })
    }

    fn runs(&self, words: &[&str]) -> Result<String> {
        self.bench.waynote_in(&self.clone, words)
    }
}

/// Alice with Claude Code and Bob with this client, with a team's store on a server, then with one in PostgreSQL.
pub(crate) fn two_people(bench: &Bench) -> Result<()> {
    let program = bench.waynote_program()?;
    let hers = Bench::bare(AGENTS[0], &AGENTS[0].installed()?, &program)?;
    let people = [
        Person::at("project", &hers, "alice", "canary-3311: answer in French")?,
        Person::at(
            "clones/the-shop",
            bench,
            "bob",
            "canary-3312: answer in Greek",
        )?,
    ];
    for (person, (key, note)) in people.iter().zip(NOTES) {
        saves(person.bench, &person.clone, "question-one", key, note)?;
    }
    let server = Server::start(&program, &bench.folder_of_its_own("server")?, &["--shared"])?;
    for person in &people {
        let token = server.token(person.name, "--write")?;
        person.bench.sets("WAYNOTE_TOKEN", &token);
    }
    share(&people, [&server.store; 2])?;
    if !has_postgres() {
        kit::unchecked::not_checked("two people with a database", "PostgreSQL is missing");
        return Ok(());
    }
    let cluster = Cluster::tcp();
    let stores = people.each_ref().map(|person| {
        cluster.sql(&format!("CREATE ROLE {} LOGIN SUPERUSER", person.name));
        store_at(person.name, cluster.port())
    });
    people[0].runs(&["stores", "create", "--shared", &stores[0]])?;
    share(&people, stores.each_ref())
}

/// Each gives a note to the team's store, by an address of their own, and takes it back at the end.
fn share(people: &[Person<'_>; 2], stores: [&String; 2]) -> Result<()> {
    let each = || people.iter().zip(NOTES).zip(stores);
    for ((person, (key, _)), store) in each() {
        person.runs(&["config", "set", "team.store", store])?;
        person.runs(&["share", "--to", "team", key])?;
    }
    let [alice, bob] = people;
    for (person, other) in [(alice, bob), (bob, alice)] {
        let requests = session(person.bench, &person.clone, "question-two")?;
        for (person, (key, note)) in people.iter().zip(NOTES) {
            each_once(&requests, note, "the team's notes")?;
            let heading = format!("`repo:/#{key}` (team, by {})", person.name);
            each_once(&requests, &heading, "the team's notes")?;
        }
        each_once(&requests, person.preference, "the person's own")?;
        none_holds(&requests, other.preference, "the other's own")?;
    }
    for ((person, (key, _)), store) in each() {
        let said = person.runs(&["--store", store, "history", key])?;
        let is_by = said.contains(person.name) && !said.contains("person");
        ensure!(is_by, "the history of {key}: {said}");
        person.runs(&["--store", store, "status"])?;
    }
    // Each takes back only what is their own.
    let undone = alice.runs(&["--store", stores[0], "undo"])?;
    ensure!(undone.contains("#fees"), "alice: {undone}");
    let news = bob.runs(&["--store", stores[1], "status"])?;
    ensure!(news.contains("1 change by alice"), "the news: {news}");
    let requests = session(bob.bench, &bob.clone, "question-three")?;
    none_holds(&requests, NOTES[0].1, "taken back")?;
    each_once(&requests, NOTES[1].1, "the team's notes")?;
    let undone = bob.runs(&["--store", stores[1], "undo"])?;
    ensure!(undone.contains("#port"), "bob: {undone}");
    Ok(())
}
