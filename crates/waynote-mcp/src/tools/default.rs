//! waynote's own tools.

use serde_json::{Value, json};
use waynote::session::reply;
use waynote::{Change, Expect, Limits, Note, Scope, SessionLog, Store};

use super::list;
use crate::call::{Call, missing, note_at, there_are};
use crate::reply::{Refusal, Reply};
use crate::search;
use crate::tool::{Effect, Kind, Spec, optional, required};

pub(super) const TYPES: &[&str] = &["stuck", "learning", "tip", "decision"];

const KEY: Kind = Kind::Text;

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "note_add",
        about: "Tell later iterations of this session something: where you were stuck, what worked, a tip, a decision and why.",
        parameters: &[
            required("content", Kind::Text, "One fact, specific enough to act on"),
            required("type", Kind::Word(TYPES), ""),
            optional(
                "resolves",
                Kind::Text,
                "The stuck note that this solves: #3, some of its words, or its address",
            ),
        ],
        effect: Effect::Adds,
        output: Some(changed),
        run: add,
    },
    Spec {
        name: "note_list",
        about: "List your notebook's keys with previews, and the notes that apply in this directory; in a session also its log by type.",
        parameters: &[optional(
            "type",
            Kind::Word(TYPES),
            "Only the log's entries of this type",
        )],
        effect: Effect::Reads,
        output: Some(listed),
        run: list::run,
    },
    Spec {
        name: "note_save",
        about: "Save a fact for later runs, over what the note said: with `key` in your notebook, with `place` on a directory, where it applies to everything below.",
        parameters: &[
            required("content", Kind::Text, ""),
            optional("key", KEY, "a-z, 0-9, _ and -, as build-steps"),
            optional(
                "place",
                Kind::Text,
                "A path; `.` is the project, `~` applies everywhere",
            ),
            optional("pin", Kind::Flag, "Show it whole in every prompt"),
            optional(
                "if_revision",
                Kind::Number(0),
                "Write only over this revision; 0: only if there is none",
            ),
        ],
        effect: Effect::Overwrites,
        output: Some(changed),
        run: save,
    },
    Spec {
        name: "note_show",
        about: "Read a whole note.",
        parameters: &[
            optional("key", KEY, ""),
            optional("place", Kind::Text, ""),
            optional("address", Kind::Text, "As lists show it; @N for revision N"),
        ],
        effect: Effect::Reads,
        output: Some(shown),
        run: show,
    },
    Spec {
        name: "note_delete",
        about: "Delete a note that is wrong or of no more use.",
        parameters: &[
            optional("key", KEY, ""),
            optional("place", Kind::Text, ""),
            optional("address", Kind::Text, ""),
        ],
        effect: Effect::Overwrites,
        output: Some(changed),
        run: delete,
    },
    Spec {
        name: "note_pin",
        about: "Pin a note: it stands whole in every prompt. `pinned` false unpins.",
        parameters: &[required("key", KEY, ""), optional("pinned", Kind::Flag, "")],
        effect: Effect::Sets,
        output: Some(changed),
        run: pin,
    },
    Spec {
        name: "note_search",
        about: "Find notes by what they say, the best first.",
        parameters: &[
            required("query", Kind::Text, "Words, \"phrases\", prefix*, -not"),
            optional("limit", Kind::Number(1), ""),
        ],
        effect: Effect::Reads,
        output: Some(listed),
        run: find,
    },
];

/// What a change answers.
fn changed() -> Value {
    json!({ "type": "object", "properties": {
        "address": { "type": "string" }, "revision": { "type": "integer" }, "done": { "type": "string" },
    }, "required": ["address", "done"] })
}

/// What lists and searches answer.
fn listed() -> Value {
    json!({ "type": "object", "properties": {
        "notes": { "type": "array", "items": { "type": "object" } }, "more": { "type": "integer" },
    }, "required": ["notes"] })
}

/// What a note is shown as.
fn shown() -> Value {
    json!({ "type": "object", "properties": {
        "address": { "type": "string" }, "content": { "type": "string" }, "revision": { "type": "integer" },
    }, "required": ["address", "content", "revision"] })
}

/// A note in a list.
pub(super) fn listed_note(note: &Note) -> Value {
    let mut value =
        json!({ "address": note.address, "preview": waynote::visible::visible(&note.preview) });
    if note.pinned {
        value["pinned"] = true.into();
    }
    if let Some(kind) = &note.kind {
        value["type"] = kind.as_str().into();
        value["iteration"] = json!(note.iteration);
    }
    if let Some(by) = note.resolved_by {
        value["resolved_by"] = by.to_string().into();
    }
    value
}

fn done(text: String, note: &Note, how: &str) -> Reply {
    let data = json!({ "address": note.address, "revision": note.revision, "done": how });
    Reply::with_data(text, data)
}

fn add(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let session = call.here.session()?;
    let kind: waynote::Kind = call.arguments.required("type").parse()?;
    let content = call.telling("content")?;
    let stamp = call.stamp();
    let resolves = call.arguments.text("resolves").map(str::to_owned);
    let store = call.keeper.write()?;
    let iteration = call.here.iteration(store)?;
    let log = SessionLog::new(store, session);
    let resolves = resolves.map(|named| log.stuck(&named)).transpose()?;
    let note = log.add_resolving(kind, iteration, content, resolves, &stamp)?;
    let how = match note.revision {
        1 => "added",
        _ => "already noted",
    };
    Ok(done(reply(&note, resolves.is_some()), &note, how))
}

fn save(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let address = call.named_itself()?;
    let content = call.telling("content")?;
    let expect = match call.arguments.number("if_revision") {
        Some(revision) => Expect::Revision(u64::try_from(revision).unwrap_or_default()),
        None => Expect::Any,
    };
    let pin = call.arguments.flag("pin");
    let limits = call.here.caller.limits;
    let change = Change::Save {
        address,
        content,
        pin,
        limits,
        expect,
        origin: None,
    };
    let stamp = call.stamp();
    let store = call.keeper.write()?;
    let (note, is_new) = applied(store, change, &stamp)?;
    let how = if is_new {
        "new".into()
    } else {
        format!("overwrote revision {}", note.revision - 1)
    };
    let pinned = if pin == Some(true) { ", pinned" } else { "" };
    let full = match note.address.key() {
        Some(_) => fullness(store, &note.address.scope(), limits)?,
        None => String::new(),
    };
    let text = format!("saved {} ({how}{pinned}){full}", note.address);
    Ok(done(text, &note, &how))
}

/// How full the notebook is, once that is worth a word.
fn fullness(store: &dyn Store, scope: &Scope, limits: Limits) -> Result<String, Refusal> {
    let Ok(cap @ 1..) = u64::try_from(limits.max_notes) else {
        return Ok(String::new());
    };
    let notes = store.count(scope)?;
    Ok(if notes * 5 > cap * 4 {
        format!("; {notes} of {cap} notes: merge or delete some soon")
    } else {
        String::new()
    })
}

fn show(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let named = call.named()?;
    let note = note_at(call.keeper.read()?, &named)?;
    let content = note.content.shown().into_owned();
    let data = json!({ "address": note.address, "content": content, "revision": note.revision });
    Ok(Reply::with_data(content, data))
}

fn delete(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let address = call.named_itself()?;
    let stamp = call.stamp();
    let change = Change::Delete {
        address: address.clone(),
    };
    let store = call.keeper.change()?;
    let deleted = store
        .apply(&[change], &stamp)?
        .iter()
        .any(|applied| applied.changed);
    if deleted {
        let data = json!({ "address": address, "done": "deleted" });
        return Ok(Reply::with_data(format!("deleted {address}"), data));
    }
    // No error: it is as was asked for. A typing error is still worth knowing.
    let keys = match address.key() {
        Some(key) => there_are(store, &address.scope(), Some(&key))?,
        None => String::new(),
    };
    let text = format!("{address} was already absent; {keys}");
    let data = json!({ "address": address, "done": "already absent" });
    Ok(Reply::with_data(text.trim_end_matches("; "), data))
}

fn pin(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let address = call.named_itself()?;
    let pinned = call.arguments.flag("pinned").unwrap_or(true);
    let stamp = call.stamp();
    let change = Change::Pin {
        address: address.clone(),
        pinned,
    };
    let store = call.keeper.change()?;
    let note = match applied(store, change, &stamp) {
        Ok((note, _)) => note,
        Err(waynote::Error::NotFound { .. }) => return Err(missing(store, &address)?),
        Err(error) => return Err(error.into()),
    };
    let how = if pinned { "pinned" } else { "unpinned" };
    Ok(done(format!("{how} {address}"), &note, how))
}

/// The note that a change left, and whether it is new.
pub(super) fn applied(
    store: &dyn Store,
    change: Change,
    stamp: &waynote::Stamp,
) -> waynote::Result<(Note, bool)> {
    let applied = store.apply(&[change], stamp)?.into_iter().next();
    applied
        .and_then(|applied| Some((applied.note?, !applied.existed)))
        .ok_or_else(|| waynote::Error::NotFound {
            what: "note after the change".into(),
        })
}

/// Hits shown when nothing else is asked for, and at most.
const HITS: (i64, i64) = (10, 50);

fn find(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let query = call.arguments.required("query").to_owned();
    let limit = call.arguments.number("limit").unwrap_or(HITS.0).min(HITS.1);
    let hits = search::search(
        call.keeper.read()?,
        &query,
        usize::try_from(limit).unwrap_or_default(),
    )?;
    let notes: Vec<Value> = hits
        .iter()
        .map(|hit| {
            let mut note = listed_note(&hit.note);
            note["preview"] = waynote::visible::visible(&hit.snippet).into();
            note
        })
        .collect();
    let lines: Vec<String> = hits
        .iter()
        .map(|hit| {
            format!(
                "- {}: {}",
                hit.note.address,
                waynote::visible::visible(&hit.snippet)
            )
        })
        .collect();
    let text = match lines.is_empty() {
        true => "no note says that; try fewer or other words, or note_list".to_owned(),
        false => lines.join("\n"),
    };
    Ok(Reply::with_data(text, json!({ "notes": notes })))
}
