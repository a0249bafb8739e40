//! `waynote hook`: clients run it when a session or a subagent begins, at prompts and at tools. It reads the client's
//! payload, answers in the client's schema, and fails open: on any failure the answer adds nothing, with exit code 0
//! and one line on standard error. The missing text is added at the session's next prompt.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use waynote::Lineage;
use waynote::context::Request;
use waynote_clients::{Answer, Call, Client, Hook, Ledgers, Payload};

use super::stands;
use crate::args::{Global, HookArgs};
use crate::error::{Outcome, say};
use crate::home::environment;
use crate::inside::{Inside, of_the_loop};
use crate::opened::{OpenStore, Wait};
use crate::output::Output;
use crate::process::Process;
use crate::settings::Settings;
use crate::variables::HOOKS;
use crate::{clock, duration, home, variables};

/// How long a client may take to send its input, which is its own time.
const INPUT_WAIT: Duration = Duration::from_secs(1);

/// How long the work may take once the input is there, for the block: a session without its notes is worse than one
/// that begins late.
pub(super) const START_WAIT: Duration = Duration::from_secs(1);

/// The same at prompts of a session that has its block: 50 ms with the start of the process, 250 ms with a store on a
/// server or in a database.
const PROMPT_WAIT: Duration = Duration::from_millis(40);
const PROMPT_WAIT_ELSEWHERE: Duration = Duration::from_millis(240);

/// The part of its time, as a divisor, that a hook keeps for the work after the store.
const REST: u32 = 8;

/// The tenths of its time for which a start waits for a team's store.
const OF_TEAM: u32 = 4;

const TOO_LONG_AT_PROMPT: &str = "the store took too long; what is new follows at the next prompt";

/// How long to wait, and the reason to give after that.
#[derive(Clone, Copy)]
struct Limit {
    wait: Duration,
    late: &'static str,
}

enum Message {
    /// More of the input has come.
    Reading,
    /// The input is read: the work has this long.
    Read(Limit),
    Done(Box<Answer>),
    Failed(String),
}

/// Always exit code 0.
pub(super) fn run(args: &HookArgs, global: &Global, output: &mut Output) -> ExitCode {
    let Some(client) = Client::named(&args.client) else {
        let client = waynote::visible::visible(&args.client);
        let reason = format!("`{client}` is not a client; `waynote install` lists them");
        return refuse(None, &reason);
    };
    if is_off() {
        let said = output.text(client.adding_nothing());
        let _ = said.and_then(|()| output.flush());
        return ExitCode::SUCCESS;
    }
    // A panic is reported in one line.
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = channel();
    let (words, global) = (args.clone(), global.clone());
    let worker = std::thread::Builder::new().spawn(move || {
        let message = match work(client, &words, &global, &sender) {
            Ok(done) => Message::Done(Box::new(done)),
            Err(failure) => Message::Failed(failure.line()),
        };
        let _ = sender.send(message);
    });
    let outcome = match worker {
        Ok(_) => wait(&receiver),
        Err(error) => Err(error.to_string()),
    };
    let (text, pending) = match outcome {
        // The delivery is claimed only now: an answer that is never printed was never delivered.
        Ok(answer) => answer.claim(),
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

/// True if `WAYNOTE_HOOKS` switches delivery off for this process, as for `claude -p` in scripts.
pub(super) fn is_off() -> bool {
    let value = home::variable(HOOKS).ok().flatten();
    value.is_some_and(|value| value.eq_ignore_ascii_case("off"))
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

fn wait(receiver: &Receiver<Message>) -> Result<Answer, String> {
    let mut limit = Limit {
        wait: INPUT_WAIT,
        late: "the client sent no complete input",
    };
    let mut begun = Instant::now();
    loop {
        match receiver.recv_timeout(limit.wait.saturating_sub(begun.elapsed())) {
            Ok(Message::Reading) => begun = Instant::now(),
            // A wait of 0 disables the hook.
            Ok(Message::Read(of_work)) if of_work.wait.is_zero() => {
                return Err(of_work.late.into());
            }
            Ok(Message::Read(of_work)) => (limit, begun) = (of_work, Instant::now()),
            Ok(Message::Done(work)) => return Ok(*work),
            Ok(Message::Failed(reason)) => return Err(reason),
            Err(RecvTimeoutError::Timeout) => return Err(limit.late.into()),
            Err(RecvTimeoutError::Disconnected) => return Err("an internal fault".into()),
        }
    }
}

impl Limit {
    fn of(is_at_prompt: bool, is_elsewhere: bool) -> Self {
        let (wait, late) = match (is_at_prompt, is_elsewhere) {
            (false, _) => (
                START_WAIT,
                "the store took too long; the notes follow at the next prompt or with the next tool's reply",
            ),
            (true, false) => (PROMPT_WAIT, TOO_LONG_AT_PROMPT),
            (true, true) => (PROMPT_WAIT_ELSEWHERE, TOO_LONG_AT_PROMPT),
        };
        let wait = longest(wait, |reason| say(&format!("warning: {reason}")));
        Self { wait, late }
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

/// The time limit that is named, else this one. What is wrong with a named one is said.
pub(super) fn longest(or: Duration, wrong: impl FnOnce(String)) -> Duration {
    let named = longest_named().map_err(wrong).ok().flatten();
    named.unwrap_or(or)
}

fn work(
    client: Client,
    words: &HookArgs,
    global: &Global,
    sender: &Sender<Message>,
) -> Outcome<Answer> {
    let call = Call {
        client,
        event: words.event.as_deref().unwrap_or("SessionStart"),
        payload: read_input(sender)?,
    };
    let mut hook = call.enter(environment(), ledgers()?, Process::client().as_ref())?;
    let mut settings = match Settings::read(&of_the_loop(global)?) {
        Ok(settings) => settings,
        // A model that reads why its notes are missing can say so to a person.
        Err(failure) if !hook.can_wait() => {
            let reason = format!(
                "no notes are delivered: {}; a person can run `waynote doctor`",
                failure.line()
            );
            say(&format!("waynote hook: {reason}"));
            return Ok(hook.saying(format!("waynote: {reason}\n")));
        }
        Err(failure) => return Err(failure),
    };
    let is_elsewhere = settings.remote().or(settings.database()).is_some();
    // The limit counts from here: what follows reads files of a repository, too.
    let limit = Limit::of(hook.can_wait(), is_elsewhere);
    let _ = sender.send(Message::Read(limit));
    let Some(lineage) = looked_at(&mut hook, &settings)? else {
        return Ok(hook.saying(String::new()));
    };
    settings.warn(false);
    // So that the message of a store that is locked is still heard.
    settings.lock_wait.value = settings.lock_wait.value.min(limit.wait / 2);
    // At a tool no network is asked, nor at a prompt, even one whose session lacks its block.
    let asked = hook.is_start().then(|| settings.ask_team(&lineage));
    let opened = OpenStore::of(
        &settings,
        false,
        Wait::Within(limit.wait - limit.wait / REST),
    )?;
    let mut of_team = String::new();
    match asked {
        None => opened.beside(&hook.touched(&lineage), None),
        Some(asked) => {
            let (notes, line) = asked(limit.wait * OF_TEAM / 10);
            opened.beside(&lineage, Some(notes));
            of_team.extend(line.map(|line| format!("waynote: {line}\n")));
        }
    }
    let store = opened.store();
    let inside = match hook.can_wait() && is_elsewhere {
        // In time for one request: the loop that runs, which the environment names too, is not asked for.
        true => Inside::named(&settings),
        false => Inside::of_block(&settings, store)?,
    };
    said(
        &hook,
        &settings,
        (&opened, &of_team),
        (lineage, &inside),
        !words.no_search,
    )
}

/// The lineage of the place that a hook is about; none where it has nothing to say.
fn looked_at(hook: &mut Hook, settings: &Settings) -> Outcome<Option<Lineage>> {
    let lineage = settings.lineage(&hook.place(environment())?)?;
    let roots = &settings.action_roots.value;
    let looks = hook.looks(environment(), &settings.naming(), &lineage, roots)?;
    Ok(looks.then_some(lineage))
}

/// The answer for a session at a place, which a start begins with what is to be said of the team's store.
fn said(
    hook: &Hook,
    settings: &Settings,
    (opened, of_team): (&OpenStore, &str),
    (lineage, inside): (Lineage, &Inside),
    searches: bool,
) -> Outcome<Answer> {
    let agent = settings.agent.value.clone();
    let request = Request::new(agent, lineage, clock::now()?)
        .session(inside.session.clone())
        .iteration(inside.iteration)
        .style(settings.style.value)
        .budget(settings.budget(None))
        .tools(waynote_mcp::reader_tools());
    let has_it = inside.is_in_loop && hook.may_have_it_in_prompt();
    let says =
        |lineage: &Lineage| of_team.to_owned() + &stands::in_block(settings, opened.own(), lineage);
    Ok(hook.answer(
        environment(),
        opened.store(),
        request,
        searches,
        has_it,
        &says,
    )?)
}

/// The answer of a hook that a client runs by a call of its server; empty where it says nothing.
pub(super) fn answered(
    settings: &Settings,
    opened: &OpenStore,
    ledgers: Option<Ledgers>,
    arguments: &Map<String, Value>,
) -> Outcome<String> {
    if is_off() {
        return Ok(String::new());
    }
    let text = |name| {
        let text = arguments.get(name).and_then(Value::as_str);
        text.unwrap_or_default()
    };
    let client = Client::named(text("client")).unwrap_or(Client::ClaudeCode);
    let call = Call {
        client,
        event: text("event"),
        payload: Payload::of_call(arguments)?,
    };
    let mut hook = call.enter(environment(), ledgers, None)?;
    let Some(lineage) = looked_at(&mut hook, settings)? else {
        return Ok(String::new());
    };
    opened.beside(&hook.touched(&lineage), None);
    let inside = Inside::of_block(settings, opened.store())?;
    let answer = said(&hook, settings, (opened, ""), (lineage, &inside), false)?;
    Ok(answer.claim().0)
}

/// The ledgers of delivered notes. None without a home directory: then nothing can be remembered.
pub(crate) fn ledgers() -> Outcome<Option<Ledgers>> {
    let state = environment().state()?;
    Ok(state.map(|state| Ledgers::below(&state, clock::of_files)))
}

/// The client's payload from standard input; an empty one if standard input is a terminal.
fn read_input(sender: &Sender<Message>) -> Outcome<Payload> {
    let stdin = std::io::stdin();
    Ok(match stdin.is_terminal() {
        true => Payload::default(),
        false => Payload::read(stdin.lock(), || {
            let _ = sender.send(Message::Reading);
        })?,
    })
}
