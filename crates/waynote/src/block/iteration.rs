//! The block in the prompt of an iteration: recorded when the iteration began, so that it can be made again.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Block, Request};
use crate::content::Content;
use crate::error::safe;
use crate::key::Name;
use crate::model::as_of::AsOf;
use crate::note::{Position, micros};
use crate::visible::plain;

/// The block in the prompt of an iteration, as an event records it: the request, and the hash of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct IterationBlock {
    /// For which agent it was made, where, and with what options.
    pub request: Request,
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
            request: request.clone(),
            position: block.position,
            sha256: sha256(&block.for_agent()),
        }
    }

    /// The request for the block of this iteration, which began at the time `began`.
    pub fn request(&self, session: Name, iteration: i64, began: Timestamp) -> Request {
        let mut request = self.request.clone();
        request.now = micros(began);
        request
            .session(session)
            .iteration(iteration)
            .as_of(AsOf::Position(self.position.unwrap_or(Position::new(0))))
    }
}

/// Place, agent, budget and style, in one line.
impl fmt::Display for IterationBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "place {}, agent {}, ",
            safe(self.request.lineage.place()),
            safe(&self.request.agent)
        )?;
        match self.request.budget.tokens {
            0 => f.write_str("no token budget")?,
            tokens => write!(
                f,
                "a budget of {}",
                crate::text::plural(tokens as u64, "token")
            )?,
        }
        write!(f, ", style {}", self.request.style)
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
