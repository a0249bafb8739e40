//! A client's input for a hook: a JSON object, of which a few fields are of use. A field of a wrong kind counts as
//! missing.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use waynote::json::mend;

use super::tool::ToolCall;
use crate::error::Result;

/// A longer input is cut here: no client sends one, even with the contents of files that a tool writes.
const MAX_BYTES: usize = 256 << 20;

/// A read of fewer bytes than this has emptied the pipe for now.
const FULL_READ: usize = 8 << 10;

/// The line of a prompt that switches delivery off for its turn.
const OFF: &str = "waynote: off";

/// An input of a hook. Clients name the same fields by different words, and send others too.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Payload {
    pub(super) tool: ToolCall,
}

impl Payload {
    /// Reads one, without waiting for the end of the stream; an empty one where there is nothing to read. Bytes that are not
    /// UTF-8, and halves of a character that a client cut in two, are read as U+FFFD. `progress` is called at each read.
    ///
    /// # Errors
    /// [`Error::Payload`](crate::Error::Payload) where it is not what a client sends, [`Error::Library`](crate::Error::Library)
    /// where the stream cannot be read.
    pub fn read(mut input: impl BufRead, progress: impl Fn()) -> Result<Self> {
        let failed = |source| waynote::Error::file("standard input", "read", source);
        let mut text = Vec::new();
        while text.len() < MAX_BYTES {
            let read = input.fill_buf().map_err(failed)?;
            let length = read.len();
            text.extend_from_slice(read);
            input.consume(length);
            progress();
            // Some clients leave the stream open behind the object.
            let may_be_whole = length < FULL_READ && text.trim_ascii_end().ends_with(b"}");
            if may_be_whole && let Ok(payload) = serde_json::from_slice(&mend(&text)) {
                return Ok(payload);
            }
            if length == 0 {
                break;
            }
        }
        match mend(&text).trim_ascii() {
            b"" => Ok(Self::default()),
            text => Ok(serde_json::from_slice(text)?),
        }
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
        let mut names = [
            "session_id",
            "sessionId",
            "conversation_id",
            "conversationId",
        ]
        .into_iter();
        names.find_map(|name| self.text(&[name]).filter(|id| !id.is_empty()))
    }

    /// Why the session starts: `startup`, `resume`, `clear`, `compact`, …
    pub fn source(&self) -> Option<&str> {
        self.text(&["source", "trigger"])
    }

    /// The subagent that starts.
    pub fn subagent(&self) -> Option<&str> {
        self.text(&["agent_id"])
    }

    /// True if the session is a subagent's own.
    pub fn is_subagents(&self) -> bool {
        // From waynote's own plugin for opencode: the session that started this one.
        self.text(&["parent_id"]).is_some()
    }

    /// The client's id of the turn in which the event happens; may be empty.
    pub fn turn(&self) -> &str {
        let turn = self.text(&["prompt_id", "turn_id", "generation_id"]);
        turn.unwrap_or_default()
    }

    /// The file in which the client keeps the conversation.
    pub fn transcript(&self) -> Option<&Path> {
        self.text(&["transcript_path", "transcriptPath"])
            .map(Path::new)
    }

    /// The person's prompt, without the texts of hooks around it, which Gemini CLI sends along.
    pub fn asked(&self) -> Option<Cow<'_, str>> {
        self.text(&["prompt", "message"]).map(without_hooks)
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
        let status = self.text(&["status"]);
        *self.tool.field(&["stop_hook_active"]) != true && status.is_none_or(|of| of == "completed")
    }

    /// The directory from which relative paths start.
    pub fn working_directory(&self) -> Option<&str> {
        let own = self.tool.directory();
        own.or_else(|| self.text(&["cwd", "working_dir"]))
    }

    /// The directories it names, the most telling first.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        let roots = self.tool.field(&["workspace_roots", "workspacePaths"]);
        let mut roots = roots.as_array().into_iter().flatten();
        let root = roots.find_map(Value::as_str).into_iter();
        let more = ["cwd", "working_dir"].into_iter();
        root.chain(more.filter_map(|name| self.text(&[name])))
    }

    /// True if Cursor sent it: it runs other clients' hooks too.
    pub fn is_cursors(&self) -> bool {
        self.text(&["cursor_version", "conversation_id"]).is_some()
    }

    fn text(&self, names: &[&str]) -> Option<&str> {
        self.tool.text_of(names)
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
    fn an_input_is_read_with_the_faults_that_clients_leave_in_it() {
        let read = |text: &[u8]| Payload::read(text, || {}).unwrap();
        for (text, asked) in [
            (&b"\xEF\xBB\xBF{\"prompt\": \"a\"}"[..], "a"),
            (b"{\"prompt\": \"cut \\ud83d\"}", "cut \u{FFFD}"),
            (b"{\"prompt\": \"a\xFFb\"}\n", "a\u{FFFD}b"),
            (b"{\"prompt\": \"a\", \"other\": \"\\ud83d\xFF\"}", "a"),
        ] {
            assert_eq!(read(text).asked().as_deref(), Some(asked));
        }
        let failed = read(b"{\"tool_response\": {\"stderr\": \"no \\ude80\", \"exit_code\": 1}}");
        let failure = failed.tool.failure(false, |_| false);
        assert_eq!(failure.as_deref(), Some("no \u{FFFD}"));
        assert_eq!(read(b" \n").session(), None);
        assert!(Payload::read(&b"[]"[..], || {}).is_err());
        assert!(Payload::read(&b"{\"prompt\": "[..], || {}).is_err());
    }

    #[test]
    fn a_long_input_is_read_without_what_is_not_needed() {
        let content = "x{}".repeat(8 << 20);
        let text = format!(
            "{{\"session_id\": \"s\", \"tool_input\": {{\"file_path\": \"/p\", \"content\": \"{content}\"}}, \"more\": \"{content}\"}}"
        );
        let payload = Payload::read(std::io::BufReader::new(text.as_bytes()), || {}).unwrap();
        assert_eq!(payload.session(), Some("s"));
        assert_eq!(payload.tool.paths(), ["/p"]);
    }

    /// A client may leave the stream open.
    #[test]
    fn the_end_of_the_stream_is_not_waited_for() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"{\"prompt\": \"a\"}\n").unwrap();
        let payload = Payload::read(std::io::BufReader::new(reader), || {}).unwrap();
        assert_eq!(payload.asked().as_deref(), Some("a"));
    }
}
