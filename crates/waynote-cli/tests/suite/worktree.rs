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
