//! Imports of many notes: no work that grows with the square of their number.

use std::path::Path;

use jiff::Timestamp;
use waynote::{Address, Base, Content, Scope, SqliteStore};
use waynote_formats::openotters::Notebooks;
use waynote_formats::zrb::NotesFile;
use waynote_formats::{
    ForeignNotes, Mode, Precedence, basic_memory, openotters, server_memory, zrb,
};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// So many notes are compared with eight times as many.
const FEW: usize = 500;

/// The time that this thread has used a processor, which does not depend on what else runs.
fn used() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// So much is measured, in nanoseconds.
const ENOUGH: u64 = 60_000_000;

/// Fails if eight times as many notes take much more than eight times the work: the square would be 64 times.
fn grows_linearly(name: &str, mut work: impl FnMut(usize)) {
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
    let (one, eight) = (measured(FEW), measured(8 * FEW));
    assert!(eight < 24 * one, "{name}: {one} ns, then {eight} ns");
}

fn agent() -> Scope {
    Scope::Agent("a".parse().unwrap())
}

/// Makes what a format reads, with so many notes.
fn make(name: &str, path: &Path, notes: usize) {
    let lines = |line: &dyn Fn(usize) -> String| -> String { (0..notes).map(line).collect() };
    let text = match name {
        // One entity has as many facts and relations as there are others.
        "server-memory" => lines(&|number| {
            format!(
                "{{\"type\":\"entity\",\"name\":\"e{number}\",\"observations\":[\"f\"]}}\n\
                 {{\"type\":\"entity\",\"name\":\"hub\",\"entityType\":\"t{number}\",\"observations\":[\"f{number}\"]}}\n\
                 {{\"type\":\"relation\",\"from\":\"hub\",\"to\":\"e{number}\"}}\n"
            )
        }),
        "basic-memory" => {
            std::fs::create_dir(path).unwrap();
            for number in 0..notes {
                let text =
                    format!("---\npermalink: p/{number}\ntags: [a, b]\n---\ntext {number}\n");
                std::fs::write(path.join(format!("{number}.md")), text).unwrap();
            }
            return;
        }
        "zrb" => {
            let comma = |number| if number == 0 { "" } else { "," };
            let entries = lines(&|number| format!("{}\"~/{number}\": \"text\"", comma(number)));
            format!("{{{entries}}}")
        }
        _ => {
            let conn = rusqlite::Connection::open(path).unwrap();
            let sql = format!(
                "CREATE TABLE notes (key TEXT PRIMARY KEY, content TEXT, created_at, updated_at);
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {notes})
                 INSERT INTO notes (key, content) SELECT 'k' || i, 'text ' || i FROM n;"
            );
            return conn.execute_batch(&sql).unwrap();
        }
    };
    std::fs::write(path, text).unwrap();
}

fn read(name: &str, path: &Path) -> ForeignNotes {
    match name {
        "server-memory" => server_memory::read(path, &agent()),
        "basic-memory" => basic_memory::read(path, &agent()),
        "zrb" => {
            let file = NotesFile::open(path).unwrap().unwrap();
            zrb::read(&file, &Base::new("/home/u", "/home/u").unwrap())
        }
        _ => openotters::read(path, Notebooks::One(&"a".parse().unwrap())),
    }
    .unwrap()
}

#[test]
fn reading_many_notes_takes_time_in_proportion() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["server-memory", "basic-memory", "zrb", "openotters"] {
        let path = |notes: usize| scratch.path().join(format!("{name}-{notes}"));
        for notes in [FEW, 8 * FEW] {
            make(name, &path(notes), notes);
            let read = read(name, &path(notes));
            let expected = notes + usize::from(name == "server-memory");
            let skipped: Vec<_> = read.skipped().iter().take(3).collect();
            assert_eq!(read.notes().len(), expected, "{name}: {skipped:?}");
        }
        grows_linearly(name, |notes| drop(read(name, &path(notes))));
    }
}

fn many(notes: usize) -> ForeignNotes {
    let mut incoming = ForeignNotes::of("many", Precedence::Here).unwrap();
    for number in 0..notes {
        let address = Address::keyed(&agent(), format!("k{number}").parse().unwrap()).unwrap();
        let content = Content::imported(format!("the text of note {number}"));
        incoming.push_text("file", &number.to_string(), address, content, None);
    }
    incoming
}

#[test]
fn writing_many_notes_takes_time_in_proportion() {
    grows_linearly("import", |notes| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("notes.db");
        let store = SqliteStore::open(path, &Default::default()).unwrap();
        let imported = many(notes).import(&store, NOW, Mode::Write).unwrap();
        assert_eq!(imported.added, notes as u64);
    });
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
