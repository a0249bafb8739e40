//! Shared by formats: finding Markdown files, making a key of a name.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use waynote::key::KEY_CHARS;
use waynote::{Content, Error, Key, Result};

use crate::report::SkippedItem;

/// Folders deeper than this are left out.
const MAX_DEPTH: usize = 32;

/// The Markdown files below a folder, by name, folder by folder, and what was left out. Hidden files are passed over, and
/// folders that are links.
///
/// # Errors
/// [`Error::File`] when the folder cannot be read. One inside it that cannot be read is left out.
pub(crate) fn markdown_below(folder: &Path) -> Result<(Vec<PathBuf>, Vec<SkippedItem>)> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    // Popped from the end, so that what is in a folder comes before what follows the folder.
    let mut open = entries(folder, 1)?;
    while let Some((path, kind, depth)) = open.pop() {
        let end = path.extension();
        let is_markdown = end.is_some_and(|end| end == "md" || end == "mdc");
        let reason = if kind.is_dir() && depth > MAX_DEPTH {
            format!("it is more than {MAX_DEPTH} folders deep")
        } else if kind.is_dir() {
            match entries(&path, depth + 1) {
                Ok(below) => {
                    open.extend(below);
                    continue;
                }
                Err(error) => error.to_string(),
            }
        } else if is_markdown && (kind.is_file() || kind.is_symlink()) {
            files.push(path);
            continue;
        } else if is_markdown {
            "it is no regular file".into()
        } else {
            continue;
        };
        let what = path.to_string_lossy().into_owned();
        skipped.push(SkippedItem { what, reason });
    }
    Ok((files, skipped))
}

/// The entries of a folder, the last name first, without hidden ones.
fn entries(folder: &Path, depth: usize) -> Result<Vec<(PathBuf, FileType, usize)>> {
    let unreadable = |error| Error::file(folder, "read", error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            let kind = entry.file_type().map_err(unreadable)?;
            entries.push((entry.path(), kind, depth));
        }
    }
    entries.sort_unstable_by(|(one, ..), (other, ..)| other.as_os_str().cmp(one.as_os_str()));
    Ok(entries)
}

/// The key of a name, always the same. If letters are lost, a few characters of the name's hash make it unique.
pub(crate) fn key(name: &str) -> Result<Key> {
    let is_lost = |char: char| char.is_alphanumeric() && !char.is_ascii();
    let is_lossy = name.len() > KEY_CHARS || name.chars().any(is_lost);
    match Key::suggest(name) {
        Some(key) if !is_lossy => Ok(key),
        Some(key) => hashed_key(key.as_str(), name),
        None => hashed_key("note", name),
    }
}

/// A key with a few characters of a text's hash behind it.
pub(crate) fn hashed_key(key: &str, text: &str) -> Result<Key> {
    const HASH_CHARS: usize = 8;
    let hash = Content::imported(text).hash().to_string();
    let start: String = key.chars().take(KEY_CHARS - HASH_CHARS - 1).collect();
    let start = start.trim_end_matches('-');
    format!("{start}-{}", &hash[..HASH_CHARS]).parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_keys() {
        let of = |name: &str| key(name).unwrap().to_string();
        assert_eq!(of("debugging"), "debugging");
        assert_eq!(of("Coffee Brewing/Methods"), "coffee-brewing-methods");
        assert_eq!(
            of("東京"),
            format!(
                "note-{}",
                &Content::imported("東京").hash().to_string()[..8]
            )
        );
        assert!(of("Café").starts_with("caf-"));
        let (one, other) = ("x".repeat(65), "x".repeat(66));
        assert_ne!(of(&one), of(&other));
        assert_eq!(of(&one).len(), KEY_CHARS);
    }

    #[test]
    fn files_come_folder_by_folder_and_what_is_left_out_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        let deep = "d/".repeat(MAX_DEPTH + 1);
        for folder in ["a/b", ".hidden", "a-c", &deep] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in [
            "a/b/1.md",
            "a/2.md",
            "a.md",
            "a-c/3.md",
            ".hidden/x.md",
            "no.txt",
        ] {
            std::fs::write(at(file), "text").unwrap();
        }
        let pipe = at("pipe.md");
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, fifo, mode, 0).unwrap();
        let (files, skipped) = markdown_below(scratch.path()).unwrap();
        let name = |path: &Path| {
            let path = path.strip_prefix(scratch.path()).unwrap();
            path.to_string_lossy().into_owned()
        };
        let files: Vec<String> = files.iter().map(|file| name(file)).collect();
        assert_eq!(files, ["a/2.md", "a/b/1.md", "a-c/3.md", "a.md"]);
        let skipped: Vec<&str> = skipped.iter().map(|one| one.reason.as_str()).collect();
        assert_eq!(
            skipped,
            ["it is more than 32 folders deep", "it is no regular file"]
        );
    }
}
