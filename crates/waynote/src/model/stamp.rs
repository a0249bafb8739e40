//! Who writes, when, and what a write may contain.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::EventAddress;
use crate::id::OperationId;
use crate::key::Name;
use crate::model::citation::Citation;
use crate::model::note::micros;
use crate::model::secret_policy::SecretPolicy;
use crate::model::writer::Writer;

/// Which texts a change may replace, delete or move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Replaces {
    /// Any text. A person's command does, and says how to get the old one back.
    Any,
    /// A text that another person or an import wrote only if the change expects its revision: then it was read.
    #[default]
    Read,
    /// The same, but no such text is deleted: a move reads the note itself, and its caller may not have seen it.
    Own,
    /// As [`Any`](Self::Any) for a person, as [`Own`](Self::Own) for an agent. For a move: only the store knows whether
    /// its caller is a person.
    AnyOrOwn,
}

impl Replaces {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Who writes, and when. Every change takes one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The time of the change, by the writer's clock.
    pub now: Timestamp,
    /// The author: `person`, `agent:NAME`, `import:FORMAT`, or any other name that the caller uses.
    pub author: Name,
    /// The holder of the token with which a caller writes over a server, who is the author in place of `person`; none
    /// without a token. A caller does not claim it: the program that checks the token sets it.
    #[serde(skip)]
    pub token: Option<Name>,
    /// Which credentials the written text may contain.
    #[serde(default, skip_serializing_if = "SecretPolicy::refuses_all")]
    pub secrets: SecretPolicy,
    /// The id of this call of [`Store::apply`](crate::Store::apply) or [`Store::record`](crate::Store::record). A call
    /// that was already carried out under the same id is not repeated: it returns the first answer. Undoing the last
    /// change and forgetting ignore the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The event with which a loop took its session, if this is written inside that loop: refused when the loop has lost
    /// the session. What a person writes has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<EventAddress>,
    /// The process that writes, if the author is a person only outside of loops. What it writes inside one is its
    /// [agent's](Writer::agent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
    /// The code that the written notes cite. None: what their texts name between backquotes, `path:line`, and what was
    /// cited beside the text before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cites: Option<Vec<Citation>>,
    /// The code that the text names, as the caller's store has looked it up (see [`crate::cites`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Citation>,
    /// True if the token is an agent's, which answers no question. A caller does not claim it, as with the token.
    #[serde(skip)]
    pub is_agents: bool,
    /// Which texts it may replace. None: what was read, and its own.
    #[serde(default, skip_serializing_if = "Replaces::is_default")]
    pub replaces: Replaces,
}

impl Stamp {
    /// A stamp that allows no credentials. The time is rounded to the microsecond, as stores keep it.
    pub fn new(now: Timestamp, author: Name) -> Self {
        Self {
            now: micros(now),
            author,
            token: None,
            secrets: SecretPolicy::default(),
            operation: None,
            lease: None,
            writer: None,
            cites: None,
            named: Vec::new(),
            is_agents: false,
            replaces: Replaces::Any,
        }
    }

    setters! {
        named {
            /// The same stamp inside the loop that took its session with this event.
            inside(lease: Option<EventAddress>);
            /// The same stamp by this process, which may run inside a loop.
            by(writer: Option<Writer>);
            /// The same stamp with a call id, so that the call can be repeated safely if its answer is lost.
            of_operation(operation: Option<OperationId>);
            /// The stamp with another policy for credentials.
            allowing(secrets: SecretPolicy);
        }
    }

    /// The same stamp of a tool or an agent: it replaces no text of another unread.
    pub fn careful(self) -> Self {
        Self {
            replaces: match self.replaces {
                Replaces::Any | Replaces::Read => Replaces::Read,
                Replaces::Own | Replaces::AnyOrOwn => Replaces::Own,
            },
            ..self
        }
    }

    /// The same stamp of a note that cites this code.
    pub fn citing(self, cites: impl Into<Option<Vec<Citation>>>) -> Self {
        let mut cites = cites.into();
        // That is a reader's own finding.
        let all = cites.iter_mut().flatten();
        all.for_each(|cited| cited.changed = false);
        Self { cites, ..self }
    }
}
