//! Writing the files of shared notes. Nothing else of a work tree is ever written.

use std::io;
use std::path::{Path, PathBuf};

use waynote::error::Error;
use waynote::visible::without_hidden;
use waynote::{Address, Citation, Content, Limits, Place, Result, SecretPolicy};

use super::folder::{FileName, Folder};
use super::form::{self, Form};
use super::{ALIKE, FOLDER, SharedNotes, most_bytes, name, path_of};
use crate::error::FormatError;

/// A note's file, with the text that it will have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedFile {
    /// Its path in the checkout.
    pub path: PathBuf,
    /// Its whole text.
    pub text: String,
    /// Its text so far; none if there is no such file.
    pub before: Option<String>,
}

impl SharedFile {
    /// True if the file says something else so far.
    pub fn is_changed(&self) -> bool {
        self.before.as_ref() != Some(&self.text)
    }
}

impl SharedNotes {
    /// The path in the checkout of a note's file, which need not exist.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] for a note of no place in the checkout.
    pub fn file_of(&self, address: &Address) -> Result<PathBuf> {
        let (below, file) = self.names_of(address)?;
        Ok(Path::new(&path_of(below)).join(file))
    }

    /// The folder of the repository that a note belongs to, and the name of its file.
    fn names_of<'a>(&self, address: &'a Address) -> Result<(&'a str, String)> {
        let (place, key) = match address {
            Address::Place(place) => (Some(place), None),
            Address::PlaceKey(place, key) => (Some(place), Some(key)),
            _ => (None, None),
        };
        let below = place.and_then(|place: &Place| self.below(place));
        let below = below.ok_or_else(|| {
            Error::invalid_address(
                address.to_string(),
                "it is of no directory in this checkout",
            )
        })?;
        Ok((below, name::file(key)))
    }

    /// A note's file as [`write`](Self::write) would write it. Where `pinned` or `cites` is not given, the file keeps its
    /// own, and it keeps every other field of its front matter.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] as [`file_of`](Self::file_of); [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for
    /// any credential; [`Error::NoteTooLarge`]; [`Error::InvalidCitation`]; [`FormatError::SharedFile`] for a text that
    /// would not be read back, a file there that is no note, a link on the way, and a name that differs from another
    /// only in case; [`Error::File`].
    pub fn file_with(
        &self,
        address: &Address,
        content: &Content,
        pinned: Option<bool>,
        cites: Option<&[Citation]>,
    ) -> Result<SharedFile> {
        let path = self.file_of(address)?;
        let refused = |reason: &str| FormatError::shared_file(&path, reason);
        SecretPolicy::RefuseAll.check(content)?;
        SecretPolicy::RefuseAll.check_name("the address", &address.to_string())?;
        let text = content
            .as_text()
            .ok_or_else(|| refused("it is not UTF-8"))?;
        let text = without_hidden(text);
        let text = text.trim_matches(form::LINE_ENDS);
        Limits::default().check_bytes(address, &Content::text(text)?)?;
        let before = self.before(address, &path)?;
        let old = match &before {
            Some(before) => Form::of(before).map_err(|reason| refused(&reason))?,
            None => Form::default(),
        };
        let pinned = pinned.unwrap_or(old.pinned);
        let cites = cites.unwrap_or(&old.cites);
        Citation::check(cites)?;
        let new = match &before {
            Some(before) if old.says(text, pinned, cites) => before.clone(),
            _ => old.with(text, pinned, cites),
        };
        let read = Form::of(&new).map_err(|reason| refused(&reason))?;
        match read.says(text, pinned, cites) {
            true => Ok(SharedFile {
                path,
                text: new,
                before,
            }),
            false => Err(refused("it would not be read as it is written").into()),
        }
    }

    /// Writes a note's file, in one step, if it does not say this already.
    ///
    /// # Errors
    /// As [`file_with`](Self::file_with).
    pub fn write(
        &self,
        address: &Address,
        content: &Content,
        pinned: Option<bool>,
        cites: Option<&[Citation]>,
    ) -> Result<SharedFile> {
        let file = self.file_with(address, content, pinned, cites)?;
        if file.is_changed() {
            let failed = |error| failed(&file.path, "written", error);
            let way = self.way(address, true).map_err(failed)?;
            if let Some(Way {
                folders,
                file: name,
            }) = way
            {
                let folder = folders.last().map(|(folder, _)| folder);
                folder
                    .map_or(Ok(()), |folder| folder.put(&name, &file.text))
                    .map_err(failed)?;
            }
        }
        Ok(file)
    }

    /// Removes a note's file, and the folders that are empty then; none if there is no such file.
    ///
    /// # Errors
    /// As [`file_of`](Self::file_of); [`FormatError::SharedFile`] for a link on the way; [`Error::File`].
    pub fn remove(&self, address: &Address) -> Result<Option<PathBuf>> {
        let path = self.file_of(address)?;
        let failed = |error| failed(&path, "removed", error);
        let Some(Way { mut folders, file }) = self.way(address, false).map_err(failed)? else {
            return Ok(None);
        };
        let Some((folder, mut name)) = folders.pop() else {
            return Ok(None);
        };
        match folder.remove(&file, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            removed => removed.map_err(failed)?,
        }
        while let Some((above, next)) = folders.pop() {
            // One that is not empty is in use.
            if above.remove(&name, true).is_err() {
                break;
            }
            name = next;
        }
        Ok(Some(path))
    }

    /// The text of the file that a note has so far.
    fn before(&self, address: &Address, path: &Path) -> Result<Option<String>> {
        let failed = |error| failed(path, "read", error);
        let Some(Way { folders, file }) = self.way(address, false).map_err(failed)? else {
            return Ok(None);
        };
        let most = most_bytes(address) + form::MAX_HEAD;
        let read = folders
            .last()
            .map(|(folder, _)| folder.read(&file, most as u64));
        match read {
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Some(read) => {
                let text = String::from_utf8(read.map_err(failed)?);
                Ok(Some(text.map_err(|_| {
                    FormatError::shared_file(path, "it is not UTF-8")
                })?))
            }
            None => Ok(None),
        }
    }

    /// The way to a note's file; none if a folder is missing and none is to be made.
    fn way(&self, address: &Address, makes: bool) -> io::Result<Option<Way>> {
        let Ok((below, file)) = self.names_of(address) else {
            return Ok(None);
        };
        let mut folders = vec![(Folder::named(&self.root)?, String::new())];
        for name in std::iter::once(FOLDER.to_owned()).chain(name::folders(below)) {
            let Some((above, _)) = folders.last() else {
                break;
            };
            let name = spelled(above, name, folders.len() == 1)?;
            let inner = match makes {
                true => above.made(&name),
                false => above.inner(&name),
            };
            match inner {
                Ok(inner) => folders.push((inner, name)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let file = match folders.last() {
            Some((folder, _)) => spelled(folder, file, false)?,
            None => file,
        };
        Ok(Some(Way { folders, file }))
    }
}

/// The open folders from the root of the checkout down, each with its name in the one above, and the name of the file.
struct Way {
    folders: Vec<(Folder, String)>,
    file: String,
}

/// A name as it is spelled in a folder, where an accent is one character or two.
fn spelled(folder: &Folder, name: String, is_in_root: bool) -> io::Result<String> {
    if is_in_root {
        return Ok(name);
    }
    let (wanted, mut same) = (name::folded(&name), Vec::new());
    for (entry, _) in folder.entries(usize::MAX)?.unwrap_or_default() {
        if let FileName::Text(entry) = entry
            && name::folded(&entry) == wanted
        {
            same.push(entry);
        }
    }
    match same.as_slice() {
        [] => Ok(name),
        [only] if name::composed(only) == name => Ok(only.clone()),
        _ => Err(io::Error::other(ALIKE)),
    }
}

fn failed(path: &Path, action: &'static str, error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(_) => Error::file(path, action, error),
        None => FormatError::shared_file(path, &error.to_string()).into(),
    }
}
