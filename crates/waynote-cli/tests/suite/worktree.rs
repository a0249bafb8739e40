//! Notes in a linked git worktree: those of its main checkout apply too.

use serde_json::json;

use super::common::{Scratch, git, has, lacks};
use super::mcp_client::Client;

#[test]
fn a_worktree_has_the_notes_of_its_main_checkout() {
    let scratch = Scratch::new();
    let home = scratch.home();
    let (shop, tree) = (home.join("shop"), home.join("trees/fix"));
    std::fs::create_dir_all(shop.join("api")).unwrap();
    git(&shop, "init -q");
    git(&shop, "commit -q --allow-empty -m begin");
    git(&shop, "worktree add -q ../trees/fix");
    std::fs::create_dir_all(tree.join("api")).unwrap();
    scratch.ok("place write --at ~ everywhere");
    scratch.ok("place write --at ~/shop in_the_shop");
    scratch.ok("place write --at ~/shop/api in_its_api");
    scratch.ok("place write --at ~/shop/web in_its_web");
    scratch.ok("place write --path --at ~/trees/fix in_the_worktree");
    let block = scratch.run("context").cwd(tree.join("api")).ok();
    let notes = block.lines().filter(|line| line.starts_with("###"));
    let notes: Vec<&str> = notes.collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    ### `place:~`
    ### `place:~/shop`
    ### `place:~/shop/api`
    ### `place:~/trees/fix`
    ");
    // Asked for by its path it is the same; the main checkout has nothing of the worktree.
    assert_eq!(scratch.ok("context --at ~/trees/fix/api"), block);
    lacks(scratch.ok("context --at ~/shop/api"), "worktree");
    // Style faithful is that of the moved programs, which know of no worktrees.
    let faithful = scratch.run("context --style faithful --only places");
    lacks(faithful.cwd(&tree).ok(), "in_the_shop");
    // The server has the same block.
    let mut command = scratch.command("mcp");
    command.current_dir(tree.join("api"));
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    let context = client.request("resources/read", json!({ "uri": "waynote://context" }));
    assert_eq!(context["contents"][0]["text"], block);
    // So have lists, searches, keys and undo.
    scratch.ok("key save build 'make it_all' --at ~/shop");
    let here = |words: &str| scratch.run(words).cwd(&tree).ok();
    for words in ["context", "place all", "ls --at .", "search it_all --at ."] {
        has(here(words), "place:~/shop#build");
    }
    here("edit build --append 'then ship'");
    assert_eq!(here("show build"), "make it_all\nthen ship");
    let later = scratch.run("key save build 'make' --at ~/shop");
    later.env("WAYNOTE_NOW", "2026-05-17T13:00:00Z").ok();
    has(here("undo"), "undid the last change of place:~/shop#build");
}

#[test]
fn a_directory_behind_a_link_has_the_notes_of_its_real_path() {
    let scratch = Scratch::new();
    let home = scratch.home();
    let (real, link) = (home.join("disk2/shop"), home.join("code"));
    std::fs::create_dir_all(real.join("src")).unwrap();
    std::os::unix::fs::symlink(scratch.home().join("disk2"), &link).unwrap();
    let saved = scratch.ok("place write --at ~/code/shop 'Prices are cents.'");
    has(saved, "saved place:~/disk2/shop");
    for words in ["context --at ~/code/shop/src", "show ~/code/shop"] {
        has(scratch.ok(words), "Prices are cents.");
    }
    // A client names the directory as its shell does.
    let input = json!({ "session_id": "s", "cwd": link.join("shop") }).to_string();
    let hook = scratch.run("hook claude-code SessionStart").stdin(input);
    has(hook.said(), "Prices are cents.");
    let mut command = scratch.command("mcp");
    command.env("CLAUDE_PROJECT_DIR", link.join("shop"));
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    let saved = client.call("note_save", json!({ "place": "src", "content": "x" }));
    has(saved, "saved place:~/disk2/shop/src");
}

#[test]
fn both_spellings_of_a_path_are_one_place() {
    let scratch = Scratch::new();
    let (one, two) = ("caf\u{e9}", "cafe\u{301}");
    std::fs::create_dir_all(scratch.home().join(two)).unwrap();
    scratch.ok(&format!("place write --at ~/{two} Beans."));
    assert_eq!(scratch.ok(&format!("place read --at ~/{one}")), "Beans.");
    let here = scratch.run("place read").cwd(scratch.home().join(two));
    assert_eq!(here.ok(), "Beans.");
    assert!(!scratch.ok("place list").contains("(gone)"));
}

/// A folder as an archive may bring it. It names another project as the one that it is a worktree of.
#[test]
fn a_forged_worktree_shows_no_notes() {
    let scratch = Scratch::new();
    let (shop, evil) = (scratch.home().join("shop"), scratch.home().join("evil"));
    std::fs::create_dir_all(&shop).unwrap();
    std::fs::create_dir_all(evil.join("git")).unwrap();
    git(&shop, "init -q");
    scratch.ok("place write --at ~/shop in_the_shop");
    std::fs::write(evil.join(".git"), "gitdir: git\n").unwrap();
    std::fs::write(evil.join("git/gitdir"), "../.git\n").unwrap();
    std::fs::write(evil.join("git/commondir"), "../../shop/.git\n").unwrap();
    assert_eq!(scratch.run("context").cwd(&evil).ok(), "");
}
