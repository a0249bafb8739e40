//! Other programs' notes, read and written.
//!
//! | format | module | imported | exported |
//! |---|---|---|---|
//! | Zrb's `notes.json` | [`zrb`] | to directories | yes; [`synced`] keeps it in sync |
//! | Zrb's journal | [`zrb::journal`] | to a notebook and a session | |
//! | ralph.nu's notes in an xs store | [`xs`] | to sessions | yes |
//! | openotters' `memory.db` and `daemon.db` | `openotters` | to agents' notebooks | the first |
//! | Claude Code's `CLAUDE.md`, rules, and memory | [`claude_code`] | to keyed notes of a directory | |
//! | `AGENTS.md`, `GEMINI.md`, Cursor's and Copilot's rules | [`text_files`] | to keyed notes of a directory | `AGENTS.md`, by [`markdown`] |
//! | memories of Serena, Cline and Codex | [`text_files`] | to keyed notes of a directory, Codex's of home | |
//! | the graph of the MCP server `server-memory` | [`server_memory`] | to a notebook | |
//! | a folder of basic-memory | [`basic_memory`] | to a notebook | |
//! | a folder of Markdown | [`markdown`] | | yes, for people |
//!
//! The notes that a checkout shares, in its `.waynote/`, are no other program's: [`shared`] reads and writes them.
//!
//! # Importing
//!
//! An import has two steps. The format's `read` looks at the other program's files and returns an [`ForeignNotes`]: notes,
//! each with the address that it gets, and what could not be read, with the reason. It writes nothing.
//! [`ForeignNotes::import`] then compares these notes with those in the store and writes what is new. It is the same for
//! every format: the rules for conflicts, for texts that were imported before and for dry runs are in `merge.rs`.
//!
//! Imported files may come from a stranger. So only regular files are opened, no link is followed that leads out of the
//! imported folder, tables of a database are read and views are not, and memory is bounded: by 16 MiB for the text of a
//! note, 512 MiB for the texts of one import, and the limits on lines, heads and nesting in each format.
//!
//! ```
//! use waynote::{Options, Scope, SqliteStore};
//! use waynote_formats::{Mode, server_memory};
//!
//! # fn main() -> waynote::Result<()> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let (path, now) = (folder.path().join("memory.jsonl"), jiff::Timestamp::UNIX_EPOCH);
//! # std::fs::write(&path, r#"{"type":"entity","name":"db","observations":["it is PostgreSQL 17"]}"#).unwrap();
//! let store = SqliteStore::open(&folder.path().join("notes.db"), &Options::default())?;
//! let incoming = server_memory::read(&path, &Scope::Agent("builder".parse()?))?;
//! let imported = incoming.import(&store, now, Mode::Write)?;
//! assert_eq!((imported.added, imported.skipped.len()), (1, 0));
//! # Ok(())
//! # }
//! ```
//!
//! # Exporting
//!
//! `export` of a format writes notes where the other program reads them, beside its own, and returns an
//! [`ExportReport`]. Newer notes in the target stay.
//!
//! # Adding a format
//!
//! 1. Add a file `src/NAME.rs` with a `read` that returns an [`ForeignNotes`]. Shared by formats:
//!    reading files safely in `source.rs`, finding Markdown files and making a key of a name in `files.rs`.
//! 2. Describe it there in a constant `FORMAT`: its name, its line in the help, what `read` takes (see [`SourceKind`]),
//!    where it usually lies, and which clients load it by themselves. Text files are rows of [`text_files`].
//! 3. Add it to [`FORMATS`]. The command `waynote import NAME` and its help follow from that, unless the format is
//!    [`SourceKind::Own`]: then the command line needs arguments of its own for it.
//!
//! This crate prints nothing, reads no environment and asks no clock.

pub mod basic_memory;
pub mod claude_code;
mod error;
mod files;
mod format;
pub mod found;
mod head;
mod import;
mod incoming;
mod incoming_note;
pub mod markdown;
mod merge;
#[cfg(feature = "openotters")]
pub mod openotters;
mod own_keys;
mod patterns;
mod report;
pub mod server_memory;
pub mod shared;
mod source;
pub mod synced;
pub mod text_files;
pub mod xs;
pub mod zrb;

pub use error::FormatError;
pub use format::{Directory, Format, Project, SourceKind};
pub use import::Progress;
pub use incoming::{ForeignNotes, IncomingNote, Mode, Precedence, Times};
pub use report::{Conflict, CurrentSide, ExportReport, ImportReport, Renamed, SkippedItem};
pub use shared::SharedNotes;
pub use source::{Folder, open};
pub use synced::SyncedStore;

/// Every format that can be imported, in the order of the help.
pub const FORMATS: &[Format] = &[
    zrb::FORMAT,
    zrb::journal::FORMAT,
    xs::FORMAT,
    #[cfg(feature = "openotters")]
    openotters::FORMAT,
    claude_code::FORMAT,
    claude_code::MEMORY,
    text_files::AGENTS_MD,
    text_files::GEMINI_MD,
    text_files::CURSOR_RULES,
    text_files::COPILOT,
    text_files::CODEX_MEMORIES,
    text_files::SERENA,
    text_files::CLINE,
    server_memory::FORMAT,
    basic_memory::FORMAT,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_of_its_own_that_can_be_an_author() {
        for (index, format) in FORMATS.iter().enumerate() {
            let same = |other: &Format| other.name == format.name;
            assert_eq!(FORMATS.iter().position(same), Some(index));
            incoming::author(format.name).unwrap();
            assert!(!format.about.is_empty());
        }
    }
}
