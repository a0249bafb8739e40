//! The sections in bytes that stay: a fixed order, absolute dates, what changes most often last.
//!
//! A note is data: its text stands in code blocks and code spans, so that whatever it holds, a Markdown parser sees
//! the headings and items made here and no others.

use std::fmt::Write;

use jiff::Timestamp;

use super::{Notes, Section};
use crate::note::{Kind, Note};
use crate::visible::{code_block, code_span};

pub(super) fn section(section: Section, notes: &Notes) -> String {
    match section {
        Section::Pinned => whole("## Pinned notes", &by_key(&notes.notebook, true)),
        Section::Places => whole(
            "## Notes of this place",
            &notes.places.iter().collect::<Vec<_>>(),
        ),
        Section::Index => index(&by_key(&notes.notebook, false)),
        Section::Iterations => iterations(&notes.iterations),
    }
}

fn by_key(notes: &[Note], pinned: bool) -> Vec<&Note> {
    let mut notes: Vec<&Note> = notes.iter().filter(|note| note.pinned == pinned).collect();
    notes.sort_by_cached_key(|note| note.address.key());
    notes
}

fn whole(title: &str, notes: &[&Note]) -> String {
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str(title);
        text.push('\n');
    }
    for note in notes {
        let title = code_span(&note.address.to_string());
        let _ = write!(text, "\n### {title} ({})\n\n", date(note.updated_at));
        text.push_str(&code_block(&note.content.shown(), ""));
    }
    text
}

fn index(notes: &[&Note]) -> String {
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str("## Other notes\n\n");
    }
    for note in notes {
        let (key, preview) = (
            code_span(&note.address.to_string()),
            code_span(&note.preview),
        );
        let _ = writeln!(text, "- {key} ({}): {preview}", date(note.updated_at));
    }
    text
}

/// The four types in their order, then the others by name.
fn iterations(notes: &[Note]) -> String {
    let mut kinds: Vec<Kind> = Kind::ALL.to_vec();
    let mut others: Vec<&Kind> = notes.iter().filter_map(|note| note.kind.as_ref()).collect();
    others.retain(|kind| matches!(kind, Kind::Other(_)));
    others.sort_by_key(|kind| kind.as_str());
    others.dedup();
    kinds.extend(others.into_iter().cloned());
    let mut text = String::new();
    if !notes.is_empty() {
        text.push_str("## Notes from previous iterations\n");
    }
    for kind in kinds {
        let mut group = notes
            .iter()
            .filter(|note| note.kind.as_ref() == Some(&kind))
            .peekable();
        if group.peek().is_some() {
            let _ = write!(text, "\n{}:\n", heading(&kind));
        }
        for note in group {
            let iteration = note
                .iteration
                .map_or("-".into(), |iteration| format!("#{iteration}"));
            let shown = note.content.shown();
            if shown.trim_end_matches(['\r', '\n']).contains('\n') {
                let _ = write!(text, "- [{iteration}]\n{}", code_block(&shown, "  "));
            } else {
                let line = code_span(shown.trim_end_matches(['\r', '\n']));
                let _ = writeln!(text, "- [{iteration}] {line}");
            }
        }
    }
    text
}

fn date(time: Timestamp) -> String {
    jiff::tz::Offset::UTC.to_datetime(time).date().to_string()
}

/// A type in capitals: a word as it is, whatever else another program wrote as data.
fn heading(kind: &Kind) -> String {
    match kind {
        Kind::Other(word) if word.is_empty() || !word.chars().all(char::is_alphanumeric) => {
            code_span(&word.to_uppercase())
        }
        kind => kind.as_str().to_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;
    use crate::address::Address;
    use crate::content::Content;
    use crate::key::EntryId;
    use crate::visible::{lines, visible};

    /// What a parser sees: headings, paragraphs and items as lines, code blocks as their text.
    fn seen(text: &str) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        let mut open = String::new();
        let mut word = String::new();
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
                Event::Start(Tag::List(None)) => {}
                Event::Text(part) | Event::Code(part) => word.push_str(&part),
                Event::End(
                    TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Item | TagEnd::Paragraph,
                ) => {
                    if !word.is_empty() || open == "block" {
                        seen.push((open.clone(), std::mem::take(&mut word)));
                    }
                    open.clear();
                }
                Event::End(TagEnd::List(false)) => {}
                other => panic!("{other:?} in {text}"),
            }
        }
        seen
    }

    fn note(address: Address, text: &str) -> Note {
        let content = Content::imported(text);
        Note {
            address,
            preview: content.preview(),
            content,
            kind: Some(Kind::Tip),
            iteration: Some(1),
            pinned: false,
            revision: 1,
            author: "person".parse().unwrap(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    /// A code block's text as a parser gives it back.
    fn block(text: &str) -> String {
        let shown = lines(&text.replace("\r\n", "\n"));
        format!("{}\n", shown.trim_end_matches('\n'))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn no_note_forges_the_block(
            texts in proptest::collection::vec(
                "(#|##|`|```|````|~~~|>|-|1\\.|\\*|=|\\||<b>|<!--|-->|</div>|\\[x\\]: y|STUCK:|\n|\r|\n\n| |    |\t|a|é|\u{1b}|\u{202e}|\u{0}){0,12}",
                1..4,
            ),
            path in "[a-z `*_<#\\[\\]-]{1,12}",
        ) {
            let place: crate::place::Place = match format!("~/x{path}").parse() {
                Ok(place) => place,
                Err(_) => return Ok(()),
            };
            let address = Address::Place(place);
            let notes: Vec<Note> = texts.iter().map(|text| note(address.clone(), text)).collect();
            let mut expected = vec![("h2".to_owned(), "Notes of this place".to_owned())];
            for text in &texts {
                expected.push(("h3".into(), format!("{} (1970-01-01)", visible(&address.to_string()))));
                expected.push(("block".into(), block(text)));
            }
            let text = whole("## Notes of this place", &notes.iter().collect::<Vec<_>>());
            prop_assert_eq!(seen(&text), expected, "{}", text);

            let entry = Address::Session(
                "s".parse().unwrap(),
                EntryId::next(None, Timestamp::UNIX_EPOCH, Content::imported("").hash()),
            );
            let entries: Vec<Note> = texts.iter().map(|text| note(entry.clone(), text)).collect();
            let text = iterations(&entries);
            let seen = seen(&text);
            prop_assert_eq!(seen[0].clone(), ("h2".to_owned(), "Notes from previous iterations".to_owned()));
            prop_assert_eq!(seen[1].1.as_str(), "TIP:", "{}", text);
            let items = seen.iter().filter(|(kind, _)| kind == "item").count();
            prop_assert_eq!(items, texts.len(), "{}", text);
            prop_assert!(seen.iter().all(|(kind, _)| ["h2", "paragraph", "item", "block"].contains(&kind.as_str())), "{}", text);
        }
    }
}
