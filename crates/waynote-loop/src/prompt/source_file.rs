//! The files that a prompt is made of: the spec, the tasks, the template.
//!
//! They are read again for every iteration, and the agent may have put anything in their place meanwhile.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use waynote::visible::visible;
use waynote_files::worktree::normalized;
use waynote_system::plain;

use crate::error::{Error, Result};

/// As much of a file as a prompt holds.
const MAX_BYTES: usize = 256 * 1024;

/// A little more is read, so that a credential at the cut is seen whole.
const READ_BYTES: u64 = MAX_BYTES as u64 + 64 * 1024;

/// A file that an option names for the prompt.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The option that named it, for errors.
    option: &'static str,
    /// As it was typed.
    typed: PathBuf,
    path: PathBuf,
    /// The working directory.
    directory: PathBuf,
    /// The folder that it has to lie in, its links followed.
    within: PathBuf,
}

impl SourceFile {
    /// A file by its path as it was typed; `option` is what it was named with, as errors say it (`--spec`). `directory` is
    /// the working directory, absolute and without links.
    ///
    /// A link that leads out of the directory is not followed: an agent may have put it there. One who names a file
    /// elsewhere means the folder that it lies in.
    pub fn new(option: &'static str, path: &Path, directory: &Path) -> Self {
        let whole = normalized(&directory.join(path));
        let folder = whole.parent().unwrap_or(directory);
        // Reading reports a folder whose links lead in a circle.
        let folder = plain::followed_outside(folder, directory).unwrap_or_else(|_| whole.clone());
        let within = match folder.starts_with(directory) {
            true => directory.to_owned(),
            false => folder,
        };
        Self {
            option,
            typed: path.to_owned(),
            path: directory.join(path),
            directory: directory.to_owned(),
            within,
        }
    }

    /// True if the file does not exist any more.
    pub(crate) fn is_gone(&self) -> bool {
        let what = self.path.symlink_metadata();
        what.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    }

    /// Its text for a prompt: credentials masked, and a long one cut with a line that says so.
    pub(crate) fn for_prompt(&self) -> Result<String> {
        let (text, length) = self.text()?;
        let text = waynote::secrets::masked(&text);
        if length <= MAX_BYTES as u64 && text.len() <= MAX_BYTES {
            return Ok(text.into_owned());
        }
        let cut = &text[..text.floor_char_boundary(MAX_BYTES)];
        Ok(format!(
            "{cut}\n\n[Cut here. These are the first {} of {}: read the rest in {}.]\n",
            size(MAX_BYTES as u64),
            size(length),
            self.shown()
        ))
    }

    /// A hash of its text, to tell whether it changed; none if it cannot be read.
    pub(crate) fn print(&self) -> Option<[u8; 32]> {
        let (text, _) = self.text().ok()?;
        Some(Sha256::digest(text).into())
    }

    /// A line for the user about a file that is longer than a prompt holds.
    pub fn notice(&self) -> Option<String> {
        let length = self.path.metadata().ok()?.len();
        (length > MAX_BYTES as u64).then(|| {
            format!(
                "`{} {}` has {}: a prompt gets the first {} of it",
                self.option,
                self.shown(),
                size(length),
                size(MAX_BYTES as u64)
            )
        })
    }

    /// The whole text of a file that must not be cut: a template.
    ///
    /// # Errors
    /// [`Error::UnreadableSource`], also over 256 KiB, and [`Error::LinkedSource`].
    pub fn whole(&self) -> Result<String> {
        let (text, length) = self.text()?;
        match length <= MAX_BYTES as u64 {
            true => Ok(text),
            false => {
                let (size, most) = (size(length), size(MAX_BYTES as u64));
                let why = format!("it has {size}, and {most} are the most");
                Err(self.unreadable(std::io::Error::other(why)))
            }
        }
    }

    fn unreadable(&self, source: std::io::Error) -> Error {
        Error::UnreadableSource {
            file: self.named(),
            directory: self.directory.clone(),
            source,
        }
    }

    /// The beginning of its text, and how long it is in bytes.
    fn text(&self) -> Result<(String, u64)> {
        let unreadable = |source| self.unreadable(source);
        let target = self.path.canonicalize().map_err(unreadable)?;
        if !target.starts_with(&self.within) {
            return Err(Error::LinkedSource {
                option: self.option.to_owned(),
                file: self.named(),
                target: visible(&target.to_string_lossy()),
                within: self.within.clone(),
            });
        }
        let read =
            plain::open_without_links(&target).and_then(|file| plain::read(file, READ_BYTES));
        let (bytes, length) = read.map_err(unreadable)?;
        let is_whole = bytes.len() as u64 >= length;
        match String::from_utf8(bytes) {
            Ok(text) => Ok((text, length)),
            // A character cut in two by the limit is no fault of the file.
            Err(error) if !is_whole && error.utf8_error().error_len().is_none() => {
                let end = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                Ok((String::from_utf8_lossy(&bytes[..end]).into_owned(), length))
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let why = format!("it is not text: byte {at} is not UTF-8");
                Err(unreadable(std::io::Error::other(why)))
            }
        }
    }

    /// The option and the path.
    fn named(&self) -> String {
        format!("{} {}", self.option, self.shown())
    }

    fn shown(&self) -> String {
        visible(&self.typed.to_string_lossy())
    }
}

/// Bytes as people say them.
fn size(bytes: u64) -> String {
    const KIBIBYTE: u64 = 1024;
    const MEBIBYTE: u64 = 1024 * KIBIBYTE;
    match bytes {
        0..KIBIBYTE => format!("{bytes} bytes"),
        KIBIBYTE..MEBIBYTE => format!("{} KiB", bytes / KIBIBYTE),
        _ => format!("{:.1} MiB", bytes as f64 / MEBIBYTE as f64),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    struct Folders(tempfile::TempDir);

    impl Folders {
        fn new() -> Self {
            let folders = Self(tempfile::tempdir().unwrap());
            for name in ["work/docs", "other"] {
                std::fs::create_dir_all(folders.at(name)).unwrap();
            }
            folders
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        /// The text of a file, or its error without the folder's own name.
        fn read(&self, path: &str) -> std::result::Result<String, String> {
            let source = SourceFile::new("--spec", &self.at(path), &self.at("work"));
            let gone = |text: String| text.replace(&*self.at("").to_string_lossy(), "AT/");
            let read = source.for_prompt();
            read.map_err(|refused| gone(refused.to_string()))
        }
    }

    #[test]
    fn a_link_is_followed_only_where_a_person_pointed() {
        let folders = Folders::new();
        std::fs::write(folders.at("work/spec"), "inside").unwrap();
        std::fs::write(folders.at("other/key"), "outside").unwrap();
        std::fs::write(folders.at("other/spec"), "elsewhere").unwrap();
        symlink("../spec", folders.at("work/docs/same")).unwrap();
        symlink("../../other/key", folders.at("work/docs/out")).unwrap();
        symlink("../other", folders.at("work/folder")).unwrap();
        symlink("spec", folders.at("other/beside")).unwrap();
        symlink("../work/spec", folders.at("other/into")).unwrap();
        assert_eq!(folders.read("work/docs/same"), Ok("inside".into()));
        assert_eq!(folders.read("other/beside"), Ok("elsewhere".into()));
        insta::assert_snapshot!(folders.read("work/docs/out").unwrap_err(), @"`--spec AT/work/docs/out` cannot be read: it is a link to AT/other/key, outside of AT/work");
        assert!(folders.read("work/folder/key").is_err());
        assert!(folders.read("other/into").is_err());
        // However the working directory is spelled, and whatever leads into it.
        symlink("work", folders.at("same")).unwrap();
        symlink("work/folder", folders.at("through")).unwrap();
        assert_eq!(folders.read("same/docs/same"), Ok("inside".into()));
        for name in ["through/key", "same/docs/out"] {
            let refused = folders.read(name).unwrap_err();
            assert!(refused.contains("outside of AT/work"), "{name}: {refused}");
        }
    }

    #[test]
    fn what_is_no_file_of_text_is_refused() {
        let folders = Folders::new();
        symlink("/dev/zero", folders.at("work/zero")).unwrap();
        std::fs::write(folders.at("work/latin"), b"caf\xe9!").unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(folders.at("work/pipe"))
            .status();
        assert!(made.unwrap().success());
        for name in ["work/zero", "work/pipe", "work/latin", "work", "/dev/zero"] {
            assert!(folders.read(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_long_one_is_cut_and_says_so() {
        let folders = Folders::new();
        let file = folders.at("work/spec");
        std::fs::write(&file, "ü".repeat(200_000)).unwrap();
        let read = folders.read("work/spec").unwrap();
        let (text, rest) = read.split_at(MAX_BYTES);
        assert!(text.chars().all(|char| char == 'ü'));
        assert_eq!(
            rest.replace(&*folders.at("").to_string_lossy(), "AT/"),
            "\n\n[Cut here. These are the first 256 KiB of 390 KiB: read the rest in AT/work/spec.]\n"
        );
        // One that no memory holds.
        let file = std::fs::File::options().write(true).open(&file).unwrap();
        file.set_len(1 << 40).unwrap();
        assert!(folders.read("work/spec").unwrap().len() < MAX_BYTES + 1024);
        let source = SourceFile::new("--spec", &folders.at("work/spec"), &folders.at("work"));
        assert!(source.notice().unwrap().contains("has 1048576.0 MiB"));
        assert!(source.whole().is_err());
    }

    #[test]
    fn credentials_are_masked_at_the_cut_too() {
        let folders = Folders::new();
        let token = format!("gh{}_{}6wq2", 'p', "aZ3kQ9xW".repeat(4));
        let write = |text: String| std::fs::write(folders.at("work/spec"), text).unwrap();
        write(format!("use {token} for it\n"));
        let read = folders.read("work/spec").unwrap();
        assert!(read.starts_with("use [masked: "), "{read}");
        write(format!("{} {token}\n", "x".repeat(MAX_BYTES - 10)));
        let read = folders.read("work/spec").unwrap();
        assert!(!read.contains(&token[..6]), "{}", &read[MAX_BYTES - 20..]);
    }
}
