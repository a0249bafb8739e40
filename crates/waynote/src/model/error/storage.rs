//! Reasons that a store's files cannot be used, if the system gives details.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::form::safe_text;
use super::{ErrorClass, safe};

/// A store whose files the system does not let this process use.
#[derive(
    Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StorageError {
    /// The disk quota of this user is used up.
    #[error("the store {} cannot be written: this user's disk quota is used up", safe(path.display()))]
    QuotaExceeded {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
    },

    /// A file of the store would be larger than this process may write.
    #[error("the store {} cannot be written: it would be larger than the file size limit of this process", safe(path.display()))]
    FileSizeLimit {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
    },

    /// The disk, or what connects it, reports an error.
    #[error("the store {} cannot be used: {}", safe(path.display()), safe(reason))]
    DiskError {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// What failed.
        #[serde(serialize_with = "safe_text")]
        reason: String,
    },

    /// A file beside the store cannot be opened.
    #[error("the store {} cannot be used: {} {}", safe(path.display()), safe(file.display()), match other_owner {
        Some((found, owner, _)) => format!("belongs to user {found}, and the store to user {owner}"),
        None => "is not a regular file".into(),
    })]
    SideFile {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The file beside it.
        #[serde(skip)]
        file: PathBuf,
        /// Its owner, and the owner and the group of the store: a program of another user made it. None: it is a link, a
        /// folder, a pipe or a device. Links are not followed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other_owner: Option<(u32, u32, u32)>,
    },

    /// The store's file has several names. Each name has a write-ahead log and a lock of its own, so that writes under
    /// two of them would overwrite each other. The store can be read.
    #[error("the store {} cannot be written: its file has {links} names (hard links); each name has its own write-ahead log and lock, and notes would be lost", safe(path.display()))]
    SecondName {
        /// The store.
        #[serde(skip)]
        path: PathBuf,
        /// The number of its names.
        links: u64,
    },
}

impl StorageError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    pub(super) fn class(&self) -> ErrorClass {
        match self {
            Self::SideFile { .. } | Self::SecondName { .. } => ErrorClass::Denied,
            Self::QuotaExceeded { .. } | Self::FileSizeLimit { .. } | Self::DiskError { .. } => {
                ErrorClass::Unreachable
            }
        }
    }

    pub(super) fn advice(&self) -> String {
        match self {
            Self::QuotaExceeded { .. } => {
                "delete files of this user or ask for a larger quota, then try again; everything acknowledged is still there"
                    .into()
            }
            Self::FileSizeLimit { .. } => {
                "raise the limit (RLIMIT_FSIZE) for this process or its parent, then try again; everything acknowledged is still there"
                    .into()
            }
            Self::DiskError { .. } => {
                "look into the system's log, and copy the store's files to another disk; then check the store".into()
            }
            Self::SideFile {
                file, other_owner, ..
            } => {
                let file = safe(file.display());
                match other_owner {
                    Some((_, owner, group)) => {
                        format!("give {file} the store's owner (user {owner}, group {group})")
                    }
                    None => format!("remove {file}; the next write makes it anew"),
                }
            }
            Self::SecondName { .. } => {
                "copy the store to a new file and use that one; or remove the other name, if nothing was saved under it"
                    .into()
            }
        }
    }

    /// Names the store as its user does.
    pub(super) fn set_path(&mut self, named: &Path) {
        match self {
            Self::QuotaExceeded { path }
            | Self::FileSizeLimit { path }
            | Self::DiskError { path, .. }
            | Self::SideFile { path, .. }
            | Self::SecondName { path, .. } => named.clone_into(path),
        }
    }
}
