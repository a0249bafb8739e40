//! A scripted model on loopback: it answers as a script tells it to, in the four wire formats that the clients speak, and
//! keeps every request for the checks.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kit::at_once::lock;
use serde_json::{Value, json};

use super::wire::{Dialect, Part, Role};

/// The model's reaction to a request.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// Says a text, which ends the turn.
    Say(String),
    /// Calls the tool whose name ends so.
    Call(&'static str, Value),
    /// Answers with an HTTP error.
    Fail(u16),
    /// Takes the request and never answers.
    Hang,
}

impl Reply {
    pub(super) fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }
}

/// Decides on the reply to a request of a conversation.
type Script = dyn Fn(&Request) -> Reply + Send + Sync;

/// A request of a conversation, the same for every wire format.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The text for the model, the tool definitions left out.
    pub(super) parts: Vec<Part>,
    /// Each tool's name, and the namespace it is offered in.
    pub(super) tools: Vec<(String, Option<String>)>,
    /// As it came.
    pub(super) body: Value,
}

impl Request {
    /// How often the model reads a text.
    pub(super) fn count(&self, text: &str) -> usize {
        self.parts
            .iter()
            .map(|part| part.text.matches(text).count())
            .sum()
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        self.count(text) > 0
    }

    /// True if the model is asked to go on after a tool's result.
    pub(super) fn is_after_tool(&self) -> bool {
        let said = self.parts.iter().rev().map(|part| part.role);
        // Additions of hooks stand as a system message or beside the result.
        said.filter(|role| *role != Role::System)
            .take_while(|role| *role != Role::Assistant)
            .any(|role| role == Role::Tool)
    }

    /// The name under which a tool is offered.
    pub(super) fn offered(&self, wanted: &str) -> Option<&(String, Option<String>)> {
        self.tools.iter().find(|(name, _)| {
            name.strip_suffix(wanted)
                .is_some_and(|before| !before.ends_with(|last: char| last.is_alphanumeric()))
        })
    }
}

/// A model that listens until the process ends.
pub(super) struct Model {
    pub(super) port: u16,
    state: Arc<State>,
}

struct State {
    script: Mutex<Arc<Script>>,
    /// The tokens that it says a prompt has.
    tokens: AtomicU64,
    /// Calls that it made, which names them.
    calls: AtomicUsize,
    /// The requests of conversations, in the order in which they came.
    requests: Mutex<Vec<Request>>,
    /// Requests without tools: titles, summaries, checks of a name.
    beside: Mutex<Vec<Request>>,
    /// The last request of each turn that it has ended.
    ended: Mutex<Vec<Request>>,
}

impl Model {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State {
            script: Mutex::new(Arc::new(|_| Reply::say("done"))),
            tokens: AtomicU64::new(100),
            calls: AtomicUsize::new(0),
            requests: Mutex::default(),
            beside: Mutex::default(),
            ended: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // A client that goes away in mid-reply is no fault here.
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Ok(Self { port, state })
    }

    /// Sets what it does from now on.
    pub(super) fn does(&self, script: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        *lock(&self.state.script) = Arc::new(script);
    }

    /// Calls one tool in each turn of a person, then says a word.
    pub(super) fn calls(&self, tool: &'static str, input: Value) {
        self.does(move |request| match request.is_after_tool() {
            true => Reply::say("done"),
            false => Reply::Call(tool, input.clone()),
        });
    }

    /// Says a word in each turn.
    pub(super) fn answers(&self) {
        self.does(|_| Reply::say("done"));
    }

    /// Sets how many tokens it says that a prompt has: what compaction goes by.
    pub(super) fn reports_tokens(&self, tokens: u64) {
        self.state.tokens.store(tokens, Ordering::SeqCst);
    }

    /// The requests of conversations so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        lock(&self.state.requests).clone()
    }

    /// True if it has ended a turn in which a text stood.
    pub(super) fn has_ended(&self, text: &str) -> bool {
        lock(&self.state.ended)
            .iter()
            .any(|request| request.contains(text))
    }

    /// The requests that offered no tools.
    pub(super) fn beside(&self) -> Vec<Request> {
        lock(&self.state.beside).clone()
    }
}

fn serve(stream: TcpStream, state: &State) -> Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (path, body) = read_request(&mut reader)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let Some((dialect, is_stream)) = Dialect::of(path, &body) else {
        // Small questions beside a conversation: how many tokens, which models.
        let answer = json!({ "input_tokens": 10, "data": [], "models": [], "totalTokens": 10 });
        return respond(stream, 200, "application/json", &answer.to_string());
    };
    let request = Request {
        parts: dialect.parts(&body),
        tools: dialect.tools(&body),
        body,
    };
    let is_beside = request.tools.is_empty();
    let list = if is_beside {
        &state.beside
    } else {
        &state.requests
    };
    lock(list).push(request.clone());
    let script = Arc::clone(&lock(&state.script));
    let reply = match is_beside && !is_summary(&request) {
        // A title or a choice, which no script is about.
        true if request.contains("title") => Reply::say("A title"),
        true => Reply::say("{}"),
        false => script(&request),
    };
    let reply = match reply {
        // Some clients ask for it as a conversation's next turn; each has marks of its own.
        Reply::Say(_) | Reply::Call(..) if is_summary(&request) => {
            Reply::say(match request.contains("<state_snapshot>") {
                true => "<state_snapshot>summary-of-before</state_snapshot>",
                false => "<analysis>all of it</analysis>\n<summary>summary-of-before</summary>",
            })
        }
        reply => reply,
    };
    // A conversation starts short again after a summary.
    let tokens = match request.contains(SUMMARY) || is_summary(&request) {
        true => 100,
        false => state.tokens.load(Ordering::SeqCst),
    };
    match reply {
        Reply::Hang => {
            // Until the client gives up.
            stream.set_read_timeout(None)?;
            let mut rest = Vec::new();
            reader.read_to_end(&mut rest)?;
            Ok(())
        }
        Reply::Fail(status) => {
            let error = json!({ "type": "error", "error": {
                "type": "invalid_request_error", "code": status, "status": "FAILED",
                "message": "scripted-failure of the provider",
            }});
            respond(stream, status, "application/json", &error.to_string())
        }
        Reply::Say(text) => {
            let item = dialect.said(&request.body, &text, tokens, is_stream);
            respond(stream, 200, kind(is_stream), &item)?;
            lock(&state.ended).push(request);
            Ok(())
        }
        Reply::Call(tool, input) => {
            let number = state.calls.fetch_add(1, Ordering::SeqCst);
            let text = match request.offered(tool) {
                Some((name, namespace)) => {
                    let call = super::wire::Call {
                        number,
                        name,
                        namespace: namespace.as_deref(),
                        input: &input,
                    };
                    dialect.called(&request.body, &call, tokens)
                }
                // The check finds this in the next request, or that nothing was done.
                None => {
                    let text = format!("the tool {tool} is not offered");
                    dialect.said(&request.body, &text, tokens, is_stream)
                }
            };
            respond(stream, 200, kind(is_stream), &text)
        }
    }
}

/// The text of every summary.
pub(super) const SUMMARY: &str = "summary-of-before";

/// True if the client asks for a summary of the conversation, which is how each of them compacts.
pub(super) fn is_summary(request: &Request) -> bool {
    const ASKS: [&str; 8] = [
        // Claude Code
        "Your task is to create a detailed summary of",
        // Codex
        "CONTEXT CHECKPOINT COMPACTION",
        // Gemini CLI
        "a new <state_snapshot>",
        "the <state_snapshot> you just generated",
        // Qwen Code
        "Then, produce the <state_snapshot> XML",
        // opencode
        "detailed prompt for continuing our conversation",
        "anchored summary",
        // Goose
        "summarize the conversation",
    ];
    // Earlier requests stand in the conversation too.
    let last = request
        .parts
        .iter()
        .rposition(|part| part.role == Role::Assistant);
    let asked = request.parts.iter().skip(last.map_or(0, |last| last + 1));
    let system = request.parts.iter().take(1);
    asked
        .chain(system)
        .any(|part| ASKS.iter().any(|text| part.text.contains(text)))
}

fn kind(is_stream: bool) -> &'static str {
    match is_stream {
        true => "text/event-stream",
        false => "application/json",
    }
}

fn respond(mut stream: TcpStream, status: u16, kind: &str, body: &str) -> Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(parts: &[(Role, &str)]) -> Request {
        let part = |(role, text): &(Role, &str)| Part {
            role: *role,
            text: (*text).to_owned(),
        };
        Request {
            parts: parts.iter().map(part).collect(),
            tools: vec![
                ("mcp__waynote__note_save".into(), None),
                ("TodoWrite".into(), None),
            ],
            body: Value::Null,
        }
    }

    #[test]
    fn a_turn_is_over_when_the_assistant_has_spoken() {
        let called = [
            (Role::User, "ask"),
            (Role::Assistant, "call"),
            (Role::Tool, "saved"),
        ];
        assert!(request(&called).is_after_tool());
        // A hook's addition beside the result changes nothing.
        let mut more = called.to_vec();
        more.push((Role::System, "block"));
        assert!(request(&more).is_after_tool());
        more.extend([(Role::Assistant, "done"), (Role::User, "ask again")]);
        assert!(!request(&more).is_after_tool());
    }

    #[test]
    fn tools_are_named_by_their_end() {
        let request = request(&[]);
        assert!(request.offered("note_save").is_some());
        assert!(request.offered("Write").is_none());
    }

    #[test]
    fn only_what_is_asked_now_asks_for_a_summary() {
        let asks = "Generate a new <state_snapshot> based on the provided history.";
        assert!(is_summary(&request(&[
            (Role::User, "hello"),
            (Role::User, asks)
        ])));
        let later = [
            (Role::User, asks),
            (Role::Assistant, "summary"),
            (Role::User, "go on"),
        ];
        assert!(!is_summary(&request(&[
            (Role::System, "be kind"),
            later[0],
            later[1],
            later[2]
        ])));
    }
}
