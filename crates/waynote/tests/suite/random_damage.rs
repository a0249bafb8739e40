//! Random damage of a store's file: whatever is shown was written, whatever is lost is named.
//!
//! The short form runs with the other tests. `WAYNOTE_DAMAGES=600 WAYNOTE_SEED=7 cargo test -p waynote random_damage`
//! runs more, with another seed.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use waynote::store::{Cursor, FeedContent, Filter};
use waynote::{LocalStore, Options, Reader, ScopeKind, SearchRequest, SqliteStore, Store};

use waynote_testing::values::{at, key, save};

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

fn number(variable: &str, default: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Damages a file in one of four ways, and returns a description.
fn damage(bytes: &mut [u8], random: &mut Random) -> String {
    const PAGE: usize = 4096;
    let at = random.next(bytes.len());
    let page = at / PAGE * PAGE;
    match random.next(4) {
        0 => {
            bytes[at] ^= 1 << random.next(8);
            format!("bit at {at}")
        }
        1 => {
            bytes[at] = random.next(256) as u8;
            format!("byte at {at}")
        }
        2 => {
            bytes[page..page + PAGE].fill(0);
            format!("page at {page} zeroed")
        }
        _ => {
            let other = random.next(bytes.len() / PAGE) * PAGE;
            bytes.copy_within(other..other + PAGE, page);
            format!("page at {page} is that at {other}")
        }
    }
}

/// Everything that a store shows, one line each.
fn shown(store: &dyn LocalStore) -> HashSet<String> {
    let mut shown = HashSet::new();
    for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
        for note in store.select(&Filter::Kind(kind)).unwrap_or_default() {
            for revision in store.history(&note.address).unwrap_or_default() {
                shown.insert(format!("{revision:?}"));
            }
            shown.insert(format!("{note:?}"));
        }
    }
    for number in 0..40 {
        if let Ok(Some(note)) = store.get(&key(&format!("k{number}"))) {
            shown.insert(format!("{note:?}"));
        }
    }
    let hits = store.search(&SearchRequest::new("words text again").limit(100));
    for hit in hits.unwrap_or_default() {
        shown.insert(format!("{:?}", hit.note));
    }
    for revision in store.journal(None, 1000).unwrap_or_default() {
        shown.insert(format!("{revision:?}"));
    }
    for entry in store.feed(Cursor::START, 1000).unwrap_or_default() {
        match entry.happened {
            FeedContent::Changed(revision) => shown.insert(format!("{revision:?}")),
            other => shown.insert(format!("{other:?}")),
        };
    }
    for summary in store.scopes(ScopeKind::Session).unwrap_or_default() {
        shown.insert(format!("{summary:?}"));
    }
    shown
}

/// The failure after one damage: none if only written texts are shown, and `verify` reports any that are missing.
fn judged(path: &Path, written: &HashSet<String>) -> Option<String> {
    let open = || SqliteStore::open(path, &Options::default());
    let Ok(store) = open() else {
        return None;
    };
    let found = shown(&store);
    if let Some(wrong) = found.difference(written).next() {
        return Some(format!("shown, but never written: {wrong}"));
    }
    let is_sound = store.verify().is_ok_and(|report| report.is_clean());
    if is_sound && found.len() != written.len() {
        return Some("it says that it is sound, and does not show everything".into());
    }
    let _ = store.apply(&[save(key("later"), "later")], &at(900));
    drop(store);
    let new = path.with_extension("new");
    if let Ok(copied) = super::copy_damaged::copied(path, &new) {
        let store = SqliteStore::open(&new, &Options::default()).unwrap();
        if is_sound && !copied.lost.is_empty() {
            return Some(format!("sound, but not copied: {:?}", copied.lost));
        }
        let report = store.verify().unwrap();
        if !report.is_clean() {
            return Some(format!("copied, but not sound: {:?}", report.problems));
        }
        for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
            for note in store.select(&Filter::Kind(kind)).unwrap() {
                let text = format!("content: {:?}", note.content);
                let is_known = written.iter().any(|line| line.contains(&text));
                if !is_known && note.address != key("later") {
                    return Some(format!("copied, but never written: {note:?}"));
                }
            }
        }
    }
    None
}

#[test]
fn random_damage_shows_nothing_that_was_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    super::copy_damaged::fill(&whole);
    let bytes = fs::read(&whole).unwrap();
    let written = shown(&SqliteStore::open(&whole, &Options::default()).unwrap());
    let mut random = Random(number("WAYNOTE_SEED", 1) | 1 << 40);
    let mut wrong = Vec::new();
    for round in 0..number("WAYNOTE_DAMAGES", 24) {
        let path = folder.path().join(format!("{round}.db"));
        let mut damaged = bytes.clone();
        let how = damage(&mut damaged, &mut random);
        fs::write(&path, damaged).unwrap();
        let began = std::time::Instant::now();
        let judged = judged(&path, &written);
        if began.elapsed().as_secs() >= 5 {
            eprintln!("{how}: {:?}", began.elapsed());
        }
        if let Some(what) = judged {
            wrong.push(format!("{how}: {what}"));
        }
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.starts_with(&format!("{round}.")) {
                fs::remove_file(file.path()).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
