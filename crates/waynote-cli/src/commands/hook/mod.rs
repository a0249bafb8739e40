//! `waynote hook`: what a client runs when a session begins, when a subagent begins, and at prompts. Reads what the client says,
//! answers in its schema, and fails open: whatever goes wrong is the answer that adds nothing, exit code 0 and one line on
//! standard error. What was not added is added at the session's next prompt.

mod notes;
mod prompt;
mod session;
mod start;

use std::io::{BufRead, IsTerminal, Read};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde::Deserialize;
use waynote::context::Request;

use crate::args::{Global, HookArgs};
use crate::clients::payload::{MOST_BYTES, Payload};
use crate::clients::{Client, Event, answer, goose};
use crate::delivered::Handover;
use crate::duration;
use crate::error::{Failure, Outcome, say};
use crate::inside::Inside;
use crate::opened::Opened;
use crate::output::Output;
use crate::settings::Settings;
use crate::{home, variables};

use session::Session;

/// How long a client may take to send its input, which is its own time.
const INPUT_WAIT: Duration = Duration::from_secs(1);

/// How long the work may take once the input is there, where a session that goes without its notes is worse than one that
/// begins late: for the block.
const START_WAIT: Duration = Duration::from_secs(1);

/// The same at prompts of a session that has its block.
const PROMPT_WAIT: Duration = Duration::from_millis(40);

enum Message {
    /// The input is there, and the work may take so long.
    Read(Duration),
    Done(Box<Answer>),
    Failed(String),
}

/// What a hook answers.
struct Answer {
    client: Client,
    event: Event,
    /// What is added; empty for nothing.
    text: String,
    /// What counts as given with it, where the session has a name.
    handover: Option<Handover>,
}

/// Always exit code 0.
pub(super) fn run(args: &HookArgs, global: &Global, output: &mut Output) -> ExitCode {
    let Some(client) = Client::named(&args.client) else {
        let client = waynote::visible::visible(&args.client);
        let reason = format!("`{client}` is no client; `waynote install` lists them");
        return refuse(None, &reason);
    };
    // One line is all that a fault says.
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = channel();
    let (words, global) = (args.clone(), global.clone());
    let worker = std::thread::Builder::new().spawn(move || {
        let message = match work(client, &words, &global, &sender) {
            Ok(answer) => Message::Done(Box::new(answer)),
            Err(failure) => Message::Failed(failure.line()),
        };
        // Whoever waited too long has answered already.
        let _ = sender.send(message);
    });
    let outcome = match worker {
        Ok(_) => wait(&receiver),
        Err(error) => Err(error.to_string()),
    };
    let (text, handover) = match outcome {
        // Taken now and not before: what is never printed was never given.
        Ok(answer) if answer.handover.as_ref().is_none_or(Handover::take) => answer.printed(),
        Ok(answer) => (answer::nothing(answer.client).to_owned(), None),
        Err(reason) => {
            say(&format!("waynote hook: nothing added: {reason}"));
            (answer::nothing(client).to_owned(), None)
        }
    };
    let printed = output.text(&text).and_then(|()| output.flush());
    if let (Err(_), Some(handover)) = (printed, handover) {
        // The client has gone.
        handover.give_back();
    }
    ExitCode::SUCCESS
}

impl Answer {
    fn nothing(client: Client, event: Event) -> Self {
        Self {
            client,
            event,
            text: String::new(),
            handover: None,
        }
    }

    /// What is printed, and what that gives.
    fn printed(self) -> (String, Option<Handover>) {
        match self.text.is_empty() {
            true => (answer::nothing(self.client).to_owned(), None),
            false => {
                let text = answer::adding(self.client, self.event, &self.text);
                (text, self.handover)
            }
        }
    }
}

/// The answer of a hook that was called wrongly.
pub(super) fn refuse(client: Option<&str>, reason: &str) -> ExitCode {
    use std::io::Write;
    say(&format!("waynote hook: nothing added: {reason}"));
    if let Some(client) = client.and_then(Client::named) {
        // A client that has gone needs no answer.
        let _ = std::io::stdout().write_all(answer::nothing(client).as_bytes());
    }
    ExitCode::SUCCESS
}

fn wait(receiver: &Receiver<Message>) -> Result<Answer, String> {
    let (mut wait, mut late) = (INPUT_WAIT, "the client sent no complete input");
    loop {
        match receiver.recv_timeout(wait) {
            Ok(Message::Read(longest)) => {
                let named = longest_named();
                wait = named.unwrap_or(longest);
                late = match longest == START_WAIT {
                    true => {
                        "the store took too long; the notes follow at the next prompt or with the next tool's reply"
                    }
                    false => "the store took too long",
                };
                // Zero adds nothing, however fast the store is.
                if wait.is_zero() {
                    return Err(late.into());
                }
            }
            Ok(Message::Done(answer)) => return Ok(*answer),
            Ok(Message::Failed(reason)) => return Err(reason),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => return Err(late.into()),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                return Err("an internal fault".into());
            }
        }
    }
}

/// `WAYNOTE_HOOK_WAIT`, in seconds, for machines on which a cold disk takes longer.
fn longest_named() -> Option<Duration> {
    let named = home::variable(variables::HOOK_WAIT).ok().flatten();
    named.and_then(|wait| duration::seconds(&wait))
}

/// The limit at the start of a session.
pub(super) fn longest_at_start() -> Duration {
    longest_named().unwrap_or(START_WAIT)
}

fn work(
    client: Client,
    words: &HookArgs,
    global: &Global,
    sender: &Sender<Message>,
) -> Outcome<Answer> {
    let payload = read_input()?;
    let client = asking(client, &payload);
    let word = words.event.as_deref().unwrap_or("SessionStart");
    if is_of_an_earlier_version(client, word) {
        if client == Client::Goose {
            goose::remove_old_file()?;
        }
        return Ok(Answer::nothing(client, Event::SessionStart));
    }
    let event = event(client, words, word)?;
    let session = Session::enter(client, event, &payload)?;
    let longest = match event {
        Event::Prompt if !session.is_owed() => PROMPT_WAIT,
        _ => START_WAIT,
    };
    let _ = sender.send(Message::Read(longest));
    let mut settings = Settings::read(global)?;
    settings.warn(false);
    // So that the message of a store that is locked is still heard.
    settings.lock_wait.value = settings.lock_wait.value.min(longest / 2);
    let opened = Opened::of(&settings, false)?;
    let store = opened.store();
    let inside = Inside::of(&settings, store)?;
    let has_it_in_prompt = inside.is_in_loop && !session.given.was_reset && !payload.is_subagents();
    let request = Request {
        session: inside.session,
        iteration: inside.iteration,
        ..notes::request(client, &payload, &settings)?
    };
    let (text, handover) = match event {
        Event::SubagentStart => start::of_subagent(store, request, &session, &payload)?,
        Event::SessionStart => start::of_session(store, request, &session, has_it_in_prompt)?,
        Event::Prompt => {
            let asked = payload.asked().filter(|_| !words.no_search);
            prompt::at(store, request, &session, asked, has_it_in_prompt)?
        }
    };
    Ok(Answer {
        client,
        event,
        text,
        handover,
    })
}

fn event(client: Client, words: &HookArgs, word: &str) -> Outcome<Event> {
    Event::named(word, client)
        // Another client runs a hook that was written for this one.
        .or_else(|| Event::named(word, Client::named(&words.client)?))
        .filter(|event| event.word(client).is_some())
        .ok_or_else(|| {
            let word = waynote::visible::visible(word);
            Failure::usage(
                format!("{} takes no text at `{word}`", client.title()),
                "`waynote install` writes the hooks that work",
            )
        })
}

/// Hooks that an earlier version installed and this one has no use for. They say nothing, until `install` takes them out.
fn is_of_an_earlier_version(client: Client, word: &str) -> bool {
    match client {
        Client::Gemini => word.eq_ignore_ascii_case("SessionStart"),
        Client::Goose => true,
        _ => false,
    }
}

/// One JSON value, without waiting for the end of the stream; nothing when there is nothing.
fn read_input() -> Outcome<Payload> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(Payload::default());
    }
    let mut input = stdin.lock();
    let read = |error| Failure::file("standard input", "read", error);
    if input.fill_buf().map_err(read)?.is_empty() {
        return Ok(Payload::default());
    }
    let mut reader = serde_json::Deserializer::from_reader(input.take(MOST_BYTES));
    Payload::deserialize(&mut reader).map_err(|error| {
        Failure::usage(
            format!("the input is no hook's: {error}"),
            "it is what the client sends",
        )
    })
}

/// Cursor runs hooks that were written for Claude Code, and reads answers in its own form.
fn asking(client: Client, payload: &Payload) -> Client {
    let in_environment = |name| home::variable(name).ok().flatten().is_some();
    let is_cursor =
        payload.is_cursors() || (in_environment("CURSOR_VERSION") && !in_environment("CLAUDECODE"));
    match client {
        Client::ClaudeCode if is_cursor => Client::Cursor,
        _ => client,
    }
}
