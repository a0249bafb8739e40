//! What formats of files share: reading a file with its time, finding Markdown files, making a key of a name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use waynote::key::KEY_CHARS;
use waynote::{Content, Error, Key, Result};

/// The bytes of a file and when it was written; none when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<(Vec<u8>, Option<Timestamp>)>> {
    let unreadable = |error| Error::file(path, "read", error);
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error)),
        Ok(file) if !file.is_file() => {
            Err(unreadable(std::io::Error::other("it is no regular file")))
        }
        Ok(file) => {
            let written = file.modified().ok();
            let written = written.and_then(|time| Timestamp::try_from(time).ok());
            Ok(Some((std::fs::read(path).map_err(unreadable)?, written)))
        }
    }
}

/// The Markdown files below a folder, by name; hidden ones and links to folders are passed over.
pub(crate) fn markdown_below(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    const DEEPEST: usize = 32;
    let mut found = BTreeSet::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| Error::file(&folder, "read", error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::file(&folder, "read", error))?;
            let kind = entry
                .file_type()
                .map_err(|error| Error::file(entry.path(), "read", error))?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if is_hidden {
            } else if kind.is_dir() && depth < DEEPEST {
                open.push((entry.path(), depth + 1));
            } else if entry.path().extension().is_some_and(|end| end == "md") {
                found.insert(entry.path());
            }
        }
    }
    Ok(found)
}

/// The key of a name: the same for the same name. Where letters would be lost, a few characters of the name's hash tell
/// it from others.
pub(crate) fn key(name: &str) -> Result<Key> {
    const HASH_CHARS: usize = 8;
    let is_lossy = name.len() > KEY_CHARS
        || name
            .chars()
            .any(|char| char.is_alphanumeric() && !char.is_ascii());
    let suggested = Key::suggest(name);
    let hash = Content::imported(name).hash().to_string();
    let hash = &hash[..HASH_CHARS];
    match suggested {
        Some(key) if !is_lossy => Ok(key),
        Some(key) => {
            let most = KEY_CHARS - HASH_CHARS - 1;
            let start: String = key.as_str().chars().take(most).collect();
            format!("{}-{hash}", start.trim_end_matches('-')).parse()
        }
        None => format!("note-{hash}").parse(),
    }
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
}
