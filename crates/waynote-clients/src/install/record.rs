//! The record of a file's texts before and after `install`, with which `uninstall` restores a file that has not changed
//! since, and leaves an entry that was there before.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waynote::Content;
use waynote_system::{Environment, plain, text_file};

use crate::error::Result;

/// A copy of a file, kept in a folder of waynote's own.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The client's file.
    pub(crate) file: PathBuf,
    /// Its text before; none: there was no file.
    pub(crate) before: Option<String>,
    /// The hash of its text after.
    pub(crate) after: String,
    /// Folders that were made for it, the outermost first.
    pub(crate) made: Vec<PathBuf>,
}

impl Record {
    pub(crate) fn new(file: &Path, before: Option<String>, after: &str) -> Self {
        Self {
            file: file.to_owned(),
            before,
            after: hash(after),
            made: Vec::new(),
        }
    }

    /// True if the file is as `install` left it.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        self.after == hash(text)
    }

    /// The record of a file. One that cannot be read is as good as none: our entries are found without it.
    pub(crate) fn load(environment: &Environment, file: &Path) -> Result<Option<Self>> {
        let text = text_file::read(&path(environment, file)?)?;
        let record: Option<Self> = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(record.filter(|record| record.file == file))
    }

    pub(crate) fn save(&self, environment: &Environment) -> Result {
        let folder = folder(environment)?;
        plain::make_private_folder(&folder)
            .map_err(|source| waynote::Error::file(folder, "made", source))?;
        let path = path(environment, &self.file)?;
        let text = serde_json::json!(self).to_string();
        let before = text_file::read(&path)?;
        // It may hold what the client keeps secret.
        text_file::put(&path, &text, before.as_deref(), 0o600)?;
        Ok(())
    }

    pub(crate) fn forget(&self, environment: &Environment) -> Result {
        Ok(text_file::remove(&path(environment, &self.file)?, &[])?)
    }
}

/// The folder of the records.
///
/// # Errors
/// [`Error::Environment`](crate::Error::Environment) without a home directory.
pub fn folder(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.data()?.join("waynote/installed"))
}

fn path(environment: &Environment, file: &Path) -> Result<PathBuf> {
    let name = hash(&file.to_string_lossy());
    Ok(folder(environment)?.join(format!("{}.json", &name[..16])))
}

fn hash(text: &str) -> String {
    Content::imported(text).hash().to_string()
}
