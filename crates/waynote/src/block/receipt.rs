//! The receipt of a block: the form of each note in it, the reason, and the block's last line, which sums that up.

use serde::{Deserialize, Serialize};

use super::{ReaderTools, Request, Section};
use crate::address::Address;
use crate::store::Damage;
use crate::text::{grouped, plural};

/// How much of a note a block shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shown {
    /// All of it.
    Whole,
    /// Its address and a preview.
    Line,
    /// Nothing; the note is only counted.
    #[strum(serialize = "left out")]
    LeftOut,
}

impl Shown {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Why so much of a note is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// There was room.
    Fits,
    /// The index shows a line of every note.
    Listed,
    /// The whole note needs more tokens than its section had left.
    TooLong {
        /// Tokens of the whole note, or just more than `left`, unless the request asks for an explanation. A text with
        /// very few tokens for its length takes one token for every 16 bytes.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Not even the line of the note fits.
    NoRoom {
        /// Tokens of the line.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Newer notes, or better matches, filled the section. A full list drops several notes at a time.
    Behind,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fits => f.write_str("fits"),
            Self::Listed => f.write_str("listed"),
            Self::TooLong { takes, left } => write!(
                f,
                "needs {} whole, {left} were left",
                plural(*takes as u64, "token")
            ),
            Self::NoRoom { takes, left } => write!(
                f,
                "its line needs {}, {left} were left",
                plural(*takes as u64, "token")
            ),
            Self::Behind => f.write_str("no room left in this section"),
        }
    }
}

/// How one note is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claim {
    /// The section of the note.
    pub section: Section,
    /// The note.
    pub address: Address,
    /// The revision that the block was made from; of a note of others its [edition](crate::Note::edition).
    pub revision: u64,
    /// How much of it is shown.
    pub shown: Shown,
    /// The tokens that the note has in the block, counted by o200k.
    pub tokens: usize,
    /// Why.
    pub why: Why,
}

/// How each note is shown, and the totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// The budget, in tokens of the model that reads the block; 0: no limit.
    pub budget: usize,
    /// The block's tokens, counted for the same model. Without a limit it is 0, unless the request asks for an
    /// explanation: counting is most of the work of a block.
    pub tokens: usize,
    /// The block's tokens, counted by o200k; 0 in the same case.
    pub counted: usize,
    /// The part of `counted` for headings and blank lines. Together with the tokens of the notes and of the last line
    /// it adds up to `counted`.
    pub headings: usize,
    /// The part of `counted` for the last line.
    pub last_line: usize,
    /// Notes that are shown whole, or in the index.
    pub shown: u64,
    /// Notes that are shortened to a line.
    pub lines: u64,
    /// Notes that are not shown.
    pub left_out: u64,
    /// How many of the notes in it cite code: their labels change without a write.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cites: u64,
    /// Notes that are damaged, and so not in the block: addresses, as far as they are known. A line of the block names the
    /// first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// The notes, in the order in which they got room. Notes that are left out because others fill the section are all
    /// listed only if the request asks for an explanation.
    pub claims: Vec<Claim>,
}

impl Receipt {
    /// The block's lines about damage; empty if nothing is damaged.
    pub fn damage(&self) -> String {
        Damage::named(&self.damaged)
    }
}

/// The last line of a block: how full it is, and how many notes are shortened or left out. If the reader has tools, it
/// names those that show these notes.
pub(crate) fn status(request: &Request, counted: usize, lines: u64, left_out: u64) -> String {
    let (budget, tools) = (request.budget, request.tools.as_ref());
    let tokens = grouped(budget.charged(counted) as u64);
    let mut text = format!("{tokens} of {} tokens", grouped(budget.tokens as u64));
    if lines > 0 {
        let (notes, them) = counted_notes(lines);
        text.push_str(&format!("; {notes} shortened"));
        if let Some(ReaderTools { show, .. }) = tools {
            text.push_str(&format!(": {show} shows {them} whole"));
        }
    }
    if left_out > 0 {
        let (notes, them) = counted_notes(left_out);
        text.push_str(&format!("; {notes} left out"));
        if let Some(ReaderTools { search, .. }) = tools {
            text.push_str(&format!(": {search} finds {them}"));
        }
    }
    text.push('\n');
    text
}

/// The line that names damaged notes; empty if there are none.
pub(crate) fn damaged_line(damaged: &[String]) -> String {
    let mut line = Damage::named(damaged);
    if !line.is_empty() {
        line.push('\n');
    }
    line
}

/// The same with advice for a block that is more than four fifths full; none for any other block.
pub(crate) fn status_of_full(
    request: &Request,
    counted: usize,
    lines: u64,
    left_out: u64,
) -> Option<String> {
    let budget = request.budget;
    (budget.charged(counted) * 5 > budget.tokens * 4).then(|| {
        let status = status(request, counted, lines, left_out);
        // Other projects use the notebook too.
        let whose = request.lineage.project().map_or("", |_| " of this project");
        format!(
            "{}. Nearly full: merge or delete notes{whose}.\n",
            status.trim_end()
        )
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A number of notes, and the pronoun for them.
fn counted_notes(number: u64) -> (String, &'static str) {
    match number {
        1 => ("1 note".into(), "it"),
        _ => (format!("{} notes", grouped(number)), "them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        let request = Request::new(
            "a".parse().unwrap(),
            crate::Place::home(),
            jiff::Timestamp::UNIX_EPOCH,
        );
        assert_eq!(
            status(&request, 1480, 1, 31),
            "1,480 of 2,000 tokens; 1 note shortened; 31 notes left out\n"
        );
        let request = request.tools(ReaderTools::new("note_show", "note_search"));
        let of = |counted, lines, left_out| status(&request, counted, lines, left_out);
        assert_eq!(
            of(1480, 0, 31),
            "1,480 of 2,000 tokens; 31 notes left out: note_search finds them\n"
        );
        assert_eq!(of(90, 0, 0), "90 of 2,000 tokens\n");
        assert_eq!(
            status_of_full(&request, 1601, 1, 1).unwrap(),
            "1,601 of 2,000 tokens; 1 note shortened: note_show shows it whole; \
             1 note left out: note_search finds it. Nearly full: merge or delete notes.\n"
        );
        assert_eq!(status_of_full(&request, 1600, 1, 1), None);
        let in_project: crate::Place = "repo:a/b".parse().unwrap();
        let status = status_of_full(&request.lineage(in_project.into()), 1601, 0, 0);
        assert!(status.is_some_and(|line| line.ends_with("notes of this project.\n")));
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
