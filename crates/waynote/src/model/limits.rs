//! Limits of what is written: the quotas of a notebook (as in openotters) and the size of a directory's own note. They are
//! checked inside the transaction of the write.

/// The caps of notes. Zero or less is no cap. Entries of a log have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes of a keyed note's content.
    pub max_bytes: i64,
    /// The most bytes of a directory's own note, which holds more than a keyed one.
    pub max_place_bytes: i64,
    /// The most notes; only a new key is held to it.
    pub max_notes: i64,
}

impl Limits {
    /// No caps: for imports, which keep what another program allowed.
    pub const NONE: Self = Self {
        max_bytes: 0,
        max_place_bytes: 0,
        max_notes: 0,
    };

    /// The most bytes of a keyed note's content; zero or less: no limit.
    pub fn max_bytes(self, max_bytes: i64) -> Self {
        Self { max_bytes, ..self }
    }

    /// The most bytes of a directory's own note; zero or less: no limit.
    pub fn max_place_bytes(self, max_place_bytes: i64) -> Self {
        Self {
            max_place_bytes,
            ..self
        }
    }

    /// The most notes of a notebook; zero or less: no limit.
    pub fn max_notes(self, max_notes: i64) -> Self {
        Self { max_notes, ..self }
    }
}

/// Source 002: 4,096 bytes, 64 notes. 64 KiB for a directory's own note: more than any prompt has room for.
impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 4096,
            max_place_bytes: 65_536,
            max_notes: 64,
        }
    }
}
