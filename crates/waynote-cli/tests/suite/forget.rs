//! `waynote forget`: nothing of a text is left in any byte of any file, and nothing else is touched.

use std::path::Path;

use insta::assert_snapshot;
use waynote::{
    Address, Content, EntryType, Filter, LocalStore, Note, Options, Reader, ScopeKind, SessionLog,
    SqliteStore, Stamp,
};

use super::common::{Run, Scratch, has};
use waynote_testing::values;

/// In every few bytes of the secret text, and nowhere else.
const MARK: &str = "zq7Kp";

/// A text of that many bytes. Every part shows its owner, and the preview is made of the first line.
fn text_of(mark: &str, bytes: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        text += &format!("{mark}{number:04}");
        if text.len() >= bytes {
            break;
        }
        text.push(if number % 17 == 9 { '\n' } else { ' ' });
    }
    text
}

/// The text that is to be forgotten.
fn secret() -> String {
    text_of(MARK, 1900)
}

fn content(text: &str) -> Content {
    Content::text(text).unwrap()
}

fn stamp(second: i64) -> Stamp {
    let now = jiff::Timestamp::from_second(1_779_000_000 + second).unwrap();
    Stamp::new(now, "agent:builder".parse().unwrap())
}

fn open(scratch: &Scratch) -> SqliteStore {
    SqliteStore::open(scratch.store(), &Options::default()).unwrap()
}

fn save(store: &dyn LocalStore, address: &str, text: &str, second: i64) {
    let change = values::save(address.parse().unwrap(), text);
    store.apply(&[change], &stamp(second)).unwrap();
}

/// Hundreds of writes of texts with very different lengths, and `between` in the middle of them: pages split and are
/// merged, rows move, and old bytes stay behind.
fn a_busy_history(store: &dyn LocalStore, between: impl FnOnce()) {
    let log = SessionLog::new(store, "busy".parse().unwrap());
    let some = |numbers: std::ops::Range<i64>| {
        for number in numbers {
            let bytes = [310, 4000, 700, 2100, 1300, 3500][number as usize % 6];
            let text = text_of(&format!("other{number:03}x"), bytes);
            match number % 4 {
                0 => save(store, &format!("place:~/p{}", number % 24), &text, number),
                1 => save(
                    store,
                    &format!("place:~/work#k{}", number % 20),
                    &text,
                    number,
                ),
                2 => save(
                    store,
                    &format!("agent:default#n{}", number % 28),
                    &text,
                    number,
                ),
                _ => {
                    let (kind, iteration) =
                        (EntryType::ALL[number as usize % 4].clone(), 1 + number / 9);
                    log.add(kind, Some(iteration), content(&text), &stamp(number))
                        .unwrap();
                }
            }
        }
    };
    some(0..100);
    between();
    some(100..200);
}

/// The files below a folder that hold one of these byte strings, by their names.
pub(super) fn holding(folder: &Path, needles: &[&[u8]]) -> Vec<String> {
    // As texts, each byte a character: the standard library searches them fast, whatever this test is compiled with.
    let latin = |bytes: &[u8]| -> String { bytes.iter().map(|byte| char::from(*byte)).collect() };
    let (mut holding, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let (kind, name) = (entry.file_type().unwrap(), entry.file_name());
            // The command of a loop is no note: it may say what its agent said.
            if kind.is_dir() && name != "loops" {
                folders.push(entry.path());
            } else if kind.is_file() {
                let text = latin(&std::fs::read(entry.path()).unwrap());
                if needles.iter().any(|needle| text.contains(&latin(needle))) {
                    holding.push(name.to_string_lossy().into_owned());
                }
            }
        }
    }
    holding.sort();
    holding
}

/// The store's files that hold a part of the secret text, its preview, or its hash, raw or in hex.
fn is_in(scratch: &Scratch) -> Vec<String> {
    let content = content(&secret());
    let (preview, hash) = (content.preview(), content.hash());
    let hex = hash.to_string();
    let needles = [
        MARK.as_bytes(),
        preview.as_bytes(),
        &hash.0[..8],
        &hex.as_bytes()[..16],
    ];
    holding(scratch.store().parent().unwrap(), &needles)
}

/// All notes but one, with their histories.
fn the_others(store: &dyn LocalStore, but: &Address) -> Vec<(Note, usize)> {
    let kinds = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];
    let notes = kinds
        .iter()
        .flat_map(|kind| store.select(&Filter::Kind(*kind)).unwrap());
    notes
        .filter(|note| note.address != *but)
        .map(|note| {
            let history = store.history(&note.address).unwrap();
            (note, history.len())
        })
        .collect()
}

/// Each kind of note with an address: the secret in it at revision 2, as one of four or as the last.
fn written(store: &dyn LocalStore, kind: &str, secret_is_current: bool) -> Address {
    let address = match kind {
        "place" => "place:~/secret",
        "place key" => "place:~/work#secret",
        "agent" => "agent:default#secret",
        _ => {
            let log = SessionLog::new(store, "nightly".parse().unwrap());
            log.add(EntryType::Tip, Some(1), content("before"), &stamp(1))
                .unwrap();
            for iteration in 2..5 {
                let secret = content(&secret());
                log.add(EntryType::Stuck, Some(iteration), secret, &stamp(iteration))
                    .unwrap();
            }
            log.add(EntryType::Tip, Some(5), content("after"), &stamp(5))
                .unwrap();
            return log.list(None).unwrap()[1].address.clone();
        }
    };
    save(store, address, "first", 1);
    save(store, address, &secret(), 2);
    if !secret_is_current {
        save(store, address, &text_of("third", 900), 3);
        save(store, address, "fourth", 4);
    }
    address.parse().unwrap()
}

fn copied(store: &Path) -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.store().parent().unwrap()).unwrap();
    for suffix in ["", "-wal"] {
        let file = |store: &Path| format!("{}{suffix}", store.display());
        std::fs::copy(file(store), file(&scratch.store())).unwrap();
    }
    scratch
}

/// The secret is forgotten with each of the options, each time from a store that has it everywhere.
fn no_byte_is_left(kind: &str, secret_is_current: bool, options: &[&str]) {
    let origin = Scratch::new();
    let store = open(&origin);
    let mut address = None;
    a_busy_history(&store, || {
        address = Some(written(&store, kind, secret_is_current));
    });
    let address = address.unwrap();
    let others = the_others(&store, &address);
    drop(store);
    assert!(!is_in(&origin).is_empty());
    for option in options {
        let scratch = copied(&origin.store());
        let words = format!("forget --yes {address}{option}");
        let said = scratch.ok(&words);
        assert!(said.starts_with("forgot "), "{words}: {said}");
        assert_eq!(is_in(&scratch), [""; 0], "{words}: {said}");
        has(scratch.ok("verify"), "is sound");
        let store = open(&scratch);
        assert_eq!(the_others(&store, &address), others, "{words}");
        let stays = !secret_is_current && option.contains('2') && kind != "session";
        assert_eq!(store.get(&address).unwrap().is_some(), stays, "{words}");
    }
}

#[test]
fn no_byte_is_left_of_a_current_text_of_any_kind() {
    for kind in ["place", "place key", "agent", "session"] {
        no_byte_is_left(kind, true, &["", " --revision 2", "@2 --everywhere"]);
    }
}

#[test]
fn no_byte_is_left_of_an_old_text_of_any_kind() {
    for kind in ["place", "place key", "agent"] {
        no_byte_is_left(kind, false, &["", " --revision 2", "@2", " --everywhere"]);
    }
}

#[test]
fn a_reader_keeps_the_wal_and_the_same_command_again_finishes() {
    let scratch = Scratch::new();
    let store = open(&scratch);
    written(&store, "agent", true);
    drop(store);
    let reader = rusqlite::Connection::open(scratch.store()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let notes = |reader: &rusqlite::Connection| -> i64 {
        let sql = "SELECT count(*) FROM waynote_note";
        reader.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(notes(&reader), 1);
    let forget = |json: bool| -> Run {
        let words = ["forget", "--yes", "agent:default#secret"];
        let run = scratch.waynote(words.into_iter().chain(json.then_some("--json")));
        run.env("WAYNOTE_LOCK_WAIT", "0.1")
    };
    assert_snapshot!(forget(false).said(), @"
    exit 1
    forgot 2 revisions of agent:default#secret
    error: no note has the text any more, but the store's files may: another process still reads it as it was before
      fix this, then run the same command again to finish
    ");
    assert_eq!(scratch.ok("key count"), "0\n");
    assert_eq!(notes(&reader), 1);
    // Another process searches the files, because closing them in this one would release the reader's locks.
    let looked = scratch.shell(&format!("grep -rqF {MARK} home/.local"));
    assert!(looked.status.success());
    assert_snapshot!(forget(false).said(), @"
    exit 1
    agent:default#secret has no text left to forget
    error: no note has the text any more, but the store's files may: another process still reads it as it was before
      fix this, then run the same command again to finish
    ");
    let again = forget(true).output();
    let error: serde_json::Value = serde_json::from_slice(&again.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "not_erased");
    reader.execute_batch("COMMIT").unwrap();
    assert_snapshot!(forget(false).said(), @"agent:default#secret has no text left to forget");
    assert_eq!(is_in(&scratch), [""; 0]);
    has(scratch.ok("verify"), "is sound");
}

#[test]
fn others_read_and_write_while_notes_are_forgotten() {
    let scratch = Scratch::new();
    for number in 0..12 {
        scratch.ok(&format!("key save k{number} {MARK}{number}"));
    }
    std::thread::scope(|scope| {
        for process in 0..3 {
            let scratch = &scratch;
            scope.spawn(move || {
                for number in 0..15 {
                    scratch.ok(&format!("place write --at ~/p{process} text{number}"));
                    scratch.ok("context");
                    scratch.ok("history agent:default#k3");
                }
            });
        }
        for number in 0..12 {
            scratch.ok(&format!("forget --yes agent:default#k{number}"));
        }
    });
    assert_eq!(holding(&scratch.home(), &[MARK.as_bytes()]), [""; 0]);
    has(scratch.ok("verify"), "is sound");
    assert_eq!(
        scratch.json("place list --json").as_array().unwrap().len(),
        3
    );
}
