//! Opening another program's files: only regular files, up to a size, and only inside the folder that is imported.
//!
//! Imported files may come from a stranger: a cloned repository, an unpacked archive. A named pipe there would block
//! forever, a device has no end, and a link could make a private file of the user's a note that agents read.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use waynote::{Error, Result};
use waynote_files::{open_regular, read_up_to};

use crate::incoming::ForeignNotes;

/// The largest text of one note.
pub(crate) const MAX_TEXT: u64 = 16 << 20;

/// The largest file that holds many notes, and the most text of one import: it is kept in memory until it is written.
pub(crate) const MAX_SOURCE: u64 = 512 << 20;

/// The longest line of a file that has one JSON object on each line.
pub(crate) const MAX_LINE: u64 = 4 << 20;

/// The bytes of a file, and when it was written.
pub(crate) type TimedBytes = (Vec<u8>, Option<Timestamp>);

/// Opens a file for reading if it is a regular file; a link to one is followed, because the user named it.
///
/// # Errors
/// [`Error::File`] when it cannot be opened or is no regular file.
pub fn open(path: &Path) -> Result<File> {
    let opened = open_regular(path, true);
    opened
        .map(|(file, _)| file)
        .map_err(|error| unreadable(path, error))
}

/// Reads a file that the user named and that holds many notes, with the time when it was written.
pub(crate) fn read(path: &Path) -> Result<TimedBytes> {
    let read = open_regular(path, true).and_then(|opened| contents(opened, MAX_SOURCE));
    read.map_err(|error| unreadable(path, error))
}

pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::file(path, "read", error)
}

/// The contents of a file of at most so many bytes, and when it was written.
fn contents((file, found): (File, Metadata), most: u64) -> io::Result<TimedBytes> {
    let bytes = read_up_to(&file, most)?;
    let written_at = found.modified().ok();
    let written_at = written_at.and_then(|time| Timestamp::try_from(time).ok());
    Ok((bytes, written_at))
}

/// A folder that is imported. No file outside it is read, even if a link inside it leads there.
#[derive(Clone, Debug)]
pub struct Folder {
    /// As the user named it.
    path: PathBuf,
    /// Without links; none: there is no such folder.
    real: Option<PathBuf>,
}

impl Folder {
    /// The folder with that path, which need not exist. A link to it is followed.
    pub fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            real: path.canonicalize().ok(),
        }
    }

    /// Its path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file relative to it.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.path).unwrap_or(path);
        inside.to_string_lossy().into_owned()
    }

    /// The text of a note in a file, and when it was written; none when there is no such file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Option<TimedBytes>> {
        let real = match self.inside(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        contents(open_regular(&real, false)?, MAX_TEXT).map(Some)
    }

    /// The path without links, if it is inside this folder.
    fn inside(&self, path: &Path) -> io::Result<PathBuf> {
        let real = path.canonicalize()?;
        match &self.real {
            Some(folder) if real.starts_with(folder) => Ok(real),
            _ => Err(io::Error::other(format!(
                "a link leads out of {}; copy the file into that folder to import it",
                self.path.display()
            ))),
        }
    }
}

/// The text of a file in UTF-8, with or without a byte order mark, or in UTF-16 with one.
///
/// # Errors
/// The reason, with the first byte that is not UTF-8 and its offset.
pub(crate) fn decoded(bytes: Vec<u8>) -> std::result::Result<String, String> {
    let (units, unit): (_, fn([u8; 2]) -> u16) = match &*bytes {
        [0xFF, 0xFE, units @ ..] => (units, u16::from_le_bytes),
        [0xFE, 0xFF, units @ ..] => (units, u16::from_be_bytes),
        _ => return of_utf8(bytes),
    };
    if units.len() % 2 == 1 {
        return Err("it is UTF-16 that ends in the middle of a character".into());
    }
    let units = units.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let chars = char::decode_utf16(units);
    Ok(chars
        .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect())
}

fn of_utf8(bytes: Vec<u8>) -> std::result::Result<String, String> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(at).copied().unwrap_or_default();
        format!("it is not UTF-8: byte 0x{byte:02X} at offset {at}; convert it to UTF-8")
    })?;
    if text.starts_with('\u{FEFF}') {
        text.remove(0);
    }
    Ok(text)
}

/// Reads the lines of a file, each of at most [`MAX_LINE`] bytes. Longer lines are skipped, not buffered.
pub(crate) struct Lines<R> {
    from: R,
    line: Vec<u8>,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn of(from: R) -> Self {
        let (line, number) = (Vec::new(), 0);
        Self { from, line, number }
    }

    /// The next line that is not blank, with its name, without its line end; none at the end. Lines that are too long
    /// are left out of the import.
    pub(crate) fn next(
        &mut self,
        incoming: &mut ForeignNotes,
    ) -> io::Result<Option<(String, &[u8])>> {
        loop {
            self.line.clear();
            self.number += 1;
            let name = format!("line {}", self.number);
            let mut from = self.from.by_ref().take(MAX_LINE + 1);
            let read = from.read_until(b'\n', &mut self.line)?;
            if read == 0 {
                return Ok(None);
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if read as u64 > MAX_LINE {
                self.from.skip_until(b'\n')?;
                incoming.skip(name, format!("it is longer than {} MiB", MAX_LINE >> 20));
                continue;
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some((name, &self.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_editors_are_read() {
        let text = "Grüße 🚀\r\n";
        let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            let units = text.encode_utf16().flat_map(bytes);
            mark.into_iter().chain(units).collect::<Vec<u8>>()
        };
        let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        for bytes in [
            text.into(),
            marked,
            utf16([0xFF, 0xFE], u16::to_le_bytes),
            utf16([0xFE, 0xFF], u16::to_be_bytes),
        ] {
            assert_eq!(decoded(bytes).as_deref(), Ok(text));
        }
        assert_eq!(
            decoded(b"Gr\xFC\xDFe".to_vec()).unwrap_err(),
            "it is not UTF-8: byte 0xFC at offset 2; convert it to UTF-8"
        );
        assert!(decoded(b"\xFF\xFEa".to_vec()).is_err());
    }

    #[test]
    fn lines_of_any_length_are_read_or_passed_over() {
        let long = "x".repeat(MAX_LINE as usize + 1);
        let fits = "y".repeat(MAX_LINE as usize);
        let text = format!("a\n\n{long}\nb\n{fits}\n{long}");
        let mut lines = Lines::of(text.as_bytes());
        let mut incoming = ForeignNotes::of("lines", crate::Precedence::Here).unwrap();
        let mut seen = Vec::new();
        while let Some((name, line)) = lines.next(&mut incoming).unwrap() {
            seen.push(format!("{name}: {} bytes", line.len()));
        }
        assert_eq!(
            seen,
            [
                "line 1: 1 bytes",
                "line 4: 1 bytes",
                "line 5: 4194304 bytes"
            ]
        );
        let skipped = incoming.skipped().iter();
        let skipped: Vec<_> = skipped.map(|of| (&*of.what, &*of.reason)).collect();
        let reason = "it is longer than 4 MiB";
        assert_eq!(skipped, [("line 3", reason), ("line 6", reason)]);
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |path: &str| scratch.path().join(path);
        std::fs::create_dir_all(at("in/sub")).unwrap();
        std::fs::create_dir_all(at("out")).unwrap();
        std::fs::write(at("in/sub/a.md"), "a").unwrap();
        std::fs::write(at("out/secret.md"), "s").unwrap();
        std::os::unix::fs::symlink("sub/a.md", at("in/inside.md")).unwrap();
        std::os::unix::fs::symlink("../out/secret.md", at("in/outside.md")).unwrap();
        std::os::unix::fs::symlink(at("out"), at("in/folder")).unwrap();
        std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
        let folder = Folder::of(&at("link"));
        let read = |path: &str| match folder.read(&at(path)) {
            Ok(found) => found.map(|(bytes, _)| bytes),
            Err(error) => Some(error.to_string().split(" of ").next().unwrap().into()),
        };
        assert_eq!(read("link/sub/a.md"), Some(b"a".to_vec()));
        assert_eq!(read("link/inside.md"), Some(b"a".to_vec()));
        assert_eq!(read("link/none.md"), None);
        for path in [
            "link/outside.md",
            "link/folder/secret.md",
            "link/../out/secret.md",
        ] {
            assert_eq!(read(path), Some(b"a link leads out".to_vec()), "{path}");
        }
    }
}
