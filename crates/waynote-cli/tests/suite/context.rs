//! `waynote context`: all sections together, in both styles.

use super::common::Scratch;

fn filled() -> Scratch {
    let scratch = Scratch::new();
    for words in [
        "place write --at ~ Prefers-Rust.",
        "place write The-shop.",
        "key save zeta last",
        "key save alpha first",
        "key save steps tag-then-ship --pin",
        "--session s --iteration 1 log add --type decision sqlite",
        "--session s --iteration 2 log add --type stuck rate-limit",
        "--session s --iteration 3 log add --type tip not-yet",
    ] {
        scratch.ok(words);
    }
    scratch
}

#[test]
fn stable() {
    let scratch = filled();
    let block = scratch.ok("--session s --iteration 3 context");
    insta::assert_snapshot!(block, @"
    ## Pinned notes

    ### `agent:default#steps` (2026-05-17)

    ```
    tag-then-ship
    ```

    ## Notes of this place

    ### `place:~` (2026-05-17)

    ```
    Prefers-Rust.
    ```

    ### `place:~/work` (2026-05-17)

    ```
    The-shop.
    ```

    ## Other notes

    - `agent:default#alpha` (2026-05-17): `first`
    - `agent:default#zeta` (2026-05-17): `last`

    ## Notes from previous iterations

    STUCK:
    - [#2] `rate-limit`

    DECISION:
    - [#1] `sqlite`
    ");
    let later = scratch
        .run("--session s --iteration 3 context")
        .env("WAYNOTE_NOW", "2027-01-01T00:00:00Z");
    assert_eq!(later.ok(), block);
}

#[test]
fn faithful() {
    let scratch = filled();
    let block = scratch.run("--session s --iteration 3 context --style faithful");
    insta::assert_snapshot!(block.env("WAYNOTE_NOW", "2026-05-19T12:00:00Z").ok(), @"
    ## steps

    tag-then-ship

    ### Notes & Context
    **~**:
    Prefers-Rust.

    **~/work**:
    The-shop.

    ## Notes

    | Key | Updated | Preview |
    |-----|---------|---------|
    | `alpha` | 2d ago | first |
    | `steps` | 2d ago | tag-then-ship |
    | `zeta` | 2d ago | last |

    Notes persist across sessions. Use `note_show <key>` for full content; `note_save` / `note_delete` to mutate.

    ## Notes from Previous Iterations
    STUCK:
      - [#2] rate-limit
    DECISION:
      - [#1] sqlite
    ");
}

#[test]
fn sections_alone_and_as_json() {
    let scratch = filled();
    assert_eq!(
        scratch.ok("context --only pinned --style faithful"),
        "## steps\n\ntag-then-ship\n"
    );
    let block = scratch.json("context --json --only places");
    assert_eq!(block["sections"][0]["section"], "places");
    assert_eq!(
        block["tokens"],
        waynote_tokens::count(block["text"].as_str().unwrap())
    );
    assert_eq!(block["sections"][0]["text"], block["text"]);
    assert_eq!(Scratch::new().ok("context"), "");
    assert_eq!(scratch.ok("context --budget 0"), scratch.ok("context"));
}

#[test]
fn other_types_come_after_the_four_in_stable() {
    let scratch = Scratch::new();
    let frames = super::reference_ralph::xs_store(&scratch).join("frames.ndjson");
    scratch
        .waynote(["import".as_ref(), "xs".as_ref(), frames.as_os_str()])
        .ok();
    let block = scratch.ok("--session onlyunknown --iteration 2 context --only iterations");
    assert_eq!(
        block,
        "## Notes from previous iterations\n\nIDEA:\n- [#1] `only an unknown type`\n"
    );
}
