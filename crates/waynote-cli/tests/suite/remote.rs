//! A store on a server is used as a file is: the same commands say the same.

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::common::{Run, Scratch, has, until};
use super::hook_session::{added, hook};
use super::served::Served;

/// A server of one store, until it is dropped.
struct Server {
    served: Served,
    url: String,
    scratch: Scratch,
}

impl Server {
    fn start() -> Self {
        let scratch = Scratch::new();
        let served = Served::start(&scratch, NO_OPTIONS);
        let url = format!("{}/s/default", served.url);
        Self {
            served,
            url,
            scratch,
        }
    }

    fn stop(&mut self) {
        self.served.kill();
    }
}

const NO_OPTIONS: [&str; 0] = [];

/// The output with `STORE` for the address of the store and for its file.
fn neutral(said: &str, server: &Server, file: &Scratch) -> String {
    let file = file.store();
    said.replace(&server.url, "STORE")
        .replace("HOME/.local/share/waynote/notes.db", "STORE")
        .replace(file.to_str().unwrap(), "STORE")
}

#[test]
fn a_write_of_a_person_is_one_request() {
    let (server, scratch) = (Server::start(), Scratch::new());
    for words in [
        "key save deploy run-make-ship",
        "key save deploy run-make-ship-twice",
        "key pin deploy",
        "place write use-lld",
        "key delete deploy",
    ] {
        scratch.ok(&format!("--store {} {words}", server.url));
    }
    scratch.ok(&format!("--store {} verify", server.url));
    // The line of a request follows its answer.
    let log = server.scratch.path("log");
    let mut routes = Vec::new();
    until("the last request is in the log", || {
        let log = std::fs::read_to_string(&log).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        let of = lines.filter_map(|line: Value| Some(line["route"].as_str()?.to_owned()));
        routes = of.collect();
        routes.iter().any(|route| route.ends_with("/verify"))
    });
    // A write with another request would move one of these back.
    routes.truncate(5);
    assert_eq!(routes, ["/s/{store}/api/v1/apply"; 5]);
}

#[test]
fn ordinary_commands_say_the_same_as_with_a_file() {
    let (server, here, there) = (Server::start(), Scratch::new(), Scratch::new());
    let agent = env!("CARGO_BIN_EXE_waynote");
    let looped =
        format!("--session nightly loop --iterations 2 -- {agent} log add --type learning learned");
    // Put together here, so that no scanner takes this file for a leak.
    let secret = format!("key save leak ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let commands = [
        "place write the API allows 100 requests a minute",
        "place read",
        "place list",
        "key save deploy run-make-ship",
        "key save deploy run-make-ship-twice --json",
        "key save deploy x --if-revision 1",
        "key save deploy x --if-revision 1 --json",
        &secret,
        "key save Bad.Key x",
        "key pin deploy",
        "key save test use-nextest",
        "key list",
        "key list --json",
        "key show deploy --json",
        "key show nothing",
        "--session nightly log add --type stuck --iteration 1 the-linker-fails",
        "--session nightly log add --type tip --iteration 1 use-lld",
        "--session nightly log list --json",
        "log sessions",
        "context",
        "--session nightly context --explain",
        "context --json",
        "context --query nextest",
        "search lld",
        "search nextest --json",
        "history agent:default#deploy",
        "history --json",
        "show agent:default#deploy@1",
        "undo",
        "redo",
        "restore agent:default#deploy@1",
        "key delete test",
        "forget agent:default#deploy --dry-run",
        "forget agent:default#deploy --yes",
        "history agent:default#deploy",
        &looped,
        "--session nightly log list --json",
        "key count",
    ];
    for words in commands {
        let on_file = here.run(words).said();
        let on_server = there.run(words).env("WAYNOTE_STORE", &server.url).said();
        if words.contains(" loop ") {
            assert!(
                !on_file.starts_with("exit ") && !on_server.starts_with("exit "),
                "{on_file}\n{on_server}"
            );
            continue;
        }
        let [on_file, on_server] = [on_file, on_server].map(|said| neutral(&said, &server, &here));
        assert_eq!(on_server, on_file, "{words}");
    }
    assert!(!there.store().exists());
    // Everything is at the server.
    let there = server.scratch.ok("key list");
    assert_eq!(there, here.ok("key list"));
}

/// A hook of Claude Code for the start of a session.
fn start(scratch: &Scratch, url: &str, session: &str) -> Run {
    let begun = json!({ "session_id": session, "source": "startup" });
    hook(scratch, "SessionStart", &begun).env("WAYNOTE_STORE", url)
}

#[test]
fn a_session_starts_with_the_last_block_while_the_server_is_away() {
    let (mut server, scratch) = (Server::start(), Scratch::new());
    let url = server.url.clone();
    scratch
        .run("place write --at ~/work canary")
        .env("WAYNOTE_STORE", &url)
        .ok();
    let first = added(start(&scratch, &url, "one"));
    assert!(first.contains("canary"), "{first}");
    // The command asks for a block of another form, so it has one of its own.
    let context = || {
        let run = scratch.run("context --at ~/work");
        run.env("WAYNOTE_STORE", &url)
    };
    assert!(context().ok().contains("canary"));
    let blocks = scratch.home().join(".local/state/waynote/blocks");
    for file in std::fs::read_dir(&blocks).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    server.stop();
    let second = added(start(&scratch, &url, "two"));
    assert!(second.contains("canary"), "{second}");
    has(
        &second,
        "(These notes are of 2026-05-17 12:00 UTC and may be out of date: the store http://",
    );
    assert!(context().said().contains(
        "(These notes are of 2026-05-17 12:00 UTC and may be out of date: the store http://"
    ));
    let later = start(&scratch, &url, "three")
        .env("WAYNOTE_NOW", "2026-05-18T12:00:01Z")
        .output();
    let said = String::from_utf8(later.stderr).unwrap();
    assert!(
        said.starts_with("waynote hook: nothing added: the store http://")
            && later.status.success(),
        "{said}"
    );
}

#[test]
fn what_works_only_beside_the_file_says_so() {
    let scratch = Scratch::new();
    let url = "https://notes.example/s/main";
    for words in [
        "backup notes.db",
        "verify --repair-index",
        "verify --accept-rollback --yes",
        "token clear --yes",
        "--attach key list",
        "serve",
    ] {
        let said = scratch.run(words).env("WAYNOTE_STORE", url).said();
        insta::allow_duplicates! {
            insta::assert_snapshot!(said, @"
            exit 2
            error: this works only with a store in a file of this machine, which https://notes.example/s/main is not
              run it on the store's own machine, or name a file with `--store PATH`; a database is backed up by `pg_dump`, and `waynote copy URL FILE` copies its store
            ");
        }
    }
    insta::assert_snapshot!(scratch.run("--store http://notes.example/s/main key list").said(), @"
    exit 2
    error: `http://notes.example/s/main` is not the address of a store on a server: http:// is not encrypted: use https://
      write it as https://HOST/s/NAME
    ");
}

#[test]
fn each_holder_undoes_their_own_changes_and_tokens_stay_with_the_store() {
    let server = Server::start();
    let [ann, bob] = ["ann", "bob"].map(|name| {
        let made = format!("token create {name} --write --json");
        server.scratch.json(&made)["token"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    let scratch = Scratch::new();
    let run = |words: &str, token: &str| {
        let run = scratch.run(words).env("WAYNOTE_STORE", &server.url);
        run.env("WAYNOTE_TOKEN", token)
    };
    run("key save deploy one", &ann).ok();
    run("key save build two", &bob).ok();
    assert_eq!(run("key show build --json", &ann).json()["author"], "bob");
    run("undo", &ann).ok();
    let left = run("key list --json", &ann).json();
    let keys: Vec<_> = left
        .as_array()
        .unwrap()
        .iter()
        .map(|of| &of["key"])
        .collect();
    assert_eq!(keys, ["build"], "{left}");
    let refused = run("token list", &ann).said();
    has(
        &refused,
        "this works only with a store in a file of this machine",
    );
}

#[test]
fn a_token_comes_from_a_file_or_a_command_and_is_never_shown() {
    let server = Server::start();
    let token = server.scratch.json("token create reader --read --json")["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let scratch = Scratch::new();
    let run = |words: &str| scratch.run(words).env("WAYNOTE_STORE", &server.url);
    let said = |run: Run| run.said().replace(&server.url, "URL");
    assert_snapshot!(said(run("key list")), @"
    exit 1
    error: the store URL needs a token
      ask whoever runs the server for a token; put it into WAYNOTE_TOKEN, or into a file that the setting `token_file` names
    ");
    let with_word = run("key list").env("WAYNOTE_TOKEN", format!("Bearer {token}"));
    assert_snapshot!(said(with_word), @"
    exit 1
    error: there is no token for the store URL: WAYNOTE_TOKEN must hold the token alone (`wn_…`), without `Bearer` or other words
      check where the token comes from
    ");
    run("key list").env("WAYNOTE_TOKEN", &token).ok();
    let file = scratch.path("token");
    std::fs::write(&file, format!("{token}\n")).unwrap();
    run(&format!("key list --token-file {}", file.display())).ok();
    run("key list").env("WAYNOTE_TOKEN_FILE", &file).ok();
    std::fs::write(&file, format!("created ci\n{token}\n")).unwrap();
    let too_much = run(&format!("key list --token-file {}", file.display())).said();
    let why = format!("{} must hold the token alone", file.display());
    assert!(too_much.contains(&why), "{too_much}");
    std::fs::write(&file, format!("{token}\n")).unwrap();
    run("key list")
        .env("WAYNOTE_TOKEN_COMMAND", format!("cat {}", file.display()))
        .ok();
    let failed = run("key list")
        .env("WAYNOTE_TOKEN_COMMAND", "exit 3")
        .said();
    has(&failed, "there is no token");
    has(&failed, "failed");
    let shown = run("config").env("WAYNOTE_TOKEN", &token).said();
    let denied = run("key save k x").env("WAYNOTE_TOKEN", &token).said();
    assert!(denied.starts_with("exit "), "{denied}");
    assert!(!format!("{shown}{denied}").contains(&token));
}

#[test]
fn doctor_asks_the_server_that_a_clients_entry_names() {
    let mut server = Server::start();
    let scratch = Scratch::new();
    let url = server.url.clone();
    let said = |words: &str| {
        super::client_files::run(&scratch, words)
            .said()
            .replace(&url, "STORE")
    };
    for way in ["", " --remote-mcp"] {
        said(&format!("install cursor --store {url}{way}"));
        let found = said("doctor cursor");
        let answers = match way {
            "" => "ok    Cursor: the store STORE answers",
            _ => "ok    Cursor: the endpoint STORE/mcp answers, with ",
        };
        assert!(found.contains(answers), "{found}");
        assert_eq!(
            !way.is_empty(),
            found.contains("refers to WAYNOTE_TOKEN"),
            "{found}"
        );
        assert_eq!(way.is_empty(), found.contains("hook works"), "{found}");
    }
    // The client has only the token in the variable.
    let token = server.scratch.json("token create cursor --write --json")["token"].clone();
    let (token, file) = (token.as_str().unwrap(), scratch.path("token"));
    std::fs::write(&file, token).unwrap();
    let doctor = || super::client_files::run(&scratch, "doctor cursor");
    let found = doctor().env("WAYNOTE_TOKEN_FILE", &file).said();
    assert!(found.contains("WRONG Cursor: the endpoint: "), "{found}");
    assert!(found.contains("start Cursor with a token"), "{found}");
    let found = doctor().env("WAYNOTE_TOKEN", token).said();
    assert!(found.contains("/mcp answers, with "), "{found}");
    server.stop();
    let found = said("doctor cursor");
    has(
        &found,
        "WRONG Cursor: the endpoint: the store STORE does not answer",
    );
}
