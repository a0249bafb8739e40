//! A tool's call in a client's input: its paths, its command, and how it failed. Clients name the same things by
//! different words.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The members of a tool's input that name a path, and those that hold a command or a patch.
const PATHS: [&str; 7] = [
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "target_file",
    "path",
    "dir_path",
];
const COMMANDS: [&str; 5] = ["command", "cmd", "patchText", "patch", "input"];

/// The members that name the directory of a command.
const DIRECTORIES: [&str; 4] = ["workdir", "working_directory", "cwd", "directory"];

/// What a line of a patch names a file with.
const FILES: [&str; 4] = [
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];
const PATCH: &str = "*** Begin Patch";

/// Parts of the names of tools that change files.
const CHANGES: [&str; 6] = ["edit", "write", "patch", "replace", "create", "delete"];

/// Members of a result, in which clients put how it ended and what it printed.
const CODES: [&str; 3] = ["exit_code", "exitCode", "exit"];
const TEXTS: &str = "textResultForLlm text_result_for_llm error_message message stderr output llmContent stdout text";

/// The fields in which clients put what a tool was called with, and what came of it.
const INPUTS: [&str; 3] = ["tool_input", "tool_args", "toolArgs"];
const RESULTS: [&str; 4] = ["tool_response", "tool_result", "toolResult", "tool_output"];

/// The other fields that are read: those of a session, of a prompt and of a result.
const OTHERS: &str = "\
    session_id sessionId conversation_id conversationId source trigger agent_id parent_id prompt_id turn_id \
    generation_id transcript_path transcriptPath prompt message status stop_hook_active cwd working_dir \
    workspace_roots workspacePaths cursor_version tool_name toolName is_interrupt error_message error";

/// The fields of an input, among them those about a tool's call. What is not needed is not read.
#[derive(Debug, Default)]
pub(crate) struct ToolCall(Map<String, Value>);

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = ToolCall;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<ToolCall, M::Error> {
        let mut read = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let is_needed = [&INPUTS[..], &RESULTS]
                .iter()
                .any(|names| names.contains(&&*name));
            let is_needed = is_needed || OTHERS.split(' ').any(|of| of == name);
            match is_needed {
                true => drop(read.insert(name, members.next_value()?)),
                false => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(ToolCall(read))
    }
}

impl ToolCall {
    /// The first of these fields that is there; null where none is.
    pub(super) fn field(&self, names: &[&str]) -> &Value {
        let mut fields = names.iter().filter_map(|name| self.0.get(*name));
        fields
            .find(|value| !value.is_null())
            .unwrap_or(&Value::Null)
    }

    /// The first of these fields that is a text.
    pub(super) fn text_of(&self, names: &[&str]) -> Option<&str> {
        let mut fields = names.iter().filter_map(|name| self.0.get(*name));
        fields.find_map(Value::as_str)
    }

    /// The tool's name, as the client has it.
    pub(super) fn name(&self) -> &str {
        self.text_of(&["tool_name", "toolName"]).unwrap_or_default()
    }

    /// What the tool was called with. Some clients send it as a text of JSON.
    fn input(&self) -> Value {
        opened(self.field(&INPUTS))
    }

    /// The paths that it names itself.
    pub(super) fn paths(&self) -> Vec<String> {
        let input = self.input();
        if let Some(patch) = self.patch() {
            let named = |line: &str| {
                FILES
                    .iter()
                    .find_map(|head| line.strip_prefix(head))
                    .map(str::to_owned)
            };
            return patch.lines().filter_map(named).collect();
        }
        let paths = PATHS.iter().filter_map(|name| input[*name].as_str());
        paths.map(str::to_owned).collect()
    }

    /// The command that it runs.
    pub(super) fn command(&self) -> Option<String> {
        self.text().filter(|text| !text.contains(PATCH))
    }

    fn patch(&self) -> Option<String> {
        self.text().filter(|text| text.contains(PATCH))
    }

    fn text(&self) -> Option<String> {
        let input = self.input();
        COMMANDS.iter().find_map(|name| match &input[*name] {
            Value::String(text) => Some(text.clone()),
            // Words, of which the last is what a shell runs.
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some(match words[..] {
                    [_, "-c" | "-lc", script] => script.to_owned(),
                    _ => words.join(" "),
                })
            }
            _ => None,
        })
    }

    /// The directory in which its command runs, if it names one.
    pub(super) fn directory(&self) -> Option<&str> {
        let inputs = INPUTS.iter().filter_map(|name| self.0.get(*name));
        let named = inputs.flat_map(|input| DIRECTORIES.iter().map(|name| &input[*name]));
        named
            .filter_map(Value::as_str)
            .find(|directory| directory.starts_with('/'))
    }

    /// True if it changes files, by its name.
    pub(super) fn is_change(&self) -> bool {
        let name = self.name().to_lowercase();
        CHANGES.iter().any(|part| name.contains(part))
    }

    /// What a failed tool said. `is_known` tells that it failed; else its result has to. `reads` decides by the text where
    /// the client gives no code. An interrupted tool did not fail.
    pub(super) fn failure(&self, is_known: bool, reads: fn(&str) -> bool) -> Option<String> {
        let result = opened(self.field(&RESULTS));
        if *self.field(&["is_interrupt"]) == true || result["interrupted"] == true {
            return None;
        }
        let error = self.text_of(&["error_message"]).map(str::to_owned);
        let error = error.or_else(|| said(self.field(&["error"])));
        if error.is_some() {
            return error;
        }
        let result = match &result["metadata"] {
            Value::Object(_) if code(&result).is_none() => {
                let mut result = result.clone();
                result["exit_code"] = code(&result["metadata"]).map_or(Value::Null, Value::from);
                result
            }
            _ => result,
        };
        let text = said(&result).unwrap_or_default();
        let has_failed = match code(&result).or_else(|| code_at_end(&text)) {
            Some(code) => code != 0,
            None => {
                !result["error"].is_null()
                    || [&result["resultType"], &result["result_type"]]
                        .iter()
                        .any(|kind| **kind == "failure")
                    || is_known
                    || reads(&text)
            }
        };
        (has_failed && !text.is_empty()).then_some(text)
    }

    /// What was done, in a few words.
    pub(super) fn label(&self) -> String {
        const CHARS: usize = 100;
        let of = self.paths().into_iter().next().or_else(|| self.command());
        let label = format!("{} {}", self.name(), of.unwrap_or_default());
        let first = label.lines().next().unwrap_or_default();
        waynote::text::cut(&waynote::secrets::masked(first), CHARS)
            .trim_end()
            .to_owned()
    }
}

/// The value within a text of JSON; any other value as it is.
fn opened(value: &Value) -> Value {
    let inner = value.as_str().filter(|text| text.starts_with(['{', '[']));
    let inner = inner.and_then(|text| serde_json::from_str(text).ok());
    inner.unwrap_or_else(|| value.clone())
}

fn code(result: &Value) -> Option<i64> {
    CODES.iter().find_map(|name| result[*name].as_i64())
}

/// The exit code in the last line of a result's text: `<shellId: 0 completed with exit code 7>`. Copilot CLI puts it there,
/// and counts the call as a success.
fn code_at_end(text: &str) -> Option<i64> {
    let line = text.trim_end().lines().last()?;
    let line = line.strip_prefix('<')?.strip_suffix('>')?;
    line.rsplit_once("exit code ")?.1.parse().ok()
}

/// The text in a result.
fn said(result: &Value) -> Option<String> {
    match result {
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Array(parts) => {
            let parts: Vec<String> = parts.iter().filter_map(said).collect();
            (!parts.is_empty()).then(|| parts.join("\n"))
        }
        Value::Object(members) => {
            let error = members.get("error").and_then(said);
            let texts = TEXTS.split(' ');
            let texts = texts.filter_map(|name| members.get(name).and_then(said));
            let texts: Vec<String> = error.into_iter().chain(texts).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(input: Value) -> ToolCall {
        serde_json::from_value(input).unwrap()
    }

    #[test]
    fn paths_and_commands_are_found_in_every_form() {
        let patch =
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Move to: src/b.rs\n*** End Patch";
        for (input, paths, command) in [
            (
                json!({ "tool_name": "Read", "tool_input": { "file_path": "/p/x" } }),
                vec!["/p/x"],
                None,
            ),
            (
                json!({ "tool_name": "read", "tool_input": { "filePath": "x" } }),
                vec!["x"],
                None,
            ),
            (
                json!({ "tool_name": "Bash", "tool_input": { "command": "ls x" } }),
                vec![],
                Some("ls x"),
            ),
            (
                json!({ "toolName": "bash", "toolArgs": "{\"command\":\"ls x\"}" }),
                vec![],
                Some("ls x"),
            ),
            (
                json!({ "tool_name": "shell", "tool_input": { "command": ["bash", "-lc", "ls x"] } }),
                vec![],
                Some("ls x"),
            ),
            (
                json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } }),
                vec!["src/a.rs", "src/b.rs"],
                None,
            ),
            (
                json!({ "tool_name": "Read", "tool_input": 5 }),
                vec![],
                None,
            ),
            (json!({}), vec![], None),
        ] {
            let call = call(input.clone());
            assert_eq!(call.paths(), paths, "{input}");
            assert_eq!(call.command().as_deref(), command, "{input}");
        }
        for (name, expected) in [
            ("Edit", true),
            ("apply_patch", true),
            ("Read", false),
            ("Bash", false),
        ] {
            assert_eq!(
                call(json!({ "tool_name": name })).is_change(),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn a_failure_is_what_the_client_says_it_is() {
        for (input, is_known, expected) in [
            (
                json!({ "error": "Exit code 3\nno such table" }),
                true,
                Some("Exit code 3\nno such table"),
            ),
            (
                json!({ "error": "stopped", "is_interrupt": true }),
                true,
                None,
            ),
            (json!({ "tool_response": "all well" }), false, None),
            (
                json!({ "tool_response": "fatal: no" }),
                false,
                Some("fatal: no"),
            ),
            (
                json!({ "tool_response": { "output": "fatal: no", "metadata": { "exit_code": 0 } } }),
                false,
                None,
            ),
            (
                json!({ "tool_response": { "output": "odd", "metadata": { "exit_code": 2 } } }),
                false,
                Some("odd"),
            ),
            (
                json!({ "tool_output": "{\"output\":\"odd\",\"exitCode\":1}" }),
                false,
                Some("odd"),
            ),
            (
                json!({ "tool_response": { "llmContent": "x", "error": { "message": "no" } } }),
                false,
                Some("no\nx"),
            ),
            (
                json!({ "tool_result": { "resultType": "failure", "textResultForLlm": "no" } }),
                false,
                Some("no"),
            ),
            (
                json!({ "tool_result": { "result_type": "success", "text_result_for_llm":
                    "odd\n<shellId: 0 completed with exit code 7>" } }),
                false,
                Some("odd\n<shellId: 0 completed with exit code 7>"),
            ),
            (
                json!({ "tool_result": { "result_type": "success", "text_result_for_llm":
                    "fatal: in a test\n<shellId: 0 completed with exit code 0>" } }),
                false,
                None,
            ),
            (
                json!({ "tool_result": { "resultType": "success", "textResultForLlm": "ok" } }),
                false,
                None,
            ),
        ] {
            let found = call(input.clone()).failure(is_known, |text| text.starts_with("fatal"));
            assert_eq!(found.as_deref(), expected, "{input}");
        }
    }

    #[test]
    fn a_label_is_short_and_has_no_credential() {
        let token = format!("gh{}_{}", 'p', &"aZ3kQ9xW7m".repeat(4)[..36]);
        let command = format!(
            "curl -H 'Authorization: Bearer {token}' {}\nls",
            "x".repeat(200)
        );
        let label =
            call(json!({ "tool_name": "Bash", "tool_input": { "command": command } })).label();
        assert!(
            label.starts_with("Bash curl") && !label.contains(&token),
            "{label}"
        );
        assert!(label.chars().count() <= 101, "{label}");
    }
}
