//! What became of every note that a block could hold, and the block's last line, which says it in short.

use serde::{Serialize, Serializer};

use super::{ReaderTools, Request, Section};
use crate::address::Address;

/// How much of a note a block shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shown {
    /// All of it.
    Whole,
    /// Its address and a preview.
    Line,
    /// Nothing; it is counted.
    LeftOut,
}

impl Shown {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Line => "line",
            Self::LeftOut => "left out",
        }
    }
}

/// Why so much of it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// There was room.
    Fits,
    /// The index shows a line of every note.
    Listed,
    /// Shown whole it would take that many tokens, and so many were left for its section.
    TooLong {
        /// Tokens of the whole note.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Not even its line fitted.
    NoRoom {
        /// Tokens of the line.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Later notes, or better matches, took the room, or it made room in a step.
    Behind,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fits => f.write_str("fits"),
            Self::Listed => f.write_str("listed"),
            Self::TooLong { takes, left } => write!(f, "whole it takes {takes}, {left} were left"),
            Self::NoRoom { takes, left } => write!(f, "its line takes {takes}, {left} were left"),
            Self::Behind => f.write_str("behind those that fill the section"),
        }
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What became of one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The section that it is for.
    pub section: Section,
    /// The note.
    pub address: Address,
    /// The revision that the block was made from.
    #[serde(skip)]
    pub revision: u64,
    /// How much of it is shown.
    pub shown: Shown,
    /// The tokens that it takes in the block, by o200k.
    pub tokens: usize,
    /// Why.
    pub why: Why,
}

/// What became of every note, and the sums.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The budget, in tokens of the model that reads the block; 0: no cap.
    pub budget: usize,
    /// The block's tokens, in the same. 0 where there is no cap, unless an explanation was asked for: counting is most of
    /// the work of a block.
    pub tokens: usize,
    /// The block's tokens by o200k; 0 in the same case.
    pub counted: usize,
    /// The part of `counted` that headings and blank lines take. With the tokens of the notes and of the last line it
    /// comes to `counted`.
    pub headings: usize,
    /// The part of `counted` that the last line takes.
    pub last_line: usize,
    /// Notes that are shown whole, or in the index.
    pub shown: u64,
    /// Notes that had to be cut to a line.
    pub lines: u64,
    /// Notes that are not shown.
    pub left_out: u64,
    /// The notes in the order of their claims. Those that are left out because they are behind are all in it only when
    /// it was asked for.
    pub claims: Vec<Claim>,
}

/// The last line of a block: how full it is, and what is not in it.
/// With the tools of its reader it says how to see that.
pub(super) fn status(request: &Request, counted: usize, lines: u64, left_out: u64) -> String {
    let (budget, tools) = (request.budget, request.tools.as_ref());
    let tokens = grouped(budget.charged(counted) as u64);
    let mut text = format!("{tokens} of {} tokens", grouped(budget.tokens as u64));
    if lines > 0 {
        let (notes, have) = plural(lines, "has it", "has them");
        text.push_str(&format!("; {notes} cut short"));
        if let Some(ReaderTools { show, .. }) = tools {
            text.push_str(&format!(", {show} {have} whole"));
        }
    }
    if left_out > 0 {
        let (notes, find) = plural(left_out, "finds it", "finds them");
        text.push_str(&format!("; {notes} not shown"));
        if let Some(ReaderTools { search, .. }) = tools {
            text.push_str(&format!(", {search} {find}"));
        }
    }
    text.push('\n');
    text
}

/// The same with what a reader can do about a block that is more than four fifths full; none for another.
pub(super) fn status_of_full(
    request: &Request,
    counted: usize,
    lines: u64,
    left_out: u64,
) -> Option<String> {
    let budget = request.budget;
    (budget.charged(counted) * 5 > budget.tokens * 4).then(|| {
        let status = status(request, counted, lines, left_out);
        format!(
            "{}. Nearly full: merge or delete notes.\n",
            status.trim_end()
        )
    })
}

fn plural<'w>(number: u64, one: &'w str, more: &'w str) -> (String, &'w str) {
    match number {
        1 => ("1 note".into(), one),
        _ => (format!("{} notes", grouped(number)), more),
    }
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        let request = Request::new(
            "a".parse().unwrap(),
            "~".parse().unwrap(),
            jiff::Timestamp::UNIX_EPOCH,
        );
        assert_eq!(
            status(&request, 1480, 1, 31),
            "1,480 of 2,000 tokens; 1 note cut short; 31 notes not shown\n"
        );
        let request = request.tools(ReaderTools::new("note_show", "note_search"));
        let of = |counted, lines, left_out| status(&request, counted, lines, left_out);
        assert_eq!(
            of(1480, 0, 31),
            "1,480 of 2,000 tokens; 31 notes not shown, note_search finds them\n"
        );
        assert_eq!(of(90, 0, 0), "90 of 2,000 tokens\n");
        assert_eq!(
            status_of_full(&request, 1601, 1, 1).unwrap(),
            "1,601 of 2,000 tokens; 1 note cut short, note_show has it whole; \
             1 note not shown, note_search finds it. Nearly full: merge or delete notes.\n"
        );
        assert_eq!(status_of_full(&request, 1600, 1, 1), None);
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
