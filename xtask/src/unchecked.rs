//! What could not be checked on this machine, in one list at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By the reason.
static LIST: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

fn list() -> MutexGuard<'static, BTreeMap<String, BTreeSet<String>>> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says at once that something is not checked, and keeps it for the end.
pub(crate) fn not_checked(what: &str, why: impl std::fmt::Display) {
    let why = why.to_string();
    println!("NOT CHECKED: {what}: {why}");
    list().entry(why).or_default().insert(what.to_owned());
}

/// The file that the tests of a step write theirs to.
pub(crate) fn file() -> PathBuf {
    let name = format!("not-checked-{}", std::process::id());
    std::env::temp_dir().join(name)
}

/// Takes what the tests wrote, and removes the file.
pub(crate) fn take(file: &Path) {
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let _ = std::fs::remove_file(file);
    for (tests, why) in written.lines().filter_map(|line| line.split_once('\t')) {
        let mut list = list();
        list.entry(why.to_owned())
            .or_default()
            .insert(tests.to_owned());
    }
}

/// Prints the list, if there is anything on it.
pub(crate) fn print() {
    print!("{}", text(&list()));
}

fn text(list: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut text = String::new();
    if !list.is_empty() {
        text += "\nNOT CHECKED:\n";
    }
    for (why, parts) in list {
        text += &format!("- {why}\n");
        text.extend(parts.iter().map(|part| format!("    {part}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("list");
        std::fs::write(&file, "full disks\tthis needs root\nother users\tthis needs root\nfull disks\tthis needs root\n").unwrap();
        take(&file);
        not_checked("advisories", "there is no data");
        assert_eq!(
            text(&list()),
            "\nNOT CHECKED:\n- there is no data\n    advisories\n- this needs root\n    full disks\n    other users\n"
        );
        assert!(!file.exists());
        assert_eq!(text(&BTreeMap::new()), "");
    }
}
