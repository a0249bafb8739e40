//! Blocks and what they are asked with.

use serde::{Deserialize, Serialize};
use waynote::context::{self, ReaderTools, TokenFactor};
use waynote::{Error, Result};

use crate::ask::AsOf;
use crate::malformed::{
    each, no_form, position, printed, printed_or_none, text_or_none, texts, time,
};
use crate::note::Note;
use crate::words::{Section, Shown, Style};

/// A request for a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The agent that reads the block.
    pub agent: String,
    /// Its place.
    pub place: String,
    /// Other places whose notes apply too, each farther away than the one before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The session that the agent runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The iteration that it runs: only notes of earlier ones are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<i64>,
    /// How the block is written.
    pub style: Style,
    /// Only this section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Section>,
    /// The token budget.
    #[serde(default)]
    pub budget: Budget,
    /// A query to choose the notes of the index by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The point in time of the notes; none: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// Whether the receipt lists every note.
    #[serde(default)]
    pub explain: bool,
    /// The reader's tools, which the block names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Tools>,
    /// The current time.
    pub now: String,
}

/// A token budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Tokens of the model that reads the block; 0: no limit.
    pub tokens: usize,
    /// How many tokens of the model correspond to one of o200k: 0.1 to 10.
    #[serde(default = "one")]
    pub factor: f64,
}

fn one() -> f64 {
    TokenFactor::ONE.get()
}

impl Default for Budget {
    fn default() -> Self {
        Self::from(&context::Budget::default())
    }
}

/// The names of the reader's tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// Shows a note whole.
    pub show: String,
    /// Searches notes.
    pub search: String,
}

/// A prompt block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Block {
    /// The text for the prompt; empty when no note applies.
    pub text: String,
    /// The style it is written in.
    pub style: Style,
    /// Its sections that are not empty.
    pub sections: Vec<SectionText>,
    /// How each note is shown.
    pub receipt: Receipt,
    /// The position of the store's last change.
    #[serde(default)]
    pub position: Option<String>,
}

/// A section of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SectionText {
    /// The section.
    pub section: Section,
    /// Its text.
    pub text: String,
}

/// How each note is shown, and the totals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// The budget; 0: no limit.
    pub budget: usize,
    /// The block's tokens, counted for the model that reads it.
    pub tokens: usize,
    /// The block's tokens, counted by o200k.
    pub counted: usize,
    /// The part of `counted` for headings.
    pub headings: usize,
    /// The part of `counted` for the last line.
    pub last_line: usize,
    /// Notes that are shown whole, or in the index.
    pub shown: u64,
    /// Notes that are shortened to a line.
    pub lines: u64,
    /// Notes that are not shown.
    pub left_out: u64,
    /// Notes that are damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// The notes.
    pub claims: Vec<Claim>,
}

/// How one note is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claim {
    /// The section of the note.
    pub section: Section,
    /// The note.
    pub address: String,
    /// The revision that the block was made from.
    pub revision: u64,
    /// How much of it is shown.
    pub shown: Shown,
    /// The tokens that it has in the block.
    pub tokens: usize,
    /// Why.
    pub why: Why,
}

/// Why so much of a note is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// There was room.
    Fits,
    /// The index shows a line of every note.
    Listed,
    /// The whole note needs more tokens than were left.
    TooLong {
        /// Tokens of the whole note.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Not even its line fits.
    NoRoom {
        /// Tokens of the line.
        takes: usize,
        /// Tokens that were left.
        left: usize,
    },
    /// Others filled the section.
    Behind,
}

/// A note that a reader was shown, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ShownNote {
    /// The note.
    pub address: String,
    /// The revision.
    pub revision: u64,
    /// How much of it.
    pub shown: Shown,
}

/// Notes as text for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Matching {
    /// The text; empty if there are none.
    pub text: String,
    /// The notes in it.
    pub notes: Vec<MatchingNote>,
}

/// A note in a text, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchingNote {
    /// The note.
    pub note: Note,
    /// How much of it.
    pub shown: Shown,
}

impl From<&context::Budget> for Budget {
    fn from(budget: &context::Budget) -> Self {
        Self {
            tokens: budget.tokens,
            factor: budget.factor.get(),
        }
    }
}

impl TryFrom<Budget> for context::Budget {
    type Error = Error;

    fn try_from(budget: Budget) -> Result<Self> {
        Ok(Self::of(budget.tokens).factor(TokenFactor::new(budget.factor)?))
    }
}

impl TryFrom<&context::Request> for Request {
    type Error = Error;

    fn try_from(request: &context::Request) -> Result<Self> {
        Ok(Self {
            agent: request.agent.to_string(),
            place: request.place.to_string(),
            also: printed(&request.also),
            session: printed_or_none(request.session.as_ref()),
            iteration: request.iteration,
            style: request.style.try_into()?,
            only: request.only.map(TryInto::try_into).transpose()?,
            budget: Budget::from(&request.budget),
            query: request.query.clone(),
            as_of: request.as_of.as_ref().map(AsOf::try_from).transpose()?,
            explain: request.explain,
            tools: request.tools.as_ref().map(|tools| Tools {
                show: tools.show.to_string(),
                search: tools.search.to_string(),
            }),
            now: request.now.to_string(),
        })
    }
}

impl TryFrom<Request> for context::Request {
    type Error = Error;

    fn try_from(of: Request) -> Result<Self> {
        let mut request = Self::new(of.agent.parse()?, of.place.parse()?, time(&of.now)?)
            .also(texts(&of.also)?)
            .session(text_or_none(of.session.as_ref())?)
            .iteration(of.iteration)
            .style(of.style.into())
            .only(of.only.map(Into::into))
            .budget(of.budget.try_into()?)
            .query(of.query)
            .as_of(of.as_of.map(TryInto::try_into).transpose()?)
            .explain(of.explain);
        request.tools = of
            .tools
            .map(|tools| ReaderTools::new(tools.show, tools.search));
        Ok(request)
    }
}

impl TryFrom<&context::Why> for Why {
    type Error = Error;

    fn try_from(why: &context::Why) -> Result<Self> {
        Ok(match *why {
            context::Why::Fits => Self::Fits,
            context::Why::Listed => Self::Listed,
            context::Why::TooLong { takes, left } => Self::TooLong { takes, left },
            context::Why::NoRoom { takes, left } => Self::NoRoom { takes, left },
            context::Why::Behind => Self::Behind,
            _ => return Err(no_form("this reason over HTTP")),
        })
    }
}

impl From<Why> for context::Why {
    fn from(why: Why) -> Self {
        match why {
            Why::Fits => Self::Fits,
            Why::Listed => Self::Listed,
            Why::TooLong { takes, left } => Self::TooLong { takes, left },
            Why::NoRoom { takes, left } => Self::NoRoom { takes, left },
            Why::Behind => Self::Behind,
        }
    }
}

impl TryFrom<&context::Claim> for Claim {
    type Error = Error;

    fn try_from(claim: &context::Claim) -> Result<Self> {
        Ok(Self {
            section: claim.section.try_into()?,
            address: claim.address.to_string(),
            revision: claim.revision,
            shown: claim.shown.try_into()?,
            tokens: claim.tokens,
            why: Why::try_from(&claim.why)?,
        })
    }
}

impl TryFrom<Claim> for context::Claim {
    type Error = Error;

    fn try_from(claim: Claim) -> Result<Self> {
        Ok(Self {
            section: claim.section.into(),
            address: claim.address.parse()?,
            revision: claim.revision,
            shown: claim.shown.into(),
            tokens: claim.tokens,
            why: claim.why.into(),
        })
    }
}

impl TryFrom<&context::Block> for Block {
    type Error = Error;

    fn try_from(block: &context::Block) -> Result<Self> {
        let (sections, receipt) = (block.sections.iter(), &block.receipt);
        Ok(Self {
            text: block.text.clone(),
            style: block.style.try_into()?,
            sections: sections
                .map(|of| {
                    Ok(SectionText {
                        section: of.section.try_into()?,
                        text: of.text.clone(),
                    })
                })
                .collect::<Result<_>>()?,
            receipt: Receipt {
                budget: receipt.budget,
                tokens: receipt.tokens,
                counted: receipt.counted,
                headings: receipt.headings,
                last_line: receipt.last_line,
                shown: receipt.shown,
                lines: receipt.lines,
                left_out: receipt.left_out,
                damaged: receipt.damaged.clone(),
                claims: receipt
                    .claims
                    .iter()
                    .map(Claim::try_from)
                    .collect::<Result<_>>()?,
            },
            position: printed_or_none(block.position.as_ref()),
        })
    }
}

impl TryFrom<Block> for context::Block {
    type Error = Error;

    fn try_from(block: Block) -> Result<Self> {
        let (sections, receipt) = (block.sections.into_iter(), block.receipt);
        Ok(Self {
            text: block.text,
            style: block.style.into(),
            sections: sections
                .map(|of| context::SectionText {
                    section: of.section.into(),
                    text: of.text,
                })
                .collect(),
            receipt: context::Receipt {
                budget: receipt.budget,
                tokens: receipt.tokens,
                counted: receipt.counted,
                headings: receipt.headings,
                last_line: receipt.last_line,
                shown: receipt.shown,
                lines: receipt.lines,
                left_out: receipt.left_out,
                damaged: receipt.damaged,
                claims: each(receipt.claims)?,
            },
            position: block.position.as_deref().map(position).transpose()?,
        })
    }
}

impl TryFrom<&context::ShownNote> for ShownNote {
    type Error = Error;

    fn try_from((address, revision, shown): &context::ShownNote) -> Result<Self> {
        Ok(Self {
            address: address.to_string(),
            revision: *revision,
            shown: (*shown).try_into()?,
        })
    }
}

impl TryFrom<ShownNote> for context::ShownNote {
    type Error = Error;

    fn try_from(note: ShownNote) -> Result<Self> {
        Ok((note.address.parse()?, note.revision, note.shown.into()))
    }
}

impl TryFrom<&context::Matching> for Matching {
    type Error = Error;

    fn try_from(found: &context::Matching) -> Result<Self> {
        let notes = found.notes.iter().map(|(note, shown)| {
            Ok(MatchingNote {
                note: Note::from(note),
                shown: (*shown).try_into()?,
            })
        });
        Ok(Self {
            text: found.text.clone(),
            notes: notes.collect::<Result<_>>()?,
        })
    }
}

impl TryFrom<Matching> for context::Matching {
    type Error = Error;

    fn try_from(found: Matching) -> Result<Self> {
        let notes = found.notes.into_iter();
        let notes = notes.map(|of| Ok((of.note.try_into()?, of.shown.into())));
        Ok(Self {
            text: found.text,
            notes: notes.collect::<Result<_>>()?,
        })
    }
}
