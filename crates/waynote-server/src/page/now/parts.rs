//! The parts of a block: its text cut up so that each note can be found in it. Joined, they are the block again.

use std::collections::HashMap;

use waynote::context::{Block, Section, Shown, Style};
use waynote::visible::code_span;

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) what: What,
    pub(crate) text: String,
}

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The heading of a section.
    Heading,
    /// The line above the entries of one type.
    Group,
    /// A note, with its place among the receipt's claims, if it was found there.
    Note(Section, Option<usize>),
    /// A whole section in style faithful.
    Section(Section),
    /// Blank lines between parts.
    Gap,
    /// The last lines: the totals of the block.
    Tail,
}

/// Cuts up a block.
pub(crate) fn parts(block: &Block) -> Vec<Part> {
    match block.style {
        Style::Faithful => by_section(block),
        _ => by_note(block),
    }
}

/// A block in style faithful has sections, which look as their source programs print them.
fn by_section(block: &Block) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = block.text.as_str();
    for section in &block.sections {
        let text = section.text.trim_end_matches('\n');
        let Some(at) = rest.find(text) else {
            continue;
        };
        let end = at + text.len();
        let end = if rest[end..].starts_with('\n') {
            end + 1
        } else {
            end
        };
        push(&mut parts, What::Gap, &rest[..at]);
        push(&mut parts, What::Section(section.section), &rest[at..end]);
        rest = &rest[end..];
    }
    push(&mut parts, What::Tail, rest);
    parts
}

fn push(parts: &mut Vec<Part>, what: What, text: &str) {
    if !text.is_empty() {
        parts.push(Part {
            what,
            text: text.to_owned(),
        });
    }
}

/// Cuts up a block in style stable.
fn by_note(block: &Block) -> Vec<Part> {
    let claims = claims(block);
    let mut parts: Vec<Part> = Vec::new();
    let mut section = None;
    let mut fence: Option<String> = None;
    for line in block.text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        if let Some(open) = &fence {
            if bare == open {
                fence = None;
            }
            extend(&mut parts, line);
            continue;
        }
        // Only a code block of a note has backticks at the beginning of a line.
        let inside = bare.trim_start();
        let run = inside.len() - inside.trim_start_matches('`').len();
        if run >= 3 && inside.len() == run {
            fence = Some(bare.to_owned());
            join_gap(&mut parts);
            extend(&mut parts, line);
            continue;
        }
        let what = match section {
            _ if bare.is_empty() => What::Gap,
            _ if bare.starts_with("## ") => {
                section = Section::ALL.into_iter().find(|of| heading(*of) == bare);
                What::Heading
            }
            Some(of @ (Section::Pinned | Section::Places)) if bare.starts_with("### ") => {
                What::Note(of, claim_of(&claims, of, &bare[4..]))
            }
            Some(of @ Section::Index) if bare.starts_with("- ") => {
                What::Note(of, claim_of(&claims, of, &bare[2..]))
            }
            Some(of @ Section::Iterations) if bare.starts_with("- [") => What::Note(of, None),
            Some(Section::Iterations) if bare.ends_with(':') => What::Group,
            _ => What::Tail,
        };
        match parts.last_mut() {
            Some(last) if last.what == what && matches!(what, What::Gap | What::Tail) => {
                last.text.push_str(line);
            }
            _ => parts.push(Part {
                what,
                text: line.to_owned(),
            }),
        }
    }
    number_entries(block, &mut parts);
    parts
}

fn extend(parts: &mut [Part], line: &str) {
    if let Some(last) = parts.last_mut() {
        last.text.push_str(line);
    }
}

/// The blank line between the line of a note and its text belongs to the note.
fn join_gap(parts: &mut Vec<Part>) {
    if let [.., note, gap] = &mut parts[..]
        && matches!(note.what, What::Note(..))
        && gap.what == What::Gap
    {
        note.text.push_str(&gap.text);
        parts.pop();
    }
}

fn heading(section: Section) -> &'static str {
    match section {
        Section::Pinned => "## Pinned notes",
        Section::Places => "## Notes of this place",
        Section::Index => "## Other notes",
        Section::Iterations => "## Notes from previous iterations",
        _ => "",
    }
}

/// The places of the claims by section and printed address.
fn claims(block: &Block) -> HashMap<(&'static str, String), usize> {
    let claims = block.receipt.claims.iter().enumerate().rev();
    let shown = claims.filter(|(_, claim)| claim.shown != Shown::LeftOut);
    shown
        .map(|(index, claim)| {
            let span = code_span(&claim.address.to_string());
            ((claim.section.as_str(), span), index)
        })
        .collect()
}

/// The claim for the address at the beginning of a line.
fn claim_of(
    claims: &HashMap<(&'static str, String), usize>,
    section: Section,
    line: &str,
) -> Option<usize> {
    // An address may have such an end of its own within it.
    let mut ends = line.match_indices(" (").map(|(end, _)| end);
    ends.find_map(|end| {
        let span = line[..end].to_owned();
        claims.get(&(section.as_str(), span)).copied()
    })
}

/// Entries are printed without their addresses: by type, and in each type the other way round than they claim.
fn number_entries(block: &Block, parts: &mut [Part]) {
    let mut claims: Vec<usize> = Vec::new();
    for (index, claim) in block.receipt.claims.iter().enumerate() {
        if claim.section == Section::Iterations && claim.shown != Shown::LeftOut {
            claims.push(index);
        }
    }
    let is_entry = |part: &Part| matches!(part.what, What::Note(Section::Iterations, _));
    if parts.iter().filter(|part| is_entry(part)).count() != claims.len() {
        return;
    }
    let mut rest = claims.into_iter();
    for group in parts.split_mut(|part| part.what == What::Group) {
        let size = group.iter().filter(|part| is_entry(part)).count();
        let mut of_group: Vec<usize> = rest.by_ref().take(size).collect();
        for part in group.iter_mut().filter(|part| is_entry(part)) {
            part.what = What::Note(Section::Iterations, of_group.pop());
        }
    }
}

#[cfg(test)]
mod tests {
    use waynote::context::render;

    use super::*;
    use crate::page::samples;

    #[test]
    fn the_parts_are_the_block() {
        let folder = tempfile::tempdir().unwrap();
        let store = samples::store(folder.path());
        for (style, budget) in [
            (Style::Stable, 150),
            (Style::Stable, 400),
            (Style::Stable, 2000),
            (Style::Faithful, 0),
        ] {
            let request = samples::request(budget).style(style);
            let block = render(&store, &request).unwrap();
            let parts = parts(&block);
            let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
            assert_eq!(joined, block.text);
            for part in &parts {
                let What::Note(section, claim) = part.what else {
                    continue;
                };
                let claim = &block.receipt.claims[claim.unwrap()];
                assert_eq!(claim.section, section);
                let note = waynote::Reader::get(&store, &claim.address)
                    .unwrap()
                    .unwrap();
                let first = note.preview.split_whitespace().next().unwrap();
                assert!(part.text.contains(first), "{part:?} {note:?}");
            }
        }
    }
}
