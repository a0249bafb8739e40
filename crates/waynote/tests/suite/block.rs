//! The prompt block: never over its budget, the same bytes for the same notes, and nothing that a note can forge.

use std::sync::Arc;

use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use rusqlite::Connection;
use waynote::context::{Budget, Renderer, Request, Section, Shown, Style, TokenFactor, render};
use waynote::visible::{lines, visible};
use waynote::{
    Address, AsOf, Change, Content, EntryType, Expect, Limits, Lineage, LocalStore, Notebook,
    Origin, Place, Places, SaveOptions, SecretPolicy, SessionLog, SqliteStore,
};
use waynote_testing::has;
use waynote_testing::values::{by_agent, entry};

fn request(tokens: usize) -> Request {
    Request::new(
        "a".parse().unwrap(),
        "~/x/y".parse::<Place>().unwrap(),
        by_agent(0).now,
    )
    .session(Some("s".parse().unwrap()))
    .budget(Budget::of(tokens))
}

/// In the checkout `~/x` of the repository a/b.
fn in_repository() -> Lineage {
    let place = |text: &str| text.parse::<Place>().unwrap();
    Lineage::new(place("~/x/y"), ["~", "~/x", "repo:a/b", "~/x/y"].map(place))
        .in_project(place("repo:a/b"), place("~/x"))
}

/// A note that may hold anything.
fn save(address: &str, text: &str, pinned: bool, second: i64) -> Change {
    Change::Save {
        address: address.parse().unwrap(),
        content: Content::imported(text),
        pin: Some(pinned),
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: Some(Origin {
            is_synced: false,
            cites: Vec::new(),
            author: None,
            created_at: by_agent(second).now,
            updated_at: by_agent(second).now,
        }),
    }
}

fn append(kind: &str, iteration: i64, text: &str) -> Change {
    entry(EntryType::imported(kind), iteration, text)
}

fn with_store<T>(work: impl FnOnce(&dyn LocalStore) -> T) -> T {
    let connection = Connection::open_in_memory().unwrap();
    work(&waynote::AttachedStore::attach(&connection).unwrap())
}

/// The text as a Markdown parser sees it: headings, paragraphs and items as lines, code blocks as their text.
pub(super) fn seen(text: &str) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    let (mut open, mut word) = (String::new(), String::new());
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => open = format!("{level}"),
            Event::Start(Tag::CodeBlock(_)) => {
                if !word.trim().is_empty() {
                    seen.push((open.clone(), std::mem::take(&mut word)));
                }
                open = "block".into();
            }
            Event::Start(Tag::Item) => open = "item".into(),
            Event::Start(Tag::Paragraph) => open = "paragraph".into(),
            Event::Start(Tag::List(None)) | Event::End(TagEnd::List(false)) => {}
            Event::Text(part) | Event::Code(part) => word.push_str(&part),
            Event::End(
                TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Item | TagEnd::Paragraph,
            ) => {
                if !word.is_empty() || open == "block" {
                    seen.push((open.clone(), std::mem::take(&mut word)));
                }
                open.clear();
            }
            other => panic!("{other:?} in {text}"),
        }
    }
    seen
}

/// A code block's text as a parser gives it back.
fn block(text: &str) -> String {
    let shown = lines(&text.replace("\r\n", "\n"));
    format!("{}\n", shown.trim_end_matches('\n'))
}

/// The parts of a note that are most likely to forge the structure of a block.
const HOSTILE: &str = "(#|##|`|```|````|~~~|>|-|1\\.|\\*|=|\\||<b>|<!--|-->|</div>|\\[x\\]: y|STUCK:|\\*\\*~\\*\\*:\
     |12 of 2,000 tokens|\n|\r|\n\n| |    |\t|a|é|\u{1b}|\u{202e}|\u{200b}|\u{200d}|\u{0}){0,12}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_note_forges_the_block(
        texts in proptest::collection::vec(HOSTILE, 1..4),
        kind in "(tip|stuck|[a-z`#\n -]{0,8})",
        path in "[a-z `*_<\\[\\]-]{1,12}",
    ) {
        let path = format!("~/x{path}");
        let Ok(place) = path.parse::<Place>() else { return Ok(()) };
        let mut changes = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            changes.push(save(&format!("agent:a#p{number}"), text, true, 1));
            changes.push(save(&format!("agent:a#q{number}"), text, false, 1));
            changes.push(append(&kind, 1, &format!("{number}{text}")));
        }
        changes.push(save(&Address::Place(place.clone()).to_string(), &format!("x{}", texts[0]), false, 1));
        let request = request(9000).lineage(place.clone().into());
        let text = with_store(|store| {
            store.apply(&changes, &by_agent(1)).unwrap();
            render(store, &request).unwrap().text
        });
        let mut expected = vec![("h2".to_owned(), "Pinned notes".to_owned())];
        for (number, text) in texts.iter().enumerate() {
            let head = format!("agent:a#p{number}");
            if waynote::Content::imported(text.clone()).is_blank() {
                expected.push(("h3".into(), head + ": (empty)"));
                continue;
            }
            expected.push(("h3".into(), head));
            expected.push(("block".into(), block(text)));
        }
        expected.push(("h2".into(), "Notes of this place".into()));
        expected.push(("h3".into(), visible(&Address::Place(place).to_string())));
        expected.push(("block".into(), block(&format!("x{}", texts[0]))));
        expected.push(("h2".into(), "Other notes".into()));
        let mut seen = seen(&text).into_iter();
        for expected in expected {
            prop_assert_eq!(seen.next(), Some(expected), "{}", text);
        }
        for number in 0..texts.len() {
            let (kind, line) = seen.next().unwrap();
            prop_assert_eq!(kind.as_str(), "item");
            let begin = format!("agent:a#q{number}: ");
            prop_assert!(line.starts_with(&begin), "{}", text);
        }
        prop_assert_eq!(seen.next(), Some(("h2".into(), "Notes from previous iterations".into())));
        prop_assert_eq!(seen.next().unwrap().0, "paragraph");
        let rest: Vec<_> = seen.collect();
        let items = rest.iter().filter(|(kind, line)| kind == "item" && line.starts_with("[#1]")).count();
        prop_assert_eq!(items, texts.len(), "{}", text);
        let (kind, line) = rest.last().unwrap();
        prop_assert_eq!(kind.as_str(), "paragraph");
        prop_assert!(line.contains(" of 9,000 tokens"), "{}", text);
        let control = |char: char| char.is_control() && char != '\n' && char != '\t';
        prop_assert!(!text.contains(control) && !text.contains('\u{202e}'), "{}", text);
    }
}

/// Text of many kinds, to be cut anywhere.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}( [a-z]{1,9}){0,80}",
        "[а-яё]{2,9}( [а-яё]{2,9}){0,40}",
        "[一-龥]{1,120}",
        "[ก-ฮ]{1,60}",
        "[A-Za-z0-9+/]{1,400}={0,2}",
        "([a-z_]{1,8}\\(\\);\n {0,8}){0,30}",
        "[😀-🙏]{1,40}",
        "\\PC{0,200}",
        "(`{1,5}|\n|x| ){0,60}",
    ]
    // A random text in base64 can have the form of a key.
    .prop_filter("refused as a credential", |text| {
        let content = Content::imported(text.clone());
        SecretPolicy::default().check(&content).is_ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn never_over_its_budget(
        pinned in proptest::collection::vec(any_text(), 0..12),
        places in proptest::collection::vec(any_text(), 0..3),
        keyed in proptest::collection::vec((any_text(), 0..4usize), 0..30),
        entries in proptest::collection::vec((any_text(), 0..5usize), 0..80),
        tokens in prop_oneof![1..200usize, 200..4000usize],
        factor in prop_oneof![Just(1.0), 0.5..3.0f64],
    ) {
        let mut changes = Vec::new();
        for (number, text) in pinned.iter().enumerate() {
            changes.push(save(&format!("agent:a#p{number}"), text, true, 1));
        }
        for (text, place) in places.iter().zip(["~", "~/x", "~/x/y"]) {
            changes.push(save(&format!("place:{place}"), text, false, 1));
        }
        for (number, (text, of)) in keyed.iter().enumerate() {
            let scope = ["agent:a", "place:~/x", "repo:a/b", "place:~"][*of];
            let is_pinned = *of > 0 && number % 3 == 0;
            changes.push(save(&format!("{scope}#q{number}"), text, is_pinned, number as i64));
        }
        for (number, (text, kind)) in entries.iter().enumerate() {
            let kind = ["stuck", "learning", "tip", "decision", "idea"][*kind];
            changes.push(append(kind, number as i64, text));
        }
        let request = request(tokens)
            .lineage(in_repository())
            .budget(Budget::of(tokens).factor(TokenFactor::try_from(factor).unwrap()));
        let (block, explained, notes) = with_store(|store| {
            store.apply(&changes, &by_agent(1)).unwrap();
            let explained = render(store, &request.clone().explain(true)).unwrap();
            let blank = places.iter().filter(|text| Content::imported(text.as_str()).is_blank()).count();
            let entries = store.count(&"session:s#03ha3k08o7ty8aejjfa1xvzas".parse::<Address>().unwrap().scope());
            let notes = pinned.len() + places.len().min(3) - blank + keyed.len();
            (render(store, &request).unwrap(), explained, notes as u64 + entries.unwrap())
        });
        let receipt = &block.receipt;
        let counted = waynote_tokens::count(&block.text);
        prop_assert_eq!(receipt.counted, counted);
        prop_assert!(counted as f64 * factor <= tokens as f64, "{} of {}", counted, tokens);
        prop_assert_eq!(receipt.shown + receipt.lines + receipt.left_out, notes);
        prop_assert_eq!(&explained.text, &block.text);
        prop_assert_eq!(explained.receipt.claims.len() as u64, notes);
        // The receipt's claim about each note matches the text.
        for claim in &block.receipt.claims {
            let address = visible(&request.lineage.short(&claim.address));
            let is_shown = claim.section == Section::Iterations || block.text.contains(&address);
            prop_assert_eq!(is_shown || claim.shown == Shown::LeftOut, true, "{:?}", claim);
        }
    }
}

/// A store with a bit of everything, written by the step.
fn day(store: &dyn LocalStore, step: i64) {
    let key = format!("key-{}", step * 7 % 23);
    let text = format!("What is known of {key} after step {step}: it holds.");
    match step % 5 {
        0 => {
            let (key, text) = (key.parse().unwrap(), Content::text(text).unwrap());
            let options = SaveOptions::default().pin((step % 15 == 0).then_some(true));
            let scope = ["agent:a", "place:~/x"][usize::from(step % 4 == 1)];
            Notebook::of(store, scope.parse().unwrap())
                .save(&key, text, options, &by_agent(step))
                .unwrap();
        }
        1 if step % 2 == 0 => {
            let place: Place = ["~", "~/x", "~/x/y"][(step % 3) as usize].parse().unwrap();
            Places::new(store)
                .write(&place, Content::text(text).unwrap(), &by_agent(step))
                .unwrap();
        }
        _ => {
            let kind = EntryType::ALL[(step % 4) as usize].clone();
            SessionLog::new(store, "s".parse().unwrap())
                .add(
                    kind,
                    Some(1 + step / 4),
                    Content::text(text).unwrap(),
                    &by_agent(step),
                )
                .unwrap();
        }
    }
}

#[test]
fn a_write_leaves_what_stands_before_it() {
    with_store(|store| {
        let mut renderer = Renderer::default();
        let mut before = String::new();
        for step in 0..60 {
            day(store, step);
            let block = renderer.render(store, &request(100_000)).unwrap();
            let changed = format!("after step {step}:");
            let line = block.text.find(&changed).unwrap();
            // Its own line begins at the last line end before its heading or its item.
            let own = block.text[..line]
                .rfind("\n### ")
                .max(block.text[..line].rfind("\n- "));
            let same = block
                .text
                .bytes()
                .zip(before.bytes())
                .take_while(|(one, other)| one == other)
                .count();
            let heading_at_most = "\n\n## Notes from previous iterations\n\nLEARNING:\n".len();
            assert!(
                before.is_empty() || same + heading_at_most >= own.unwrap_or(0),
                "step {step}\n{}",
                block.text
            );
            before.clone_from(&block.text);
        }
    });
}

#[test]
fn equal_notes_give_equal_bytes() {
    let notes: Vec<Change> = (0..40)
        .map(|number| {
            let text = format!("fact {number} of those that are known here and now");
            save(
                &format!("agent:a#k{}", number * 7 % 40),
                &text,
                number % 9 == 0,
                number % 3,
            )
        })
        .collect();
    let text = |order: &[Change], tokens, second| {
        with_store(|store| {
            for change in order {
                store
                    .apply(std::slice::from_ref(change), &by_agent(second))
                    .unwrap();
            }
            let request = request(tokens).now(by_agent(second * 1000).now);
            render(store, &request).unwrap().text
        })
    };
    let mut backwards = notes.clone();
    backwards.reverse();
    for tokens in [0, 300, 900, 2000] {
        assert_eq!(
            text(&notes, tokens, 5),
            text(&backwards, tokens, 90),
            "{tokens}"
        );
    }
}

#[test]
fn no_section_starves_another() {
    let long = "a rather long text that goes on and on about one thing and another, ".repeat(3);
    let mut changes = Vec::new();
    for number in 0..40 {
        changes.push(save(&format!("agent:a#p{number}"), &long, true, number));
        changes.push(save(
            &format!("place:~/x#k{number}"),
            &long,
            number % 2 == 0,
            number,
        ));
        changes.push(save(&format!("agent:a#q{number}"), &long, false, number));
        let own = ["place:~", "place:~/x", "place:~/x/y"][number as usize % 3];
        changes.push(save(
            own,
            &format!("{number} {}", long.repeat(6)),
            false,
            number,
        ));
        for kind in ["stuck", "learning", "tip", "decision"] {
            changes.push(append(kind, number, &format!("{number} {long}")));
        }
    }
    with_store(|store| {
        store.apply(&changes, &by_agent(1)).unwrap();
        let block = render(store, &request(2000)).unwrap();
        assert_eq!(block.sections.len(), 4, "{}", block.text);
        for kind in ["STUCK:", "LEARNING:", "TIP:", "DECISION:"] {
            assert!(block.text.contains(kind), "{}", block.text);
        }
        assert!(block.receipt.tokens >= 1600, "{}", block.receipt.tokens);
        // The nearest place claims first, the latest entry of its type too.
        assert!(block.text.contains("39 a rather"), "{}", block.text);
    });
}

#[test]
fn a_block_as_it_was() {
    with_store(|store| {
        let mut then = Vec::new();
        for step in 0..40 {
            day(store, step);
            let block = render(store, &request(700)).unwrap();
            then.push((by_agent(step).now, block.position.unwrap(), block.text));
        }
        for (time, position, text) in then {
            for moment in [AsOf::Time(time), AsOf::Position(position)] {
                let request = request(700).as_of(Some(moment));
                assert_eq!(render(store, &request).unwrap().text, text);
            }
        }
        let style = Style::Faithful;
        let request = request(0)
            .as_of(Some(AsOf::Time(by_agent(-9).now)))
            .style(style);
        assert_eq!(render(store, &request).unwrap().text, "");
    });
}

#[test]
fn the_last_block_is_handed_out_while_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let store = SqliteStore::open(&path, &waynote::Options::default()).unwrap();
    day(&store, 10);
    let mut renderer = Renderer::default();
    let request = request(2000);
    let first = renderer.render(&store, &request).unwrap();
    let later = request.clone().now(by_agent(500).now);
    assert!(Arc::ptr_eq(
        &first,
        &renderer.render(&store, &later).unwrap()
    ));
    let other = request.clone().iteration(Some(0));
    assert!(!Arc::ptr_eq(
        &first,
        &renderer.render(&store, &other).unwrap()
    ));
    assert_eq!(first, renderer.render(&store, &request).unwrap());
    day(&store, 11);
    assert_ne!(first, renderer.render(&store, &request).unwrap());
}

#[test]
fn a_large_session_is_read_only_as_far_as_it_is_shown() {
    with_store(|store| {
        let changes: Vec<Change> = (0..3000)
            .map(|number| {
                append(
                    ["stuck", "learning", "tip", "idea"][number % 4],
                    number as i64,
                    &format!("entry {number} says something"),
                )
            })
            .collect();
        store.apply(&changes, &by_agent(1)).unwrap();
        let block = render(store, &request(2000).iteration(Some(2500))).unwrap();
        assert_eq!(
            block.receipt.shown + block.receipt.lines + block.receipt.left_out,
            2500
        );
        assert!(block.receipt.claims.len() < 500);
        assert!(block.text.contains("entry 2496 ") && !block.text.contains("entry 2500 "));
    });
}

#[test]
fn a_place_of_many_keys_is_read_only_as_far_as_it_is_shown() {
    with_store(|store| {
        let mut changes = vec![
            save("place:~/x", "what holds here", false, 1),
            save("place:~/x#blank", " ", false, 1),
        ];
        changes.extend(
            (0..3000).map(|key| save(&format!("place:~/x#k{key:04}"), "a word", false, key)),
        );
        store.apply(&changes, &by_agent(1)).unwrap();
        let block = render(store, &request(2000)).unwrap();
        let receipt = &block.receipt;
        assert!(receipt.claims.len() < 200);
        assert_eq!(receipt.shown + receipt.lines + receipt.left_out, 3002);
        assert!(block.text.contains("what holds here") && block.text.contains("#k2999"));
        let explained = render(store, &request(2000).explain(true)).unwrap();
        assert_eq!(explained.receipt.claims.len(), 3002);
        let notes = |text: &str| text.rsplit_once("\n\n").unwrap().0.to_owned();
        assert_eq!(notes(&explained.text), notes(&block.text));
    });
}

/// Notes that take as few tokens as any.
#[test]
fn as_many_notes_are_read_as_there_is_room_for() {
    with_store(|store| {
        let mut changes = Vec::new();
        for number in 0..400 {
            changes.push(append("tip", number, "-"));
            changes.push(append(
                "stuck",
                number,
                &"-".repeat(number as usize % 3 + 1),
            ));
            changes.push(save(&format!("agent:a#{number}"), "-", false, number));
            changes.push(save(
                &format!("repo:a/b#{number}"),
                "-",
                number % 2 > 0,
                number,
            ));
        }
        store.apply(&changes, &by_agent(1)).unwrap();
        for only in [Section::Index, Section::Iterations] {
            for iteration in [None, Some(350)] {
                let request = request(1000).lineage(in_repository());
                let request = request.only(only).iteration(iteration);
                let block = render(store, &request).unwrap();
                let explained = render(store, &request.explain(true)).unwrap();
                assert_eq!(explained.text, block.text);
            }
        }
    });
}

#[test]
fn a_query_chooses_the_notes_of_the_index() {
    with_store(|store| {
        for number in 0..60 {
            let text = match number {
                7 => "the cache of the compiler is kept in ~/.cache".to_owned(),
                _ => format!("fact {number} about something else altogether"),
            };
            let change = save(&format!("agent:a#k{number}"), &text, number == 3, number);
            store.apply(&[change], &by_agent(number)).unwrap();
        }
        let request = request(300);
        assert!(!render(store, &request).unwrap().text.contains("compiler"));
        let asked = request.query(Some("where is the compiler's cache".into()));
        let block = render(store, &asked).unwrap();
        has(&block.text, "`the cache of the compiler");
        // The rest of the room is for the latest.
        assert!(block.text.contains("fact 59 "));
        let notes = block.receipt.shown + block.receipt.lines + block.receipt.left_out;
        assert_eq!(notes, 60);
        let moment = AsOf::Time(by_agent(30).now);
        let then = render(store, &asked.as_of(Some(moment))).unwrap();
        has(&then.text, "`the cache of the compiler");
        assert!(then.text.contains("fact 30 ") && !then.text.contains("fact 59 "));
    });
}
