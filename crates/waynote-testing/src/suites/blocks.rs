//! Keyed notes of places in a block, and the short names of a repository's notes.

use waynote::context::{Budget, Request, Section, Shown, Style, block_and_notes, render};
use waynote::{AsOf, Checkout, Lineage, LocalStore};

use crate::values::{at, name, place, save_pinned};

/// In the checkout `~/shop` of a/shop.
fn request(tokens: usize) -> Request {
    let each = "~ ~/shop repo:a/shop ~/shop/src repo:a/shop//src";
    let lineage = Lineage::new(place("~/shop/src"), each.split(' ').map(place))
        .in_project(place("repo:a/shop"), place("~/shop"))
        .in_checkouts(vec![Checkout {
            root: place("~/shop"),
            name: place("repo:a/shop"),
            also: Vec::new(),
        }]);
    Request::new(name("default"), lineage, at(99).now).budget(Budget::of(tokens))
}

/// Notes of every kind, one second after the other.
fn fill(store: &dyn LocalStore) {
    for (second, (address, text, pinned)) in [
        ("agent:default#language", "answer in French", true),
        ("agent:default#editor", "vi", false),
        ("place:~", "small commits", false),
        ("place:~#mail", "no mails at night", false),
        ("repo:a/shop", "a shop\nin Rust", false),
        ("repo:a/shop#release", "1. tag\n2. push", true),
        ("repo:a/shop#build", "cargo build", false),
        ("repo:a/shop#api", "100 requests a minute", false),
        ("place:~/shop#port", "3000", false),
        ("repo:a/shop//src#style", "no unwrap", false),
    ]
    .into_iter()
    .enumerate()
    {
        let change = save_pinned(address.parse().unwrap(), text, pinned);
        store.apply(&[change], &at(second as i64)).unwrap();
    }
}

const ALL: &str = "\
## Pinned notes

### `repo:/#release`

```
1. tag
2. push
```

### `agent:default#language`

```
answer in French
```

## Notes of this place

### `place:~`

```
small commits
```

### `repo:/`

```
a shop
in Rust
```

## Other notes

- `repo:/src#style`: `no unwrap`
- `repo:/#api`: `100 requests a minute`
- `repo:/#build`: `cargo build`
- `place:~/shop#port`: `3000`
- `place:~#mail`: `no mails at night`
- `agent:default#editor`: `vi`
";

/// The first line of [`ALL`] for which a block of 150 tokens has no room.
const FIRST_LEFT_OUT: &str = "- `place:~/shop#port`: `3000`\n";

const FAITHFUL: &str = "\
### Notes & Context
**~**:
small commits

**~#mail**:
no mails at night

**~/shop#port**:
3000

**~/shop**:
a shop
in Rust

**~/shop#api**:
100 requests a minute

**~/shop#build**:
cargo build

**~/shop#release**:
1. tag
2. push

**~/shop/src#style**:
no unwrap
";

pub(super) fn pinned_ones_are_whole_and_others_one_line_the_nearest_first(store: &dyn LocalStore) {
    fill(store);
    let text = |request: &Request| render(store, request).unwrap().text;
    assert_eq!(text(&request(0)), ALL);
    // The nearest gets room first, and in one scope the latest.
    let (shown, _) = ALL.split_once(FIRST_LEFT_OUT).unwrap();
    let few = format!("{shown}\n126 of 150 tokens; 3 notes left out\n");
    assert_eq!(text(&request(150)), few);
    let then = request(150).as_of(Some(AsOf::Time(at(99).now)));
    assert_eq!(text(&then), few);
    for (only, heading) in [
        (Section::Pinned, "## Pinned notes\n"),
        (Section::Places, "## Notes of this place\n"),
        (Section::Index, "## Other notes\n"),
    ] {
        let text = text(&request(0).only(only));
        assert!(
            text.starts_with(heading) && ALL.contains(text.trim_end()),
            "{text}"
        );
    }
    let asked = request(60).only(Section::Index);
    assert!(!text(&asked).contains("#editor"));
    let asked = asked.query(Some("which editor".into()));
    assert!(text(&asked).contains("`agent:default#editor`"));
}

pub(super) fn style_faithful_has_the_notes_of_the_repository_under_their_paths(
    store: &dyn LocalStore,
) {
    fill(store);
    let faithful = request(0).style(Style::Faithful).only(Section::Places);
    // It is recorded that it showed them whole.
    let (block, notes) = block_and_notes(store, &faithful).unwrap();
    assert_eq!(block.text, FAITHFUL);
    assert!(
        notes.iter().all(|note| note.shown == Shown::Whole),
        "{notes:?}"
    );
}

/// The rest of a full list is the same whether or not every note is read.
pub(super) fn no_farther_note_takes_the_room_of_a_nearer_one(store: &dyn LocalStore) {
    for number in 0..100 {
        for scope in ["agent:default", "place:~", "repo:a/shop"] {
            let address = format!("{scope}#k{number}").parse().unwrap();
            let change = save_pinned(address, "a fact", number % 25 == 0);
            store.apply(&[change], &at(number)).unwrap();
        }
    }
    for tokens in [300, 900, 1_500, 4_000] {
        let request = request(tokens).session(name("s"));
        let block = render(store, &request).unwrap();
        let explained = render(store, &request.explain(true)).unwrap();
        assert_eq!(block.text, explained.text);
        let shown = |scope: &str| block.text.matches(&format!("- `{scope}#k")).count();
        let (near, far) = (shown("repo:/"), shown("place:~") + shown("agent:default"));
        assert!(
            near == 96 || near > 0 && far == 0,
            "{near} {far}\n{}",
            block.text
        );
    }
}
