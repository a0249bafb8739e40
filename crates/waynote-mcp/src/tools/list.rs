//! `note_list`: the notes that apply to the caller, each with a preview and the call that reads it whole, and the
//! entries of the log in full.

use std::fmt::Write;

use waynote::context::Request;
use waynote::store::{Filter, Recent};
use waynote::visible::{is_line_end, line_for_model, visible};
use waynote::{EntryType, Name, Note, Notebook, Scope, Store};

use crate::call::Call;
use crate::reply::Refusal;

/// Notes of a notebook that are listed: as many as it has within the default limit.
const NOTEBOOK: usize = 64;

/// Entries of one type that are listed.
const ENTRIES: usize = 20;

/// Characters of an entry that are listed.
const ENTRY_CHARS: usize = 600;

/// Characters of a log's entries that are listed together; of entries that have no room, a preview.
const LOG_CHARS: usize = 12_000;

/// The list so far.
#[derive(Default)]
struct List(String);

pub(super) fn run(call: &mut Call<'_>) -> Result<String, Refusal> {
    let kind = call.arguments.text("type").map(EntryType::imported);
    let here = call.here;
    let session = match &kind {
        Some(_) => Some(here.session()?),
        None => here.caller.session.clone(),
    };
    let request = here.request(call.notes.now());
    call.notes.listed(|store| {
        let mut list = List::default();
        if kind.is_none() {
            list.notebook(store, &here.notebook(), here.caller.limits.max_notes)?;
            list.places(store, &request)?;
        }
        if let Some(session) = session {
            list.log(store, &session, kind.as_ref())?;
        }
        Ok(list.0.trim_end().to_owned())
    })
}

impl List {
    fn notebook(&mut self, store: &dyn Store, scope: &Scope, limit: i64) -> Result<(), Refusal> {
        let total = store.count(scope)?;
        let of = if limit > 0 {
            format!(" of {limit}")
        } else {
            String::new()
        };
        let _ = writeln!(self.0, "{scope} ({total}{of} notes)");
        let notes = Notebook::of(store, scope.clone()).latest(NOTEBOOK)?;
        for note in &notes {
            let pinned = if note.pinned { " [pinned]" } else { "" };
            let key = note.address.key().unwrap_or_default();
            self.note(&format!("{key}{pinned}"), note);
        }
        self.rest(total, notes.len());
        Ok(())
    }

    fn places(&mut self, store: &dyn Store, request: &Request) -> Result<(), Refusal> {
        if let Some(reason) = request.lineage.unknown() {
            let reason = reason.to_owned();
            let unknown = waynote::Error::UnknownRepository { reason };
            let _ = writeln!(self.0, "{}", visible(&unknown.to_string()));
        }
        let notes = store.select(&Filter::Scopes(request.lineage.scopes()))?;
        let notes: Vec<&Note> = notes
            .iter()
            .filter(|note| !note.content.is_blank())
            .collect();
        if notes.is_empty() {
            return Ok(());
        }
        let _ = writeln!(
            self.0,
            "applies in {}:",
            visible(request.lineage.place().as_str())
        );
        for note in notes.iter().rev().take(NOTEBOOK).rev() {
            self.note(&request.lineage.short(&note.address), note);
        }
        self.rest(notes.len() as u64, notes.len().min(NOTEBOOK));
        Ok(())
    }

    fn log(
        &mut self,
        store: &dyn Store,
        session: &Name,
        only: Option<&EntryType>,
    ) -> Result<(), Refusal> {
        let _ = writeln!(self.0, "{}", Scope::Session(session.clone()));
        let kinds = EntryType::in_order(store.kinds(session)?);
        let (mut is_empty, mut room) = (true, LOG_CHARS);
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
            let entries = store.recent(&recent, 0, ENTRIES)?;
            if entries.is_empty() {
                continue;
            }
            is_empty = false;
            let _ = writeln!(self.0, "{}:", visible(&kind.as_str().to_uppercase()));
            // The latest have room first, and are listed last, as they were added.
            let lines: Vec<String> = entries.iter().map(|of| entry(of, &mut room)).collect();
            for line in lines.iter().rev() {
                let _ = writeln!(self.0, "{line}");
            }
            self.rest(
                store.count_entries(session, Some(kind), None, false)?,
                entries.len(),
            );
        }
        if is_empty {
            self.0.push_str("no notes yet\n");
        }
        Ok(())
    }

    fn note(&mut self, name: &str, note: &Note) {
        let _ = writeln!(
            self.0,
            "- {}{}: {}",
            visible(name),
            note.labels(line_for_model),
            line_for_model(&note.preview)
        );
    }

    fn rest(&mut self, total: u64, shown: usize) {
        let more = total.saturating_sub(shown as u64);
        if more > 0 {
            let _ = writeln!(self.0, "- and {more} more; note_search finds them");
        }
    }
}

/// An entry of the log: whole while there is room, else its beginning and the address under which `note_show` has it.
fn entry(note: &Note, room: &mut usize) -> String {
    let iteration = note.iteration.map_or("-".into(), |of| format!("#{of}"));
    let seen = match note.seen() {
        Some(seen) if seen > 1 => format!(" ({seen} times)"),
        _ => String::new(),
    };
    let resolved = note.resolved_by.map_or("", |_| " (resolved)");
    let whole = note.content.shown();
    let whole = waynote::secrets::masked(whole.trim());
    let chars = whole.chars().count();
    let text = if chars <= ENTRY_CHARS.min(*room) {
        *room -= chars;
        indented(&whole)
    } else {
        format!(
            "{} (whole: {})",
            line_for_model(&note.preview),
            note.address
        )
    };
    format!(
        "- [{iteration}] {text}{seen}{resolved}{}",
        note.labels(line_for_model)
    )
}

/// A text with its further lines indented, so that none looks like another entry.
fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        out.push(char);
        let is_pair = char == '\r' && chars.peek() == Some(&'\n');
        if is_line_end(char) && !is_pair {
            out.push_str("  ");
        }
    }
    out
}
