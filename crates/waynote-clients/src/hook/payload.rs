//! A client's input for a hook: a JSON object, of which a few fields are of use. A field of a wrong kind counts as
//! missing.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::tool::ToolCall;
use crate::error::Result;

/// Clients send less than this, even with the contents of a file that a tool writes.
const MAX_BYTES: u64 = 16 << 20;

/// The line of a prompt that switches delivery off for its turn.
const OFF: &str = "waynote: off";

/// The fields that one client or another sends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Payload {
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
    /// The session that started this one for a subagent: from waynote's own plugin for opencode.
    #[serde(deserialize_with = "text")]
    parent_id: Option<String>,
    #[serde(deserialize_with = "text")]
    prompt_id: Option<String>,
    #[serde(deserialize_with = "text")]
    turn_id: Option<String>,
    #[serde(deserialize_with = "text")]
    generation_id: Option<String>,
    #[serde(deserialize_with = "text")]
    transcript_path: Option<String>,
    #[serde(deserialize_with = "text")]
    prompt: Option<String>,
    #[serde(deserialize_with = "text")]
    message: Option<String>,
    #[serde(deserialize_with = "text")]
    status: Option<String>,
    stop_hook_active: Value,
    #[serde(flatten)]
    pub(super) tool: ToolCall,
}

impl Payload {
    /// Reads one, without waiting for the end of the stream; an empty one where there is nothing to read.
    ///
    /// # Errors
    /// [`Error::Payload`](crate::Error::Payload) where it is not what a client sends, [`Error::Library`](crate::Error::Library)
    /// where the stream cannot be read.
    pub fn read(mut input: impl BufRead) -> Result<Self> {
        let failed = |source| waynote::Error::file("standard input", "read", source);
        if input.fill_buf().map_err(failed)?.is_empty() {
            return Ok(Self::default());
        }
        let mut reader = serde_json::Deserializer::from_reader(input.take(MAX_BYTES));
        Ok(Self::deserialize(&mut reader)?)
    }

    /// Reads the arguments of a call that answers a hook. What a client could not replace says nothing.
    ///
    /// # Errors
    /// [`Error::Payload`](crate::Error::Payload).
    pub fn of_call(arguments: &serde_json::Map<String, Value>) -> Result<Self> {
        let is_said = |value: &Value| {
            value
                .as_str()
                .is_none_or(|text| !text.is_empty() && !text.starts_with("${"))
        };
        let mut input = arguments.clone();
        input.retain(|_, value| is_said(value));
        let of_tool = ["file_path", "notebook_path", "command"];
        let of_tool = of_tool
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), input.remove(*name)?)));
        let of_tool: serde_json::Map<String, Value> = of_tool.collect();
        input.insert("tool_input".into(), of_tool.into());
        Ok(serde_json::from_value(input.into())?)
    }

    /// The client's own name of the session.
    pub fn session(&self) -> Option<&str> {
        [
            &self.session_id,
            &self.session_id_in_camel_case,
            &self.conversation_id,
        ]
        .into_iter()
        .find_map(|id| id.as_deref().filter(|id| !id.is_empty()))
    }

    /// Why the session starts: `startup`, `resume`, `clear`, `compact`, …
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref().or(self.trigger.as_deref())
    }

    /// The subagent that starts.
    pub fn subagent(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// True if the session is a subagent's own.
    pub fn is_subagents(&self) -> bool {
        self.parent_id.is_some()
    }

    /// The client's id of the turn in which the event happens; may be empty.
    pub fn turn(&self) -> &str {
        let turn = self.prompt_id.as_deref().or(self.turn_id.as_deref());
        turn.or(self.generation_id.as_deref()).unwrap_or_default()
    }

    /// The file in which the client keeps the conversation.
    pub fn transcript(&self) -> Option<&Path> {
        self.transcript_path.as_deref().map(Path::new)
    }

    /// The person's prompt, without the texts of hooks around it, which Gemini CLI sends along.
    pub fn asked(&self) -> Option<Cow<'_, str>> {
        let asked = self.prompt.as_deref().or(self.message.as_deref())?;
        Some(without_hooks(asked))
    }

    /// True if the first or the last line of the prompt switches delivery off for its turn.
    pub fn says_off(&self) -> bool {
        let asked = self.asked().unwrap_or_default();
        let mut lines = asked.lines().map(str::trim).filter(|line| !line.is_empty());
        let ends = [lines.next(), lines.next_back()];
        ends.into_iter()
            .flatten()
            .any(|line| line.eq_ignore_ascii_case(OFF))
    }

    /// True if the turn ended by itself: nobody interrupted it, and no hook has made it go on before.
    pub fn has_ended(&self) -> bool {
        let is_first = self.stop_hook_active != Value::Bool(true);
        is_first
            && self
                .status
                .as_deref()
                .is_none_or(|status| status == "completed")
    }

    /// The directory from which relative paths start.
    pub fn working_directory(&self) -> Option<&str> {
        self.tool
            .directory()
            .or(self.cwd.as_deref())
            .or(self.working_dir.as_deref())
    }

    /// The directories it names, the most telling first.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        [&self.workspace_roots, &self.cwd, &self.working_dir]
            .into_iter()
            .filter_map(Option::as_deref)
    }

    /// True if Cursor sent it: it runs other clients' hooks too.
    pub fn is_cursors(&self) -> bool {
        self.cursor_version.is_some() || self.conversation_id.is_some()
    }
}

/// A prompt without the texts of hooks in it. One that does not end is a person's own words.
fn without_hooks(asked: &str) -> Cow<'_, str> {
    const BEGIN: &str = "<hook_context>";
    const END: &str = "</hook_context>";
    let mut left = Cow::Borrowed(asked);
    while let Some(begin) = left.find(BEGIN) {
        let Some(length) = left[begin..].find(END) else {
            break;
        };
        let end = begin + length + END.len();
        left.to_mut().replace_range(begin..end, " ");
    }
    match left {
        Cow::Borrowed(asked) => Cow::Borrowed(asked),
        Cow::Owned(asked) => Cow::Owned(asked.trim().to_owned()),
    }
}

pub(super) fn text<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<String>, D::Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(prompt: &str) -> String {
        let payload = serde_json::json!({ "prompt": prompt });
        let payload: Payload = serde_json::from_value(payload).unwrap();
        payload.asked().unwrap().into_owned()
    }

    #[test]
    fn what_hooks_added_is_not_what_the_person_asked() {
        assert_eq!(asked("how do we deploy?"), "how do we deploy?");
        let block = "<hook_context>## Notes\n\ndeploy</hook_context>";
        assert_eq!(asked(&format!("{block}\n\nhello")), "hello");
        assert_eq!(asked(&format!("{block}hello{block}")), "hello");
        assert_eq!(asked(block), "");
        let open = "what does <hook_context> mean?";
        assert_eq!(asked(open), open);
    }

    #[test]
    fn a_line_at_either_end_of_a_prompt_switches_delivery_off() {
        let is_off = |prompt: &str| {
            let payload = serde_json::json!({ "prompt": prompt });
            let payload: Payload = serde_json::from_value(payload).unwrap();
            payload.says_off()
        };
        for off in [
            "waynote: off",
            "Waynote: OFF\n\nfix it",
            "fix it\n  waynote: off \n",
        ] {
            assert!(is_off(off), "{off}");
        }
        for on in [
            "",
            "fix it",
            "a\nwaynote: off\nb",
            "what does `waynote: off` do?",
        ] {
            assert!(!is_off(on), "{on}");
        }
    }

    #[test]
    fn a_turn_has_the_name_that_its_client_gives_it() {
        let turn = |payload: &str| {
            let payload: Payload = serde_json::from_str(payload).unwrap();
            payload.turn().to_owned()
        };
        assert_eq!(turn(r#"{"prompt_id": "p"}"#), "p");
        assert_eq!(turn(r#"{"turn_id": "t", "prompt_id": 5}"#), "t");
        assert_eq!(turn("{}"), "");
    }
}
