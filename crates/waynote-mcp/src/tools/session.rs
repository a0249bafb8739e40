//! What an agent says to the loop that runs it: that all is done, or that a person is needed.

use serde_json::{Value, json};
use waynote::event::Said;
use waynote::looping::say;

use crate::call::Call;
use crate::reply::{Refusal, Reply};
use crate::tool::{Effect, Kind, Spec, required};

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "session_complete",
        about: "Say that the whole task is done, not only this turn: no further iteration is started.",
        parameters: &[required("summary", Kind::Text, "What was done")],
        effect: Effect::Sets,
        output: Some(said),
        run: done,
    },
    Spec {
        name: "blocked",
        about: "Say that only a person can decide how to go on: the loop stops and asks them. End your turn afterwards.",
        parameters: &[required(
            "question",
            Kind::Text,
            "All they need to answer it",
        )],
        effect: Effect::Sets,
        output: Some(said),
        run: ask,
    },
];

fn said() -> Value {
    json!({ "type": "object", "properties": { "done": { "type": "string" } }, "required": ["done"] })
}

fn done(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let summary = call.arguments.required("summary").to_owned();
    tell(call, &Said::Completed(summary), "completed")
}

fn ask(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let question = call.arguments.required("question").to_owned();
    tell(call, &Said::Blocked(question), "blocked")
}

fn tell(call: &mut Call<'_>, said: &Said, done: &str) -> Result<Reply, Refusal> {
    let session = call.here.session()?;
    let (stamp, iteration) = (call.stamp(), call.here.caller.iteration);
    say(call.keeper.write()?, &session, iteration, said, &stamp)?;
    Ok(Reply::with_data(
        said.reply(&session),
        json!({ "done": done }),
    ))
}
