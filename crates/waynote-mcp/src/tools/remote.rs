//! The tool of an endpoint that keeps nothing from one request to the next: the block, when the model asks for it, with
//! arguments: those of [`Request`], by the names of the HTTP API.

use waynote::context::{Budget, Request, Section, Style};

use crate::arguments::Arguments;
use crate::caller::ConnectedCaller;
use crate::notes::Notes;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Parameter, Spec, optional};

pub(super) const TOOLS: &[Spec] = &[Spec {
    name: "note_context",
    about: "Call this once, before anything else: the notes that apply to you here, within a budget.",
    parameters: PARAMETERS,
    effect: Effect::Reads,
    run: |call| {
        let request = request(call.notes, call.here, &call.arguments)?;
        Ok(match call.notes.render(&request)? {
            text if text.is_empty() => "No notes apply here yet.".into(),
            text => text,
        })
    },
}];

/// Every argument. Those that are left out are the caller's own.
const PARAMETERS: &[Parameter] = &[
    optional(
        "place",
        Kind::Text,
        "Your working directory: its absolute path, or `repo:HOST/NAME//inside`",
    ),
    optional(
        "query",
        Kind::Text,
        "What you are about to do; chooses the other notes",
    ),
    optional(
        "only",
        Kind::Word(&["pinned", "places", "index", "iterations"]),
        "",
    ),
    optional("budget", Kind::Number(0), "Tokens at most; 0: no limit"),
    optional("session", Kind::Text, ""),
    optional("iteration", Kind::Number(i64::MIN), ""),
    optional("style", Kind::Word(&["stable", "faithful"]), ""),
    optional("as_of", Kind::Text, "A time: the notes as they were"),
];

/// The request for a block, with these arguments in place of the caller's own values.
fn request(
    notes: &Notes,
    here: &ConnectedCaller,
    arguments: &Arguments,
) -> Result<Request, Refusal> {
    let word = |name| arguments.text(name);
    let mut request = here.request(notes.now());
    if let Some(typed) = word("place") {
        request.lineage = here.lineage_of(here.place_of(typed)?);
    }
    if let Some(tokens) = arguments.number("budget") {
        let budget = Budget::of(usize::try_from(tokens).unwrap_or_default());
        request = request.budget(budget.factor(here.caller.budget.factor));
    }
    if let Some(style) = word("style") {
        request = request.style(style.parse::<Style>().map_err(Refusal::only)?);
    }
    let session = word("session").map(str::parse).transpose()?;
    let iteration = match (arguments.number("iteration"), &session) {
        (Some(number), _) => Some(number),
        // The caller's iteration is one of its own session.
        (None, Some(_)) => None,
        (None, None) => here.iteration(notes.store())?,
    };
    let as_of = word("as_of").map(str::parse).transpose();
    Ok(request
        .session(session.or(here.caller.session.clone()))
        .iteration(iteration)
        .only(
            Section::ALL
                .into_iter()
                .find(|section| word("only") == Some(section.as_str())),
        )
        .query(word("query").map(str::to_owned))
        .as_of(as_of.map_err(Refusal::only)?))
}
