//! The state of the screen, and the keys that change it.

use std::mem;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use waynote::context::Receipt;
use waynote::session_state::Question;
use waynote::text::plural;
use waynote::{Address, Change, Error, Expect, Name, Scope, ScopeSummary};

use super::typed::Line;
use super::worker::{Item, Listing, Overview, PAGE, Reply, Stretch, told};
use crate::error::Failure;

/// The keys, as `?` shows them.
pub(super) const KEYS: [(&str, &str); 15] = [
    ("j k, arrows", "down, up"),
    ("g G", "first, last"),
    ("PgUp PgDn", "a screen up, down"),
    ("tab, h l", "next pane, left, right"),
    ("enter", "into the scope, into the note"),
    ("/", "search as you type; Esc ends it"),
    (
        "e",
        "edit in your editor; where nothing is, write the note of this directory",
    ),
    ("p", "pin, unpin"),
    ("u", "undo the last change of the note"),
    ("r", "redo it"),
    ("d", "delete the note, after a question"),
    ("a", "answer the question of a session"),
    ("?", "these keys"),
    ("Ctrl-Z", "back to the shell; `fg` returns"),
    ("q, Esc, Ctrl-C", "quit"),
];

/// After so long without a reply, the screen says that it waits.
const PATIENCE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Scopes,
    Notes,
    Note,
}

/// What the keys are for.
pub(super) enum Mode {
    Lists,
    Search(Line),
    Answer(Name, Question, Line),
    /// Asks whether to delete this revision of a note.
    Delete(Address, u64),
    Keys,
}

/// What a key asks of the program around the screen.
pub(super) enum Wish {
    Quit,
    Suspend,
    Edit(Address),
    Change(Change),
    Answer(Name, String),
}

/// A row of the scopes: a heading, or a list of notes.
pub(super) struct Row {
    pub(super) of: Option<Listing>,
    pub(super) name: String,
    pub(super) notes: Option<u64>,
    pub(super) asks: bool,
}

pub(super) struct App {
    /// The name of the store.
    pub(super) store: String,
    /// The note of the working directory.
    here: Address,
    pub(super) rows: Vec<Row>,
    pub(super) row: usize,
    /// The sessions that wait for an answer.
    questions: Vec<(Name, Question)>,
    pub(super) receipt: Option<Receipt>,
    pub(super) list: Listing,
    /// The query as it was typed, while its hits are listed.
    pub(super) query: Option<String>,
    /// The part of the list that was read; none until a first part is.
    pub(super) read: Option<Stretch>,
    pub(super) chosen: usize,
    pub(super) pane: Pane,
    pub(super) mode: Mode,
    /// How far the note is scrolled, and how far it can be.
    pub(super) scroll: usize,
    pub(super) scroll_end: usize,
    /// The rows of notes that the screen has.
    pub(super) height: usize,
    pub(super) said: String,
    has_failed: bool,
    /// The note that the last change took away: `u` brings it back.
    gone: Option<Address>,
    asked: Option<(Listing, (usize, usize))>,
    /// The number of the last job, and of the last one that is done.
    sent: u64,
    done: u64,
    since: Instant,
}

impl App {
    pub(super) fn new(store: String, here: Address) -> Self {
        Self {
            store,
            here,
            rows: vec![row(Listing::Here, "here".into(), None)],
            row: 0,
            questions: Vec::new(),
            receipt: None,
            list: Listing::Here,
            query: None,
            read: None,
            chosen: 0,
            pane: Pane::Notes,
            mode: Mode::Lists,
            scroll: 0,
            scroll_end: 0,
            height: 10,
            said: String::new(),
            has_failed: false,
            gone: None,
            asked: None,
            sent: 0,
            done: 0,
            since: Instant::now(),
        }
    }

    /// The number of a job that is sent now.
    pub(super) fn number(&mut self) -> u64 {
        if self.sent == self.done {
            self.since = Instant::now();
        }
        self.sent += 1;
        self.sent
    }

    /// True until every job is done.
    pub(super) fn is_waiting(&self) -> bool {
        self.done < self.sent
    }

    pub(super) fn waits_long(&self) -> bool {
        self.is_waiting() && self.since.elapsed() > PATIENCE
    }

    /// The part of the list that has to be read.
    pub(super) fn wanted(&mut self) -> Option<(Listing, (usize, usize))> {
        let first = self.chosen.saturating_sub(PAGE) / PAGE;
        let wanted = (self.list.clone(), (first, (self.chosen + PAGE) / PAGE));
        let is_new = self.asked.as_ref() != Some(&wanted);
        is_new.then(|| self.asked.insert(wanted).clone())
    }

    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.said = text.into();
    }

    /// The number of notes that the list has.
    pub(super) fn total(&self) -> usize {
        self.read.as_ref().map_or(0, |read| read.total)
    }

    /// The note at an index of the list, if it was read.
    pub(super) fn at(&self, index: usize) -> Option<&Item> {
        let read = self.read.as_ref()?;
        read.items.get(index.checked_sub(read.first)?)
    }

    pub(super) fn item(&self) -> Option<&Item> {
        self.at(self.chosen)
    }

    /// The state of the session that is listed, while its scope is chosen.
    pub(super) fn about(&self) -> Option<&str> {
        let read = self.read.as_ref().filter(|read| read.of == self.list)?;
        let about = read.about.as_deref().filter(|about| !about.is_empty());
        about.filter(|_| self.pane == Pane::Scopes)
    }

    pub(super) fn take(&mut self, reply: Reply) {
        match reply {
            Reply::Overview(overview) => self.take_overview(*overview),
            Reply::Stretch(stretch) => self.take_stretch(*stretch),
            Reply::Done(said, gone) => {
                self.say(said);
                self.gone = gone;
            }
            Reply::Failed(why) => {
                self.say(why);
                self.has_failed = true;
            }
            Reply::Idle(number) => self.done = number,
        }
    }

    fn take_overview(&mut self, overview: Overview) {
        if mem::take(&mut self.has_failed) {
            self.said.clear();
        }
        let count = |count: u64| Some(count).filter(|count| *count > 0);
        let scope = |of: ScopeSummary| {
            let name = of.scope.name().to_owned();
            row(Listing::Scope(of.scope), name, count(of.notes))
        };
        let here = overview.receipt.claims.len() as u64;
        let mut rows = vec![
            row(Listing::Here, "here".into(), count(here)),
            row(Listing::Latest, "latest changes".into(), None),
        ];
        let mut part = |title: &str, part: Vec<Row>| {
            if !part.is_empty() {
                rows.push(Row {
                    of: None,
                    name: title.to_owned(),
                    notes: None,
                    asks: false,
                });
                rows.extend(part);
            }
        };
        self.questions.clear();
        part("places", overview.places.into_iter().map(scope).collect());
        part(
            "notebooks",
            overview.agents.into_iter().map(scope).collect(),
        );
        let sessions = overview.sessions.into_iter().map(|of| {
            let asks = of.question.is_some();
            self.questions
                .extend(of.question.map(|question| (of.name.clone(), question)));
            let name = of.name.as_str().to_owned();
            let listing = Listing::Scope(Scope::Session(of.name));
            Row {
                asks,
                ..row(listing, name, count(of.notes))
            }
        });
        part("sessions", sessions.collect());
        let shown = mem::replace(&mut self.rows, rows).into_iter().nth(self.row);
        let shown = shown.and_then(|row| row.of);
        let same = self
            .rows
            .iter()
            .position(|row| row.of.is_some() && row.of == shown);
        match same {
            Some(same) => self.row = same,
            // Its last note is gone.
            None if self.query.is_none() => {
                self.row = 0;
                self.show_row();
            }
            None => self.row = 0,
        }
        self.receipt = Some(overview.receipt);
    }

    fn take_stretch(&mut self, stretch: Stretch) {
        if stretch.of != self.list {
            return;
        }
        let is_same = self.read.as_ref().is_some_and(|read| read.of == stretch.of);
        let chosen = self.item().filter(|_| is_same);
        let chosen = chosen.map(|item| item.note.address.clone());
        self.read = Some(stretch);
        // The same note stays chosen, wherever it is now.
        if let (Some(chosen), Some(read)) = (chosen, &self.read) {
            let mut items = read.items.iter();
            if let Some(at) = items.position(|item| item.note.address == chosen) {
                self.chosen = read.first + at;
            }
        }
        self.chosen = self.chosen.min(self.total().saturating_sub(1));
    }

    /// Lists other notes. Those of before stay on the screen until they are read.
    fn show(&mut self, list: Listing) {
        if self.list != list {
            self.list = list;
            (self.chosen, self.scroll) = (0, 0);
        }
    }

    /// Lists the notes of the chosen row, and ends a search.
    fn show_row(&mut self) {
        self.query = None;
        if let Some(of) = self.rows[self.row].of.clone() {
            self.show(of);
        }
    }

    /// Pasted text goes where text is typed, and is no command.
    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Search(line) => {
                line.put(text);
                let query = line.text();
                self.search(&query);
            }
            Mode::Answer(.., line) => line.put(text),
            _ => {}
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Wish> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.said.clear();
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Some(Wish::Quit),
                KeyCode::Char('z') => return Some(Wish::Suspend),
                _ => {}
            }
        }
        match mem::replace(&mut self.mode, Mode::Lists) {
            Mode::Lists => return self.command(key),
            Mode::Keys => {}
            Mode::Search(line) => self.searching(line, key),
            Mode::Answer(session, question, mut line) => match key.code {
                KeyCode::Esc => self.say("nothing was answered"),
                KeyCode::Enter if !line.text().trim().is_empty() => {
                    return Some(Wish::Answer(session, line.text()));
                }
                _ => {
                    line.key(key);
                    self.mode = Mode::Answer(session, question, line);
                }
            },
            Mode::Delete(address, revision) => match key.code {
                KeyCode::Char('y' | 'Y') => {
                    let expect = Expect::Revision(revision);
                    return Some(Wish::Change(Change::Delete { address, expect }));
                }
                _ => self.say(format!("kept {}", address.masked())),
            },
        }
        None
    }

    fn searching(&mut self, mut line: Line, key: KeyEvent) {
        match key.code {
            KeyCode::Esc => return self.show_row(),
            KeyCode::Enter => return,
            KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown => self.moved(key),
            _ => {
                line.key(key);
                self.search(&line.text());
            }
        }
        self.mode = Mode::Search(line);
    }

    /// Searches for what is typed up to now: its last word may go on.
    fn search(&mut self, typed: &str) {
        if typed.trim().is_empty() {
            return self.show_row();
        }
        let last = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let goes_on = last.chars().count() > 1 && last.chars().all(char::is_alphanumeric);
        self.query = Some(typed.to_owned());
        self.show(Listing::Found(match goes_on {
            true => format!("{typed} {last}*"),
            false => typed.to_owned(),
        }));
    }

    fn command(&mut self, key: KeyEvent) -> Option<Wish> {
        match key.code {
            KeyCode::Char('q') => return Some(Wish::Quit),
            KeyCode::Esc if self.pane == Pane::Note => self.pane = Pane::Notes,
            KeyCode::Esc if self.query.is_some() => self.show_row(),
            KeyCode::Esc => return Some(Wish::Quit),
            KeyCode::Char('?') => self.mode = Mode::Keys,
            KeyCode::Char('/') => {
                let mut line = Line::default();
                line.put(self.query.as_deref().unwrap_or_default());
                self.mode = Mode::Search(line);
                self.pane = Pane::Notes;
            }
            KeyCode::Tab => {
                self.pane = match self.pane {
                    Pane::Scopes => Pane::Notes,
                    Pane::Notes => Pane::Note,
                    Pane::Note => Pane::Scopes,
                }
            }
            KeyCode::Char('l') | KeyCode::Right | KeyCode::Enter => {
                self.pane = match self.pane {
                    Pane::Scopes => Pane::Notes,
                    _ => Pane::Note,
                }
            }
            KeyCode::Char('h') | KeyCode::Left | KeyCode::BackTab => {
                self.pane = match self.pane {
                    Pane::Note => Pane::Notes,
                    _ => Pane::Scopes,
                }
            }
            KeyCode::Char('a') => self.ask_for_answer(),
            KeyCode::Char('e') => {
                let note = self.item().map(|item| item.note.address.clone());
                return Some(Wish::Edit(note.unwrap_or_else(|| self.here.clone())));
            }
            KeyCode::Char('p') => {
                let note = &self.item()?.note;
                return Some(Wish::Change(Change::Pin {
                    address: note.address.clone(),
                    pinned: !note.pinned,
                    expect: Expect::Revision(note.revision),
                }));
            }
            KeyCode::Char('d') => {
                let note = &self.item()?.note;
                let (address, revision) = (note.address.clone(), note.revision);
                match address {
                    Address::Session(..) => {
                        let refusal = Failure::from(Error::AppendOnly { address });
                        self.say(told(&refusal));
                    }
                    address => self.mode = Mode::Delete(address, revision),
                }
            }
            KeyCode::Char('u') if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                return self.changed().map(Change::undo).map(Wish::Change);
            }
            KeyCode::Char('r') => return self.changed().map(Change::redo).map(Wish::Change),
            _ => self.moved(key),
        }
        None
    }

    /// The note whose change `u` and `r` take back: the one that is gone by the last change, else the chosen one.
    fn changed(&self) -> Option<Address> {
        let chosen = || self.item().map(|item| item.note.address.clone());
        self.gone.clone().or_else(chosen)
    }

    /// Asks for the answer to the chosen session, or to the only one that waits.
    fn ask_for_answer(&mut self) {
        let scope = match &self.list {
            Listing::Scope(scope) => Some(scope.clone()),
            _ => self.item().map(|item| item.note.address.scope()),
        };
        let chosen = match scope {
            Some(Scope::Session(name)) => Some(name),
            _ => None,
        };
        let asked = self
            .questions
            .iter()
            .find(|(name, _)| Some(name) == chosen.as_ref());
        let asked = match &self.questions[..] {
            [only] => Some(only),
            _ => asked,
        };
        match asked.cloned() {
            Some((session, question)) => {
                self.mode = Mode::Answer(session, question, Line::default());
            }
            None => {
                let waiting = plural(self.questions.len() as u64, "session");
                self.say(match (self.questions.is_empty(), chosen) {
                    (true, _) => "no session waits for an answer".into(),
                    (false, Some(name)) => format!("session {name} does not wait for an answer"),
                    (false, None) => format!("{waiting} wait for an answer: choose one, marked !"),
                });
            }
        }
    }

    fn moved(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.height.max(2) as isize - 1;
        let by = match key.code {
            KeyCode::Char('d') if control => page / 2,
            KeyCode::Char('u') if control => -page / 2,
            KeyCode::Char('j') | KeyCode::Down => 1,
            KeyCode::Char('k') | KeyCode::Up => -1,
            KeyCode::PageDown => page,
            KeyCode::PageUp => -page,
            KeyCode::Char('g') | KeyCode::Home => isize::MIN,
            KeyCode::Char('G') | KeyCode::End => isize::MAX,
            _ => return,
        };
        let to = |from: usize, last: usize| from.saturating_add_signed(by).min(last);
        match self.pane {
            Pane::Note => self.scroll = to(self.scroll, self.scroll_end),
            Pane::Notes => {
                self.gone = None;
                self.scroll = 0;
                self.chosen = to(self.chosen, self.total().saturating_sub(1));
            }
            Pane::Scopes => {
                let lists = self
                    .rows
                    .iter()
                    .enumerate()
                    .filter(|(_, row)| row.of.is_some());
                let lists: Vec<usize> = lists.map(|(at, _)| at).collect();
                let at = lists.iter().position(|at| *at == self.row).unwrap_or(0);
                self.row = lists[to(at, lists.len().saturating_sub(1))];
                self.gone = None;
                self.show_row();
            }
        }
    }
}

fn row(of: Listing, name: String, notes: Option<u64>) -> Row {
    Row {
        of: Some(of),
        name,
        notes,
        asks: false,
    }
}
