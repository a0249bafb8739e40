//! The tools of ralph.nu, with its replies: a session's log.

use waynote::session_log::reply;
use waynote::{EntryType as Type, Name, SessionLog};

use crate::call::Call;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Parameter, Spec, optional, required};

/// Later versions of ralph.nu give every tool the session's name.
const SESSION_NAME: Parameter = optional(
    "session_name",
    Kind::Text,
    "The session, as the prompt names it",
);

/// In the order of the source.
const TYPES: &[&str] = &["learning", "stuck", "tip", "decision"];

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "note_add",
        about: "Add a note for future iterations (learnings, tips, blockers, decisions)",
        parameters: &[
            required(
                "content",
                Kind::Text,
                "Note content - be specific and actionable",
            ),
            required("type", Kind::Word(TYPES), "Note category"),
            SESSION_NAME,
        ],
        effect: Effect::Adds,
        run: add,
    },
    Spec {
        name: "note_list",
        about: "List notes from this session",
        parameters: &[
            optional("type", Kind::Word(TYPES), "Filter by type"),
            SESSION_NAME,
        ],
        effect: Effect::Reads,
        run: list,
    },
];

/// The session that the call names, else the server's own. A server of one session does not write to another: the
/// agent of a loop would leave notes where no later iteration looks.
fn session(call: &Call<'_>) -> Result<Name, Refusal> {
    let named = call.arguments.text("session_name").map(str::trim);
    let Some(named) = named.filter(|named| !named.is_empty()) else {
        return match &call.here.caller.session {
            Some(own) => Ok(own.clone()),
            None => Err(Refusal::new(
                "no session is named",
                "send `session_name`: the session, as the prompt names it",
            )),
        };
    };
    let named: Name = named.parse()?;
    match &call.here.caller.session {
        Some(own) if *own != named => Err(Refusal::new(
            format!("this is session `{own}`, not `{named}`"),
            "leave `session_name` out, or send the name of this session; nothing was done",
        )),
        _ => Ok(named),
    }
}

fn add(call: &mut Call<'_>) -> Result<String, Refusal> {
    let session = session(call)?;
    let kind: Type = call.arguments.required("type").parse()?;
    let content = call.content("content")?;
    let stamp = call.stamp();
    let store = call.notes.writable()?;
    let iteration = match call.here.caller.iteration {
        Some(iteration) => Some(iteration),
        None => waynote::session_state::live_iteration(store, &session)?,
    };
    let log = SessionLog::new(store, session);
    let dropped = waynote::visible::dropped(&content.shown());
    let note = log.add(kind, iteration, content, &stamp)?;
    Ok(reply(&note, false) + &dropped)
}

fn list(call: &mut Call<'_>) -> Result<String, Refusal> {
    let session = session(call)?;
    let only = call.arguments.text("type").map(Type::imported);
    let notes = SessionLog::new(call.notes.store(), session).list(only.as_ref())?;
    if notes.is_empty() {
        return Ok("No notes yet".into());
    }
    let kinds = Type::in_order(notes.iter().filter_map(|note| note.kind.clone()));
    let mut lines = Vec::new();
    for (kind, group) in Type::grouped(kinds, &notes) {
        lines.push(format!("{}:", kind.as_str().to_uppercase()));
        for note in group {
            let iteration = note.iteration.map_or("-".into(), |of| format!("#{of}"));
            lines.push(format!("  - [{iteration}] {}", note.content.shown()));
        }
    }
    Ok(lines.join("\n"))
}
