//! The signals of an agent to its loop: the task is complete, or a person is needed.

use waynote::loops;
use waynote::session_state::AgentSignal;

use crate::call::Call;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Spec, required};

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "session_complete",
        about: "Say that the whole task is done, not only this turn: no further iteration starts.",
        parameters: &[required("summary", Kind::Text, "What was done")],
        effect: Effect::Sets,
        run: done,
    },
    Spec {
        name: "blocked",
        about: "Ask a person what only they can decide: the loop stops until they answer. End your turn afterwards.",
        parameters: &[required(
            "question",
            Kind::Text,
            "All they need to answer it",
        )],
        effect: Effect::Sets,
        run: ask,
    },
];

fn done(call: &mut Call<'_>) -> Result<String, Refusal> {
    let summary = call.arguments.required("summary").to_owned();
    signal(call, &AgentSignal::Completed(summary))
}

fn ask(call: &mut Call<'_>) -> Result<String, Refusal> {
    let question = call.arguments.required("question").to_owned();
    signal(call, &AgentSignal::Blocked(question))
}

fn signal(call: &mut Call<'_>, signal: &AgentSignal) -> Result<String, Refusal> {
    let session = call.here.session()?;
    let (stamp, iteration) = (call.stamp(), call.here.caller.iteration);
    loops::signal(call.notes.writable()?, &session, iteration, signal, &stamp)?;
    Ok(signal.reply(&session))
}
