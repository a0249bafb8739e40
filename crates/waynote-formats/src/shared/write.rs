//! Writing the files of shared notes. Nothing else of a work tree is ever written.

use std::io;
use std::path::{Path, PathBuf};

use waynote::error::Error;
use waynote::secrets::masked;
use waynote::visible::without_hidden;
use waynote::{Address, Citation, Content, Limits, Result, SecretPolicy};
use waynote_system::plain;

use super::form::{Form, LINE_ENDS, Said};
use super::{ALIKE, FOLDER, Kept, SharedNotes, entries, name, read};
use crate::error::FormatError;

const NOT_UTF8: &str = "it is not UTF-8";

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
    /// The path in the checkout of a note's file, which need not exist, as it is spelled there.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] for a note of no place in the checkout; [`FormatError::SharedFile`] for a link on the
    /// way, and a name that differs from another only in case; [`Error::File`].
    pub fn file_of(&self, address: &Address) -> Result<PathBuf> {
        let path = self.path_of(address).ok_or_else(|| {
            let reason = "it is of no directory in this checkout";
            Error::invalid_address(address.to_string(), reason)
        })?;
        self.spelled(&path)
    }

    /// The same as waynote spells it.
    pub(super) fn path_of(&self, address: &Address) -> Option<PathBuf> {
        let key = address.key().and_then(|key| key.parse().ok());
        let folder = name::path(self.below(address.place()?)?);
        Some(Path::new(&folder).join(name::file(key.as_ref())))
    }

    /// A note's file with this text. Where `pinned` or `cites` is not given, the file keeps
    /// its own, and it keeps every other field of its front matter.
    ///
    /// # Errors
    /// As [`file_of`](Self::file_of); [`Error::HoldsSecret`] and [`Error::NameHoldsSecret`] for any credential;
    /// [`Error::NoteTooLarge`]; [`Error::InvalidCitation`]; [`FormatError::SharedFile`] for a text that would not be
    /// read back, and a file there that is no note.
    pub fn file_with(
        &self,
        address: &Address,
        content: &Content,
        pinned: Option<bool>,
        cites: Option<&[Citation]>,
    ) -> Result<SharedFile> {
        SecretPolicy::RefuseAll.check(content)?;
        SecretPolicy::RefuseAll.check_name("the address", &address.to_string())?;
        let path = self.file_of(address)?;
        let refused = |reason: &str| FormatError::shared_file(&path, reason);
        let text = content.as_text().ok_or_else(|| refused(NOT_UTF8))?;
        let text = without_hidden(text);
        Limits::default().check_bytes(address, &Content::text(&*text)?)?;
        let before = match read(plain::open_without_links(&self.root.join(&path))) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| refused(NOT_UTF8))?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(&path, "read", error)),
        };
        let form = |file| Form::of(file).map_err(|reason| refused(&reason));
        let old = before.as_deref().map_or(Ok(Form::default()), form)?;
        let cites = cites.unwrap_or(&old.said.cites);
        Citation::check(cites)?;
        let cites = cites.iter().map(|cited| Citation {
            said: cited.said.clone(),
            ..Citation::new(&cited.code)
        });
        // The text that a reader gets stands for the file's own text, and a mask for a credential in it.
        let shown = without_hidden(old.said.text);
        let text = match text.trim_matches(LINE_ENDS) {
            same if masked(&shown) == same => old.said.text,
            text => text,
        };
        let said = Said {
            text,
            pinned: pinned.unwrap_or(old.said.pinned),
            cites: cites.collect(),
        };
        let new = match &before {
            Some(before) if old.said == said => before.clone(),
            _ => old.saying(&said),
        };
        if form(&new)?.said != said {
            return Err(refused("change its front matter by hand").into());
        }
        Ok(SharedFile {
            path,
            text: new,
            before,
        })
    }

    /// Writes a file that [`file_with`](Self::file_with) made, in one step, if it does not say this already.
    ///
    /// # Errors
    /// [`FormatError::SharedFile`] for a link on the way; [`Error::File`].
    pub fn put(&self, file: &SharedFile) -> Result<()> {
        if file.is_changed() {
            let put = waynote_files::put_inside(&self.root, &file.path, file.text.as_bytes());
            put.map_err(|error| failed(&file.path, "written", error))?;
            *self.kept.lock() = Kept::default();
        }
        Ok(())
    }

    /// A path in the checkout as it is spelled there: an accent is one character or two.
    fn spelled(&self, path: &Path) -> Result<PathBuf> {
        let mut spelled = PathBuf::from(FOLDER);
        for part in path.iter().skip(1).filter_map(|part| part.to_str()) {
            let there = match entries(&self.root.join(&spelled)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                there => there.map_err(|error| failed(path, "read", error))?,
            };
            let is_alike = |name: &&str| name::folded(name) == name::folded(part);
            let alike = there.iter().map(|(name, _)| name.as_str()).filter(is_alike);
            spelled.push(match *alike.collect::<Vec<_>>() {
                [] => part,
                [only] if name::composed(only) == part => only,
                _ => return Err(FormatError::shared_file(path, ALIKE).into()),
            });
        }
        Ok(spelled)
    }
}

fn failed(path: &Path, action: &'static str, error: io::Error) -> Error {
    match error.raw_os_error() {
        Some(_) => Error::file(path, action, error),
        None => FormatError::shared_file(path, &error.to_string()).into(),
    }
}
