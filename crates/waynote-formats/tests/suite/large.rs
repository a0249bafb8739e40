//! Imports of many notes: no work that grows with the square of their number, and steps between which others write.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

use jiff::Timestamp;
use waynote::{Address, Base, Content, Place, Reader, Scope, ScopeKind, SqliteStore, Stamp, Store};
use waynote_formats::xs::{ContentFolder, topic};
use waynote_formats::zrb::NotesFile;
use waynote_formats::{
    Incoming, Mode, Precedence, Project, agents_md, basic_memory, claude_code, openotters,
    server_memory, xs, zrb,
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// The time that this thread has used a processor, which does not depend on what else runs.
fn used() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// So much is measured, in nanoseconds.
const ENOUGH: u64 = 60_000_000;

/// Fails if eight times as many notes take much more than eight times the work: the square would be 64 times.
fn grows_linearly(name: &str, few: usize, mut work: impl FnMut(usize)) {
    let mut measured = |notes| {
        // The first one pays for what is loaded once. The kernel counts in steps of some milliseconds.
        work(notes);
        let (before, mut times) = (used(), 0);
        while used() - before < ENOUGH {
            work(notes);
            times += 1;
        }
        (used() - before) / times
    };
    let (one, eight) = (measured(few), measured(8 * few));
    assert!(eight < 24 * one, "{name}: {one} ns, then {eight} ns");
}

fn agent() -> Scope {
    Scope::Agent("a".parse().unwrap())
}

fn read_all(name: &str, folder: &Path, notes: usize) -> Incoming {
    let at = |part: &str| folder.join(format!("{notes}")).join(part);
    let is_new = !at("").exists();
    if is_new {
        for part in ["kb", "project/.claude/rules"] {
            std::fs::create_dir_all(at(part)).unwrap();
        }
    }
    let lines = |line: &dyn Fn(usize) -> String| -> String { (0..notes).map(line).collect() };
    let project = |directory: &Path| {
        let place = Place::home();
        let project = Project {
            directory,
            place: &place,
            claude_folder: None,
        };
        match name {
            "agents-md" => agents_md::read(&project).unwrap(),
            _ => claude_code::read(&project).unwrap(),
        }
    };
    match name {
        "server-memory" => {
            // One entity has as many facts and relations as there are others.
            let text = lines(&|number| {
                format!(
                    "{{\"type\":\"entity\",\"name\":\"e{number}\",\"observations\":[\"f\"]}}\n\
                     {{\"type\":\"entity\",\"name\":\"hub\",\"entityType\":\"t{number}\",\"observations\":[\"f{number}\"]}}\n\
                     {{\"type\":\"relation\",\"from\":\"hub\",\"to\":\"e{number}\"}}\n"
                )
            });
            std::fs::write(at("memory.jsonl"), text).unwrap();
            server_memory::read(&at("memory.jsonl"), &agent()).unwrap()
        }
        "basic-memory" => {
            for number in (0..notes).filter(|_| is_new) {
                let text =
                    format!("---\npermalink: p/{number}\ntags: [a, b]\n---\ntext {number}\n");
                std::fs::write(at("kb").join(format!("{number}.md")), text).unwrap();
            }
            basic_memory::read(&at("kb"), &agent()).unwrap()
        }
        "claude-code" => {
            for number in (0..notes).filter(|_| is_new) {
                let path = at("project/.claude/rules").join(format!("r{number}.md"));
                std::fs::write(path, "text").unwrap();
            }
            project(&at("project"))
        }
        "agents-md" => {
            std::fs::write(at("project/AGENTS.md"), lines(&|_| "a line\n".into())).unwrap();
            project(&at("project"))
        }
        "zrb" => {
            let text = lines(&|number| {
                format!(
                    "{}\"~/{number}\": \"text\"",
                    [",", ""][usize::from(number == 0)]
                )
            });
            let file = NotesFile::read(format!("{{{text}}}").as_bytes(), Path::new("f")).unwrap();
            zrb::read(&file, &Base::new("/home/u", "/home/u").unwrap()).unwrap()
        }
        "openotters" => {
            let conn = rusqlite::Connection::open(at("memory.db")).unwrap();
            let sql = format!(
                "DROP TABLE IF EXISTS notes;
                 CREATE TABLE notes (key TEXT PRIMARY KEY, content TEXT, created_at, updated_at);
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {notes})
                 INSERT INTO notes (key, content) SELECT 'k' || i, 'text ' || i FROM n;"
            );
            conn.execute_batch(&sql).unwrap();
            openotters::read(&at("memory.db"), &"a".parse().unwrap()).unwrap()
        }
        "xs" => {
            let session = "main".parse().unwrap();
            let text = lines(&|number| {
                let (topic, id) = (topic(&session), scru128_of(number));
                format!(
                    "{{\"topic\":\"{topic}\",\"id\":\"{id}\",\"hash\":\"sha256-{HASH_OF_NOTE}\"}}\n"
                )
            });
            let file = at("cacache/content-v2/sha256/ed/b4/");
            std::fs::create_dir_all(&file).unwrap();
            std::fs::write(file.join(&HEX_OF_NOTE[4..]), "note").unwrap();
            xs::read(text.as_bytes(), &ContentFolder::of_store(&at("")), None).unwrap()
        }
        other => panic!("{other}"),
    }
}

/// The hash of `note`.
const HASH_OF_NOTE: &str = "7bRlYkKR5AU8bF6kt+syDex3PhClfSa5Xc8FZPjjEPg=";
const HEX_OF_NOTE: &str = "edb465624291e4053c6c5ea4b7eb320dec773e10a57d26b95dcf0564f8e310f8";

/// An id of the 25 characters that xs uses, in the order of the numbers.
fn scru128_of(number: usize) -> String {
    let mut id = String::from("03");
    let _ = write!(id, "{number:023}");
    id
}

#[test]
fn reading_many_notes_takes_time_in_proportion() {
    let scratch = tempfile::tempdir().unwrap();
    for format in waynote_formats::FORMATS {
        let name = format.name;
        // Made beforehand, because making files is no part of reading them.
        for notes in [500, 4000] {
            let read = read_all(name, scratch.path(), notes);
            let expected = match name {
                "agents-md" => 1,
                "server-memory" => notes + 1,
                "xs" => 0,
                _ => notes,
            };
            assert_eq!(read.notes().len(), expected, "{name}: {:?}", read.skipped());
            std::fs::remove_dir_all(scratch.path()).unwrap();
        }
        grows_linearly(name, 500, |notes| {
            drop(read_all(name, scratch.path(), notes));
        });
        std::fs::remove_dir_all(scratch.path()).unwrap();
    }
}

fn many(notes: usize) -> Incoming {
    let mut incoming = Incoming::of("many", Precedence::Here).unwrap();
    for number in 0..notes {
        let address = Address::keyed(&agent(), format!("k{number}").parse().unwrap()).unwrap();
        let content = Content::imported(format!("the text of note {number}"));
        incoming.push_text("file", address, content, None);
    }
    incoming
}

#[test]
fn writing_many_notes_takes_time_in_proportion() {
    grows_linearly("import", 500, |notes| {
        let scratch = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(&scratch.path().join("notes.db"), &Default::default()).unwrap();
        let imported = many(notes).import(&store, NOW, Mode::Write).unwrap();
        assert_eq!(imported.added, notes as u64);
    });
}

#[test]
fn others_write_between_the_steps_of_an_import() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("notes.db");
    let wait = std::time::Duration::ZERO;
    let open = || SqliteStore::open(&path, &waynote::Options::default().wait(wait)).unwrap();
    let (store, other) = (open(), open());
    let mut seen = Vec::new();
    let imported = many(2500)
        .import_watched(&store, NOW, Mode::Write, &mut |progress| {
            seen.push((progress.done, progress.total));
            let stamp = Stamp::new(NOW, "other".parse().unwrap());
            let change = waynote::Change::Save {
                address: "agent:other#now".parse().unwrap(),
                content: Content::text(format!("{progress:?}")).unwrap(),
                pin: None,
                limits: waynote::Limits::NONE,
                expect: waynote::change::Expect::Any,
                origin: None,
            };
            other.apply(&[change], &stamp).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((imported.added, imported.left), (2500, 0));
    assert_eq!(seen, [(0, 2500), (1000, 2500), (2000, 2500), (2500, 2500)]);
}

#[test]
fn an_import_that_was_ended_goes_on_when_it_is_run_again() {
    let scratch = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&scratch.path().join("notes.db"), &Default::default()).unwrap();
    let run = |steps: usize, mode| {
        let mut left = steps;
        many(2500)
            .import_watched(&store, NOW, mode, &mut |_| match left {
                0 => ControlFlow::Break(()),
                _ => {
                    left -= 1;
                    ControlFlow::Continue(())
                }
            })
            .map(|imported| (imported.added, imported.unchanged, imported.left))
            .unwrap()
    };
    assert_eq!(run(0, Mode::Write), (0, 0, 2500));
    assert_eq!(run(1, Mode::DryRun), (1000, 0, 1500));
    assert_eq!(run(1, Mode::Write), (1000, 0, 1500));
    assert_eq!(run(9, Mode::DryRun), (1500, 1000, 0));
    assert_eq!(run(9, Mode::Write), (1500, 1000, 0));
    assert_eq!(run(9, Mode::Write), (0, 2500, 0));
    assert_eq!(store.count(&agent()).unwrap(), 2500);
    let notes = store
        .select(&waynote::Filter::Kind(ScopeKind::Agent))
        .unwrap();
    assert!(notes.iter().all(|note| note.revision == 1));
}

#[test]
fn a_text_that_is_too_large_is_left_out() {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("large.md"), vec![b'x'; (16 << 20) + 1]).unwrap();
    std::fs::write(scratch.path().join("fits.md"), vec![b'x'; 16 << 20]).unwrap();
    let read = basic_memory::read(scratch.path(), &agent()).unwrap();
    assert_eq!(read.notes().len(), 1);
    assert_eq!(
        read.skipped()[0].reason,
        "it cannot be read: it is larger than 16 MiB"
    );
}
