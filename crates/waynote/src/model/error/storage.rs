//! Why a store's files cannot be used, where the system says more than "no".

use std::path::{Path, PathBuf};

use super::{ErrorClass, safe};

/// A store whose files the system does not let this process use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The disk quota of this user is used up.
    #[error("the store {} cannot be written: this user's disk quota is used up", safe(path.display()))]
    QuotaExceeded {
        /// The store.
        path: PathBuf,
    },

    /// A file of the store would be larger than this process may write.
    #[error("the store {} cannot be written: it would be larger than the file size limit of this process", safe(path.display()))]
    FileSizeLimit {
        /// The store.
        path: PathBuf,
    },

    /// The disk, or what connects it, reports an error.
    #[error("the store {} cannot be used: I/O error while {action}", safe(path.display()))]
    DiskError {
        /// The store.
        path: PathBuf,
        /// What failed, for example `writing`.
        action: &'static str,
    },

    /// A file beside the store cannot be opened.
    #[error("the store {} cannot be used: {} {problem}", safe(path.display()), safe(file.display()))]
    SideFile {
        /// The store.
        path: PathBuf,
        /// The file beside it.
        file: PathBuf,
        /// What is wrong with that file.
        problem: SideFileProblem,
    },

    /// The store's file has a second name. Each name has a write-ahead log and a lock of its own, so that writes under
    /// both would overwrite each other. The store can be read.
    #[error("the store {} cannot be written: its file {name}; each name has its own write-ahead log and lock, and notes would be lost", safe(path.display()))]
    SecondName {
        /// The store.
        path: PathBuf,
        /// How the file came to it.
        name: SecondName,
    },
}

/// How a store's file came to a second name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecondName {
    /// By hard links.
    #[error("has {links} names (hard links){}", also(other.as_deref()))]
    Link {
        /// The number of its names.
        links: u64,
        /// One of the others, if it is in the same folder.
        other: Option<PathBuf>,
    },

    /// The file alone is mounted at this path, for example by `docker run -v FILE:FILE`. Outside it has another name.
    #[error("is mounted by itself, so it has another name elsewhere")]
    Mount,
}

fn also(other: Option<&Path>) -> String {
    other.map_or_else(String::new, |other| {
        format!(", one of them {}", safe(other.display()))
    })
}

/// What is wrong with a file beside a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SideFileProblem {
    /// It belongs to another user than the store: a program of that user made it.
    #[error("belongs to user {found}, and the store to user {owner}")]
    OtherOwner {
        /// The user id of the file's owner.
        found: u32,
        /// The user id of the store's owner.
        owner: u32,
        /// The group id of the store.
        group: u32,
    },

    /// It is a link, a folder, a pipe or a device. Links are not followed.
    #[error("is not a regular file")]
    NotAFile,
}

impl StorageError {
    /// A stable word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::QuotaExceeded { .. } => "quota_exceeded",
            Self::FileSizeLimit { .. } => "file_size_limit",
            Self::DiskError { .. } => "disk_error",
            Self::SideFile { .. } => "side_file",
            Self::SecondName { .. } => "second_name",
        }
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
            Self::SideFile { file, problem, .. } => {
                let file = safe(file.display());
                match problem {
                    SideFileProblem::OtherOwner { owner, group, .. } => {
                        format!("give {file} the store's owner (user {owner}, group {group})")
                    }
                    SideFileProblem::NotAFile => {
                        format!("remove {file}; the next write makes it anew")
                    }
                }
            }
            Self::SecondName { name, .. } => match name {
                SecondName::Link { .. } => {
                    "copy the store to a new file and use that one; or remove the other name, if nothing was saved under it"
                        .into()
                }
                SecondName::Mount => "mount the folder of the store instead of its file".into(),
            },
        }
    }

    /// Names the store as its user does.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(dead_code, reason = "only that engine has files")
    )]
    pub(crate) fn name_store(&mut self, named: &Path) {
        match self {
            Self::QuotaExceeded { path }
            | Self::FileSizeLimit { path }
            | Self::DiskError { path, .. }
            | Self::SideFile { path, .. }
            | Self::SecondName { path, .. } => named.clone_into(path),
        }
    }
}
