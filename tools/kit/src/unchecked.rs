//! Things that could not be checked on this machine, in one list at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waynote_testing::NOT_CHECKED;

/// By the reason.
static LIST: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

fn list() -> MutexGuard<'static, BTreeMap<String, BTreeSet<String>>> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says at once that something is not checked, and keeps it for the end: in the file of the program that started this
/// one, if there is one.
pub fn not_checked(what: &str, why: impl std::fmt::Display) {
    let why = why.to_string().replace('\n', " ");
    if std::env::var_os(NOT_CHECKED).is_some() {
        return waynote_testing::not_checked(what, &why);
    }
    println!("NOT CHECKED: {what}: {why}");
    add(what, why);
}

fn add(what: &str, why: String) {
    list().entry(why).or_default().insert(what.to_owned());
}

/// Lets a command write what it does not check to a file, which [`take`] reads.
pub fn listed(command: &mut Command) -> PathBuf {
    let name = format!("not-checked-{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    command.env(NOT_CHECKED, &file);
    file
}

/// Takes what the tests wrote, and removes the file.
pub fn take(file: &Path) {
    let written = std::fs::read_to_string(file).unwrap_or_default();
    let _ = std::fs::remove_file(file);
    for (tests, why) in written.lines().filter_map(|line| line.split_once('\t')) {
        add(tests, why.to_owned());
    }
}

/// Prints the list, if there is anything on it.
pub fn print() {
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
        add("advisories", "there is no data".to_owned());
        assert_eq!(
            text(&list()),
            "\nNOT CHECKED:\n- there is no data\n    advisories\n- this needs root\n    full disks\n    other users\n"
        );
        assert!(!file.exists());
        assert_eq!(text(&BTreeMap::new()), "");
    }
}
