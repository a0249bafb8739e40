//! The project is the default: where notes go that name no scope, and which note a key is.

use std::fs;
use std::path::PathBuf;

use super::common::{Scratch, assert_transcript, git, has, lacks};

/// A checkout in `~/projects`, of a repository whose origin is that.
fn checkout(scratch: &Scratch, name: &str, origin: &str) -> PathBuf {
    let folder = scratch.home().join("projects").join(name);
    fs::create_dir_all(&folder).unwrap();
    git(&folder, "init -q");
    git(&folder, "commit -q --allow-empty -m begin");
    git(&folder, &format!("remote add origin {origin}"));
    folder
}

#[test]
fn a_key_belongs_to_its_project_in_every_checkout() {
    let scratch = Scratch::ticking();
    let api = checkout(&scratch, "api", "git@github.com:acme/api.git");
    let shop = checkout(&scratch, "shop", "https://github.com/Acme/shop");
    let of = |folder: &PathBuf| {
        let (scratch, folder) = (&scratch, folder.clone());
        move |words: &str| scratch.run(words).cwd(&folder).said()
    };
    assert_transcript!(of(&api), @"
    $ waynote note --key build 'pnpm build'
    saved repo:github.com/acme/api#build (new, in every checkout)
    ");
    assert_transcript!(of(&shop), @"
    $ waynote note --key build 'cargo build --release'
    saved repo:github.com/acme/shop#build (new, in every checkout)

    $ waynote show build
    cargo build --release

    $ waynote context
    ## Other notes

    - `repo:/#build`: `cargo build --release`

    25 of 2,000 tokens
    ");
    // Another clone, and one in a folder that was renamed.
    let other = checkout(
        &scratch,
        "api2",
        "ssh://git@ssh.github.com:443/acme/api.git",
    );
    let renamed = api.with_file_name("api-v2");
    fs::rename(&api, &renamed).unwrap();
    for folder in [&other, &renamed] {
        assert_eq!(of(folder)("show build"), "pnpm build");
        lacks(of(folder)("context"), "cargo");
    }
    // The notes of a worktree stay when it goes.
    git(&renamed, "worktree add -q ../fix");
    let fix = api.with_file_name("fix");
    fs::create_dir(fix.join("src")).unwrap();
    assert_transcript!(of(&fix), @"
    $ waynote note 'The tests need redis.'
    saved repo:github.com/acme/api (new, in every checkout)

    $ waynote note --at src 'No unwrap here.'
    saved repo:github.com/acme/api//src (new, in every checkout)

    $ waynote note --key refunds 'rounded down' --at src
    saved repo:github.com/acme/api//src#refunds (new, in every checkout)

    $ waynote show build
    pnpm build
    ");
    git(&renamed, "worktree remove --force ../fix");
    assert_transcript!(of(&other), @"
    $ waynote show .
    The tests need redis.

    $ waynote show src
    No unwrap here.

    $ waynote show src#refunds
    rounded down

    $ waynote key list --at src
    NOTE                                   UPDATED               PINNED  PREVIEW
    repo:github.com/acme/api//src#refunds  2026-05-17T12:00:00Z          rounded down

    $ waynote place list
    NOTE                                   UPDATED               PREVIEW
    repo:github.com/acme/api               2026-05-17T12:00:00Z  The tests need redis.
    repo:github.com/acme/api#build         2026-05-17T12:00:00Z  pnpm build
    repo:github.com/acme/api//src          2026-05-17T12:00:00Z  No unwrap here.
    repo:github.com/acme/api//src#refunds  2026-05-17T12:00:00Z  rounded down
    repo:github.com/acme/shop#build        2026-05-17T12:00:00Z  cargo build --release
    ");
}

#[test]
fn a_second_fact_is_added_to_the_directorys_note() {
    let scratch = Scratch::ticking();
    let shop = checkout(&scratch, "shop", "https://github.com/acme/shop.git");
    let here = |words: &str| scratch.run(words).cwd(&shop).said();
    assert_transcript!(here, @"
    $ waynote note 'Rust workspace; prices are integers, in cents.'
    saved repo:github.com/acme/shop (new, in every checkout)

    $ waynote note 'The tests need redis.'
    saved repo:github.com/acme/shop (added to revision 1; `waynote undo repo:github.com/acme/shop` takes it out)

    $ waynote show .
    Rust workspace; prices are integers, in cents.
    The tests need redis.

    $ waynote undo
    undid the last change of repo:github.com/acme/shop (now revision 3: Rust workspace; prices are integers, in cents.); `waynote redo` brings it back

    $ waynote note --replace 'Go workspace.'
    saved repo:github.com/acme/shop (overwrote revision 3; `waynote undo repo:github.com/acme/shop` brings it back)

    $ waynote note --pin x
    exit 2
    error: the following required arguments were not provided:
      --key <KEY>

    $ waynote note
    exit 2
    error: no text is given
      write it as an argument; `-` reads it from standard input, `--file FILE` from a file
    ");
    let read = scratch.run("note -").cwd(&shop).stdin("from a pipe");
    has(read.said(), "added to revision");
    let file = scratch.put("plan.md", "from a file");
    has(
        here(&format!("note --file {}", file.display())),
        "added to revision",
    );
    assert_eq!(here("show ."), "Go workspace.\nfrom a pipe\nfrom a file");
}

#[test]
fn a_key_without_a_scope_is_the_nearest_note() {
    let scratch = Scratch::ticking();
    let shop = checkout(&scratch, "shop", "https://github.com/acme/shop.git");
    fs::create_dir(shop.join("src")).unwrap();
    let here = |words: &str| scratch.run(words).cwd(shop.join("src")).said();
    assert_transcript!(here, @"
    $ waynote note --notebook --key style 'short answers'
    saved agent:default#style (new)

    $ waynote note --at ~ --key style 'in English'
    saved place:~#style (new, in every project)

    $ waynote show style
    in English

    $ waynote note --key style 'no comments'
    saved repo:github.com/acme/shop#style (new, in every checkout); the same key is at place:~#style, agent:default#style

    $ waynote note --at . --key style 'src has comments'
    saved repo:github.com/acme/shop//src#style (new, in every checkout)

    $ waynote note --key style 'src has few comments'
    saved repo:github.com/acme/shop//src#style (overwrote revision 1; `waynote undo repo:github.com/acme/shop//src#style` brings it back); the same key is at repo:github.com/acme/shop#style, place:~#style, agent:default#style

    $ waynote key show style --notebook
    short answers

    $ waynote key delete style
    deleted repo:github.com/acme/shop//src#style; the same key is at repo:github.com/acme/shop#style

    $ waynote undo repo:github.com/acme/shop//src#style
    undid the last change of repo:github.com/acme/shop//src#style (now revision 4: src has few comments); `waynote redo repo:github.com/acme/shop//src#style` brings it back

    $ waynote key pin style
    pinned repo:github.com/acme/shop//src#style

    $ waynote key list
    NOTE                                  UPDATED               PINNED  PREVIEW
    repo:github.com/acme/shop//src#style  2026-05-17T12:00:00Z  pinned  src has few comments
    repo:github.com/acme/shop#style       2026-05-17T12:00:00Z          no comments
    notes of the project repo:github.com/acme/shop that apply here; `--notebook` lists the agent's

    $ waynote key count --notebook
    1

    $ waynote key delete style
    deleted repo:github.com/acme/shop//src#style; the same key is at repo:github.com/acme/shop#style

    $ waynote show style
    no comments

    $ waynote mv style manner
    moved repo:github.com/acme/shop#style to repo:github.com/acme/shop#manner; `waynote mv repo:github.com/acme/shop#manner repo:github.com/acme/shop#style` moves it back

    $ waynote key delete manner
    deleted repo:github.com/acme/shop#manner

    $ waynote show stile
    exit 1
    error: no note here has the key `stile`
      did you mean `style`? there are: style

    $ waynote --agent painter note --key style 'in blue'
    saved agent:painter#style (new, in a new notebook)

    $ waynote --agent paintre note --key style 'in red'
    saved agent:paintre#style (new, in a new notebook)

    $ waynote --agent 'a painter' key save style 'in green'
    saved agent:a painter#style (new, in a new notebook)

    $ waynote --agent painter key list
    NOTE                 UPDATED               PINNED  PREVIEW
    agent:painter#style  2026-05-17T12:00:00Z          in blue

    $ waynote --agent painter note 'no key'
    exit 2
    error: a note of a notebook has a key
      name it: `--key KEY`

    $ waynote note --notebook 'no key'
    exit 2
    error: a note of a notebook has a key
      name it: `--key KEY`
    ");
}

#[test]
fn a_path_is_kept_where_it_is_asked_for_or_has_the_note_already() {
    let scratch = Scratch::ticking();
    let shop = checkout(&scratch, "shop", "https://github.com/acme/shop.git");
    let here = |words: &str| scratch.run(words).cwd(&shop).said();
    assert_transcript!(here, @"
    $ waynote note --path 'on this machine'
    saved place:~/projects/shop (new)

    $ waynote note 'and more'
    saved place:~/projects/shop (added to revision 1; `waynote undo place:~/projects/shop` takes it out)

    $ waynote note --path --key port 3000
    saved place:~/projects/shop#port (new)

    $ waynote note --key port 3001
    saved place:~/projects/shop#port (overwrote revision 1; `waynote undo place:~/projects/shop#port` brings it back)

    $ waynote note --at repo:/src --key port 3002
    saved repo:github.com/acme/shop//src#port (new, in every checkout)

    $ waynote note --at place:~/projects/shop/lib 'exactly here'
    saved place:~/projects/shop/lib (new)

    $ waynote place write --at repo:github.com/acme/shop 'by the name'
    saved repo:github.com/acme/shop (new, in every checkout)

    $ waynote place all
    place:~/projects/shop
    on this machine
    and more

    place:~/projects/shop#port
    3001

    repo:github.com/acme/shop
    by the name

    $ waynote ls --at repo:/
    NOTE                        UPDATED               AUTHOR  PREVIEW
    repo:github.com/acme/shop   2026-05-17T12:00:00Z  person  by the name
    place:~/projects/shop#port  2026-05-17T12:00:00Z  person  3001
    place:~/projects/shop       2026-05-17T12:00:00Z  person  on this machine

    $ waynote place mv . .
    exit 1
    error: repo:github.com/acme/shop exists already; nothing was moved
      `waynote show repo:github.com/acme/shop` prints it; `waynote edit repo:github.com/acme/shop --append TEXT` adds to it and `waynote mv --force place:~/projects/shop repo:github.com/acme/shop` overwrites it, then the others can move

    $ waynote place delete
    deleted repo:github.com/acme/shop

    $ waynote place mv . .
    moved 3 notes from ~/projects/shop to repo:github.com/acme/shop; `waynote place mv repo:github.com/acme/shop place:~/projects/shop` moves them back

    $ waynote undo
    undid the last change, of 6 notes; `waynote redo` brings it back
      repo:github.com/acme/shop//lib (it no longer exists)
      repo:github.com/acme/shop#port (it no longer exists)
      repo:github.com/acme/shop (it no longer exists)
      place:~/projects/shop/lib (now revision 3: exactly here)
      place:~/projects/shop#port (now revision 4: 3001)
      place:~/projects/shop (now revision 4: on this machine)

    $ waynote show repo:/src#port@1
    3002

    $ waynote show repo:/nowhere#port
    exit 1
    error: there is no repo:github.com/acme/shop//nowhere#port
      did you mean `repo:github.com/acme/shop//src`? notes are on: repo:github.com/acme/shop//src, ~/projects/shop, ~/projects/shop/lib
    ");
    assert_transcript!(scratch, @"
    $ waynote show repo:/src#port
    exit 2
    error: `repo:/src#port` is not an address: it names no repository, and this directory is in none that has a name
      write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one

    $ waynote place read --at repo:github.com/acme/shop//src
    repo:github.com/acme/shop//src has no note of its own; `waynote place all` prints what applies there
    ");
}

#[test]
fn without_a_known_name_nothing_is_written_by_chance() {
    let scratch = Scratch::ticking();
    let shop = checkout(&scratch, "shop", "https://github.com/acme/shop.git");
    // Longer than any configuration that is read.
    let padding = "# padding\n".repeat(200_000);
    fs::write(shop.join(".git/config"), padding).unwrap();
    let here = |words: &str| scratch.run(words).cwd(&shop).said();
    assert_transcript!(here, @"
    $ waynote note 'where does it go?'
    exit 2
    error: it is not known how this repository is called: HOME/projects/shop/.git/config cannot be read: it is larger than 1 MiB
      name the note by its address, or its directory by the path; `--path` keeps the path

    $ waynote key save port 3000
    exit 2
    error: it is not known how this repository is called: HOME/projects/shop/.git/config cannot be read: it is larger than 1 MiB
      name the note by its address, or its directory by the path; `--path` keeps the path

    $ waynote edit . --append x
    exit 2
    error: it is not known how this repository is called: HOME/projects/shop/.git/config cannot be read: it is larger than 1 MiB
      name the note by its address, or its directory by the path; `--path` keeps the path

    $ waynote note --path 'it stays here'
    saved place:~/projects/shop (new)

    $ waynote key save place:~/projects/shop#port 3000
    saved place:~/projects/shop#port (new)

    $ waynote context
    ## Notes of this place

    ### `place:~/projects/shop`

    ```
    it stays here
    ```

    ## Other notes

    - `place:~/projects/shop#port`: `3000`

    48 of 2,000 tokens
    warning: it is not known how this repository is called: HOME/projects/shop/.git/config cannot be read: it is larger than 1 MiB
      notes on paths are read, those by its name are not

    $ waynote --set repo_names=false note 'names are off'
    saved place:~/projects/shop (added to revision 1; `waynote undo place:~/projects/shop` takes it out)
    ");
}

#[test]
fn what_reads_and_writes_other_programs_files_knows_the_name_too() {
    let scratch = Scratch::ticking();
    let shop = checkout(&scratch, "shop", "https://github.com/acme/shop.git");
    fs::create_dir_all(shop.join(".cursor/rules")).unwrap();
    fs::write(shop.join(".cursor/rules/money.mdc"), "Prices are in cents.").unwrap();
    fs::write(shop.join("CLAUDE.md"), "Run make.").unwrap();
    let here = |words: &str| scratch.run(words).cwd(&shop).said();
    here("import claude-code --at place:~/projects/shop");
    fs::write(shop.join("CLAUDE.md"), "Run make all.").unwrap();
    assert_transcript!(here, @"
    $ waynote import cursor-rules
    imported repo:github.com/acme/shop#cursor-rule-money
    1 added, 0 updated, 0 unchanged, 0 skipped

    $ waynote import claude-code
    imported place:~/projects/shop#claude-md
    0 added, 1 updated, 0 unchanged, 0 skipped

    $ waynote export agents-md
    wrote 2 notes to HOME/projects/shop/AGENTS.md, 0 unchanged

    $ waynote forget repo:/#cursor-rule-money --dry-run
    would forget 1 revision:
      repo:github.com/acme/shop#cursor-rule-money@1
    these notes would be gone: repo:github.com/acme/shop#cursor-rule-money

    $ waynote pause --at repo:/src
    ~/projects/shop/src: hooks deliver no notes until `waynote pause --end`
    ");
    has(
        fs::read_to_string(shop.join("AGENTS.md")).unwrap(),
        "Prices are in cents.",
    );
    let file = scratch.put("notes.json", r#"{"~/projects/shop": "of Zrb"}"#);
    let synced = scratch
        .run("note more")
        .cwd(&shop)
        .env("ZRB_LLM_NOTE_FILE", file);
    has(
        synced.said(),
        "saved place:~/projects/shop (added to revision 1",
    );
}

#[test]
fn a_repository_without_a_remote_has_the_path_of_its_main_checkout() {
    let scratch = Scratch::ticking();
    let shop = scratch.home().join("shop");
    fs::create_dir_all(&shop).unwrap();
    git(&shop, "init -q");
    git(&shop, "commit -q --allow-empty -m begin");
    git(&shop, "worktree add -q ../fix");
    let here = |words: &str| scratch.run(words).cwd(scratch.home().join("fix")).said();
    assert_transcript!(here, @"
    $ waynote note 'Prices are in cents.'
    saved place:~/shop (new)

    $ waynote note --key build 'make all'
    saved place:~/shop#build (new)

    $ waynote undo
    undid the last change of place:~/shop#build (it no longer exists); `waynote redo` brings it back

    $ waynote undo
    undid the last change of place:~/shop (it no longer exists); `waynote redo` brings it back
    ");
    // Home in git is no project.
    git(&scratch.home(), "init -q");
    let at_home = scratch
        .run("note --key dotfiles 'in git'")
        .cwd(scratch.home());
    has(
        at_home.said(),
        "saved agent:default#dotfiles (new, in every project)",
    );
}

#[test]
fn help_shows_what_a_day_needs_and_the_rest_when_asked() {
    let scratch = Scratch::new();
    let help = scratch.ok("--help");
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, more) = commands.split_once("\n\n").unwrap();
    insta::assert_snapshot!(commands, @"
    start        Begin in a project: bring in notes that are here already, set up the agents
    status       The morning view: questions that wait, how loops ended, what is new, the notes that apply here
    note         Leave a note for later runs: of this directory, or with --key one of its own in this project
    show         Print a note, or one event of a session, by its address
    edit         Edit a note in your editor, or create it
    ls           List notes of every kind, latest first
    search       Search the notes, best match first
    context      Print the block of notes that applies, for a prompt
    undo         Undo your last change; run it again to undo the one before
    mv           Move a note to another address; nothing is lost
    loop         Run an agent again and again, each time with a fresh context and the notes of earlier iterations
    answer       Answer the question of a session's agent; the next iteration has the answer in its prompt
    doctor       Check that agents get the notes: binary, store, files, trust, and a live round trip
    ui           Open the page of the store in the browser
    ");
    has(more, "`waynote help --all` lists every command");
    let all = scratch.ok("help --all");
    for line in [
        "\nEvery day:\n  start ",
        "\nNotes:\n  place ",
        "\n  mcp ",
        "\n  licences ",
    ] {
        has(&all, line);
    }
    let end = |of: &str| all.find(of).unwrap();
    assert!(end("\n  token ") < end("\n  mcp ") && end("\n  mcp ") < end("\n  man "));
    assert_eq!(scratch.ok("help note"), scratch.ok("note --help"));
}
