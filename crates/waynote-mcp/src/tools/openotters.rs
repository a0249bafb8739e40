//! The tools of openotters, with its replies: an agent's notebook.

use waynote::context::{Section, Style};
use waynote::{Address, Key, Notebook, SaveOptions, single};

use crate::call::{Call, KEYS_SHOWN};
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Parameter, Spec, optional, required};

const KEY: Parameter = required("key", Kind::Text, "The note's key");

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "note_save",
        about: "Save a durable fact under a key, overwriting an existing note.",
        parameters: &[
            KEY,
            required("content", Kind::Text, "The whole note"),
            optional("pin", Kind::Flag, "Pin it in the same call"),
        ],
        effect: Effect::Overwrites,
        run: save,
    },
    Spec {
        name: "note_list",
        about: "List all notes with their age and a preview, latest first.",
        parameters: &[],
        effect: Effect::Reads,
        run: list,
    },
    Spec {
        name: "note_show",
        about: "Read a whole note.",
        parameters: &[KEY],
        effect: Effect::Reads,
        run: show,
    },
    Spec {
        name: "note_delete",
        about: "Delete a note.",
        parameters: &[KEY],
        effect: Effect::Overwrites,
        run: delete,
    },
    Spec {
        name: "note_pin",
        about: "Pin a note: every prompt shows it whole.",
        parameters: &[KEY],
        effect: Effect::Sets,
        run: |call| set_pinned(call, true),
    },
    Spec {
        name: "note_unpin",
        about: "Unpin a note: prompts list it by its preview.",
        parameters: &[KEY],
        effect: Effect::Sets,
        run: |call| set_pinned(call, false),
    },
];

/// The key as it was sent, trimmed; an empty one names the tool.
fn typed(call: &Call<'_>, tool: &str) -> Result<String, Refusal> {
    let key = call.arguments.required("key").trim();
    if key.is_empty() {
        return Err(Refusal::only(format!("{tool}: the key is empty")));
    }
    Ok(key.to_owned())
}

/// A key for a note that must be there: one that is not valid names none.
fn there(call: &mut Call<'_>, typed: &str) -> Result<Key, Refusal> {
    typed.parse().or_else(|_| Err(no_note(call, typed)?))
}

fn no_note(call: &mut Call<'_>, key: &str) -> Result<Refusal, Refusal> {
    let scope = call.here.notebook();
    let there_are = Notebook::of(call.notes.store(), scope).there_are(KEYS_SHOWN)?;
    let there_are = there_are.unwrap_or_else(|| "no notes stored".into());
    let key = waynote::visible::visible(key);
    Ok(Refusal::only(format!(
        "no note named \"{key}\"; {there_are}"
    )))
}

/// A refusal that begins with the text of openotters' own error, for programs that look for it.
fn worded(error: waynote::Error) -> Refusal {
    let source = match error {
        waynote::Error::InvalidKey { .. } => "invalid note key",
        waynote::Error::NoteTooLarge { .. } => "note content exceeds size cap",
        waynote::Error::TooManyNotes { .. } => "note count would exceed cap",
        _ => return error.into(),
    };
    let refusal = Refusal::from(error);
    Refusal {
        what: format!("{source}: {}", refusal.what),
        ..refusal
    }
}

fn save(call: &mut Call<'_>) -> Result<String, Refusal> {
    let key: Key = typed(call, "note_save")?.parse().map_err(worded)?;
    let content = call.content("content")?;
    let is_pinned = call.arguments.flag("pin") == Some(true);
    let options = SaveOptions::default()
        .limits(call.here.caller.limits)
        .pin(is_pinned.then_some(true));
    let (stamp, agent) = (call.stamp(), call.here.caller.agent.clone());
    let store = call.notes.writable()?;
    let address = Address::Agent(agent, key.clone());
    let dropped = waynote::visible::dropped(&content.shown());
    let (_, before) = single::save(store, address, content, options, &stamp).map_err(worded)?;
    let how = match before {
        None => "new key",
        Some(_) => "overwrote existing",
    };
    let pinned = if is_pinned { " (pinned)" } else { "" };
    Ok(format!("saved \"{key}\" ({how}){pinned}{dropped}"))
}

fn list(call: &mut Call<'_>) -> Result<String, Refusal> {
    let now = call.notes.now();
    let request = call.here.request(now).style(Style::Faithful);
    let request = request.only(Some(Section::Index));
    let text = call.notes.render(&request)?;
    Ok(match text.is_empty() {
        true => "No notes stored.".into(),
        false => text,
    })
}

fn show(call: &mut Call<'_>) -> Result<String, Refusal> {
    let typed = typed(call, "note_show")?;
    let key = there(call, &typed)?;
    let agent = call.here.caller.agent.clone();
    match Notebook::of_agent(call.notes.store(), agent).get(&key) {
        Ok(note) => Ok(note.content.shown().into_owned()),
        Err(waynote::Error::NotFound { .. }) => Err(no_note(call, &typed)?),
        Err(error) => Err(error.into()),
    }
}

fn delete(call: &mut Call<'_>) -> Result<String, Refusal> {
    let key = typed(call, "note_delete")?;
    let (stamp, agent) = (call.stamp(), call.here.caller.agent.clone());
    let deleted = Notebook::of_agent(call.notes.writable()?, agent).delete(&key, &stamp)?;
    let key = waynote::visible::visible(&key);
    Ok(match deleted {
        true => format!("deleted \"{key}\""),
        false => format!("\"{key}\" was already absent"),
    })
}

fn set_pinned(call: &mut Call<'_>, pinned: bool) -> Result<String, Refusal> {
    let typed = typed(call, if pinned { "note_pin" } else { "note_unpin" })?;
    let key = there(call, &typed)?;
    let (stamp, agent) = (call.stamp(), call.here.caller.agent.clone());
    match Notebook::of_agent(call.notes.writable()?, agent).set_pinned(&key, pinned, &stamp) {
        Ok(_) => {
            let how = if pinned { "pinned" } else { "unpinned" };
            Ok(format!("{how} \"{key}\""))
        }
        Err(waynote::Error::NotFound { .. }) => Err(no_note(call, &typed)?),
        Err(error) => Err(error.into()),
    }
}
