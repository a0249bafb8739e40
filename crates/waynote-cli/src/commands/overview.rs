//! `waynote` alone, and `waynote status`: the questions that wait, how loops ended, what is new since the user last
//! looked, and the notes that apply here. At most 20 lines.

use jiff::Timestamp;
use serde_json::json;
use waynote::author::shown;
use waynote::context::Request;
use waynote::secrets::masked;
use waynote::session_state::{Question, SessionReader};
use waynote::session_status::{waiting, without_archived};
use waynote::stands::Hint;
use waynote::store::{Ask, JournalPage};
use waynote::text::{plural, shell_word};
use waynote::visible::visible;
use waynote::{Address, Author, Name, Note, Position, Revision, SessionState, Store, StoreId};

use super::looping::started;
use super::rollback;
use super::sessions::SessionRow;
use super::stands;
use super::theirs::{self, Changed, is_own};
use crate::error::Outcome;
use crate::invocation::Context;
use crate::remembered::Remembered;
use crate::table::{preview, rows};
use crate::team::TYPED;
use crate::{clock, program, session_view, when};

/// The most lines.
const LINES: usize = 20;

/// Questions and sessions that are shown.
const NAMED: usize = 3;

/// Lines about notes that stand elsewhere.
const HINTS: usize = 2;
/// The lines that the notes here keep.
const KEPT: usize = 5;

/// The newest sessions, from which those are chosen.
const NEWEST: usize = 50;

/// Changes that are looked through for what is new.
const CHANGES: JournalPage = JournalPage {
    before: None,
    limit: 500,
};

/// The commands to begin with.
const BEGIN: [&str; 4] = [
    "  waynote note TEXT              a note on this directory",
    "  waynote note --key KEY TEXT    a note of the project, under a key",
    "  waynote install                connect an agent, so that it reads and writes notes",
    "  waynote loop -- AGENT          run an agent again and again; `waynote --help` lists more",
];

/// The parts of the view.
struct View {
    /// Each with the command that continues its loop.
    asked: Vec<(Name, Question, Option<String>)>,
    /// Those where a person can do something come first.
    sessions: Vec<SessionRow>,
    /// How many more there are.
    more_sessions: usize,
    /// What others changed, by author.
    new: Vec<(Name, usize)>,
    /// Their changes of the person's notes.
    changed: Vec<Changed>,
    /// The first of the notes that apply.
    notes: Vec<Note>,
    /// How many there are, and the tokens of their block.
    all: usize,
    tokens: usize,
}

pub(super) fn run(context: &mut Context<'_>) -> Outcome {
    let place = crate::home::base()?.cwd();
    let settings = &context.settings;
    let (agent, now) = (settings.agent.value.clone(), clock::now()?);
    let lineage = context.around(&place)?;
    context.opened()?.beside_asked(&lineage, TYPED);
    let request = Request::new(agent.clone(), lineage, now)
        .budget(settings.budget(None))
        .session(settings.session.value.clone())
        .tools(waynote_mcp::reader_tools())
        .explain(true);
    let (id, position, file, looked, view) = context.read(|store: &dyn Store| {
        // Each read of a store in a database is a round trip.
        let read = store.read(&Ask {
            store_id: true,
            version: true,
            event_sessions: true,
            journal: vec![CHANGES],
            ..Ask::default()
        })?;
        let file = read.store_id.map(mark).transpose()?;
        let file = file.flatten();
        let looked = file.as_ref().and_then(looked);
        let (mut new, mut changed) = (Vec::new(), Vec::new());
        if let Some((seen, _)) = looked {
            let (changes, holder) = (read.journal.concat(), store.holder()?);
            let own = holder.as_ref().map(|holder| (holder, true));
            let own = own.unwrap_or((&settings.author.value, false));
            new = by_others(&changes, seen, own);
            changed = theirs::changed(store, &changes, seen, own)?;
        }
        let view = View::of(store, &request, read.event_sessions, (new, changed))?;
        Ok((read.store_id, read.version.position, file, looked, view))
    })?;
    let hints = context.read(|store| stands::all(&context.settings, store, &request.lineage))?;
    let lost = context.opened()?.rollback()?;
    let path = settings.store.value.display().to_string();
    if context.output.json {
        let asked = view.asked.iter().map(|(session, asked, again)| {
            json!({
                "session": session, "question": masked(&asked.question),
                "iteration": asked.iteration, "continue": again,
            })
        });
        let notes = view.notes.iter().map(|note| {
            json!({ "address": note.address, "preview": note.preview, "pinned": note.pinned })
        });
        let mut value = json!({
            "waiting": asked.collect::<Vec<_>>(), "sessions": view.sessions,
            "more_sessions": view.more_sessions, "new": view.new, "changed": view.changed,
            "looked_at": looked.map(|(_, at)| at.to_string()), "place": place, "agent": agent,
            "notes": notes.collect::<Vec<_>>(), "notes_that_apply": view.all, "tokens": view.tokens,
            "hints": hints.iter().map(Hint::line).collect::<Vec<_>>(), "store": path, "store_id": id.map(|id| id.to_string()),
        });
        if let Some(lost) = &lost {
            value["lost_writes"] = rollback::value(lost);
        }
        return context.value(&value);
    }
    // A change that an agent looks at is new to its person all the same.
    let is_agents = matches!(Author::of(&settings.author.value), Author::Agent(_));
    if let (Some(file), Some(position), false) = (file, position, is_agents) {
        // Without it, the same is new the next time.
        let _ = file.write(format!("{} {now}", position.number()).as_bytes());
    }
    let colour = context.output.has_colour();
    let is_read = context.output.is_terminal();
    let mut lines = view.above(is_read.then_some(now), looked, colour);
    lines.extend(hints.iter().take(HINTS).map(Hint::line));
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let here = visible(&masked(place.as_str()));
    if view.all == 0 {
        let there = id.map_or(" (created by the first write)", |_| "");
        let what = "Leave one for the next run:";
        lines.push(format!("No notes apply in {here}. {what}"));
        lines.extend(BEGIN.map(str::to_owned));
        lines.push(format!("Store: {}{there}", visible(&path)));
    } else {
        lines.extend(view.here(&here, LINES.saturating_sub(lines.len()), colour));
    }
    context.coloured(&(lines.join("\n") + "\n"))
}

/// How many of these changes, latest first, are after a position, by author: those of other authors than this person.
fn by_others(changes: &[Revision], seen: Position, own: (&Name, bool)) -> Vec<(Name, usize)> {
    let mut new: Vec<(Name, usize)> = Vec::new();
    let changes = changes.iter();
    let changes = changes.take_while(|change| change.position > Some(seen));
    for author in changes.map(Revision::author) {
        match new.iter_mut().find(|(of, _)| of == author) {
            _ if is_own(author, own) => {}
            Some((_, count)) => *count += 1,
            None => new.push((author.clone(), 1)),
        }
    }
    new
}

impl View {
    fn of(
        store: &dyn Store,
        request: &Request,
        sessions: Vec<Name>,
        (new, changed): (Vec<(Name, usize)>, Vec<Changed>),
    ) -> Outcome<Self> {
        let reader = &SessionReader::for_list(store, &sessions)?;
        let mut asked = Vec::new();
        for (session, question) in waiting(reader, sessions.clone())? {
            let again = started::next(reader, &session)?;
            asked.push((session, question, again));
        }
        // Those with a question are shown by it.
        let mut names = without_archived(reader, sessions)?;
        names.retain(|name| asked.iter().all(|(session, ..)| session != name));
        let all_sessions = names.len();
        let mut sessions = SessionRow::of(reader, names, NEWEST)?;
        sessions.truncate(NAMED);
        let more_sessions = all_sessions - sessions.len();
        let receipt = waynote::context::render(store, request)?.receipt;
        let shown = receipt.claims.iter().take(LINES);
        let notes = store.get_all(shown.map(|claim| claim.address.clone()).collect())?;
        let notes = notes.into_iter().flatten().collect();
        let (all, tokens) = (receipt.claims.len(), receipt.tokens);
        Ok(Self {
            asked,
            sessions,
            more_sessions,
            new,
            changed,
            notes,
            all,
            tokens,
        })
    }

    /// The lines about loops, and what is new.
    fn above(
        &self,
        now: Option<Timestamp>,
        looked: Option<(Position, Timestamp)>,
        colour: bool,
    ) -> Vec<String> {
        let (mut lines, program) = (Vec::new(), program::called());
        let style = session_view::state_style(SessionState::Waiting);
        for (session, asked, again) in self.asked.iter().take(NAMED) {
            let shown = session_view::painted(&visible(session.as_str()), style, colour);
            let question = session_view::one_line(&asked.question);
            lines.push(format!("{shown} asks (#{}): {question}", asked.iteration));
            let then = |again: &String| format!("    then: {again}");
            let then = again.as_ref().map_or(String::new(), then);
            let session = shell_word(session.as_str());
            lines.push(format!("  {program} answer {session} TEXT{then}"));
        }
        if let Some(more @ 1..) = self.asked.len().checked_sub(NAMED) {
            let all = format!("{program} log sessions");
            lines.push(format!("… {more} more wait for an answer: {all}"));
        }
        let sessions = self.sessions.iter().map(|of| of.row(now));
        let rows = rows(&SessionRow::HEADING, sessions, colour);
        for (row, of) in rows.into_iter().zip(&self.sessions) {
            lines.push(row);
            lines.extend(of.again().map(|again| format!("  {again}")));
        }
        if self.more_sessions > 0 {
            let more = self.more_sessions;
            lines.push(format!("… {more} more: {program} log sessions"));
        }
        if let Some((_, at)) = looked.filter(|_| !self.new.is_empty()) {
            let by = self.new.iter().map(|(author, count)| {
                let changes = plural(*count as u64, "change");
                format!("{changes} by {}", shown(author, None))
            });
            let by = visible(&masked(&by.collect::<Vec<_>>().join(", ")));
            let (at, zone) = (when::minute(at), when::zone());
            lines.push(format!("Since {at}{zone}: {by}"));
        }
        let mut changed = self.changed.iter().take(NAMED).map(Changed::lines);
        let (mut more, mut next) = (self.changed.len(), changed.next());
        // The notes that apply keep some lines.
        while let Some(note) = next.filter(|note| lines.len() + note.len() <= LINES - KEPT) {
            lines.extend(note);
            (more, next) = (more - 1, changed.next());
        }
        if more > 0 {
            lines.push(format!("  … {more} more of your notes: {program} history"));
        }
        lines
    }

    /// The lines about the notes that apply.
    fn here(&self, place: &str, room: usize, colour: bool) -> Vec<String> {
        let (all, tokens) = (plural(self.all as u64, "note"), self.tokens as u64);
        let tokens = plural(tokens, "token");
        let mut lines = vec![format!("Here, {place} ({all}, {tokens} at a start):")];
        let listed = self.notes.iter().take(room.saturating_sub(2).max(1));
        let more = self.all - listed.len();
        let listed = listed.map(|note| {
            let pinned = if note.pinned { "pinned" } else { "" };
            let name = format!("  {}", name(note));
            vec![name, pinned.into(), preview(note)]
        });
        lines.extend(rows(&["note", "pinned", "preview"], listed, colour));
        let more = match more {
            0 => String::new(),
            more => format!("… {more} more: "),
        };
        let commands = "waynote context · waynote search WORDS · waynote --help";
        lines.push(format!("  {more}{commands}"));
        lines
    }
}

/// The file with how far the user has looked.
pub(super) fn mark(store: StoreId) -> Outcome<Option<Remembered>> {
    Remembered::new("looked", store, "")
}

/// How far the user has looked, and when.
pub(super) fn looked(file: &Remembered) -> Option<(Position, Timestamp)> {
    let text = String::from_utf8(file.read()?).ok()?;
    let (position, at) = text.split_once(' ')?;
    Some((position.parse().ok()?, at.parse().ok()?))
}

/// A note's name to a reader who is here: a directory, or a key.
fn name(note: &Note) -> String {
    match &note.address {
        Address::Agent(_, key) => format!("#{key}"),
        address => address.to_string().trim_start_matches("place:").to_owned(),
    }
}
