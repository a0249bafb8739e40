//! `waynote hook`: what a client runs when a session begins, when a subagent begins, and at prompts. Reads what the client says,
//! answers in its schema, and fails open: whatever goes wrong is the answer that adds nothing, exit code 0 and one line on
//! standard error. What was not added is added at the session's next prompt.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use waynote::context::Request;
use waynote_clients::{Answer, Call, Client, Ledgers, Payload};

use crate::args::{Global, HookArgs};
use crate::error::{Outcome, say};
use crate::home::environment;
use crate::inside::{Inside, of_the_loop};
use crate::opened::Opened;
use crate::output::Output;
use crate::process::Process;
use crate::prompt_copy::Asked;
use crate::settings::Settings;
use crate::{clock, duration, home, variables};

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
    /// The answer if the rest takes too long.
    Meanwhile(Box<Answer>),
    /// None: a hook of an earlier version, which adds nothing.
    Done(Box<Option<Answer>>),
    Failed(String),
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
    let (text, pending) = match outcome {
        // Claimed now and not before: what is never printed was never delivered.
        Ok(Some(answer)) => answer.claim(),
        Ok(None) => (client.adding_nothing().to_owned(), None),
        Err(reason) => {
            say(&format!("waynote hook: nothing added: {reason}"));
            (client.adding_nothing().to_owned(), None)
        }
    };
    let printed = output.text(&text).and_then(|()| output.flush());
    if let (Err(_), Some(pending)) = (printed, pending) {
        // The client has gone.
        pending.release();
    }
    ExitCode::SUCCESS
}

/// The answer of a hook that was called wrongly.
pub(super) fn refuse(client: Option<&str>, reason: &str) -> ExitCode {
    use std::io::Write;
    say(&format!("waynote hook: nothing added: {reason}"));
    if let Some(client) = client.and_then(Client::named) {
        // A client that has gone needs no answer.
        let _ = std::io::stdout().write_all(client.adding_nothing().as_bytes());
    }
    ExitCode::SUCCESS
}

fn wait(receiver: &Receiver<Message>) -> Result<Option<Answer>, String> {
    let (mut wait, mut late) = (INPUT_WAIT, "the client sent no complete input");
    let mut begun = Instant::now();
    let mut meanwhile = None;
    loop {
        match receiver.recv_timeout(wait.saturating_sub(begun.elapsed())) {
            Ok(Message::Meanwhile(answer)) => meanwhile = Some(*answer),
            Ok(Message::Read(longest)) => {
                wait = match longest_named() {
                    Ok(named) => named.unwrap_or(longest),
                    Err(reason) => {
                        say(&format!("warning: {reason}"));
                        longest
                    }
                };
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
                begun = Instant::now();
            }
            Ok(Message::Done(answer)) => return Ok(*answer),
            Ok(Message::Failed(reason)) => return meanwhile.map(Some).ok_or(reason),
            Err(RecvTimeoutError::Timeout) => {
                return meanwhile.map(Some).ok_or_else(|| late.into());
            }
            Err(RecvTimeoutError::Disconnected) => {
                return meanwhile
                    .map(Some)
                    .ok_or_else(|| "an internal fault".into());
            }
        }
    }
}

/// `WAYNOTE_HOOK_WAIT`, in seconds, for machines on which a cold disk takes longer.
///
/// # Errors
/// In words, for a value that is no time.
fn longest_named() -> Result<Option<Duration>, String> {
    const NAME: &str = variables::HOOK_WAIT;
    let named = home::variable(NAME).map_err(|failure| failure.line())?;
    let Some(named) = named else {
        return Ok(None);
    };
    duration::seconds(&named).map(Some).ok_or_else(|| {
        let named = waynote::visible::visible(&named);
        format!("{NAME}: `{named}` is not a number of seconds, for example 2.5; it is not used")
    })
}

/// The limit at the start of a session, and what is wrong with a limit that was named.
pub(super) fn longest_at_start() -> (Duration, Option<String>) {
    match longest_named() {
        Ok(named) => (named.unwrap_or(START_WAIT), None),
        Err(reason) => (START_WAIT, Some(reason)),
    }
}

fn work(
    client: Client,
    words: &HookArgs,
    global: &Global,
    sender: &Sender<Message>,
) -> Outcome<Option<Answer>> {
    let call = Call {
        client,
        event: words.event.as_deref().unwrap_or("SessionStart"),
        payload: read_input()?,
    };
    let ledgers = ledgers()?;
    let Some(hook) = call.enter(environment(), ledgers, Process::client().as_ref())? else {
        return Ok(None);
    };
    let longest = match hook.can_wait() {
        true => PROMPT_WAIT,
        false => START_WAIT,
    };
    let _ = sender.send(Message::Read(longest));
    let mut settings = Settings::read(&of_the_loop(global)?)?;
    settings.warn(false);
    // So that the message of a store that is locked is still heard.
    settings.lock_wait.value = settings.lock_wait.value.min(longest / 2);
    let place = hook.place(environment())?;
    let also = home::main_checkout(&place)?.into_iter().collect();
    let request = Request::new(settings.agent.value.clone(), place, clock::now()?)
        .session(settings.session.value.clone())
        .iteration(settings.iteration.value)
        .style(settings.style.value)
        .also(also)
        .budget(settings.budget(None))
        .tools(waynote_mcp::reader_tools());
    let asked = Asked::of(&settings, &hook, &request)?;
    if let Some(asked) = asked {
        let told = hook
            .can_wait()
            .then(|| asked.answer(hook.given()))
            .flatten();
        // Before the store is asked, which may take too long.
        asked.leave();
        if let Some((text, notes)) = told {
            let answer = hook.answer_of(text, notes);
            if words.no_search {
                return Ok(Some(answer));
            }
            let _ = sender.send(Message::Meanwhile(Box::new(answer)));
        }
    }
    let opened = Opened::within(&settings, longest)?;
    let store = opened.store();
    let inside = Inside::of_block(&settings, store)?;
    let has_it_in_prompt = inside.is_in_loop && hook.may_have_it_in_prompt();
    let request = request.session(inside.session).iteration(inside.iteration);
    let answer = hook.answer(store, request, !words.no_search, has_it_in_prompt)?;
    Ok(Some(answer))
}

/// The ledgers of what was delivered. None without a home directory: then nothing can be remembered.
pub(crate) fn ledgers() -> Outcome<Option<Ledgers>> {
    let state = environment().state()?;
    Ok(state.map(|state| Ledgers::below(&state, clock::of_files)))
}

/// What the client says on standard input; nothing where a person is at it.
fn read_input() -> Outcome<Payload> {
    let stdin = std::io::stdin();
    Ok(match stdin.is_terminal() {
        true => Payload::default(),
        false => Payload::read(stdin.lock())?,
    })
}
