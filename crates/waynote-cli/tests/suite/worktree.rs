//! Notes in a linked git worktree: those of its main checkout apply too.

use serde_json::json;

use super::common::{Scratch, git, has};
use super::mcp_client::Client;

#[test]
fn a_worktree_has_the_notes_of_its_main_checkout() {
    let scratch = Scratch::new();
    let (shop, tree) = (
        scratch.home().join("shop"),
        scratch.home().join("trees/fix"),
    );
    std::fs::create_dir_all(shop.join("api")).unwrap();
    git(&shop, "init -q");
    git(&shop, "commit -q --allow-empty -m begin");
    git(&shop, "worktree add -q ../trees/fix");
    std::fs::create_dir_all(tree.join("api")).unwrap();
    scratch.ok("place write --at ~ everywhere");
    scratch.ok("place write --at ~/shop in_the_shop");
    scratch.ok("place write --at ~/shop/api in_its_api");
    scratch.ok("place write --at ~/shop/web in_its_web");
    scratch.ok("place write --at ~/trees/fix in_the_worktree");
    let block = scratch.run("context").cwd(tree.join("api")).ok();
    let notes: Vec<&str> = block
        .lines()
        .filter(|line| line.starts_with("###"))
        .collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    ### `place:~` (2026-05-17, by a person)
    ### `place:~/shop` (2026-05-17, by a person)
    ### `place:~/shop/api` (2026-05-17, by a person)
    ### `place:~/trees/fix` (2026-05-17, by a person)
    ");
    // Asked for by its path it is the same; the main checkout has nothing of the worktree.
    assert_eq!(scratch.ok("context --at ~/trees/fix/api"), block);
    assert!(!scratch.ok("context --at ~/shop/api").contains("worktree"));
    // Style faithful is that of the moved programs, which know of no worktrees.
    let faithful = scratch
        .run("context --style faithful --only places")
        .cwd(&tree)
        .ok();
    assert!(!faithful.contains("in_the_shop"), "{faithful}");
    // The server has the same block.
    let mut command = scratch.command("mcp");
    command.current_dir(tree.join("api"));
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    let context = client.request("resources/read", json!({ "uri": "waynote://context" }));
    assert_eq!(context["contents"][0]["text"], block);
    has(
        client.call("note_list", json!({})),
        "- place:~/shop/api: in_its_api",
    );
}

#[test]
fn lists_searches_and_keys_agree_with_the_block_in_a_worktree() {
    let scratch = Scratch::new();
    let (shop, tree) = (scratch.home().join("shop"), scratch.home().join("fix"));
    std::fs::create_dir_all(&shop).unwrap();
    git(&shop, "init -q");
    git(&shop, "commit -q --allow-empty -m begin");
    git(&shop, "worktree add -q ../fix");
    scratch.ok("place write --at ~/shop 'Prices are cents.'");
    scratch.ok("key save build 'make cents' --at ~/shop");
    let here = |words: &str| scratch.run(words).cwd(&tree).ok();
    for words in ["context", "place all", "ls --at .", "search cents --at ."] {
        let said = here(words);
        has(&said, "place:~/shop#build");
        has(&said, "place:~/shop");
    }
    assert_eq!(here("show build"), "make cents");
    here("edit build --append 'then ship'");
    assert_eq!(here("show place:~/shop#build"), "make cents\nthen ship");
}

#[test]
fn a_directory_behind_a_link_has_the_notes_of_its_real_path() {
    let scratch = Scratch::new();
    let (real, link) = (
        scratch.home().join("disk2/shop"),
        scratch.home().join("code"),
    );
    std::fs::create_dir_all(real.join("src")).unwrap();
    std::os::unix::fs::symlink(scratch.home().join("disk2"), &link).unwrap();
    has(
        scratch.ok("place write --at ~/code/shop 'Prices are cents.'"),
        "saved place:~/disk2/shop",
    );
    for words in [
        "place all --at ~/code/shop/src",
        "context --at ~/code/shop",
        "show ~/code/shop",
    ] {
        has(scratch.ok(words), "Prices are cents.");
    }
    // A client names the directory as its shell does.
    let input = json!({ "session_id": "s", "cwd": link.join("shop") }).to_string();
    let hook = scratch
        .run("hook claude-code SessionStart")
        .stdin(input)
        .said();
    has(&hook, "Prices are cents.");
    let mut command = scratch.command("mcp");
    command.env("CLAUDE_PROJECT_DIR", link.join("shop"));
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    has(
        client.call("note_list", json!({})),
        "place:~/disk2/shop: Prices",
    );
    has(
        client.call(
            "note_save",
            json!({ "place": "src", "content": "No floats." }),
        ),
        "saved place:~/disk2/shop/src",
    );
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
    let mut command = scratch.command("mcp");
    command.current_dir(&evil);
    let mut client = Client::spawn(command);
    client.initialize(json!({}));
    assert!(!client.call("note_list", json!({})).contains("in_the_shop"));
}
