//! The state of the screen, and the keys that change it.

use std::mem;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use waynote::context::Receipt;
use waynote::session_state::Question;
use waynote::text::plural;
use waynote::{Address, Change, Error, Expect, Name, Scope, Stamp};

use super::store::{Item, Listing, Overview, PAGE, Reading, Row, Stretch, Write, told};
use crate::error::Outcome;

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pane {
    Scopes,
    #[default]
    Notes,
    Note,
}

/// The panes, from left to right.
const PANES: [Pane; 3] = [Pane::Scopes, Pane::Notes, Pane::Note];

/// What the keys are for.
#[derive(Default)]
pub(super) enum Mode {
    #[default]
    Lists,
    Search(String),
    Answer(Name, Question, String),
    /// Asks whether to delete this revision of a note.
    Delete(Address, u64),
    Keys,
}

/// What a key asks of the program around the screen.
pub(super) enum Wish {
    Quit,
    Suspend,
    /// Edits this note, or that of the working directory.
    Edit(Option<Address>),
    Write(Write),
}

#[derive(Default)]
pub(super) struct App {
    /// The name of the store.
    pub(super) store: String,
    pub(super) rows: Vec<Row>,
    pub(super) row: usize,
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
    /// The note that was changed last, until another one is chosen: `u` and `r` are about it, though it may be gone.
    changed: Option<Address>,
    asked: Option<(Listing, (usize, usize))>,
}

impl App {
    pub(super) fn new(store: String) -> Self {
        Self {
            store,
            rows: vec![Row::of(Listing::Here, "here", 0)],
            ..Self::default()
        }
    }

    /// Reads what has changed, and what the keys have asked for.
    pub(super) fn read(&mut self, reading: &mut Reading<'_>) {
        match self.read_again(reading) {
            Ok(()) if mem::take(&mut self.has_failed) => self.said.clear(),
            Ok(()) => {}
            Err(failure) => {
                self.say(told(&failure));
                self.has_failed = true;
            }
        }
    }

    fn read_again(&mut self, reading: &mut Reading<'_>) -> Outcome {
        if let Some(overview) = reading.overview()? {
            self.take_overview(overview);
            self.asked = None;
        }
        while let Some((of, pages)) = self.wanted() {
            let stretch = reading.list(of.clone(), pages)?;
            self.asked = Some((of, pages));
            self.take_stretch(stretch);
        }
        Ok(())
    }

    /// Makes a change, and says what became of it.
    pub(super) fn write(&mut self, reading: &mut Reading<'_>, write: Write, stamp: &Stamp) {
        match reading.write(write, stamp) {
            Ok((said, changed)) => (self.said, self.changed) = (said, changed),
            Err(failure) => self.say(told(&failure)),
        }
    }

    /// The part of the list that has to be read.
    fn wanted(&self) -> Option<(Listing, (usize, usize))> {
        let first = self.chosen.saturating_sub(PAGE) / PAGE;
        let wanted = (self.list.clone(), (first, (self.chosen + PAGE) / PAGE));
        (self.asked.as_ref() != Some(&wanted)).then_some(wanted)
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

    fn address(&self) -> Option<Address> {
        self.item().map(|item| item.note.address.clone())
    }

    /// The state of the session that is listed, while its scope is chosen.
    pub(super) fn about(&self) -> Option<&str> {
        let read = self.read.as_ref().filter(|read| read.of == self.list)?;
        let about = read.about.as_deref().filter(|about| !about.is_empty());
        about.filter(|_| self.pane == Pane::Scopes)
    }

    fn take_overview(&mut self, overview: Overview) {
        let shown = mem::replace(&mut self.rows, overview.rows);
        let shown = &shown[self.row].of;
        let same = self.rows.iter().position(|row| row.of == *shown);
        self.row = same.unwrap_or(0);
        // Its last note is gone.
        if same.is_none() && self.query.is_none() {
            self.show_row();
        }
        self.receipt = Some(overview.receipt);
    }

    fn take_stretch(&mut self, stretch: Stretch) {
        let is_same = self.read.as_ref().is_some_and(|read| read.of == stretch.of);
        // The same note stays chosen, wherever it is now; one that comes back is chosen again.
        let chosen = [self.changed.clone(), self.address()];
        let items = &stretch.items;
        let at = |of: &Address| items.iter().position(|item| item.note.address == *of);
        if let Some(at) = chosen.iter().flatten().filter(|_| is_same).find_map(at) {
            self.chosen = stretch.first + at;
        }
        self.read = Some(stretch);
        self.chosen = self.chosen.min(self.total().saturating_sub(1));
    }

    /// Lists other notes. Those of before stay on the screen until they are read.
    fn show(&mut self, list: Listing) {
        if self.list != list {
            self.list = list;
            self.changed = None;
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
        if let Mode::Search(line) | Mode::Answer(.., line) = &mut self.mode {
            line.push_str(text);
            self.search();
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Option<Wish> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        self.said.clear();
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Some(Wish::Quit),
                KeyCode::Char('z') => Some(Wish::Suspend),
                _ => None,
            };
        }
        match mem::take(&mut self.mode) {
            Mode::Lists => return self.command(key),
            Mode::Keys => {}
            Mode::Search(line) => match key.code {
                KeyCode::Esc => self.show_row(),
                KeyCode::Enter => {}
                KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown => {
                    self.moved(key);
                    self.mode = Mode::Search(line);
                }
                _ => {
                    self.mode = Mode::Search(typed(line, key));
                    self.search();
                }
            },
            Mode::Answer(session, question, line) => match key.code {
                KeyCode::Esc => self.say("nothing was answered"),
                KeyCode::Enter if !line.trim().is_empty() => {
                    return Some(Wish::Write(Write::Answer(session, line)));
                }
                _ => self.mode = Mode::Answer(session, question, typed(line, key)),
            },
            Mode::Delete(address, revision) => match key.code {
                KeyCode::Char('y' | 'Y') => {
                    let expect = Expect::Revision(revision);
                    return change(Change::Delete { address, expect });
                }
                _ => self.say(format!("kept {}", address.masked())),
            },
        }
        None
    }

    /// Searches for what is typed up to now: its last word may go on.
    fn search(&mut self) {
        let Mode::Search(typed) = &self.mode else {
            return;
        };
        let typed = typed.clone();
        if typed.trim().is_empty() {
            return self.show_row();
        }
        let last = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let goes_on = last.chars().count() > 1 && last.chars().all(char::is_alphanumeric);
        self.show(Listing::Found(match goes_on {
            true => format!("{typed} {last}*"),
            false => typed.clone(),
        }));
        self.query = Some(typed);
    }

    fn command(&mut self, key: KeyEvent) -> Option<Wish> {
        match key.code {
            KeyCode::Char('q') => return Some(Wish::Quit),
            KeyCode::Esc if self.pane == Pane::Note => self.pane = Pane::Notes,
            KeyCode::Esc if self.query.is_some() => self.show_row(),
            KeyCode::Esc => return Some(Wish::Quit),
            KeyCode::Char('?') => self.mode = Mode::Keys,
            KeyCode::Char('/') => {
                self.mode = Mode::Search(self.query.clone().unwrap_or_default());
                self.pane = Pane::Notes;
            }
            KeyCode::Tab => self.pane = PANES[(self.pane as usize + 1) % PANES.len()],
            KeyCode::Char('l') | KeyCode::Right | KeyCode::Enter => {
                self.pane = PANES[(self.pane as usize + 1).min(PANES.len() - 1)];
            }
            KeyCode::Char('h') | KeyCode::Left | KeyCode::BackTab => {
                self.pane = PANES[(self.pane as usize).saturating_sub(1)];
            }
            KeyCode::Char('a') => self.ask_for_answer(),
            KeyCode::Char('e') => return Some(Wish::Edit(self.address())),
            KeyCode::Char('p') => {
                let note = &self.item()?.note;
                return change(Change::Pin {
                    address: note.address.clone(),
                    pinned: !note.pinned,
                    // Whatever its text is by now.
                    expect: Expect::Any,
                });
            }
            KeyCode::Char('d') => {
                let revision = self.item()?.note.revision;
                match self.address()? {
                    address @ Address::Session(..) => {
                        self.say(told(&Error::AppendOnly { address }.into()));
                    }
                    address => self.mode = Mode::Delete(address, revision),
                }
            }
            KeyCode::Char('u') => return change(Change::undo(self.target()?)),
            KeyCode::Char('r') => return change(Change::redo(self.target()?)),
            _ => self.moved(key),
        }
        None
    }

    /// The note whose change `u` and `r` take back.
    fn target(&self) -> Option<Address> {
        self.changed.clone().or_else(|| self.address())
    }

    /// Asks for the answer to the chosen session, or to the only one that waits.
    fn ask_for_answer(&mut self) {
        let scope = match &self.list {
            Listing::Scope(scope) => Some(scope.clone()),
            _ => self.address().map(|address| address.scope()),
        };
        let waiting = self.rows.iter().filter_map(|row| row.asks.clone());
        let mut waiting: Vec<(Name, Question)> = waiting.collect();
        let is_chosen = |(name, _): &_| scope == Some(Scope::Session(Name::clone(name)));
        let is_session = matches!(scope, Some(Scope::Session(_)));
        let at = match waiting.len() {
            1 if !is_session => Some(0),
            _ => waiting.iter().position(is_chosen),
        };
        if let Some(at) = at {
            let (session, question) = waiting.swap_remove(at);
            self.mode = Mode::Answer(session, question, String::new());
            return;
        }
        self.say(match (waiting.len() as u64, scope) {
            (0, _) => "no session waits for an answer".into(),
            (_, Some(Scope::Session(name))) => {
                format!("session {name} does not wait for an answer")
            }
            (many, _) => {
                let many = plural(many, "session");
                format!("{many} wait for an answer: choose one, marked !")
            }
        });
    }

    fn moved(&mut self, key: KeyEvent) {
        let page = self.height.max(2) as isize - 1;
        let by = match key.code {
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
                self.changed = None;
                self.scroll = 0;
                self.chosen = to(self.chosen, self.total().saturating_sub(1));
            }
            Pane::Scopes => {
                let is_list = |at: &usize| self.rows[*at].of.is_some();
                let lists: Vec<usize> = (0..self.rows.len()).filter(is_list).collect();
                let at = lists.iter().position(|at| *at == self.row).unwrap_or(0);
                self.row = lists[to(at, lists.len() - 1)];
                self.show_row();
            }
        }
    }
}

fn change(change: Change) -> Option<Wish> {
    Some(Wish::Write(Write::Change(change)))
}

/// A line after a key.
fn typed(mut line: String, key: KeyEvent) -> String {
    match key.code {
        KeyCode::Char(char) => line.push(char),
        KeyCode::Backspace => drop(line.pop()),
        _ => {}
    }
    line
}
