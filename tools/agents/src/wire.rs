//! The four wire formats that the clients speak with their models: what a request says, and how a reply looks.

use serde_json::{Value, json};

/// The speaker of a part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The system prompt, a developer's message or a reminder of the client.
    System,
    User,
    Assistant,
    Tool,
}

/// A part of what a model reads.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) role: Role,
    pub(super) text: String,
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    OpenAiResponses,
    OpenAiCompletions,
    Google,
}

/// A tool call of the model.
pub(super) struct Call<'a> {
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) namespace: Option<&'a str>,
    pub(super) input: &'a Value,
}

impl Dialect {
    /// The format of a request, and whether its reply is a stream.
    pub(super) fn of(path: &str, body: &Value) -> Option<(Self, bool)> {
        let is_stream = body["stream"].as_bool().unwrap_or_default();
        if path.ends_with("/messages") {
            Some((Self::Anthropic, is_stream))
        } else if path.ends_with("/responses") {
            Some((Self::OpenAiResponses, is_stream))
        } else if path.ends_with("/chat/completions") {
            Some((Self::OpenAiCompletions, is_stream))
        } else if path.ends_with(":streamGenerateContent") {
            Some((Self::Google, true))
        } else if path.ends_with(":generateContent") {
            Some((Self::Google, false))
        } else {
            None
        }
    }

    /// The text for the model, in its order.
    pub(super) fn parts(self, body: &Value) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut add = |role, value: &Value| {
            if !value.is_null() {
                parts.push(Part {
                    role,
                    text: text_of(value),
                });
            }
        };
        let each = |value: &Value| value.as_array().cloned().unwrap_or_default();
        match self {
            Self::Anthropic => {
                add(Role::System, &body["system"]);
                for message in each(&body["messages"]) {
                    match message["content"].as_array() {
                        None => add(role(&message["role"]), &message["content"]),
                        Some(blocks) => {
                            for block in blocks {
                                let said_by = match block["type"].as_str() {
                                    Some("tool_result") => Role::Tool,
                                    _ => role(&message["role"]),
                                };
                                add(said_by, block);
                            }
                        }
                    }
                }
            }
            Self::OpenAiResponses => {
                add(Role::System, &body["instructions"]);
                for item in each(&body["input"]) {
                    let kind = item["type"].as_str().unwrap_or_default();
                    let said_by = match kind {
                        _ if kind.ends_with("_call_output") => Role::Tool,
                        _ if kind.ends_with("_call") => Role::Assistant,
                        _ => role(&item["role"]),
                    };
                    add(said_by, &item);
                }
            }
            Self::OpenAiCompletions => {
                for message in each(&body["messages"]) {
                    add(role(&message["role"]), &message);
                }
            }
            Self::Google => {
                add(Role::System, &body["systemInstruction"]);
                for message in each(&body["contents"]) {
                    for part in each(&message["parts"]) {
                        let said_by = match part["functionResponse"].is_object() {
                            true => Role::Tool,
                            false => role(&message["role"]),
                        };
                        add(said_by, &part);
                    }
                }
            }
        }
        parts
    }

    /// The tools that a request offers, each with its namespace.
    pub(super) fn tools(self, body: &Value) -> Vec<(String, Option<String>)> {
        let mut found = Vec::new();
        tools(&body["tools"], None, &mut found);
        found
    }

    /// The reply that says a text.
    pub(super) fn said(self, body: &Value, text: &str, tokens: u64, is_stream: bool) -> String {
        match self {
            Self::Anthropic => {
                let block = json!({ "type": "text", "text": "" });
                let delta = json!({ "type": "text_delta", "text": text });
                match is_stream {
                    true => anthropic(body, &block, &delta, "end_turn", tokens),
                    false => json!({
                        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
                        "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn",
                        "stop_sequence": null, "usage": { "input_tokens": tokens, "output_tokens": 1 },
                    })
                    .to_string(),
                }
            }
            Self::OpenAiResponses => responses(
                &json!({
                    "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{ "type": "output_text", "text": text, "annotations": [] }],
                }),
                tokens,
            ),
            Self::OpenAiCompletions if is_stream => {
                let delta = json!({ "role": "assistant", "content": text });
                completions(body, &delta, "stop", tokens)
            }
            Self::OpenAiCompletions => json!({
                "id": "chat_1", "object": "chat.completion", "created": 1, "model": body["model"],
                "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1 },
            })
            .to_string(),
            Self::Google => google(&json!({ "text": text }), tokens, is_stream),
        }
    }

    /// The reply that calls a tool.
    pub(super) fn called(self, body: &Value, call: &Call<'_>, tokens: u64) -> String {
        let Call {
            number,
            name,
            namespace,
            input,
        } = call;
        let arguments = input.to_string();
        match self {
            Self::Anthropic => {
                let block = json!({ "type": "tool_use", "id": format!("toolu_{number}"), "name": name, "input": {} });
                let delta = json!({ "type": "input_json_delta", "partial_json": arguments });
                anthropic(body, &block, &delta, "tool_use", tokens)
            }
            Self::OpenAiResponses => {
                let mut item = json!({
                    "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                    "name": name, "arguments": arguments, "status": "completed",
                });
                if let Some(namespace) = namespace {
                    item["namespace"] = json!(namespace);
                }
                responses(&item, tokens)
            }
            Self::OpenAiCompletions => {
                let delta = json!({ "role": "assistant", "tool_calls": [{
                    "index": 0, "id": format!("call_{number}"), "type": "function",
                    "function": { "name": name, "arguments": arguments },
                }]});
                completions(body, &delta, "tool_calls", tokens)
            }
            Self::Google => google(
                &json!({ "functionCall": { "name": name, "args": input } }),
                tokens,
                true,
            ),
        }
    }
}

fn role(word: &Value) -> Role {
    match word.as_str() {
        Some("assistant" | "model") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        Some("tool") => Role::Tool,
        _ => Role::User,
    }
}

/// Every text in a value, unescaped, one after the other.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => {
            let texts = object.values().map(text_of);
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn tools(list: &Value, within: Option<&str>, found: &mut Vec<(String, Option<String>)>) {
    for tool in list.as_array().into_iter().flatten() {
        let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
        if tool["functionDeclarations"].is_array() {
            tools(&tool["functionDeclarations"], None, found);
        } else if tool["tools"].is_array() {
            tools(&tool["tools"], name, found);
        } else if let Some(name) = name {
            found.push((name.to_owned(), within.map(str::to_owned)));
        }
    }
}

/// Server-sent events, named by their type where they have one.
fn events(events: &[Value]) -> String {
    let event = |event: &Value| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(event).collect()
}

fn anthropic(body: &Value, block: &Value, delta: &Value, stop: &str, tokens: u64) -> String {
    let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
    events(&[
        json!({ "type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage,
        }}),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ])
}

fn responses(item: &Value, tokens: u64) -> String {
    let usage = json!({
        "input_tokens": tokens, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 1, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": tokens + 1,
    });
    events(&[
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "output": [item], "usage": usage } }),
    ])
}

fn completions(body: &Value, delta: &Value, reason: &str, tokens: u64) -> String {
    let chunk = |delta: &Value, reason: Option<&str>| {
        json!({
            "id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": body["model"],
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        })
    };
    let mut last = chunk(&json!({}), Some(reason));
    last["usage"] =
        json!({ "prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1 });
    events(&[chunk(delta, None), last]) + "data: [DONE]\n\n"
}

fn google(part: &Value, tokens: u64, is_stream: bool) -> String {
    let reply = json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": tokens, "candidatesTokenCount": 1, "totalTokenCount": tokens + 1,
        },
    });
    match is_stream {
        true => events(&[reply]),
        false => reply.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of each format's request, by speaker.
    fn said(dialect: Dialect, body: &Value) -> Vec<(Role, String)> {
        let parts = dialect.parts(body).into_iter();
        parts.map(|part| (part.role, part.text)).collect()
    }

    #[test]
    fn a_tools_result_is_no_persons_word() {
        let body = json!({ "system": "s", "tools": [{ "name": "t", "description": "block" }], "messages": [
            { "role": "user", "content": "ask" },
            { "role": "user", "content": [{ "type": "tool_result", "content": [{ "type": "text", "text": "block" }] }] },
        ]});
        let roles: Vec<Role> = said(Dialect::Anthropic, &body)
            .into_iter()
            .map(|(role, _)| role)
            .collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Tool]);
        assert_eq!(Dialect::Anthropic.tools(&body), [("t".to_owned(), None)]);
    }

    #[test]
    fn texts_are_read_unescaped_and_whole() {
        let body = json!({ "input": [
            { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "a \"quoted\"\nblock" }] },
            { "type": "function_call_output", "call_id": "1", "output": "block" },
        ]});
        let said = said(Dialect::OpenAiResponses, &body);
        assert!(said[0].1.contains("a \"quoted\"\nblock"));
        assert_eq!(said[1].0, Role::Tool);
    }

    #[test]
    fn tools_are_found_within_their_namespaces() {
        let body = json!({ "tools": [
            { "type": "namespace", "name": "mcp__waynote", "tools": [{ "name": "note_save" }] },
            { "functionDeclarations": [{ "name": "mcp_waynote_note_list" }] },
            { "type": "function", "function": { "name": "waynote_note_add" } },
        ]});
        assert_eq!(
            Dialect::OpenAiCompletions.tools(&body),
            [
                ("note_save".to_owned(), Some("mcp__waynote".to_owned())),
                ("mcp_waynote_note_list".to_owned(), None),
                ("waynote_note_add".to_owned(), None),
            ]
        );
    }
}
