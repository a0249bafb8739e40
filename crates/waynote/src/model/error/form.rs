//! The JSON form of errors' fields: texts from outside with credentials masked, no paths.

use std::fmt::Display;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::{Error, StorageError, safe};
use crate::address::Address;

pub(super) fn safe_text<S: Serializer>(text: impl Display, form: S) -> Result<S::Ok, S::Error> {
    form.serialize_str(&safe(text))
}

pub(super) fn safe_text_or_none<S: Serializer>(
    text: &Option<String>,
    form: S,
) -> Result<S::Ok, S::Error> {
    text.as_ref().map(safe).serialize(form)
}

pub(super) fn safe_candidates<S: Serializer>(
    candidates: &[(Address, String)],
    form: S,
) -> Result<S::Ok, S::Error> {
    let safe = candidates
        .iter()
        .map(|(address, preview)| (address, safe(preview)));
    form.collect_seq(safe)
}

/// A time in milliseconds.
pub(super) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(of: &Duration, form: S) -> Result<S::Ok, S::Error> {
        form.serialize_u64(u64::try_from(of.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(form: D) -> Result<Duration, D::Error> {
        u64::deserialize(form).map(Duration::from_millis)
    }
}

/// The error of an engine in its words.
pub(super) mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::super::safe;

    type Source = Box<dyn std::error::Error + Send + Sync>;

    pub(crate) fn serialize<S: Serializer>(of: &Source, form: S) -> Result<S::Ok, S::Error> {
        form.serialize_str(&safe(of))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(form: D) -> Result<Source, D::Error> {
        String::deserialize(form).map(Into::into)
    }
}

/// An error of the system: its words, and its kind if the advice depends on it.
pub(super) mod io {
    use std::io::{Error, ErrorKind};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::super::safe;

    const KINDS: [(&str, ErrorKind); 8] = [
        ("not_found", ErrorKind::NotFound),
        ("permission_denied", ErrorKind::PermissionDenied),
        ("read_only_filesystem", ErrorKind::ReadOnlyFilesystem),
        ("storage_full", ErrorKind::StorageFull),
        ("quota_exceeded", ErrorKind::QuotaExceeded),
        ("is_a_directory", ErrorKind::IsADirectory),
        ("already_exists", ErrorKind::AlreadyExists),
        ("not_a_directory", ErrorKind::NotADirectory),
    ];

    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
    pub(crate) struct SystemErrorForm {
        what: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        io: Option<String>,
    }

    pub(crate) fn serialize<S: Serializer>(of: &Error, form: S) -> Result<S::Ok, S::Error> {
        let known = KINDS.iter().find(|(_, kind)| *kind == of.kind());
        let written = SystemErrorForm {
            what: safe(of),
            io: known.map(|(word, _)| (*word).to_owned()),
        };
        written.serialize(form)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(form: D) -> Result<Error, D::Error> {
        let SystemErrorForm { what, io } = SystemErrorForm::deserialize(form)?;
        let known = KINDS.iter().find(|(word, _)| Some(*word) == io.as_deref());
        Ok(Error::new(
            known.map_or(ErrorKind::Other, |(_, kind)| *kind),
            what,
        ))
    }
}

impl Error {
    /// Replaces the store's name in the error, also in the names of its files, by the name that the reader of the error
    /// knows.
    pub(crate) fn name_store(&mut self, name: &Path) {
        self.set_path(name);
        // That reader does not know other paths of this machine.
        if let Self::Storage(StorageError::SideFile { file, .. }) = self {
            *file = "a file beside it".into();
        }
    }

    /// Names the store as its user does.
    pub(crate) fn set_path(&mut self, name: &Path) {
        match self {
            Self::DamagedStore { path, .. }
            | Self::DamagedIndex { path, .. }
            | Self::ForeignStore { path }
            | Self::NotAStore { path, .. }
            | Self::OtherVersion { path, .. }
            | Self::StoreLost { path, .. }
            | Self::LostWrites { path, .. }
            | Self::ReadOnly { path, .. }
            | Self::DiskFull { path }
            | Self::Busy { path, .. }
            | Self::File { path, .. }
            | Self::Engine { path, .. } => name.clone_into(path),
            Self::Storage(error) => error.set_path(name),
            _ => {}
        }
    }
}
