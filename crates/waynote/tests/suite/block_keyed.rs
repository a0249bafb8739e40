//! Keyed notes in a block: those of places follow the notebook's rule, and push out no directory's own note.

use waynote::context::{
    Action, Budget, Request, Section, Shown, ShownNote, at_action, block_and_notes, render,
};
use waynote::{Change, Checkout, Lineage, LocalStore, Options, Place, SqliteStore, Stamp};
use waynote_testing::values::{at, by_agent, name, place, save, save_pinned};
use waynote_testing::{has, lacks};

/// In the checkout `~/shop` of a/shop, which has b/lib as a submodule beside.
fn lineage() -> Lineage {
    let each = "~ ~/shop repo:a/shop ~/shop/src repo:a/shop//src";
    Lineage::new(place("~/shop/src"), each.split(' ').map(place))
        .in_project(place("repo:a/shop"), place("~/shop"))
        .in_checkouts(vec![
            checkout("~/shop/lib", "repo:b/lib"),
            checkout("~/shop", "repo:a/shop"),
        ])
}

fn checkout(root: &str, name: &str) -> Checkout {
    Checkout {
        root: place(root),
        name: place(name),
        also: Vec::new(),
    }
}

fn request(tokens: usize) -> Request {
    Request::new(name("default"), lineage(), at(9).now).budget(Budget::of(tokens))
}

fn with_store<T>(work: impl FnOnce(&dyn LocalStore) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    work(&SqliteStore::open(folder.path().join("notes.db"), &Options::default()).unwrap())
}

fn keyed(address: &str, text: &str, pinned: bool) -> Change {
    save_pinned(address.parse().unwrap(), text, pinned)
}

/// However many there are, and whatever they are.
#[test]
fn many_keyed_notes_push_out_no_own_note() {
    for (scope, pinned) in [
        ("repo:a/shop", true),
        ("repo:a/shop", false),
        ("place:~/shop", true),
        ("agent:default", true),
    ] {
        with_store(|store| {
            let own = "what holds in this directory, with its reasons\n".repeat(40);
            for of in ["place:~", "repo:a/shop", "repo:a/shop//src"] {
                store
                    .apply(&[save(of.parse().unwrap(), &own)], &at(1))
                    .unwrap();
            }
            let long = "a text of some length that a person pinned ".repeat(8);
            for number in 0..64 {
                let change = keyed(&format!("{scope}#k{number}"), &long, pinned);
                store.apply(&[change], &at(number)).unwrap();
            }
            let block = render(store, &request(2_000)).unwrap();
            assert!(block.receipt.counted <= 2_000);
            assert_eq!(
                block.text.matches(&own).count(),
                3,
                "{scope} {pinned}\n{}",
                block.text
            );
            let keyed =
                block.receipt.claims.iter().filter(|claim| {
                    claim.section != Section::Places && claim.shown != Shown::LeftOut
                });
            assert!(keyed.count() > 5, "{scope} {pinned}\n{}", block.text);
        });
    }
}

#[test]
fn a_line_costs_few_tokens_beside_its_text() {
    let text = "postgres://staging.internal/shop, read-only";
    for (address, author) in [
        ("repo:a/shop#staging-db", "person"),
        ("repo:a/shop//src#staging-db", "agent:claude-code"),
        ("place:~/shop#staging-db", "agent:default"),
        ("agent:default#staging-db", "person"),
    ] {
        with_store(|store| {
            let stamp = Stamp::new(at(1).now, name(author));
            store
                .apply(&[save(address.parse().unwrap(), text)], &stamp)
                .unwrap();
            let request = request(0).author(name("agent:claude-code"));
            let block = render(store, &request).unwrap().text;
            let line = block.lines().find(|line| line.starts_with('-')).unwrap();
            let beside = waynote_tokens::count(&format!("{line}\n")) - waynote_tokens::count(text);
            assert!(beside <= 14, "{beside}: {line}");
            // An author who is neither the reader nor the person is named.
            let other = request.author(None);
            match author {
                "agent:claude-code" => has(
                    &render(store, &other).unwrap().text,
                    "(by agent claude-code): ",
                ),
                _ => assert_eq!(render(store, &other).unwrap().text, block),
            }
        });
    }
}

#[test]
fn at_a_tool_and_after_a_failure_notes_are_whole() {
    use waynote::context::{Failure, after_failure};
    with_store(|store| {
        for (address, text) in [
            ("repo:a/shop//pay#rates", "rates are\nin cents"),
            ("repo:b/lib#rates", "rates are\nin mills"),
            ("repo:a/shop#e77", "E77 vault.token:\nrenew it"),
        ] {
            store
                .apply(&[save(address.parse().unwrap(), text)], &at(1))
                .unwrap();
        }
        let touched: Vec<Place> = ["~/shop/pay/x.rs", "~/shop/lib/y.rs"].map(place).into();
        let action = Action {
            roots: &[place("~/shop")],
            paths: &touched,
            named: &[],
            spent: 0,
            exists: &|_| true,
        };
        let told = at_action(store, &request(0), &action, &[]).unwrap();
        insta::assert_snapshot!(told.text, @"
        ### `repo:/pay#rates`

        ```
        rates are
        in cents
        ```

        ### `repo:b/lib#rates`

        ```
        rates are
        in mills
        ```
        ");
        let (block, known) = block_and_notes(store, &request(2_000)).unwrap();
        has(&block.text, "- `repo:/#e77`: `E77 vault.token:`");
        let failure = Failure {
            command: "make ship",
            output: "error E77: vault.token is too old",
        };
        let told = after_failure(store, &request(0), &failure, &known).unwrap();
        has(
            &told.text,
            "### `repo:/#e77`\n\n```\nE77 vault.token:\nrenew it\n```\n",
        );
        let known: Vec<ShownNote> = [told.pieces(), known].concat();
        let told = after_failure(store, &request(0), &failure, &known).unwrap();
        lacks(&told.text, "E77");
    });
}

/// A checkout of the same repository elsewhere, and a project below its root.
#[test]
fn equal_notes_give_equal_bytes_in_every_checkout() {
    with_store(|store| {
        for address in ["repo:a/shop", "repo:a/shop#build", "repo:a/shop//src#style"] {
            let stamp = by_agent(1);
            store
                .apply(&[save(address.parse().unwrap(), "a fact")], &stamp)
                .unwrap();
        }
        let mut renderer = waynote::context::Renderer::default();
        let here = renderer.render(store, &request(2_000)).unwrap();
        has(&here.text, "`repo:/`");
        let each = "~ ~/two repo:a/shop ~/two/src repo:a/shop//src";
        let two = Lineage::new(place("~/two/src"), each.split(' ').map(place));
        let named = two
            .clone()
            .in_project(place("repo:a/shop//src"), place("~/two/src"));
        let there = renderer
            .render(store, &request(2_000).lineage(named))
            .unwrap();
        assert_eq!(there.text, here.text);
        // Seen from a project without a name, the repository has its own.
        let inner = two.in_project(place("~/two/src"), place("~/two/src"));
        let full = renderer
            .render(store, &request(2_000).lineage(inner))
            .unwrap();
        has(&full.text, "`repo:a/shop#build`");
        assert_eq!(full.receipt.counted, waynote_tokens::count(&full.text));
    });
}
