//! Checks a store for damage: the engine's own pages and rows, then, over the rows of any engine, that notes, counts
//! and leases are those that the journal and the events give.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::OneState;
use super::as_of;
use super::pending::is_counted;
use crate::address::Address;
use crate::content::ContentHash;
use crate::engine::{Ask, Read};
use crate::error::Result;
use crate::event::{RecordedEvent, SessionEvent};
use crate::model::report::Report;
use crate::note::{Action, Note, Position, Revision};
use crate::scope::Scope;
use crate::store::{AsOf, Count, Damage, EventPage, answers};

/// Checks the whole store. Reads one state of it.
pub(super) fn verify(state: &OneState<'_>) -> Result<Report> {
    let rows = state.rows();
    let mut report = Report::default();
    if !rows.verify(&mut report)? {
        return Ok(report);
    }
    let mut checked = Verifier {
        rows,
        contents: HashSet::new(),
        forgotten: HashSet::new(),
        report,
    };
    let mut scopes = checked.journal()?;
    let sessions = answers!(rows, store.event_sessions: true);
    scopes.extend(sessions.into_iter().map(Scope::Session));
    for scope in scopes {
        // One that cannot be read is a finding like others.
        if let Err(error) = checked.scope(&scope) {
            checked.says(&scope.to_string(), &format!("{scope}: {error}"));
        }
    }
    let mut report = checked.report;
    report.contents = checked.contents.len() as u64;
    crate::search::verify::verify(rows, &mut report)?;
    Ok(report)
}

struct Verifier<'r> {
    rows: &'r dyn Read,
    contents: HashSet<ContentHash>,
    /// The notes of which a revision was forgotten: who wrote the text of such a note is not known any more.
    forgotten: HashSet<Address>,
    report: Report,
}

impl Verifier<'_> {
    /// Checks that each note has the revisions 1, 2, 3 …, each after the one before it. Returns the scopes of the
    /// journal.
    fn journal(&mut self) -> Result<BTreeSet<Scope>> {
        let mut scopes: BTreeMap<i64, Option<Scope>> = BTreeMap::new();
        let mut last: HashMap<(i64, String), (i64, u64)> = HashMap::new();
        let mut gaps = BTreeSet::new();
        let mut revisions = 0;
        self.rows.each_row(0, usize::MAX, &mut |row| {
            revisions += 1;
            scopes
                .entry(row.scope)
                .or_insert_with(|| Scope::from_parts(row.kind, &row.name).ok());
            let note = (row.scope, row.key.clone());
            let before = last.insert(note.clone(), (row.position, row.revision));
            let expected = before.map_or((None, 1), |(position, revision)| {
                (Some(position), revision + 1)
            });
            if (row.previous, row.revision) != expected {
                gaps.insert(note);
            }
        })?;
        self.report.revisions = revisions;
        for (id, key) in gaps {
            let scope = scopes.get(&id).and_then(Option::as_ref);
            let name = match scope {
                Some(scope) => named(scope, &key),
                None => format!("scope {id}#{key:?}"),
            };
            self.report
                .add(format!("{name} has a gap in its revisions"));
        }
        Ok(scopes.into_values().flatten().collect())
    }

    /// Checks the notes of a scope, and a session's events.
    fn scope(&mut self, scope: &Scope) -> Result<()> {
        let mut ask = Ask {
            scope_histories: vec![scope.clone()],
            ..Ask::default()
        };
        ask.store.scopes = vec![scope.clone()];
        ask.store.counts = vec![Count::Counted(scope.clone())];
        if let Scope::Session(session) = scope {
            ask.store.events = vec![EventPage::last(session.clone(), usize::MAX)];
        }
        let mut rows = self.rows.read(&ask)?;
        let mut damaged = rows.store.damaged;
        // The engine has named the faults of the store as a whole.
        damaged.retain(|what| !Damage::is_sentence(what));
        for what in &damaged {
            self.says(what, &format!("{what} is damaged"));
        }
        let notes = rows.store.scopes.pop().unwrap_or_default();
        self.report.notes += notes.len() as u64;
        let histories = rows.scope_histories.pop().unwrap_or_default();
        let mut events = rows.store.events.pop().unwrap_or_default();
        events.reverse();
        if damaged.is_empty() {
            let counted = notes.iter().filter(|note| is_counted(&note.address));
            if rows.store.counts != [counted.count() as u64] {
                self.report
                    .add(format!("{scope} has a wrong count of notes"));
            }
            self.events(scope, &events)?;
        }
        for history in &histories {
            let noted = history.iter().filter_map(Revision::note);
            self.contents.extend(noted.map(|note| note.content.hash()));
            self.repeats(history, &damaged);
            let forgotten = history.iter().find(|of| of.forgotten().is_some());
            self.forgotten
                .extend(forgotten.map(|of| of.address().clone()));
        }
        let now = AsOf::Position(Position::new(i64::MAX));
        self.notes(notes, as_of::notes(histories, events, now), &damaged);
        Ok(())
    }

    /// Compares the notes with those that the journal gives. Damaged ones have been named.
    fn notes(&mut self, notes: Vec<Note>, given: Vec<Note>, damaged: &[String]) {
        let mut notes: BTreeMap<Address, Note> = notes
            .into_iter()
            .map(|note| (note.address.clone(), note))
            .collect();
        for mut given in given {
            let address = given.address.clone();
            let note = notes.remove(&address);
            let says = match note {
                _ if is_damaged(&address, damaged) => continue,
                None => "is deleted, but not according to its journal",
                Some(note) => {
                    // Rules for credentials change, and previews that are stored do not follow.
                    given.preview.clone_from(&note.preview);
                    if self.forgotten.contains(&address) {
                        given.author.clone_from(&note.author);
                    }
                    if note == given {
                        continue;
                    }
                    given.resolved_by = note.resolved_by;
                    match note == given {
                        true => "is marked as resolved (or open), but its events say otherwise",
                        false => "does not match its journal",
                    }
                }
            };
            self.report.add(format!("{address} {says}"));
        }
        for address in notes.into_keys() {
            if !is_damaged(&address, damaged) {
                self.report
                    .add(format!("{address} does not match its journal"));
            }
        }
    }

    /// Checks that each repeat of an entry repeats the revision before it.
    fn repeats(&mut self, history: &[Revision], damaged: &[String]) {
        let mut before: Option<&Revision> = None;
        for revision in history {
            let address = revision.address();
            if is_damaged(address, damaged) {
                return;
            }
            let (note, noted) = (revision.note(), before.and_then(Revision::note));
            let is_same = match (note, noted) {
                (Some(note), Some(noted)) => {
                    note.content == noted.content
                        && note.kind == noted.kind
                        && note.created_at == noted.created_at
                }
                (note, noted) => note.is_none() && noted.is_none(),
            };
            let is_repeat = revision.action == Action::Repeat;
            if is_repeat && !(is_same && matches!(address, Address::Session(..))) {
                self.report
                    .add(format!("{address} has a repeat that does not match it"));
            }
            before = Some(revision);
        }
    }

    /// Checks that events are numbered without gaps, and that the lease is the one that they give.
    fn events(&mut self, scope: &Scope, events: &[RecordedEvent]) -> Result<()> {
        let Scope::Session(session) = scope else {
            return Ok(());
        };
        if !events
            .iter()
            .map(|event| event.number)
            .eq(1..=events.len() as u64)
        {
            self.report.add(format!("{scope} has a gap in its events"));
        }
        let held = events.iter().fold(None, |held, event| match event.event {
            SessionEvent::LoopStarted { .. } => Some(event.number),
            SessionEvent::LoopEnded { .. } => None,
            _ => held,
        });
        if self.rows.lease(session)?.map(|lease| lease.number) != held {
            self.report.add(format!(
                "{scope} has the lease of another loop than its events say"
            ));
        }
        Ok(())
    }

    /// Reports a problem of something, unless the engine has named it.
    fn says(&mut self, what: &str, problem: &str) {
        let mut problems = self.report.problems.iter();
        if !problems.any(|known| known.contains(what)) {
            self.report.add(problem);
        }
    }
}

/// True if a note or one of its revisions is damaged.
fn is_damaged(address: &Address, damaged: &[String]) -> bool {
    let address = address.to_string();
    damaged.iter().any(|what| {
        let rest = what.strip_prefix(&address);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    })
}

fn named(scope: &Scope, key: &str) -> String {
    let key = (!key.is_empty()).then_some(key);
    match Address::from_parts(scope.clone(), key) {
        Ok(address) => address.to_string(),
        Err(_) => format!("{scope}#{:?}", key.unwrap_or_default()),
    }
}
