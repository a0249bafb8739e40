//! The prompt block: the notes that apply to an agent at a place, in a session and iteration, as text.

mod age;
mod faithful;
mod stable;

use std::str::FromStr;

use jiff::Timestamp;
use serde::Serialize;

use crate::error::Result;
use crate::key::Name;
use crate::note::Note;
use crate::notebook::Notebook;
use crate::place::Place;
use crate::places::Places;
use crate::session::SessionLog;
use crate::store::Store;

/// The parts of the block, in the order in which they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The agent's pinned notes, whole.
    Pinned,
    /// The notes of the place and every place above it, whole.
    Places,
    /// The agent's notes by key and preview.
    Index,
    /// The session's log of earlier iterations.
    Iterations,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pinned, Self::Places, Self::Index, Self::Iterations];

    /// The section's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Places => "places",
            Self::Index => "index",
            Self::Iterations => "iterations",
        }
    }
}

/// How the block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Equal notes give equal bytes: a fixed order, absolute dates, what changes most often last.
    Stable,
    /// As the three sources write it, byte for byte.
    Faithful,
}

impl FromStr for Style {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "stable" => Ok(Self::Stable),
            "faithful" => Ok(Self::Faithful),
            _ => Err("the styles are stable and faithful".into()),
        }
    }
}

/// For whom and where a block is made.
#[derive(Clone, Debug)]
pub struct Request {
    /// The agent whose notebook it is.
    pub agent: Name,
    /// The place it stands at.
    pub place: Place,
    /// The session it runs in, if any.
    pub session: Option<Name>,
    /// The iteration it runs; it sees only earlier ones. None: every iteration.
    pub iteration: Option<i64>,
    /// How the block is written.
    pub style: Style,
    /// One section alone.
    pub only: Option<Section>,
    /// The time, for the ages in style faithful.
    pub now: Timestamp,
}

/// What applies.
#[derive(Clone, Debug, Default)]
struct Notes {
    /// Most recently updated first.
    notebook: Vec<Note>,
    /// Outermost place first.
    places: Vec<Note>,
    /// Oldest first; without those of this iteration and later ones.
    iterations: Vec<Note>,
}

/// A prompt block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The text for the prompt; empty when no note applies.
    pub text: String,
    /// The style it is written in.
    pub style: Style,
    /// Its sections that are not empty.
    pub sections: Vec<SectionText>,
}

/// A section of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionText {
    /// Which one.
    pub section: Section,
    /// Its text.
    pub text: String,
}

/// Makes the block.
///
/// # Errors
/// What the store says.
pub fn render(store: &dyn Store, request: &Request) -> Result<Block> {
    let wanted = |section| request.only.is_none_or(|only| only == section);
    let mut notes = Notes::default();
    if wanted(Section::Pinned) || wanted(Section::Index) {
        notes.notebook = Notebook::of_agent(store, request.agent.clone()).list()?;
    }
    if wanted(Section::Places) {
        notes.places = Places::new(store).read_all(&request.place)?;
        notes.places.retain(|note| !note.content.is_blank());
    }
    if let Some(session) = request
        .session
        .clone()
        .filter(|_| wanted(Section::Iterations))
    {
        let log = SessionLog::new(store, session);
        notes.iterations = match request.iteration {
            Some(iteration) => log.before(iteration)?,
            None => log.list(None)?,
        };
        if request.style == Style::Faithful {
            notes.iterations.retain(|note| note.iteration.is_some());
        }
    }
    let text = |section| match request.style {
        Style::Stable => stable::section(section, &notes),
        Style::Faithful => faithful::section(section, &notes, request.now),
    };
    let sections: Vec<SectionText> = Section::ALL
        .into_iter()
        .filter(|section| wanted(*section))
        .map(|section| SectionText {
            section,
            text: text(section),
        })
        .filter(|section| !section.text.is_empty())
        .collect();
    let text = match request.only {
        // Alone, a section is exactly what its source prints.
        Some(_) => sections
            .iter()
            .map(|section| section.text.as_str())
            .collect(),
        None => join(&sections),
    };
    Ok(Block {
        text,
        style: request.style,
        sections,
    })
}

/// The sections with a blank line between, and one line end.
fn join(sections: &[SectionText]) -> String {
    let texts: Vec<&str> = sections
        .iter()
        .map(|section| section.text.trim_end_matches('\n'))
        .collect();
    let mut text = texts.join("\n\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}
