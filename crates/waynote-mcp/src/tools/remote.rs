//! The tool of an endpoint that keeps nothing from one request to the next: the block, when the model asks for it.

use crate::call::Call;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Spec, optional};

pub(super) const TOOLS: &[Spec] = &[Spec {
    name: "note_context",
    about: "Call this once, before anything else: the notes that apply to you here, within a budget.",
    parameters: &[optional(
        "place",
        Kind::Text,
        "The absolute path of your working directory",
    )],
    effect: Effect::Reads,
    run: context,
}];

fn context(call: &mut Call<'_>) -> Result<String, Refusal> {
    let now = call.notes.now();
    let place = call.arguments.text("place");
    let place = place.map(|typed| call.here.place_of(typed)).transpose()?;
    let iteration = call.here.iteration(call.notes.store())?;
    let mut request = call.here.request(now).iteration(iteration);
    if let Some(place) = place {
        request = request.place(place);
    }
    Ok(match call.notes.render(&request)? {
        text if text.is_empty() => "No notes apply here yet.".into(),
        text => text,
    })
}
