//! Notes that cite code: what is cited, and what is said once that has changed.

use serde_json::json;

use super::common::{Scratch, assert_transcript, git, has, rows};

const PAY: &str = "use std::fs;\n\nfn charge(cents: u64) -> u64 {\n    let fee = cents / 100;\n    \
                   cents + fee\n}\n\nfn other() {}\n";

/// A repository in `~/work`.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("work/src/pay.rs", PAY);
    scratch.put("work/Makefile", "all:\n");
    let work = scratch.home().join("work");
    git(&work, "init -q");
    git(&work, "add .");
    git(&work, "commit -qm one");
    scratch
}

/// An answer about other files holds for a minute.
fn forget_answers(scratch: &Scratch) {
    std::fs::remove_file(scratch.home().join(".local/state/waynote/cited")).unwrap();
}

#[test]
fn a_note_says_when_what_it_cites_has_changed() {
    let scratch = repository();
    assert_transcript!(scratch, @"
    $ waynote place write 'fees are rounded down, see `src/pay.rs:3-6`'
    saved place:~/work (new); cites src/pay.rs:3-6

    $ waynote key save bill 'charge is called once' --cites 'fn charge' --cites src/pay.rs:8
    saved place:~/work#bill (new); cites fn charge, src/pay.rs:8

    $ waynote stale
    no note cites code that has changed
    ");
    scratch.put(
        "work/src/pay.rs",
        PAY.replace("100", "50").replace("charge", "bill"),
    );
    forget_answers(&scratch);
    assert_transcript!(scratch, @"
    $ waynote stale
    place:~/work (cites src/pay.rs:3-6, changed since 2026-05-17)
      fees are rounded down, see `src/pay.rs:3-6`
    src/pay.rs:3-6
    -fn charge(cents: u64) -> u64 {
    -    let fee = cents / 100;
    +fn bill(cents: u64) -> u64 {
    +    let fee = cents / 50;
         cents + fee
     }

    place:~/work#bill (cites fn charge, changed since 2026-05-17)
      charge is called once
    fn charge
    not found any more

    $ waynote context
    ## Notes of this place

    ### `place:~/work` (cites src/pay.rs:3-6, changed since 2026-05-17)

    ```
    fees are rounded down, see `src/pay.rs:3-6`
    ```

    ## Other notes

    - `place:~/work#bill` (cites `fn charge`, changed since 2026-05-17): `charge is called once`

    97 of 2,000 tokens

    $ waynote place list
    NOTE               UPDATED               PREVIEW
    place:~/work       2026-05-17T12:00:00Z  (cites src/pay.rs:3-6, changed since 2026-05-17) fees are rounded down, see `src/pay.rs:3-6`
    place:~/work#bill  2026-05-17T12:00:00Z  (cites fn charge, changed since 2026-05-17) charge is called once

    $ waynote key list
    NOTE               UPDATED               PINNED  PREVIEW
    place:~/work#bill  2026-05-17T12:00:00Z          (cites fn charge, changed since 2026-05-17) charge is called once
    notes of the project ~/work that apply here; `--notebook` lists the agent's

    $ waynote search rounded
    place:~/work (2026-05-17) (cites src/pay.rs:3-6, changed since 2026-05-17)
      fees are «rounded» down, see `src/pay.rs:3-6`

    $ waynote confirm place:~/work
    confirmed place:~/work (revision 2); cites src/pay.rs:3-6

    $ waynote confirm place:~/work#bill
    confirmed place:~/work#bill (revision 2); cites src/pay.rs:8; no longer cites fn charge

    $ waynote stale
    no note cites code that has changed
    ");
    let shown = scratch.json("show place:~/work --json");
    assert_eq!(shown["revision"], 2);
    assert_eq!(shown["cites"][0]["code"], "src/pay.rs:3-6");
}

#[test]
fn code_is_found_along_renames_and_in_other_files() {
    let scratch = repository();
    let work = scratch.home().join("work");
    scratch.ok("place write 'fees' --cites src/pay.rs:3-6 --cites Makefile");
    // Git does not know yet that it was moved.
    std::fs::rename(work.join("src/pay.rs"), work.join("src/fees.rs")).unwrap();
    assert_eq!(scratch.json("stale --json"), json!([]));
    std::fs::rename(work.join("src/fees.rs"), work.join("src/pay.rs")).unwrap();
    git(&work, "mv src/pay.rs src/fees.rs");
    git(&work, "mv Makefile build.mk");
    git(&work, "commit -qm two");
    assert_eq!(scratch.json("stale --json"), json!([]));
    scratch.put("work/src/fees.rs", "\n");
    scratch.put("work/lib/new.rs", format!("\n\n{PAY}"));
    git(&work, "add .");
    assert_eq!(scratch.json("stale --json"), json!([]));
    assert!(
        scratch
            .ok("confirm place:~/work")
            .contains("cites lib/new.rs:5-8, build.mk")
    );
    // A linked worktree is the same repository.
    git(&work, "worktree add -q ../tree");
    let tree = scratch.home().join("tree");
    std::fs::write(tree.join("build.mk"), "").unwrap();
    // Its files are looked into: there the code is where it was committed last.
    let of_tree = scratch.run("stale --json").cwd(&tree).json();
    assert_eq!(of_tree[0]["changed"], json!(null));
    std::fs::remove_file(work.join("lib/new.rs")).unwrap();
    git(&work, "commit -qam three");
    let stale = scratch.json("stale --json");
    assert_eq!(stale[0]["changed"][0]["old"], json!(null));
    let said = scratch.ok("stale");
    has(&said, "lib/new.rs:5-8");
    has(&said, "the earlier lines are not known (never committed)");
}

#[test]
fn only_tracked_files_of_the_repository_are_looked_into() {
    let scratch = repository();
    let work = scratch.home().join("work");
    scratch.put("work/.env", "KEY=1\n");
    scratch.put("secret", "a\n");
    scratch.put("work/big.rs", vec![b'x'; (1 << 20) + 1]);
    std::os::unix::fs::symlink(scratch.home().join("secret"), work.join("link")).unwrap();
    scratch.shell("mkfifo home/work/pipe");
    git(&work, "add link big.rs");
    let cases = "
        .env:1 | it is no tracked file of the repository and not found in its code
        link:1 | it is no tracked file
        big.rs:1 | it is no tracked file
        pipe:1 | it is no tracked file
        no.rs:1 | it is no tracked file
        ../secret:1 | a path is relative to the repository, without `..`
        /etc/passwd:1 | a path is relative
        .git/config:1 | a path is relative
        src/pay.rs:90 | these lines are empty, or not in the file";
    for [code, why] in rows(cases) {
        let said = scratch
            .waynote(["key", "save", "k", "x", "--cites", code])
            .said();
        has(
            said,
            format!("exit 2\nerror: `{code}` cannot be cited: {why}"),
        );
    }
    // In a text it is no citation, and no error.
    scratch.ok("key save k 'see `.env:1` and `../secret:1`'");
    assert_eq!(
        scratch.json("show place:~/work#k --json")["cites"],
        json!(null)
    );
    let outside = scratch.run("key save k x --cites src/pay.rs:3");
    has(outside.cwd(scratch.home()).said(), "in no git repository");
}

#[test]
fn an_action_says_it_too() {
    let scratch = repository();
    scratch.ok("place write --at ~/work/src 'fees' --cites src/pay.rs:3-6");
    scratch.put("work/src/pay.rs", PAY.replace("100", "50"));
    let input = json!({
        "session_id": "s", "cwd": scratch.home().join("work"), "tool_name": "Read",
        "tool_input": { "file_path": scratch.home().join("work/src/pay.rs") },
    });
    // git alone takes longer than a hook may, on a machine with other work.
    let hook = scratch
        .run("hook claude-code PreToolUse")
        .env("WAYNOTE_HOOK_WAIT", "60");
    let said = hook.stdin(input.to_string()).patient().said();
    has(said, "(cites src/pay.rs:3-6, changed since 2026-05-17)");
}

#[test]
fn what_is_cited_stays_through_edits_and_without_git() {
    let scratch = repository();
    assert_transcript!(scratch, @"
    $ waynote key save bill 'charged once' --cites 'fn charge' --cites src/pay.rs:8
    saved place:~/work#bill (new); cites fn charge, src/pay.rs:8

    $ waynote edit bill --append 'never twice'
    saved place:~/work#bill (added to revision 1; `waynote undo place:~/work#bill` takes it out); cites fn charge, src/pay.rs:8
    ");
    std::fs::rename(
        scratch.home().join("work/.git"),
        scratch.home().join("gone"),
    )
    .unwrap();
    assert_transcript!(scratch, @"
    $ waynote stale
    no note cites code that has changed
    note: what is cited in ~/work was not checked: git cannot read it here

    $ waynote confirm bill
    confirmed place:~/work#bill (revision 3); cites fn charge, src/pay.rs:8
    ");
}
