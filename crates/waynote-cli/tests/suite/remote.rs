//! A store on a server is used as a file is: the same commands say the same.

use insta::assert_snapshot;
use serde_json::json;

use super::common::{Run, Scratch, fields, has};
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
        let served = Served::start(&scratch, [""; 0]);
        let url = format!("{}/s/default", served.url);
        Self {
            served,
            url,
            scratch,
        }
    }
}

/// The output with `STORE` for the address of the store and for its file.
fn neutral(said: &str, server: &Server, file: &Scratch) -> String {
    let file = file.store();
    said.replace(&server.url, "STORE")
        .replace("HOME/.local/share/waynote/notes.db", "STORE")
        .replace(file.to_str().unwrap(), "STORE")
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
        "key save deploy run-make-ship",
        "key save deploy x --if-revision 9 --json",
        &secret,
        "key pin deploy",
        "key list --json",
        "key show nothing",
        "--session nightly log add --type tip --iteration 1 use-lld",
        "log sessions",
        "--session nightly context --explain",
        "context --query ship",
        "search lld",
        "history --json",
        "undo",
        "redo",
        "forget agent:default#deploy --yes",
        &looped,
        "--session nightly log list --json",
    ];
    for words in commands {
        let on_file = here.run(words).said();
        let on_server = there.run(words).env("WAYNOTE_STORE", &server.url).said();
        if words.contains(" loop ") {
            // It prints how long it took; its notes are compared.
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
    scratch.ok(&format!("--store {url} place write canary"));
    let first = added(start(&scratch, &url, "one"));
    has(first, "canary");
    // The command asks for a block of another form, so it has one of its own.
    let context = || scratch.run(&format!("--store {url} context"));
    has(context().ok(), "canary");
    server.served.kill();
    let second = added(start(&scratch, &url, "two"));
    has(&second, "canary");
    let old = "(These notes are of 2026-05-17 12:00 UTC and may be out of date: the store http://";
    has(second, old);
    has(context().said(), old);
    let later = start(&scratch, &url, "three").env("WAYNOTE_NOW", "2026-05-18T12:00:01Z");
    has(
        later.said(),
        "waynote hook: nothing added: the store http://",
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
        "token list",
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
    let made = server.scratch.json("token create reader --read --json");
    let token = fields(&made, "token");
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
    let too_much = run("key list").env("WAYNOTE_TOKEN_FILE", &file);
    let why = format!("{} must hold the token alone", file.display());
    has(too_much.said(), why);
    std::fs::write(&file, format!("{token}\n")).unwrap();
    let prints = format!("cat {}", file.display());
    run("key list").env("WAYNOTE_TOKEN_COMMAND", prints).ok();
    let failed = run("key list").env("WAYNOTE_TOKEN_COMMAND", "exit 3");
    has(failed.said(), "there is no token");
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
    let run = |words: &str| super::client_files::run(&scratch, words);
    run(&format!("install cursor --store {url}")).ok();
    let found = run("doctor cursor").said();
    has(&found, format!("ok    Cursor: the store {url} answers"));
    has(found, "hook works");
    run(&format!("install cursor --store {url} --remote-mcp")).ok();
    let answers = format!("ok    Cursor: the endpoint {url}/mcp answers, with ");
    has(run("doctor cursor").said(), &answers);
    // The client has only the token in the variable.
    let made = server.scratch.json("token create cursor --write --json");
    let token = fields(&made, "token");
    let file = scratch.put("token", &token);
    let found = run("doctor cursor").env("WAYNOTE_TOKEN_FILE", &file);
    has(found.said(), "start Cursor with a token");
    let found = run("doctor cursor").env("WAYNOTE_TOKEN", token);
    has(found.said(), answers);
    server.served.kill();
    let gone = format!("WRONG Cursor: the endpoint: the store {url} does not answer");
    has(run("doctor cursor").said(), gone);
}
