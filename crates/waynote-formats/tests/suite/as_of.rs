//! Reading as of a time is one rule: a note by its address and a prompt block of that time agree.

use std::fs::File;
use std::time::{Duration, SystemTime};

use waynote::{Address, AsOf, NoteAsOf, Places, Reader, Scope};

use super::stores::synced;
use waynote_testing::values::{at, text};

const HOUR: u64 = 3600;

#[test]
fn a_text_of_a_synced_file_counts_from_when_it_was_written_there() {
    let folder = tempfile::tempdir().unwrap();
    let (ten, eleven, twelve) = (10 * HOUR, 11 * HOUR, 12 * HOUR);
    let file = folder.path().join("notes.json");
    std::fs::write(&file, r#"{"~/shop": "edited by hand"}"#).unwrap();
    let written = SystemTime::UNIX_EPOCH + Duration::from_secs(ten);
    File::options()
        .append(true)
        .open(&file)
        .and_then(|file| file.set_modified(written))
        .unwrap();
    let store = synced(folder.path());
    // A later write takes the text in.
    let places = Places::new(&store);
    places
        .write(&"~/other".parse().unwrap(), text("x"), &at(twelve as i64))
        .unwrap();

    let address: Address = "place:~/shop".parse().unwrap();
    let history = store.history(&address).unwrap();
    assert_eq!(history.len(), 1);
    assert!(history[0].recorded_at > at(twelve as i64).now);
    for (second, is_there) in [(ten - 1, false), (eleven, true), (twelve, true)] {
        let time = at(second as i64).now;
        let one = NoteAsOf::Time(time).note(&history).unwrap();
        let scopes = [Scope::Place("~/shop".parse().unwrap())];
        let block = store.select_at(&scopes, AsOf::Time(time)).unwrap().pop();
        assert_eq!(one.is_some(), is_there, "at {second}");
        assert_eq!(one, block, "at {second}");
    }
}
