//! waynote's own tools.

use waynote::session_log::reply;
use waynote::visible::{dropped, line_for_model};
use waynote::{
    Address, Citation, Expect, Found, Hit, NoteBefore, Notebook, SaveOptions, SearchRequest,
    SessionLog, named::Saved, single,
};

use super::list;
use crate::call::{Call, event_at};
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Parameter, Spec, optional, required};

const TYPES: &[&str] = &waynote::EntryType::WORDS;

const KEY: Parameter = optional("key", Kind::Text, "");

const PLACE: Parameter = optional("place", Kind::Text, "");

const ADDRESS: Parameter = optional("address", Kind::Text, "As lists show it; @N: revision N");

/// Whose notebook a key is in; without it, the project's.
const SCOPE: Parameter = optional("scope", Kind::Word(&["agent"]), "");
const IF_REVISION: Parameter = optional("if_revision", Kind::Number(0), "");

const CITES: Parameter = optional("cites", Kind::Texts, "Code: src/x.rs:4-9, fn f");

pub(super) const TOOLS: &[Spec] = &[
    Spec {
        name: "note_add",
        about: "Tell later iterations where you were stuck, what worked, a tip, or a decision and why.",
        parameters: &[
            required("content", Kind::Text, "One fact, specific enough to act on"),
            required("type", Kind::Word(TYPES), ""),
            optional(
                "resolves",
                Kind::Text,
                "The stuck note that this solves: #3, or some of its words",
            ),
            CITES,
        ],
        effect: Effect::Adds,
        run: add,
    },
    Spec {
        name: "note_list",
        about: "List your notebook's keys, the notes that apply here, and the session's log.",
        parameters: &[optional(
            "type",
            Kind::Word(TYPES),
            "Only log entries of this type",
        )],
        effect: Effect::Reads,
        run: list::run,
    },
    Spec {
        name: "note_save",
        about: "Save a note for later runs, in place of all of its text. `key`: a fact of this project; with `scope` agent: for you, in every project; `place`: on a directory and everything below.",
        parameters: &[
            required("content", Kind::Text, ""),
            optional("key", Kind::Text, "a-z 0-9 _ -"),
            SCOPE,
            optional("place", Kind::Text, "A path; `~` applies everywhere"),
            optional("pin", Kind::Flag, ""),
            optional(
                "if_revision",
                Kind::Number(0),
                "Write only if this is the current revision; 0: only if new",
            ),
            CITES,
        ],
        effect: Effect::Overwrites,
        run: save,
    },
    Spec {
        name: "note_show",
        about: "Read one whole note: the nearest with a `key`, or by `place`, both, or `address`.",
        parameters: &[KEY, SCOPE, PLACE, ADDRESS],
        effect: Effect::Reads,
        run: show,
    },
    Spec {
        name: "note_delete",
        about: "Delete one wrong or useless note, named as for note_show.",
        parameters: &[KEY, SCOPE, PLACE, ADDRESS, IF_REVISION],
        effect: Effect::Overwrites,
        run: delete,
    },
    Spec {
        name: "note_pin",
        about: "Pin a note, named as for note_show: every prompt shows it whole. `pinned` false unpins.",
        parameters: &[
            KEY,
            SCOPE,
            PLACE,
            ADDRESS,
            optional("pinned", Kind::Flag, ""),
        ],
        effect: Effect::Sets,
        run: pin,
    },
    Spec {
        name: "note_confirm",
        about: "Say that a stale note, named as for note_show, is still true.",
        parameters: &[KEY, SCOPE, PLACE, ADDRESS],
        effect: Effect::Sets,
        run: confirm,
    },
    Spec {
        name: "note_search",
        about: "Find notes by their words: what applies here first.",
        parameters: &[
            required("query", Kind::Text, "Words, \"phrases\", prefix*, -not"),
            optional("limit", Kind::Number(1), ""),
        ],
        effect: Effect::Reads,
        run: find,
    },
];

fn add(call: &mut Call<'_>) -> Result<String, Refusal> {
    let session = call.here.session()?;
    let kind: waynote::EntryType = call.arguments.required("type").parse()?;
    let content = call.nonblank_content("content")?;
    let stamp = call.stamp();
    let resolves = call.arguments.text("resolves").map(str::to_owned);
    let store = call.notes.writable()?;
    let iteration = call.here.iteration(store)?;
    let log = SessionLog::new(store, session);
    let resolves = resolves.map(|named| log.stuck(&named)).transpose()?;
    let dropped = dropped(&content.shown());
    let note = log.add_resolving(kind, iteration, content, resolves, &stamp)?;
    Ok(reply(&note, resolves.is_some()) + &dropped)
}

fn save(call: &mut Call<'_>) -> Result<String, Refusal> {
    let Saved { address, others } = call.to_save()?;
    let is_placed = ["place", "scope"]
        .iter()
        .any(|name| call.arguments.text(name).is_some());
    let content = call.nonblank_content("content")?;
    let expect = expected(call);
    let pin = call.arguments.flag("pin");
    let options = SaveOptions::default()
        .limits(call.here.caller.limits)
        .pin(pin)
        .expect(expect);
    let stamp = call.stamp().careful();
    let store = call.notes.writable()?;
    let dropped = dropped(&content.shown());
    let (note, before) = single::save(store, address, content, options, &stamp)?;
    let how = match before {
        None => "new".into(),
        Some(NoteBefore { revision, .. }) => format!(
            "overwrote revision {revision}; its text: note_show {}@{revision}",
            note.address
        ),
    };
    let pinned = if pin == Some(true) { ", pinned" } else { "" };
    let scope = note.address.scope();
    let mut text = format!(
        "saved {} ({how}{pinned}){}{dropped}",
        note.address,
        note.cited()
    );
    if matches!((&note.address, &*how), (Address::Agent(..), "new")) && !is_placed {
        text.push_str("; it applies in every project, as none is known here");
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        text.push_str(&format!(
            "; other notes with this key: {}",
            others.join(", ")
        ));
    }
    let notebook = Notebook::of(store, scope.clone());
    if note.address.key().is_some()
        && let Some((notes, most)) = notebook.nearly_full(options.limits)?
    {
        text.push_str(&format!(
            "; {scope} has {notes} of {most} notes: add to one of them rather than a new one"
        ));
    }
    Ok(text)
}

fn show(call: &mut Call<'_>) -> Result<String, Refusal> {
    let text = |name| call.arguments.text(name);
    let named = text("address").or(text("key")).unwrap_or_default();
    if let Ok(event) = named.trim().parse() {
        return event_at(call.notes.store(), &event);
    }
    let named = call.existing()?;
    let note = call.note_at(&named)?;
    let labels = note.labels(line_for_model);
    let end = if labels.is_empty() { "" } else { "\n" };
    let mut text = [labels.trim_start(), end, &note.content.shown()].concat();
    if let Some(others) = single::replaced(call.notes.store(), &note)? {
        let (labels, theirs) = (others.labels(line_for_model), others.content.shown());
        text += &format!("\n\nothers say{labels}:\n{theirs}");
    }
    Ok(text)
}

/// The revision that a call expects.
fn expected(call: &Call<'_>) -> Expect {
    let revision = call.arguments.number("if_revision");
    revision
        .map(|revision| u64::try_from(revision).unwrap_or_default())
        .into()
}

fn delete(call: &mut Call<'_>) -> Result<String, Refusal> {
    let address = call.existing_note()?;
    let (expect, stamp) = (expected(call), call.stamp().careful());
    let store = call.notes.writable()?;
    match single::delete(store, address.clone(), expect, &stamp)? {
        true => Ok(format!("deleted {address}")),
        false => Err(call.missing(&address)?),
    }
}

fn pin(call: &mut Call<'_>) -> Result<String, Refusal> {
    let address = call.existing_note()?;
    let pinned = call.arguments.flag("pinned").unwrap_or(true);
    let stamp = call.stamp();
    let store = call.notes.writable()?;
    match single::set_pinned(store, address.clone(), pinned, Expect::Any, &stamp) {
        Ok(_) => {}
        Err(waynote::Error::NotFound { .. }) => return Err(call.missing(&address)?),
        Err(error) => return Err(error.into()),
    }
    let how = if pinned { "pinned" } else { "unpinned" };
    Ok(format!("{how} {address}"))
}

fn confirm(call: &mut Call<'_>) -> Result<String, Refusal> {
    let address = call.existing_note()?;
    let stamp = call.stamp();
    let store = call.notes.writable()?;
    let (note, gone) = match waynote::cites::confirm(store, &address, &stamp) {
        Err(waynote::Error::NotFound { .. }) => return Err(call.missing(&address)?),
        confirmed => confirmed?,
    };
    let (revision, cited, gone) = (note.revision, note.cited(), Citation::dropped(&gone));
    Ok(format!(
        "confirmed {address} (revision {revision}){cited}{gone}"
    ))
}

/// Hits shown when nothing else is asked for, and at most.
const HITS: (i64, i64) = (10, 50);

fn find(call: &mut Call<'_>) -> Result<String, Refusal> {
    let query = call.arguments.required("query").to_owned();
    let limit = call.arguments.number("limit").unwrap_or(HITS.0).min(HITS.1);
    let limit = usize::try_from(limit).unwrap_or_default();
    let request = call.here.request(call.notes.now());
    call.notes.listed(|store| {
        let found = Found::of(
            &store,
            &SearchRequest::new(query).limit(limit),
            &request.scopes_that_apply(),
        )?;
        let line = |hit: &Hit| {
            let (note, text) = (&hit.note, line_for_model(&hit.snippet.text));
            let address = request.lineage.short(&note.address);
            format!("- {address}{}: {text}", note.labels(line_for_model))
        };
        let mut lines: Vec<String> = found.here.iter().map(line).collect();
        if !found.elsewhere.is_empty() {
            lines.push("these do not apply here:".into());
        }
        lines.extend(found.elsewhere.iter().map(line));
        Ok(match lines.is_empty() {
            true => "no note matches; try fewer or other words, or note_list".to_owned(),
            false => lines.join("\n"),
        })
    })
}
