//! Repositories by their names: in every checkout the same notes and citations, and what is said where notes stand
//! elsewhere.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::common::{Scratch, assert_transcript, git, has, lacks};

const PAY: &str = "use std::fs;\n\nfn charge(cents: u64) -> u64 {\n    let fee = cents / 100;\n    \
                   cents + fee\n}\n\nfn other() {}\n";

const SHOP: &str = "https://github.com/acme/shop.git";

/// A repository at a path below home.
fn repository(scratch: &Scratch, path: &str, remote: Option<&str>) -> PathBuf {
    scratch.put(&format!("{path}/src/pay.rs"), PAY);
    let directory = scratch.home().join(path);
    git(&directory, "init -q");
    git(&directory, "add .");
    git(&directory, "commit -qm one");
    if let Some(remote) = remote {
        git(&directory, &format!("remote add origin {remote}"));
    }
    directory
}

/// A session begins in a directory; what the hook adds.
fn begins(scratch: &Scratch, directory: &PathBuf, session: &str) -> String {
    let input = json!({ "session_id": session, "cwd": directory }).to_string();
    let hook = scratch.run("hook claude-code SessionStart").stdin(input);
    let said = hook.cwd(directory).env("WAYNOTE_HOOK_WAIT", "60").patient();
    said.said()
}

/// The lines that begin with the program's name.
fn lines(said: &str) -> String {
    let said = said.replace("\\n", "\n").replace("\":\"", "\n");
    let lines = said.lines().filter(|line| line.starts_with("waynote: "));
    let lines: Vec<&str> = lines.filter(|line| !line.contains(" tokens\"")).collect();
    lines.join("\n")
}

#[test]
fn another_repository_is_named_whole_and_a_forgotten_word_before_its_name_is_guessed() {
    let scratch = Scratch::new();
    repository(&scratch, "work", Some(SHOP));
    scratch.ok("key save --at repo:github.com/acme/api build make");
    scratch.ok("note --key own here");
    let there = scratch.ok("context --at repo:github.com/acme/api");
    has(&there, "- `repo:github.com/acme/api#build`: `make`");
    has(scratch.ok("context --at src"), "- `repo:/#own`: `here`");
    insta::assert_snapshot!(scratch.run("place read --at github.com/acme/shop").said(), @"
    exit 2
    error: `github.com/acme/shop` begins with the name of a host
      did you mean `repo:github.com/acme/shop`? As a path it is `./github.com/acme/shop`
    ");
    scratch.run("place read --at ./github.com/acme/shop").ok();
    scratch.run("place read --at docs.old/x").ok();
}

#[test]
fn a_citation_is_checked_in_every_checkout_of_its_repository() {
    let scratch = Scratch::new();
    let work = repository(&scratch, "work", Some(SHOP));
    let saved =
        scratch.ok("place write --at repo:github.com/acme/shop//src 'fees, see `pay.rs:3-6`'");
    has(&saved, "saved repo:github.com/acme/shop//src");
    has(&saved, "cites src/pay.rs:3-6");
    scratch.ok("place write --at ~/work/src 'the same by path, see `pay.rs:3-6`'");
    let shown = scratch.json("show ~/work/src --json");
    assert_eq!(shown["cites"][0]["repository"], "repo:github.com/acme/shop");
    // A second clone, a worktree.
    git(&scratch.home(), "clone -q work clone2");
    let clone = scratch.home().join("clone2");
    git(&clone, "remote set-url origin git@github.com:acme/shop");
    git(&work, "worktree add -q ../tree");
    let tree = scratch.home().join("tree");
    assert_eq!(scratch.json("stale --json"), json!([]));
    for changed in [&clone, &tree] {
        fs::write(changed.join("src/pay.rs"), PAY.replace("100", "50")).unwrap();
        let there = |words: &str| scratch.run(words).cwd(changed).ok();
        let stale = there("stale");
        has(&stale, "shop//src (cites src/pay.rs:3-6, changed since");
        has(&stale, "+    let fee = cents / 50;");
        has(there("tend"), "cites changed code");
        has(
            there("context --at src"),
            "(cites src/pay.rs:3-6, changed since",
        );
        assert_eq!(scratch.json("stale --json"), json!([]), "{changed:?}");
    }
    // A folder that was renamed.
    let moved = scratch.home().join("moved");
    fs::rename(&clone, &moved).unwrap();
    let there = |words: &str| scratch.run(words).cwd(&moved).ok();
    has(there("stale"), "+    let fee = cents / 50;");
    has(
        there("confirm repo:github.com/acme/shop//src"),
        "cites src/pay.rs:3-6",
    );
    // The confirmed code is not in the other checkout.
    assert_eq!(scratch.json("stale --json").as_array().unwrap().len(), 1);
    // Elsewhere, this machine has seen the checkout where a note was saved.
    let outside = |words: &str| scratch.run(words).cwd(scratch.home()).said();
    lacks(outside("stale"), "was not checked");
}

#[test]
fn a_checkout_that_was_not_seen_before_says_so_once() {
    let scratch = Scratch::new();
    let work = repository(&scratch, "work", Some(SHOP));
    let other = repository(&scratch, "other", Some("https://github.com/acme/other"));
    scratch.ok("place write --at repo:github.com/acme/shop//src one");
    scratch.ok("key save --at repo:github.com/acme/shop k two");
    let said = begins(&scratch, &work, "a");
    assert_eq!(
        lines(&said),
        "waynote: first session in this checkout of github.com/acme/shop, which has 2 notes"
    );
    assert_eq!(lines(&begins(&scratch, &work, "b")), "");
    // Nothing is to be told of one without notes.
    assert_eq!(lines(&begins(&scratch, &other, "c")), "");
    // After a changed remote, with the command that moves the notes.
    git(&work, "remote set-url origin https://github.com/acme/store");
    let command = "waynote place mv repo:github.com/acme/shop repo:github.com/acme/store";
    let said = lines(&begins(&scratch, &work, "d"));
    assert_eq!(
        said,
        format!(
            "waynote: 2 notes stand under repo:github.com/acme/shop, its earlier name; `{command}` moves \
             them here"
        )
    );
    assert_eq!(lines(&begins(&scratch, &work, "e")), "");
    has(scratch.ok("status"), command);
    let doctor = scratch.run("doctor").said();
    has(&doctor, command);
    has(
        &doctor,
        "github.com/acme/shop may be github.com/acme/store: this git folder was called so (its inode)\n      next: \
         `waynote config set repos 'github.com/acme/shop=github.com/acme/store'` makes the two names one",
    );
    scratch.ok(command.strip_prefix("waynote ").unwrap());
    lacks(scratch.ok("status"), "stand under");
    has(scratch.ok("context"), "`repo:/#k`: `two`");
}

#[test]
fn a_folder_that_was_renamed_is_named_with_the_command() {
    let scratch = Scratch::new();
    let api = repository(&scratch, "projects/api", None);
    scratch.ok("place write --at ~/projects/api one");
    let write = scratch.run("place write --at ~/projects/api/src 'see `pay.rs:3-6`'");
    has(write.cwd(&api).ok(), "cites src/pay.rs:3-6");
    begins(&scratch, &api, "a");
    let renamed = scratch.home().join("projects/api-v2");
    fs::rename(&api, &renamed).unwrap();
    let line = "2 notes belong to ~/projects/api, which is gone; `waynote place mv ~/projects/api \
                ~/projects/api-v2` moves them here";
    let status = || scratch.run("status").cwd(&renamed).ok();
    has(status(), line);
    assert_eq!(
        lines(&begins(&scratch, &renamed, "b")),
        format!("waynote: {line}")
    );
    // A folder beside it that has nothing to do with it does not get them.
    let third = repository(&scratch, "projects/third", None);
    lacks(scratch.run("status").cwd(third).ok(), "belong to");
    scratch.ok("place mv ~/projects/api ~/projects/api-v2");
    lacks(status(), "belong to");
    // The code that they cite moves along.
    fs::write(renamed.join("src/pay.rs"), PAY.replace("100", "50")).unwrap();
    has(scratch.ok("stale"), "+    let fee = cents / 50;");
    let away = scratch.home().join("away/api");
    fs::create_dir(scratch.home().join("away")).unwrap();
    fs::rename(&renamed, &away).unwrap();
    let said = scratch.run("status").cwd(&away).ok();
    has(
        &said,
        "2 notes belong to ~/projects/api-v2, which is gone; `waynote place mv ~/projects/api-v2 ~/away/api`",
    );
    let doctor = scratch.run("doctor").cwd(&away).said();
    has(
        doctor,
        "note  2 notes belong to ~/projects/api-v2, which is gone\n      next: `waynote place mv",
    );
}

#[test]
fn notes_on_paths_get_the_name_by_one_command() {
    let scratch = Scratch::new();
    let work = repository(&scratch, "work", None);
    let inner = repository(
        &scratch,
        "work/vendor/lib",
        Some("https://github.com/acme/lib"),
    );
    scratch.ok("place write --at ~/work one");
    scratch.ok("key save --at ~/work/src k two");
    scratch.ok("place write --path --at ~/work/vendor/lib three");
    lacks(scratch.ok("status"), "place mv");
    // A remote comes later.
    git(&work, &format!("remote add origin {SHOP}"));
    has(scratch.ok("context --at ~/work/src"), "two");
    let line = "2 notes stand on paths in ~/work, which has a name; `waynote place mv ~/work \
                repo:github.com/acme/shop` gives them that name, for every checkout";
    has(scratch.ok("status"), line);
    has(
        scratch.run("doctor").said(),
        "note  2 notes stand on paths in ~/work",
    );
    assert_transcript!(scratch, @"
    $ waynote place mv ~/work repo:github.com/acme/shop
    moved 2 notes from ~/work to repo:github.com/acme/shop; `waynote place mv repo:github.com/acme/shop place:~/work` moves them back

    $ waynote place list
    NOTE                              UPDATED               PREVIEW
    repo:github.com/acme/shop         2026-05-17T12:00:00Z  one
    repo:github.com/acme/shop//src#k  2026-05-17T12:00:00Z  two
    place:~/work/vendor/lib           2026-05-17T12:00:00Z  three

    $ waynote undo
    undid the last change, of 4 notes; `waynote redo` brings it back
      repo:github.com/acme/shop//src#k (it no longer exists)
      repo:github.com/acme/shop (it no longer exists)
      place:~/work/src#k (now revision 3: two)
      place:~/work (now revision 3: one)
    ");
    has(
        scratch.run("status").cwd(inner).ok(),
        "1 note stands on paths in ~/work/vendor/lib",
    );
}

#[test]
fn what_has_no_name_says_why_in_one_line() {
    let scratch = Scratch::new();
    let work = repository(&scratch, "work", Some(SHOP));
    scratch.ok("place write --at ~/work one");
    git(&work, "remote rename origin me");
    git(&work, "remote add other https://github.com/other/shop");
    let line = "several remotes and no `origin`: this repository's notes go by path, 1 note stands under \
                repo:github.com/acme/shop; `git remote rename NAME origin` gives it that one's name";
    has(scratch.ok("status"), line);
    assert_eq!(
        lines(&begins(&scratch, &work, "a")),
        format!("waynote: {line}")
    );
    assert_eq!(lines(&begins(&scratch, &work, "b")), "");
    scratch.put("work/.git/config", "[remote");
    let line = "this repository's name is not known, so notes on paths alone apply";
    let config = work.join(".git/config");
    has(
        scratch.ok("status"),
        format!("{line}; {} line 1 is not understood", config.display()),
    );
    let said = begins(&scratch, &work, "c");
    assert_eq!(lines(&said), format!("waynote: {line}"));
    has(said, "one");
}

#[test]
fn directories_that_this_checkout_lacks_are_tended() {
    let scratch = Scratch::new();
    repository(&scratch, "work", Some(SHOP));
    for place in ["src/pay.rs", "src/payment/x", "lib", "srcs"] {
        scratch.ok(&format!(
            "place write --at repo:github.com/acme/shop//{place} 'about {place}'"
        ));
    }
    fs::create_dir(scratch.home().join("work/src/payments")).unwrap();
    assert_transcript!(scratch, @"
    $ waynote tend
    NOTE                                      WHY                                                                                                                                     UPDATED               PREVIEW
    repo:github.com/acme/shop//lib            lib is not in this checkout                                                                                                             2026-05-17T12:00:00Z  about lib
    repo:github.com/acme/shop//src/payment/x  src/payment is not in this checkout; `waynote place mv repo:github.com/acme/shop//src/payment repo:github.com/acme/shop//src/payments`  2026-05-17T12:00:00Z  about src/payment/x
    repo:github.com/acme/shop//srcs           srcs is not in this checkout; `waynote place mv repo:github.com/acme/shop//srcs repo:github.com/acme/shop//src`                         2026-05-17T12:00:00Z  about srcs
    ");
}

#[test]
fn names_are_made_one_in_the_settings() {
    let scratch = Scratch::new();
    let work = repository(&scratch, "work", Some("git@box:me/shop"));
    git(&work, &format!("remote add upstream {SHOP}"));
    git(&work, "config remote.upstream.gh-resolved base");
    fs::create_dir_all(work.join("packages/web")).unwrap();
    scratch.ok("place write --at repo:github.com/acme/shop Shop.");
    lacks(scratch.ok("context"), "Shop.");
    has(
        scratch.run("doctor").said(),
        "note  box/me/shop may be github.com/acme/shop: `gh` works with that one (gh-resolved)\n      next: `waynote \
         config set repos 'box/me/shop=github.com/acme/shop'` makes the two names one",
    );
    assert_transcript!(scratch, @r#"
    $ waynote config set repos 'box/me/shop=github.com/acme/shop, github.com/acme/shop//packages/*'
    set repos = { "box/me/shop" = "github.com/acme/shop", subprojects = ["github.com/acme/shop//packages/*"] } in HOME/.config/waynote/config.toml

    $ waynote config set repos box
    exit 2
    error: `repo:box` is not a place: a repository is named by its host and path: `repo:github.com/acme/shop`
      a place is `~`, `~/x`, an absolute path, or `repo:github.com/acme/shop//src`

    $ waynote config set repo_names maybe
    exit 2
    error: `maybe` is not a flag
      write `true` or `false`
    "#);
    has(scratch.ok("context"), "Shop.");
    let config = scratch.home().join(".config/waynote/config.toml");
    insta::assert_snapshot!(fs::read_to_string(&config).unwrap(), @r#"repos = { "box/me/shop" = "github.com/acme/shop", subprojects = ["github.com/acme/shop//packages/*"] }"#);
    scratch.ok("config unset repos");
    scratch.put(
        ".config/waynote/config.toml",
        "[repos]\n\"BOX/me/shop\" = \"github.com/acme/shop\"\nsubprojects = [\"github.com/acme/shop//packages/*\"]\n",
    );
    has(scratch.ok("context"), "Shop.");
    let off = scratch.run("context").env("WAYNOTE_REPO_NAMES", "false");
    lacks(off.ok(), "Shop.");
    let variable = scratch
        .run("context")
        .env("WAYNOTE_REPOS", "box/me/shop=a/b");
    lacks(variable.ok(), "Shop.");
    // Another checkout with the same first commit, whose host is an alias. It is the alias that gets a row, not the other.
    git(&scratch.home(), "clone -q work second");
    let second = scratch.home().join("second");
    git(&second, "remote set-url origin work:acme/shop");
    git(&work, &format!("remote set-url origin {SHOP}"));
    begins(&scratch, &work, "a");
    begins(&scratch, &second, "b");
    let row = "note  work/acme/shop may be github.com/acme/shop: ~/work has the same first commit\n      next: `waynote \
               config set repos 'box/me/shop=github.com/acme/shop,work/acme/shop=github.com/acme/shop,\
               github.com/acme/shop//packages/*'` makes the two names one";
    has(scratch.run("doctor").cwd(&second).said(), row);
    lacks(scratch.run("doctor").said(), "may be");
    // No row hides a note: those of either name are read in both checkouts, and new ones get the name that counts.
    scratch.run("note --key k Alias.").cwd(&second).ok();
    scratch.ok(
        "config set repos 'work/acme/shop=github.com/acme/shop, github.com/me/shop=github.com/acme/shop'",
    );
    for checkout in [&work, &second] {
        let there = |words: &str| scratch.run(words).cwd(checkout).ok();
        has(there("context"), "Alias.");
        has(there("context"), "Shop.");
        has(there("show k"), "Alias.");
        has(
            there("note --key new New."),
            "repo:github.com/acme/shop#new",
        );
        has(there("key list"), "repo:work/acme/shop#k");
    }
    has(
        scratch.run("config set repos a/b=a/c,a/c=a/d").said(),
        "`a/c` is not the name that counts: a row has it on its left",
    );
    // Rows that cannot be read decide where notes go: commands refuse.
    scratch.put(".config/waynote/config.toml", "[repos]\nx = 1\n");
    has(
        scratch.run("context").said(),
        "exit 1\nerror: HOME/.config/waynote/config.toml: line 1: `repos` has a row",
    );
}
