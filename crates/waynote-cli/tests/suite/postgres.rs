//! A store in PostgreSQL is used as a file is: the same commands, by its URL.

use std::time::Duration;

use serde_json::json;
use waynote_test_postgres::{
    Cluster, Does, Proxy, Server, Setup, has_postgres, server, skipped, store_at,
};

use super::client_files;
use super::common::{Scratch, fields, has, lacks};

pub(super) fn its_server() -> Option<&'static Server> {
    let given = std::env::var("WAYNOTE_TEST_POSTGRES").ok();
    server(given, "the tests of stores in PostgreSQL in waynote-cli")
}

/// A home with its store in a database, and the URL of the store.
struct Home {
    scratch: Scratch,
    url: String,
}

impl Home {
    fn new() -> Option<Self> {
        let url = its_server()?.store_url();
        let scratch = Scratch::new();
        scratch.ok(&format!("stores create {url}"));
        scratch.ok(&format!("config set store {url}"));
        Some(Self { scratch, url })
    }
}

#[test]
fn the_stores_of_a_database_are_listed_made_and_dropped() {
    let Some(home) = Home::new() else { return };
    let Home { scratch, url } = &home;
    let (database, name) = url.split_once("?store=").unwrap();
    scratch.ok("key save deploy ship");
    let listed = scratch.json(&format!("stores list {database} --json"));
    let stores = listed["stores"].as_array().unwrap();
    let ours = stores.iter().find(|store| store["name"] == name).unwrap();
    assert_eq!((&ours["notes"], &ours["position"]), (&json!(1), &json!(1)));
    let table = scratch.ok(&format!("stores list {database}"));
    assert!(table.contains(name) && table.contains("1 note"), "{table}");
    for (words, parts) in [
        (format!("stores create {url}"), ["exit ", ""]),
        (format!("stores create {database}"), ["exit ", ""]),
        ("stores list notes.db".to_owned(), ["exit ", ""]),
        (
            format!("stores drop {url}"),
            [
                &*format!("exit 1\nerror: removing the store {url} cannot be undone"),
                "add `--yes`",
            ],
        ),
        (format!("stores drop {url} --yes"), ["", ""]),
        (
            format!("stores drop {url} --yes"),
            ["exit ", "there is no store"],
        ),
        // As it was given, so that it can be pasted: with the user.
        (
            "key list".to_owned(),
            ["exit ", &format!("waynote stores create '{url}'")],
        ),
    ] {
        let said = scratch.run(&words).said();
        assert!(said.starts_with(parts[0]), "{words}: {said}");
        has(said, parts[1]);
    }
}

#[test]
fn notes_sessions_and_the_block_are_those_of_a_file() {
    let Some(home) = Home::new() else { return };
    let here = Scratch::new();
    let agent = env!("CARGO_BIN_EXE_waynote");
    let looped =
        format!("--session nightly loop --iterations 2 -- {agent} log add --type learning learned");
    for command in [
        "place write the API allows 100 requests a minute",
        "key save deploy run-make-ship",
        "key pin deploy",
        "key list",
        "search ship",
        &looped,
        "log show --session nightly",
        "--session nightly context",
        "undo",
        "history agent:default#deploy",
    ] {
        let ran = |scratch: &Scratch| {
            let said = scratch.run(command).said();
            // A loop prints how long it took.
            let lines = said.lines();
            let lines = lines.filter(|line| !line.contains(" in ") && !line.contains("  done"));
            // Who is a person elsewhere is the role here.
            let words = lines.flat_map(str::split_whitespace);
            words
                .collect::<Vec<_>>()
                .join(" ")
                .replace(" waynote ", " person ")
        };
        assert_eq!(ran(&home.scratch), ran(&here), "{command}");
    }
    for (words, part) in [
        ("verify", "is sound"),
        ("doctor", "answers"),
        ("backup b.db", "pg_dump"),
        ("forget agent:default#deploy --yes", "`VACUUM FULL`"),
    ] {
        has(home.scratch.run(words).said(), part);
    }
}

/// A server whose user `agent` has a password, and the address of a store there.
fn guarded() -> Option<(Cluster, String)> {
    if !has_postgres() {
        skipped("the tests of passwords for a database in waynote-cli");
        return None;
    }
    let cluster = Cluster::start(&Setup {
        tcp: true,
        access: "host all agent 127.0.0.1/32 scram-sha-256".to_owned(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE agent LOGIN SUPERUSER PASSWORD 'xyzzy-word'");
    let port = cluster.port();
    let url = format!("postgres://agent@127.0.0.1:{port}/postgres?store=team&schema=notes");
    Some((cluster, url))
}

#[test]
fn a_client_is_set_up_for_a_database_with_a_password() {
    let Some((cluster, url)) = guarded() else {
        return;
    };
    let port = cluster.port();
    let scratch = Scratch::new();
    let with_password = |words: &str| {
        let words = words.replace("URL", &url);
        client_files::run(&scratch, &words).env("PGPASSWORD", "xyzzy-word")
    };
    with_password("stores create URL").ok();
    with_password("--store URL --author person key save deploy run-make-ship").ok();
    let file = scratch.home().join(".pgpass");
    for client in client_files::CLIENTS {
        let told = with_password(&format!("install {client} --store URL")).ok();
        let next = format!("write it into {}", file.display());
        has(told, next);
    }
    for (name, text) in client_files::files(&scratch) {
        assert!(!text.contains("xyzzy-word"), "{name}");
    }
    // Started without the variables of this shell, as a client starts them.
    let started = |words: Vec<String>, input: &str| {
        let run = scratch.waynote(words).stdin(input).unset("PGPASSWORD");
        let output = run.env("WAYNOTE_HOOK_WAIT", "30").output();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let read = |name: &str| std::fs::read_to_string(scratch.home().join(name)).unwrap();
    let settings = serde_json::from_str(&read(".claude/settings.json")).unwrap();
    let hook = fields(&settings, "hooks/SessionStart/0/hooks/0/command");
    // The words behind the program, as a shell splits them.
    let hook = hook.replace('\'', "");
    let hook: Vec<String> = hook.split(' ').skip(1).map(str::to_owned).collect();
    assert_eq!(hook[..2], ["--store".to_owned(), url.clone()]);
    let event = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
    lacks(started(hook.clone(), event), "run-make-ship");
    std::fs::write(&file, format!("127.0.0.1:{port}:*:agent:xyzzy-word\n")).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    has(started(hook, event), "run-make-ship");
    let codex = read(".codex/config.toml");
    for listed in [&*url, "\"PGPASSFILE\"", "\"PGPASSWORD\""] {
        has(&codex, listed);
    }
    let found = client_files::run(&scratch, "doctor codex").said();
    has(found, format!("ok    Codex: the store {url} answers"));
    // With the file there is nothing left to be done.
    let words = format!("install cursor --store {url}");
    lacks(client_files::run(&scratch, &words).ok(), "password");
}

/// Neither the password nor anything else that the command prints is shown.
#[test]
fn a_command_prints_the_password() {
    let Some((cluster, url)) = guarded() else {
        return;
    };
    let port = cluster.port();
    let scratch = Scratch::new();
    let with = |command: &str, words: &[&str]| {
        let run = scratch.waynote(words);
        let run = run.env("WAYNOTE_POSTGRES_PASSWORD_COMMAND", command);
        run.env("WAYNOTE_STORE", &url).said()
    };
    let asked = scratch.path("asked");
    let right = format!("echo asked >>{}; printf '  xyzzy-word\\n'", asked.display());
    with(&right, &["stores", "create", &url]);
    has(with(&right, &["key", "save", "deploy", "ship"]), "deploy");
    let asked = std::fs::read_to_string(&asked).unwrap();
    assert_eq!(asked.lines().count(), 2, "once for each command");
    let mut all = String::new();
    for wrong in [
        "echo xyzzy; exit 3",
        "true",
        "echo plugh",
        "printf '\\377'",
        "yes",
    ] {
        let said = with(wrong, &["key", "list"]).replace(&port.to_string(), "PORT");
        let said = said.lines().nth(1).unwrap_or_default().to_owned();
        all.push_str(&format!("{wrong}\n  {said}\n"));
    }
    insta::assert_snapshot!(all, @r#"
    echo xyzzy; exit 3
      error: there is no password for the server of postgres://agent@127.0.0.1:PORT/postgres: the command of `postgres_password_command` failed (exit status: 3)
    true
      error: there is no password for the server of postgres://agent@127.0.0.1:PORT/postgres: the command of `postgres_password_command` prints nothing
    echo plugh
      error: the server of postgres://agent@127.0.0.1:PORT/postgres?store=team&schema=notes refuses: password authentication failed for user "agent"
    printf '\377'
      error: there is no password for the server of postgres://agent@127.0.0.1:PORT/postgres: the command of `postgres_password_command` prints no text
    yes
      error: there is no password for the server of postgres://agent@127.0.0.1:PORT/postgres: the command of `postgres_password_command` prints too much
    "#);
    has(with(&right, &["doctor"]), format!("store: {url} answers"));
}

#[test]
fn a_server_does_not_start_without_the_name_of_a_store() {
    let scratch = Scratch::new();
    let url = "postgres://me@127.0.0.1:1/notes";
    for words in [
        format!("serve --listen 127.0.0.1:0 --store {url}"),
        format!("serve --listen 127.0.0.1:0 --store team={url}"),
        format!("--store {url} ui --no-open"),
    ] {
        let said = scratch.run(&words).said();
        assert!(said.starts_with("exit 2"), "{said}");
        assert!(said.contains("?store=NAME"), "{said}");
    }
}

/// Commands, and their round trips at most, with the connection and the log-in.
const TRIPS: [(&str, u32); 10] = [
    ("--json", 7),
    ("key save deploy sail", 6),
    ("key list", 4),
    ("--session s log add --type tip learned", 5),
    ("context", 6),
    ("search ship", 6),
    ("undo agent:default#deploy", 6),
    ("log sessions", 5),
    ("ls", 6),
    ("stale", 6),
];

#[test]
fn a_command_makes_few_round_trips() {
    if !has_postgres() {
        return skipped("the test of round trips in waynote-cli");
    }
    let cluster = Cluster::tcp();
    let proxy = Proxy::start(cluster.port());
    let trips_of_all = || {
        let url = store_at("waynote", proxy.port());
        let scratch = &Scratch::new();
        proxy.does(Does::Forward);
        scratch.ok(&format!("stores create {url}"));
        scratch.ok(&format!("config set store {url}"));
        scratch.ok("key save deploy ship");
        scratch.ok("--session ran loop --iterations 1 -- true");
        proxy.does(Does::Far(Duration::from_millis(25)));
        let trips = TRIPS.map(|(command, _)| {
            let before = proxy.trips();
            scratch.ok(command);
            proxy.trips() - before
        });
        scratch.ok(&format!("stores drop --yes {url}"));
        trips
    };
    // A client that a busy machine stops between two statements of one trip looks like one that makes two: the
    // lowest number of several tries is right.
    let mut many = Vec::from(TRIPS);
    for _ in 0..5 {
        let trips = trips_of_all();
        let is_many = |(command, most): &(&str, u32)| {
            let at = TRIPS.iter().position(|(of, _)| of == command).unwrap();
            trips[at] > *most
        };
        many.retain(is_many);
        if many.is_empty() {
            return;
        }
    }
    panic!("{many:?}");
}
