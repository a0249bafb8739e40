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
        run: |call| signal(call, "summary", AgentSignal::Completed),
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
        run: |call| signal(call, "question", AgentSignal::Blocked),
    },
];

/// `said` is the argument that has the agent's words.
fn signal(
    call: &mut Call<'_>,
    said: &str,
    of: fn(String) -> AgentSignal,
) -> Result<String, Refusal> {
    let session = call.here.session()?;
    let signal = of(call.arguments.required(said).to_owned());
    let (stamp, iteration) = (call.stamp(), call.here.caller.iteration);
    loops::signal(call.notes.writable()?, &session, iteration, &signal, &stamp)?;
    Ok(signal.reply(&session))
}
