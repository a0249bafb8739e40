//! Imports of many notes: no work that grows with the square of their number.

use std::fmt::Write;
use std::io::BufReader;
use std::path::Path;

use jiff::Timestamp;
use waynote::{Address, Base, Content, Place, Scope, SqliteStore};
use waynote_formats::openotters::Notebooks;
use waynote_formats::xs::{ContentFolder, topic};
use waynote_formats::zrb::NotesFile;
use waynote_formats::{
    Directory, FORMATS, ForeignNotes, Mode, Precedence, Project, basic_memory, claude_code,
    openotters, server_memory, xs, zrb,
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

/// Makes what a format reads, with so many notes.
fn make(name: &str, folder: &Path, notes: usize) {
    let at = |part: &str| folder.join(part);
    let write = |part: &str, text: String| {
        let path = at(part);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let lines = |line: &dyn Fn(usize) -> String| -> String { (0..notes).map(line).collect() };
    for part in ["kb", "project/.claude/rules"] {
        std::fs::create_dir_all(at(part)).unwrap();
    }
    match name {
        // One entity has as many facts and relations as there are others.
        "server-memory" => write(
            "memory.jsonl",
            lines(&|number| {
                format!(
                    "{{\"type\":\"entity\",\"name\":\"e{number}\",\"observations\":[\"f\"]}}\n\
                     {{\"type\":\"entity\",\"name\":\"hub\",\"entityType\":\"t{number}\",\"observations\":[\"f{number}\"]}}\n\
                     {{\"type\":\"relation\",\"from\":\"hub\",\"to\":\"e{number}\"}}\n"
                )
            }),
        ),
        "basic-memory" => (0..notes).for_each(|number| {
            let text = format!("---\npermalink: p/{number}\ntags: [a, b]\n---\ntext {number}\n");
            write(&format!("kb/{number}.md"), text);
        }),
        "zrb-journal" => (0..notes).for_each(|number| {
            let text = format!("---\nslug: n{number}\n---\n# N\n\ntext\n\n## Backlinks\n\n- x\n");
            write(&format!("journal/technical/n{number}.md"), text);
        }),
        "claude-code" => (0..notes).for_each(|number| {
            write(
                &format!("project/.claude/rules/r{number}.md"),
                "text".into(),
            );
        }),
        "agents-md" => write("project/AGENTS.md", lines(&|_| "a line\n".into())),
        "gemini-md" => write("project/GEMINI.md", lines(&|_| "a line\n".into())),
        "codex-memories" => write(".codex/memories/MEMORY.md", lines(&|_| "a line\n".into())),
        "cursor-rules" | "copilot" | "serena" | "cline" => (0..notes).for_each(|number| {
            let folder = match name {
                "cursor-rules" => ".cursor/rules",
                "copilot" => ".github/instructions",
                "serena" => ".serena/memories",
                _ => "memory-bank",
            };
            write(&format!("project/{folder}/r{number}.md"), "text".into());
        }),
        "zrb" => {
            let comma = |number| if number == 0 { "" } else { "," };
            let entries = lines(&|number| format!("{}\"~/{number}\": \"text\"", comma(number)));
            write("notes.json", format!("{{{entries}}}"));
        }
        "openotters" => {
            let conn = rusqlite::Connection::open(at("memory.db")).unwrap();
            let sql = format!(
                "CREATE TABLE notes (key TEXT PRIMARY KEY, content TEXT, created_at, updated_at);
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {notes})
                 INSERT INTO notes (key, content) SELECT 'k' || i, 'text ' || i FROM n;"
            );
            conn.execute_batch(&sql).unwrap();
        }
        "xs" => {
            let topic = topic(&"main".parse().unwrap());
            let frames = lines(&|number| {
                let id = scru128_of(number);
                format!(
                    "{{\"topic\":\"{topic}\",\"id\":\"{id}\",\"hash\":\"sha256-{HASH_OF_NOTE}\"}}\n"
                )
            });
            write("frames", frames);
            let (one, two) = (&HEX_OF_NOTE[..2], &HEX_OF_NOTE[2..4]);
            let contents = at(&format!("cacache/content-v2/sha256/{one}/{two}"));
            std::fs::create_dir_all(&contents).unwrap();
            std::fs::write(contents.join(&HEX_OF_NOTE[4..]), "note").unwrap();
        }
        other => panic!("{other}"),
    }
}

fn read(name: &str, folder: &Path) -> ForeignNotes {
    let at = |part: &str| folder.join(part);
    let directories = [Directory {
        paths: vec![at("project")],
        place: Place::home(),
    }];
    let project = Project {
        directories: &directories,
        claude_folder: None,
        home: Some(folder),
    };
    let format = FORMATS.iter().find(|format| format.name == name).unwrap();
    match name {
        "server-memory" => server_memory::read(&at("memory.jsonl"), &agent()),
        "basic-memory" => basic_memory::read(&at("kb"), &agent()),
        "zrb-journal" => zrb::journal::read(&at("journal"), &agent()),
        "claude-code" => claude_code::read(&project),
        "zrb" => {
            let file = NotesFile::open(&at("notes.json")).unwrap().unwrap();
            zrb::read(&file, &Base::new("/home/u", "/home/u").unwrap())
        }
        "openotters" => openotters::read(&at("memory.db"), Notebooks::One(&"a".parse().unwrap())),
        "xs" => {
            let frames = BufReader::new(waynote_formats::open(&at("frames")).unwrap());
            xs::read(frames, &ContentFolder::of_store(folder), None)
        }
        _ => format.read_project(&project),
    }
    .unwrap()
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
    const FEW: usize = 500;
    let scratch = tempfile::tempdir().unwrap();
    for format in waynote_formats::FORMATS {
        let name = format.name;
        let folder = |notes: usize| scratch.path().join(format!("{name}-{notes}"));
        for notes in [FEW, 8 * FEW] {
            make(name, &folder(notes), notes);
            let read = read(name, &folder(notes));
            let expected = match name {
                "agents-md" | "gemini-md" | "codex-memories" => 1,
                "server-memory" => notes + 1,
                // Entries of a log are no notes by key.
                "xs" => 0,
                _ => notes,
            };
            let skipped: Vec<_> = read.skipped().iter().take(3).collect();
            assert_eq!(read.notes().len(), expected, "{name}: {skipped:?}");
            assert!(!read.is_empty());
        }
        grows_linearly(name, FEW, |notes| drop(read(name, &folder(notes))));
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
    grows_linearly("import", 500, |notes| {
        let scratch = tempfile::tempdir().unwrap();
        let store =
            SqliteStore::open(scratch.path().join("notes.db"), &Default::default()).unwrap();
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
