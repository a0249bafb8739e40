//! A note by key belongs to the project that its client works in.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::common::{Scratch, git, has, lacks};
use super::mcp_client::{Client, assert_calls};

/// A checkout, of a repository with an `origin` if one is given.
fn checkout(scratch: &Scratch, path: &str, origin: Option<&str>) -> PathBuf {
    let root = scratch.home().join(path);
    std::fs::create_dir_all(root.join("src")).unwrap();
    git(&root, "init -q");
    if let Some(origin) = origin {
        git(&root, &format!("remote add origin {origin}"));
    }
    root
}

/// A client whose server runs in a directory.
fn client_in(scratch: &Scratch, directory: &Path) -> Client {
    let mut command = scratch.command("mcp");
    command.current_dir(directory);
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    client
}

#[test]
fn two_projects_have_a_note_each_under_one_key() {
    let scratch = Scratch::new();
    let shop = checkout(&scratch, "shop", Some("git@github.com:acme/Shop.git"));
    let api = checkout(&scratch, "api", None);
    let mut in_shop = client_in(&scratch, &shop.join("src"));
    assert_calls!(in_shop, @r#"
    $ note_save {"key":"build","content":"cargo build --release"}
    saved repo:github.com/acme/shop#build (new)
    "#);
    let mut in_api = client_in(&scratch, &api);
    assert_calls!(in_api, @r#"
    $ note_save {"key":"build","content":"pnpm build"}
    saved place:~/api#build (new)

    $ note_show {"key":"build"}
    pnpm build

    $ note_search {"query":"build"}
    - place:~/api#build: pnpm build
    these do not apply here:
    - repo:github.com/acme/shop#build: cargo build --release

    $ note_list {}
    agent:default (0 of 64 notes)
    applies in ~/api:
    - place:~/api#build: pnpm build

    $ note_show {"key":"biuld"}
    error: there is no place:~/api#biuld
    did you mean `build`? there are: build
    "#);
    assert_calls!(in_shop, @r#"
    $ note_show {"key":"build"}
    cargo build --release

    $ note_list {}
    agent:default (0 of 64 notes)
    applies in ~/shop/src:
    - repo:/#build: cargo build --release
    "#);
    // Nor has a block of one the other's, by the server and by a hook.
    let each = [
        (&mut in_shop, &shop, "cargo", "pnpm"),
        (&mut in_api, &api, "pnpm", "cargo"),
    ];
    for (client, root, own, other) in each {
        let context = client.request("resources/read", json!({ "uri": "waynote://context" }));
        let input = json!({ "session_id": own, "cwd": root }).to_string();
        let hook = scratch.run("hook claude-code SessionStart").stdin(input);
        for block in [
            context["contents"][0]["text"].as_str().unwrap(),
            &hook.said(),
        ] {
            has(block, own);
            lacks(block, other);
        }
    }
    // Another clone of the repository has its notes, and may have the short address.
    let clone = checkout(&scratch, "again", Some("https://github.com/acme/shop"));
    let mut in_clone = client_in(&scratch, &clone);
    assert_calls!(in_clone, @r#"
    $ note_show {"address":"repo:/#build"}
    cargo build --release

    $ note_save {"content":"Prices are in cents","place":"src"}
    saved repo:github.com/acme/shop//src (new)

    $ note_save {"content":"Prices are in cents","place":"place:~/again/src","key":"exact"}
    saved place:~/again/src#exact (new)
    "#);
    let of_src = in_shop.call("note_show", json!({ "place": "." }));
    assert_eq!(of_src, "Prices are in cents");
}

#[test]
fn a_save_without_a_scope_stays_in_the_project() {
    let scratch = Scratch::new();
    let shop = checkout(&scratch, "shop", Some("https://github.com/acme/shop"));
    let mut client = client_in(&scratch, &shop);
    scratch.ok("--author agent:default key save build everywhere --at ~");
    assert_calls!(client, @r#"
    $ note_save {"key":"build","content":"mine","scope":"agent"}
    saved agent:default#build (new)

    $ note_show {"key":"build"}
    everywhere

    $ note_save {"key":"build","content":"the project's"}
    saved repo:github.com/acme/shop#build (new); other notes with this key: place:~#build, agent:default#build

    $ note_save {"key":"build","content":"in src","place":"src"}
    saved repo:github.com/acme/shop//src#build (new)

    $ note_show {"key":"build","scope":"agent"}
    mine

    $ note_pin {"key":"build"}
    pinned repo:github.com/acme/shop#build

    $ note_delete {"key":"build"}
    deleted repo:github.com/acme/shop#build

    $ note_delete {"key":"build"}
    deleted place:~#build

    $ note_delete {"key":"build"}
    deleted agent:default#build

    $ note_delete {"key":"build"}
    error: there is no repo:github.com/acme/shop#build
    no notes with keys apply here

    $ note_save {"content":"v"}
    error: no note is named
    give `key` for a note of this project, with `scope` agent for one of yours in every project, or `place` for the note of a directory

    $ note_save {"content":"v","key":"k","scope":"agent","place":"src"}
    error: the note is named in several ways
    give `address` alone, or `key` with `scope` or with `place`; nothing was done

    $ note_save {"content":"v","key":"k","scope":"project"}
    error: `scope` cannot be `project`
    `scope` is one of agent; nothing was done
    "#);
}

#[test]
fn a_note_that_stands_on_a_path_is_changed_there() {
    let scratch = Scratch::new();
    let shop = checkout(&scratch, "shop", None);
    let mut client = client_in(&scratch, &shop);
    assert_calls!(client, @r#"
    $ note_save {"key":"build","content":"one"}
    saved place:~/shop#build (new)

    $ note_save {"content":"one","place":"src"}
    saved place:~/shop/src (new)
    "#);
    git(&shop, "remote add origin https://github.com/acme/shop");
    assert_calls!(client, @r#"
    $ note_save {"key":"build","content":"two"}
    saved place:~/shop#build (overwrote revision 1; its text: note_show place:~/shop#build@1)

    $ note_save {"content":"two","place":"src"}
    saved place:~/shop/src (overwrote revision 1; its text: note_show place:~/shop/src@1)

    $ note_show {"place":"src"}
    two

    $ note_save {"content":"new","place":"."}
    saved repo:github.com/acme/shop (new)
    "#);
}

#[test]
fn a_repository_whose_name_cannot_be_read_takes_no_new_notes() {
    let scratch = Scratch::new();
    let shop = checkout(&scratch, "shop", Some("https://github.com/acme/shop"));
    scratch.ok("key save style short --at ~");
    std::fs::remove_file(shop.join(".git/config")).unwrap();
    std::fs::create_dir(shop.join(".git/config")).unwrap();
    let mut client = client_in(&scratch, &shop);
    assert_calls!(client, @r#"
    $ note_show {"key":"style"}
    short

    $ note_list {}
    agent:default (0 of 64 notes)
    it is not known how this repository is called: HOME/shop/.git/config cannot be read: it is a directory
    applies in ~/shop:
    - place:~#style: short

    $ note_save {"key":"build","content":"v"}
    error: it is not known how this repository is called: HOME/shop/.git/config cannot be read: it is a directory
    a person has to make it readable; until then save with `scope` agent, or name the directory as `place:PATH`

    $ note_save {"place":".","content":"v"}
    error: it is not known how this repository is called: HOME/shop/.git/config cannot be read: it is a directory
    a person has to make it readable; until then save with `scope` agent, or name the directory as `place:PATH`

    $ note_save {"place":"place:~/shop","content":"v"}
    saved place:~/shop (new)

    $ note_save {"key":"build","content":"v","scope":"agent"}
    saved agent:default#build (new)
    "#);
}

#[test]
fn the_first_reply_says_where_the_notes_of_a_renamed_folder_stand() {
    let scratch = Scratch::new();
    let api = checkout(&scratch, "api", None);
    let saved = json!({ "key": "build", "content": "pnpm build" });
    lacks(client_in(&scratch, &api).call("note_save", saved), "error");
    let new = scratch.home().join("new");
    std::fs::rename(&api, &new).unwrap();
    let mut client = client_in(&scratch, &new);
    let mut list = || client.result("note_list", json!({})).to_string();
    has(
        list(),
        "waynote: 1 note belongs to ~/api, which is gone; `waynote place mv ~/api ~/new` moves them here",
    );
    lacks(list(), "which is gone");
}
