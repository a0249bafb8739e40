//! The tool of an endpoint that keeps nothing from one request to the next: the block, when the model asks for it.

use crate::block_request::{self, PARAMETERS};
use crate::tool::{Effect, Spec};

pub(super) const TOOLS: &[Spec] = &[Spec {
    name: "note_context",
    about: "Call this once, before anything else: the notes that apply to you here, within a budget.",
    parameters: PARAMETERS,
    effect: Effect::Reads,
    run: |call| {
        let request = block_request::request(call.notes, call.here, &call.arguments)?;
        call.notes.block_or_none(&request)
    },
}];
