//! `note_list`: what there is for the caller, a line a note.

use std::fmt::Write;

use serde_json::{Value, json};
use waynote::context::Request;
use waynote::store::{Filter, Recent};
use waynote::visible::visible;
use waynote::{Kind, Name, Note, Scope, Store};

use super::default::listed_note;
use crate::call::{Call, latest};
use crate::reply::{Refusal, Reply};

/// Notes of a notebook that are listed: as many as it has at its default cap.
const NOTEBOOK: usize = 64;

/// Entries of one type that are listed.
const ENTRIES: usize = 20;

/// What was listed so far.
#[derive(Default)]
struct List {
    text: String,
    notes: Vec<Value>,
    /// Notes that are not listed.
    more: u64,
}

pub(super) fn run(call: &mut Call<'_>) -> Result<Reply, Refusal> {
    let mut list = List::default();
    let kind = call.arguments.text("type").map(Kind::imported);
    let here = call.here;
    let session = match &kind {
        Some(_) => Some(here.session()?),
        None => here.caller.session.clone(),
    };
    let request = here.request(call.keeper.now());
    let store = call.keeper.read()?;
    if kind.is_none() {
        list.notebook(store, &here.notebook(), here.caller.limits.max_notes)?;
        list.places(store, &request)?;
    }
    if let Some(session) = session {
        list.log(store, &session, kind.as_ref())?;
    }
    let mut data = json!({ "notes": list.notes });
    if list.more > 0 {
        data["more"] = list.more.into();
    }
    Ok(Reply::with_data(list.text.trim_end(), data))
}

impl List {
    fn notebook(&mut self, store: &dyn Store, scope: &Scope, cap: i64) -> Result<(), Refusal> {
        let total = store.count(scope)?;
        let of = if cap > 0 {
            format!(" of {cap}")
        } else {
            String::new()
        };
        let _ = writeln!(self.text, "{scope} ({total}{of} notes)");
        let notes = latest(store, scope, NOTEBOOK)?;
        for note in &notes {
            let pinned = if note.pinned { " [pinned]" } else { "" };
            let key = note.address.key().unwrap_or_default();
            self.line(&format!("{key}{pinned}"), note);
        }
        self.rest(total, notes.len());
        Ok(())
    }

    fn places(&mut self, store: &dyn Store, request: &Request) -> Result<(), Refusal> {
        let notes = store.select(&Filter::Scopes(request.chain()))?;
        let notes: Vec<&Note> = notes
            .iter()
            .filter(|note| !note.content.is_blank())
            .collect();
        if notes.is_empty() {
            return Ok(());
        }
        let _ = writeln!(self.text, "applies in {}:", visible(request.place.as_str()));
        for note in notes.iter().rev().take(NOTEBOOK).rev() {
            self.line(&note.address.to_string(), note);
        }
        self.rest(notes.len() as u64, notes.len().min(NOTEBOOK));
        Ok(())
    }

    fn log(
        &mut self,
        store: &dyn Store,
        session: &Name,
        only: Option<&Kind>,
    ) -> Result<(), Refusal> {
        let _ = writeln!(self.text, "{}", Scope::Session(session.clone()));
        let mut kinds = Kind::ALL.to_vec();
        kinds.extend(
            store
                .kinds(session)?
                .into_iter()
                .filter(|kind| matches!(kind, Kind::Other(_))),
        );
        let mut is_empty = true;
        for kind in kinds
            .iter()
            .filter(|kind| only.is_none_or(|only| only == *kind))
        {
            let recent = Recent::Entries {
                session: session.clone(),
                kind: kind.clone(),
                before: None,
                open: false,
            };
            let mut entries = store.recent(&recent, 0, ENTRIES)?;
            if entries.is_empty() {
                continue;
            }
            is_empty = false;
            // The latest are listed, and those as they were added.
            entries.reverse();
            let _ = writeln!(self.text, "{}:", visible(&kind.as_str().to_uppercase()));
            for entry in &entries {
                let iteration = entry.iteration.map_or("-".into(), |of| format!("#{of}"));
                self.line(&format!("[{iteration}]"), entry);
            }
            self.rest(
                store.count_entries(session, Some(kind), None, false)?,
                entries.len(),
            );
        }
        if is_empty {
            self.text.push_str("no notes yet\n");
        }
        Ok(())
    }

    fn line(&mut self, name: &str, note: &Note) {
        let colon = if note.kind.is_some() { "" } else { ":" };
        let seen = match note.seen() {
            Some(seen) if seen > 1 => format!(" ({seen} times)"),
            _ => String::new(),
        };
        let resolved = note.resolved_by.map_or("", |_| " (resolved)");
        let preview = visible(&note.preview);
        let _ = writeln!(
            self.text,
            "- {}{colon} {preview}{seen}{resolved}",
            visible(name)
        );
        self.notes.push(listed_note(note));
    }

    fn rest(&mut self, total: u64, shown: usize) {
        let more = total.saturating_sub(shown as u64);
        if more > 0 {
            let _ = writeln!(self.text, "- and {more} more; note_search finds them");
        }
        self.more += more;
    }
}
