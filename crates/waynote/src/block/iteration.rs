//! The block in the prompt of an iteration: recorded when the iteration began, so that it can be made again.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Block, Budget, ReaderTools, Request, Style, TokenFactor};
use crate::content::Content;
use crate::error::safe;
use crate::key::Name;
use crate::model::as_of::AsOf;
use crate::model::lineage::Lineage;
use crate::note::{Position, micros};
use crate::visible::plain;

/// The block in the prompt of an iteration, as an event records it: the request, and the hash of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct IterationBlock {
    /// The agent whose notebook it shows.
    pub agent: Name,
    /// The place of the agent, with every place whose notes apply there.
    pub lineage: Lineage,
    /// How it is written.
    pub style: Style,
    /// The budget in tokens of the model that reads it; 0: no limit.
    pub budget: usize,
    /// The model's tokens for one of o200k.
    #[serde(default, skip_serializing_if = "TokenFactor::is_one")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub factor: TokenFactor,
    /// The tools of the agent, which it may name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ReaderTools>,
    /// The position of the store's last change; none for an empty store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The SHA-256 of the text that the agent was given, in hexadecimal.
    pub sha256: String,
}

impl IterationBlock {
    /// Why a block that is made again may differ from the one that was given.
    pub const DIFFERS: &str = "its hash differs: some of its notes were forgotten or damaged since, or were only in a \
                               file kept in sync, or another version of waynote made it";

    /// The record of a block for this request.
    pub fn new(request: &Request, block: &Block) -> Self {
        Self {
            agent: request.agent.clone(),
            lineage: request.lineage.clone(),
            style: request.style,
            budget: request.budget.tokens,
            factor: request.budget.factor,
            tools: request.tools.clone(),
            position: block.position,
            sha256: sha256(&block.for_agent()),
        }
    }

    /// The request for the block of this iteration, which began at the time `began`.
    pub fn request(&self, session: Name, iteration: i64, began: Timestamp) -> Request {
        let budget = Budget::of(self.budget).factor(self.factor);
        Request::new(self.agent.clone(), self.lineage.clone(), micros(began))
            .session(session)
            .iteration(iteration)
            .style(self.style)
            .budget(budget)
            .as_of(AsOf::Position(self.position.unwrap_or(Position::new(0))))
            .tools(self.tools.clone())
    }
}

/// Place, agent, budget and style, in one line.
impl fmt::Display for IterationBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "place {}, agent {}, ",
            safe(self.lineage.place()),
            safe(&self.agent)
        )?;
        match self.budget {
            0 => f.write_str("no token budget")?,
            tokens => write!(
                f,
                "a budget of {}",
                crate::text::plural(tokens as u64, "token")
            )?,
        }
        write!(f, ", style {}", self.style)
    }
}

impl Block {
    /// The text as an agent is given it.
    pub fn for_agent(&self) -> String {
        plain(&self.text)
    }
}

pub(crate) fn sha256(text: &str) -> String {
    Content::imported(text.to_owned()).hash().to_string()
}
