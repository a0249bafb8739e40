//! A model on loopback that says what a script tells it to: enough of three vendors' interfaces for agents to hold a
//! conversation with it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// What the model does in a conversation.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    /// Says a word.
    Answer,
    /// Calls a tool whose name ends so, then says a word.
    Call { tool: &'static str, input: Value },
    /// The same, in every conversation the next of these.
    Calls(Vec<(&'static str, Value)>),
}

/// A model that listens.
pub(crate) struct Model {
    pub(crate) port: u16,
    state: Arc<State>,
}

struct State {
    script: Script,
    /// Calls that were made.
    called: AtomicUsize,
    /// The bodies of conversations' requests, in the order in which they came.
    requests: Mutex<Vec<Value>>,
}

impl Model {
    /// Listens until the process ends.
    pub(crate) fn start(script: Script) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State {
            script,
            called: AtomicUsize::new(0),
            requests: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // One that goes away in the middle is the agent's business.
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Ok(Self { port, state })
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.state
            .requests
            .lock()
            .map(|requests| requests.clone())
            .unwrap_or_default()
    }
}

fn serve(stream: TcpStream, state: &State) -> Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (path, body) = read_request(&mut reader)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let converse: fn(&State, &Value) -> Vec<Value> = if path.ends_with("/messages") {
        messages
    } else if path.ends_with("/responses") {
        responses
    } else if path.ends_with("/chat/completions") {
        completions
    } else if path.ends_with(":streamGenerateContent") {
        contents
    } else {
        // Small questions beside a conversation: how many tokens, which models, which of them to use.
        let answer = json!({
            "input_tokens": 10, "data": [], "models": [], "totalTokens": 10,
            "candidates": [{ "content": { "role": "model", "parts": [{ "text": "{}" }] }, "finishReason": "STOP" }],
        });
        return respond(stream, "application/json", &answer.to_string());
    };
    remember(state, &body);
    let mut text = String::new();
    for event in converse(state, &body) {
        if let Some(kind) = event["type"].as_str() {
            text += &format!("event: {kind}\n");
        }
        text += &format!("data: {event}\n\n");
    }
    if path.ends_with("/chat/completions") {
        text += "data: [DONE]\n\n";
    }
    respond(stream, "text/event-stream", &text)
}

fn remember(state: &State, body: &Value) {
    if let Ok(mut requests) = state.requests.lock() {
        requests.push(body.clone());
    }
}

fn respond(mut stream: TcpStream, kind: &str, body: &str) -> Result<()> {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    Ok(stream.flush()?)
}

fn read_request(reader: &mut impl BufRead) -> Result<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            bail!("no request");
        }
    }
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(&head)?;
    let path = request.path.context("no path")?.to_owned();
    let header = |name: &str| {
        request
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))
            .and_then(|header| std::str::from_utf8(header.value).ok())
    };
    let mut body = Vec::new();
    if header("transfer-encoding").is_some() {
        chunked_transfer::Decoder::new(reader).read_to_end(&mut body)?;
    } else if let Some(length) = header("content-length") {
        reader.take(length.parse()?).read_to_end(&mut body)?;
    }
    Ok((path, body))
}

/// The name under which the request offers the scripted tool; none when it was called already or is not offered.
fn to_call(state: &State, body: &Value, already: &str) -> Option<(String, Option<String>, Value)> {
    let (tool, input) = match &state.script {
        Script::Answer => return None,
        Script::Call { tool, input } => (tool, input),
        Script::Calls(calls) => {
            let (tool, input) = calls.get(state.called.load(Ordering::SeqCst))?;
            (tool, input)
        }
    };
    if body.to_string().contains(already) {
        return None;
    }
    let (name, namespace) = offered(&body["tools"], tool, None)?;
    state.called.fetch_add(1, Ordering::SeqCst);
    Some((name, namespace, input.clone()))
}

/// A tool's name, and the namespace that it is offered in.
fn offered(tools: &Value, wanted: &str, within: Option<&str>) -> Option<(String, Option<String>)> {
    tools.as_array()?.iter().find_map(|tool| {
        let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
        let name = name.unwrap_or_default();
        if tool["functionDeclarations"].is_array() {
            return offered(&tool["functionDeclarations"], wanted, None);
        }
        if tool["tools"].is_array() {
            return offered(&tool["tools"], wanted, Some(name));
        }
        name.ends_with(wanted)
            .then(|| (name.to_owned(), within.map(str::to_owned)))
    })
}

/// Anthropic's stream of events.
fn messages(state: &State, body: &Value) -> Vec<Value> {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let begin = json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    }});
    let (block, delta, stop) = match to_call(state, body, "\"tool_result\"") {
        Some((name, _, input)) => (
            json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
        None => (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": "done" }),
            "end_turn",
        ),
    };
    vec![
        begin,
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ]
}

/// OpenAI's stream of events.
fn responses(state: &State, body: &Value) -> Vec<Value> {
    let item = match to_call(state, body, "\"function_call_output\"") {
        Some((name, namespace, input)) => {
            let mut item = json!({
                "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name,
                "arguments": input.to_string(), "status": "completed",
            });
            if let Some(namespace) = namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
        None => json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": "done", "annotations": [] }],
        }),
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 1, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 2,
    });
    vec![
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "output": [item], "usage": usage } }),
    ]
}

/// The older stream of OpenAI's, which many speak.
fn completions(state: &State, body: &Value) -> Vec<Value> {
    let (delta, reason) = match to_call(state, body, "\"role\":\"tool\"") {
        Some((name, _, input)) => (
            json!({ "role": "assistant", "tool_calls": [{
                "index": 0, "id": "call_1", "type": "function",
                "function": { "name": name, "arguments": input.to_string() },
            }]}),
            "tool_calls",
        ),
        None => (json!({ "role": "assistant", "content": "done" }), "stop"),
    };
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({
            "id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": body["model"],
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        })
    };
    vec![chunk(delta, None), chunk(json!({}), Some(reason))]
}

/// Google's stream.
fn contents(state: &State, body: &Value) -> Vec<Value> {
    let part = match to_call(state, body, "\"functionResponse\"") {
        Some((name, _, input)) => json!({ "functionCall": { "name": name, "args": input } }),
        None => json!({ "text": "done" }),
    };
    vec![json!({
        "candidates": [{ "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
    })]
}
