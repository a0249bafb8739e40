//! What clients say to a hook on standard input: a JSON object, of which a few fields are of use. A field of a wrong kind counts as
//! one that is not there.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// More than this no client sends at a session's start.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// The fields that one client or another sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload {
    #[serde(deserialize_with = "text")]
    session_id: Option<String>,
    #[serde(rename = "sessionId", deserialize_with = "text")]
    session_id_in_camel_case: Option<String>,
    #[serde(deserialize_with = "text")]
    conversation_id: Option<String>,
    #[serde(deserialize_with = "text")]
    cursor_version: Option<String>,
    #[serde(deserialize_with = "text")]
    cwd: Option<String>,
    #[serde(deserialize_with = "text")]
    working_dir: Option<String>,
    #[serde(deserialize_with = "first_text")]
    workspace_roots: Option<String>,
    #[serde(deserialize_with = "text")]
    source: Option<String>,
    #[serde(deserialize_with = "text")]
    trigger: Option<String>,
    #[serde(deserialize_with = "text")]
    agent_id: Option<String>,
    #[serde(deserialize_with = "text")]
    pub(crate) prompt: Option<String>,
    #[serde(deserialize_with = "text")]
    message: Option<String>,
}

impl Payload {
    /// The client's own name of the session.
    pub(crate) fn session(&self) -> Option<&str> {
        [
            &self.session_id,
            &self.session_id_in_camel_case,
            &self.conversation_id,
        ]
        .into_iter()
        .find_map(|id| id.as_deref().filter(|id| !id.is_empty()))
    }

    /// Why the session starts: `startup`, `resume`, `clear`, `compact`, …
    pub(crate) fn source(&self) -> Option<&str> {
        self.source.as_deref().or(self.trigger.as_deref())
    }

    /// The subagent that starts.
    pub(crate) fn subagent(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// What the person asked, where the event is a prompt.
    pub(crate) fn asked(&self) -> Option<&str> {
        self.prompt.as_deref().or(self.message.as_deref())
    }

    /// The directories it names, the most telling first.
    pub(crate) fn directories(&self) -> impl Iterator<Item = &str> {
        [&self.workspace_roots, &self.cwd, &self.working_dir]
            .into_iter()
            .filter_map(Option::as_deref)
    }

    /// Whether Cursor sent it, whatever client the command was written for: it runs other clients' hooks too.
    pub(crate) fn is_cursors(&self) -> bool {
        self.cursor_version.is_some() || self.conversation_id.is_some()
    }
}

fn text<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

fn first_text<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(values) => values.into_iter().find_map(|value| match value {
            Value::String(text) => Some(text),
            _ => None,
        }),
        _ => None,
    })
}
