//! Screens over a real store, driven by keys. The terminal itself is in the tests of the program.

use insta::assert_snapshot;
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use waynote::context::{Request, render};
use waynote::event::{EndReason, IterationOutcome, SessionEvent};
use waynote::{Address, Change, EntryType, Options, Reader, SqliteStore, Store};
use waynote_testing::values::{at, entry_of, name, place, save, save_pinned, started};

use super::app::{App, Wish};
use super::store::Reading;
use super::view;

fn now() -> Timestamp {
    at(10 * 86_400).now
}

fn note(address: &str) -> Address {
    address.parse().unwrap()
}

/// A text without what is random in the address of an entry.
fn without_id(text: &str) -> String {
    const ID: usize = 25;
    let Some(at) = text.find("nightly#").map(|at| at + "nightly#".len()) else {
        return text.to_owned();
    };
    format!("{}{}{}", &text[..at], "x".repeat(ID), &text[at + ID..])
}

/// A screen over a store.
struct Stage {
    app: App,
    reading: Reading<'static>,
    store: SqliteStore,
    /// What was asked of the program around the screen.
    asked: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Stage {
    fn of(changes: &[Change]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = || SqliteStore::open(folder.path().join("notes.db"), &Options::default());
        let (store, read) = (open().unwrap(), open().unwrap());
        for (day, change) in changes.iter().enumerate() {
            let stamp = at(86_400 * day as i64);
            store.apply(std::slice::from_ref(change), &stamp).unwrap();
        }
        let request = Request::new(name("builder"), place("~/shop"), now());
        let receipt = move |store: &dyn Store| Ok(render(store, &request)?.receipt);
        let mut stage = Self {
            app: App::new("~/notes.db".into()),
            reading: Reading::new(Box::leak(Box::new(read)), Box::new(receipt)),
            store,
            asked: Vec::new(),
            _folder: folder,
        };
        stage.refresh();
        stage
    }

    /// A store with one of everything.
    fn full() -> Self {
        let stage = Self::of(&[
            save(
                note("place:~/shop"),
                "Rust workspace; prices are integers, in cents.\n\nRun `cargo xtask test`.",
            ),
            save(
                note("place:~/shop#ci"),
                "CI retries twice: 日本語のノート, 👩‍🔬 and \u{1b}[31mred\u{202e}",
            ),
            save_pinned(
                note("agent:builder#flaky-tests"),
                "`checkout::retries` fails about once in 40 runs",
                true,
            ),
            save(
                note("agent:builder#deploy"),
                "Deploys go through `make ship`",
            ),
            entry_of(
                "nightly",
                EntryType::Stuck,
                2,
                "the linker runs out of memory",
            ),
            entry_of(
                "nightly",
                EntryType::Learning,
                3,
                "Tests pass with --no-cache",
            ),
        ]);
        stage.blocked(
            "migrate-db",
            "May I drop the column `orders.legacy_total`? Two reports still read it.",
        );
        stage
    }

    fn blocked(&self, session: &str, question: &str) {
        let (session, stamp) = (name(session), at(86_400 * 9));
        let record = |events: &[SessionEvent], lease| {
            self.store.record(&session, events, lease, &stamp).unwrap();
        };
        record(&[started()], None);
        let lease = self.store.lease(&session).unwrap().map(|held| held.number);
        record(
            &[SessionEvent::IterationStarted {
                iteration: 7,
                block: None,
            }],
            lease,
        );
        let question = question.to_owned();
        record(
            &[SessionEvent::Blocked {
                iteration: 7,
                question,
            }],
            None,
        );
        let ended = SessionEvent::IterationEnded {
            iteration: 7,
            outcome: IterationOutcome::Exited { code: 0 },
            duration_ms: None,
            attempts: 1,
            notes_added: 0,
            said: None,
        };
        let end = SessionEvent::LoopEnded {
            reason: EndReason::Blocked,
            detail: None,
        };
        record(&[ended, end], lease);
    }

    /// Lets the screen know what was written meanwhile.
    fn refresh(&mut self) {
        self.app.read(&mut self.reading);
    }

    /// Presses keys: characters, and names between `<` and `>`.
    fn press(&mut self, keys: &str) {
        let mut rest = keys;
        while let Some(char) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            let code = match named {
                Some((key, _)) => match key {
                    "enter" => KeyCode::Enter,
                    "esc" => KeyCode::Esc,
                    "tab" => KeyCode::Tab,
                    "back" => KeyCode::Backspace,
                    "down" => KeyCode::PageDown,
                    other => panic!("no key {other}"),
                },
                None => KeyCode::Char(char),
            };
            rest = named.map_or(&rest[char.len_utf8()..], |(_, rest)| rest);
            let stamp = at(86_400 * 10);
            match self.app.key(KeyEvent::new(code, KeyModifiers::NONE)) {
                Some(Wish::Write(write)) => self.app.write(&mut self.reading, write, &stamp),
                Some(Wish::Edit(address)) => self.asked.push(format!("edit {address:?}")),
                Some(Wish::Quit) => self.asked.push("quit".into()),
                Some(Wish::Suspend) | None => {}
            }
            self.refresh();
        }
    }

    /// The rows of the screen, without the blanks at their ends.
    fn screen(&mut self, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| view::draw(frame, &mut self.app, now(), true))
            .unwrap();
        let shown = terminal.backend().to_string();
        let rows = shown.lines().map(|row| row.trim_matches('"').trim_end());
        without_id(&rows.collect::<Vec<_>>().join("\n"))
    }

    /// The rows that hold a text.
    fn rows_with(&mut self, part: &str) -> String {
        let screen = self.screen(100, 30);
        let rows: Vec<&str> = screen.lines().filter(|row| row.contains(part)).collect();
        rows.join("\n")
    }

    fn content(&self, address: &str) -> Option<String> {
        let found = self.store.get(&note(address)).unwrap();
        found.map(|note| note.content.shown().into_owned())
    }
}

#[test]
fn the_list_of_this_directory() {
    let mut stage = Stage::full();
    stage.refresh();
    assert_snapshot!("list_80x24", stage.screen(80, 24));
    assert_snapshot!("list_60x16", stage.screen(60, 16));
}

#[test]
fn a_note_that_would_act_on_the_terminal() {
    let mut stage = Stage::full();
    stage.press("j<enter>");
    assert_snapshot!("note_80x24", stage.screen(80, 24));
}

#[test]
fn keys_and_small_screens() {
    let mut stage = Stage::full();
    stage.press("?");
    assert_snapshot!("help_80x24", stage.screen(80, 24));
    stage.press("x");
    assert_snapshot!(stage.screen(39, 9), @"
    The terminal is too small: 60 columns
    and 16 lines at least. q quits.
    ");
    // What no size may break.
    for (width, height) in [(1, 1), (60, 16), (71, 17), (200, 60)] {
        for keys in ["", "<tab>", "?", "x/fl", "<esc>d", "x"] {
            stage.press(keys);
            stage.screen(width, height);
        }
    }
    stage.press("q");
    assert_eq!(stage.asked, ["quit"]);
}

#[test]
fn search_as_you_type() {
    let mut stage = Stage::full();
    stage.press("/flak");
    assert_snapshot!("search_80x24", stage.screen(80, 24));
    stage.press("<back><back><back><back>linker<enter>");
    assert_snapshot!(stage.rows_with("session:nightly #2 stuck"), @"│▸here                4 │▸session:nightly #2 stuck                                      6 days ago │");
    stage.press("<esc>");
    assert_eq!(stage.app.query, None);
    stage.press("/nothing like it<enter>");
    assert_snapshot!(stage.rows_with("No note"), @"│▸here                4 │ No note has these words.                                                 │");
}

#[test]
fn every_change_can_be_taken_back() {
    let mut stage = Stage::full();
    let flaky = "agent:builder#flaky-tests";
    stage.press("/checkout<enter>p");
    assert!(!stage.store.get(&note(flaky)).unwrap().unwrap().pinned);
    assert_snapshot!(stage.app.said, @"unpinned agent:builder#flaky-tests (now revision 2); p pins it");
    stage.press("dn");
    assert_snapshot!(stage.app.said, @"kept agent:builder#flaky-tests");
    stage.press("dy");
    assert_snapshot!(stage.app.said, @"deleted agent:builder#flaky-tests; u brings it back");
    assert_eq!(stage.content(flaky), None);
    stage.press("u");
    assert!(stage.content(flaky).is_some());
    stage.press("r");
    assert_eq!(stage.content(flaky), None);
    // Entries of a log stay.
    stage.press("<esc>/linker<enter>d");
    assert_snapshot!(without_id(&stage.app.said), @"
    session:nightly#xxxxxxxxxxxxxxxxxxxxxxxxx cannot be changed: a session's log is append-only
    add an entry that corrects it
    ");
    // Somebody else was faster: nothing is overwritten.
    stage.press("<esc>/deploys<enter>d");
    let theirs = save(note("agent:builder#deploy"), "theirs");
    stage.store.apply(&[theirs], &at(86_400 * 9)).unwrap();
    stage.press("y");
    assert_snapshot!(stage.app.said, @"
    agent:builder#deploy has changed: it is at revision 2, revision 1 was expected
    look at the current text, then write again expecting revision 2; that is `--if-revision 2`
    ");
    assert_eq!(stage.content("agent:builder#deploy").unwrap(), "theirs");
}

#[test]
fn undo_and_redo_are_about_the_note_that_was_changed() {
    let mut stage = Stage::full();
    stage.refresh();
    let chosen = stage.app.item().unwrap().note.address.to_string();
    stage.press("dy");
    assert_ne!(stage.app.item().unwrap().note.address, note(&chosen));
    stage.press("u");
    assert_eq!(stage.app.item().unwrap().note.address, note(&chosen));
    stage.press("r");
    assert_eq!(stage.content(&chosen), None);
    // In another list, they are about the note that is chosen there.
    stage.press("/checkout<enter>u");
    assert_snapshot!(stage.app.said, @"undid the last change of agent:builder#flaky-tests: it no longer exists; r brings it back");
}

#[test]
fn a_question_is_seen_and_answered() {
    let mut stage = Stage::full();
    stage.refresh();
    // Of the scopes, the sessions that wait stand first.
    stage.press("<tab><tab>jjjjja");
    assert_snapshot!(stage.app.said, @"session nightly does not wait for an answer");
    stage.press("k");
    assert_snapshot!("session_80x24", stage.screen(80, 24));
    stage.press("aYes: nn<back>o");
    assert_snapshot!("question_80x24", stage.screen(80, 24));
    stage.press("<enter>");
    assert_snapshot!(stage.app.said, @"answered session migrate-db; go on with the loop's whole command, where it ran");
    stage.press("a");
    assert_snapshot!(stage.app.said, @"no session waits for an answer");
}

#[test]
fn an_empty_store() {
    let mut stage = Stage::of(&[]);
    assert_snapshot!("empty_80x24", stage.screen(80, 24));
    stage.press("jkgGpudrae");
    assert_eq!(stage.asked, ["edit None"]);
    // The first note appears.
    let first = save(note("place:~/shop"), "here");
    stage.store.apply(&[first], &at(0)).unwrap();
    stage.refresh();
    assert_snapshot!(stage.rows_with("place:~/shop"), @"
    │▸here                1 │▸place:~/shop                                                 10 days ago │
    │                       ├ place:~/shop ────────────────────────────────────────────────────────────┤
    ");
}

/// However long a list is, a part of it is read, and the chosen note stays chosen when others are written.
#[test]
fn a_long_list_is_read_in_parts() {
    let key = |number: usize| note(&format!("agent:many#n{number:04}"));
    let notes: Vec<Change> = (0..300).map(|number| save(key(number), "text")).collect();
    let mut stage = Stage::of(&[]);
    stage.store.apply(&notes, &at(86_400)).unwrap();
    stage.refresh();
    stage.press("<tab><tab>jj");
    assert!(stage.app.read.as_ref().unwrap().items.len() < 200);
    stage.press("<tab>G");
    assert_snapshot!(stage.rows_with("n0299"), @"
    │                       │▸agent:many#n0299                                              9 days ago │
    │                       ├ agent:many#n0299 ────────────────────────────────────────────────────────┤
    ");
    stage.press("k");
    let chosen = |stage: &Stage| stage.app.item().unwrap().note.address.to_string();
    let before = chosen(&stage);
    let theirs = save(note("agent:many#n0299"), "new");
    stage.store.apply(&[theirs], &at(86_400 * 2)).unwrap();
    stage.refresh();
    assert_eq!(chosen(&stage), before);
    // The latest changes have no end that is known before.
    stage.press("<tab><tab>gj<tab>");
    assert_snapshot!(stage.rows_with("agent:many#n0299"), @"
    │ here                  │▸agent:many#n0299                                              8 days ago │
    │                       ├ agent:many#n0299 ────────────────────────────────────────────────────────┤
    ");
    stage.press("GGG");
    assert_eq!(stage.app.total(), 300);
}
