//! Arguments of the commands about notes: by directory, by key, the block, search and a single note.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};
use waynote::context::{Section, Style};

use super::values::given_path;
use super::{At, ExpectArgs, WriteArgs};

// The arguments of `waynote note`.
#[derive(Args)]
pub(crate) struct NoteArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Save it under this key: a-z, 0-9, `_`, `-`. An existing note is overwritten
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Replace the text of the directory's own note
    #[arg(long, conflicts_with = "key")]
    pub(crate) replace: bool,
    /// Pin it: show it whole in every prompt
    #[arg(long, requires = "key")]
    pub(crate) pin: bool,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum PlaceCommand {
    /// Write the directory's note, replacing the old text
    Write {
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        path: PathArgs,
        #[command(flatten)]
        write: WriteArgs,
        /// Size limit in bytes; zero or less: no limit [env: WAYNOTE_MAX_PLACE_BYTES] [default: 65536]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        max_bytes: Option<i64>,
    },
    /// Print the directory's own note
    Read {
        #[command(flatten)]
        at: At,
    },
    /// Print every note that applies at the directory, outermost first
    All {
        #[command(flatten)]
        at: At,
    },
    /// List the notes of all directories; a directory or file that no longer exists is marked (gone)
    List,
    /// Move the notes of a directory, and of all below it, to where the directory is now
    Mv {
        /// The directory as it was called; it need not exist
        #[arg(value_parser = given_path())]
        old: OsString,
        /// The directory as it is called now
        #[arg(value_parser = given_path())]
        new: OsString,
    },
    /// Delete the directory's own note
    Delete {
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        expect: ExpectArgs,
    },
}

// Whose keyed notes are meant: those of the project, unless another scope is named.
#[derive(Args)]
pub(crate) struct ScopeArgs {
    /// The notes of this directory instead of the project's: a path or an address
    #[arg(long = "at", value_name = "PATH", value_parser = given_path(), conflicts_with = "notebook")]
    pub(crate) at: Option<OsString>,
    /// The agent's notebook, which it has in every project. `--agent NAME` means that agent's
    #[arg(long)]
    pub(crate) notebook: bool,
}

// Keeps the path of a directory in a repository that has a name.
#[derive(Args, Clone, Copy)]
pub(crate) struct PathArgs {
    /// Keep the note on the path of the directory, for this checkout alone: not by the name of its repository
    #[arg(long = "path")]
    pub(crate) by_path: bool,
}

// Where a note is written.
#[derive(Args)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) path: PathArgs,
}

/// A keyed note to change.
#[derive(Args)]
pub(crate) struct KeyedArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// The key, or an address
    pub(crate) key: String,
    #[command(flatten)]
    pub(crate) expect: ExpectArgs,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum KeyCommand {
    /// Save a note under a key; an existing note is overwritten
    ///
    /// Without a scope, the nearest note of this project with that key, else a new one of the project; outside of a
    /// project, of the agent's notebook.
    Save {
        #[command(flatten)]
        target: TargetArgs,
        /// The key: a-z, 0-9, `_`, `-`; or an address
        key: String,
        #[command(flatten)]
        write: WriteArgs,
        /// Pin it: show it whole in every prompt
        #[arg(long)]
        pin: bool,
        /// Size limit in bytes; zero or less: no limit [env: WAYNOTE_MAX_BYTES] [default: 4096]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        max_bytes: Option<i64>,
        /// Limit on the number of notes; zero or less: no limit [env: WAYNOTE_MAX_NOTES] [default: 64]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        max_notes: Option<i64>,
    },
    /// Print a note: without a scope, the nearest one with that key
    Show {
        #[command(flatten)]
        scope: ScopeArgs,
        /// The key, or an address
        key: String,
    },
    /// List the keyed notes of the project, most recently updated first
    List {
        #[command(flatten)]
        scope: ScopeArgs,
        /// Only the pinned ones
        #[arg(long)]
        pinned: bool,
    },
    /// Delete a note
    ///
    /// A note that does not exist is an error, with exit code 1.
    Delete(KeyedArgs),
    /// Pin a note: show it whole in every prompt
    Pin(KeyedArgs),
    /// Unpin a note
    Unpin(KeyedArgs),
    /// Print how many keyed notes the project has
    Count {
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args, Default)]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    pub(crate) at: At,
    /// stable (the same notes give the same bytes) or faithful (as Zrb, ralph.nu and openotters print it)
    #[arg(long, value_name = "STYLE")]
    pub(crate) style: Option<Style>,
    /// Print only one section: places, pinned, index (the notebook's keys and previews) or iterations (the session's log)
    #[arg(long, value_name = "SECTION", value_parser = section)]
    pub(crate) only: Option<Section>,
    /// Token budget, in style stable; 0: no limit [env: WAYNOTE_BUDGET] [default: 2000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Choose the other notes by how well they match, not by how new they are
    #[arg(long, value_name = "TEXT")]
    pub(crate) query: Option<String>,
    /// Print the block as it was at a time (2026-05-17, yesterday, 2h, RFC 3339) or a journal position; or the one that an
    /// iteration of the session was given (iteration:N)
    #[arg(long, value_name = "TIME|POSITION|iteration:N")]
    pub(crate) as_of: Option<String>,
    /// Instead of the block, list how each note is shown (whole, one line, left out), its tokens, and why
    #[arg(long)]
    pub(crate) explain: bool,
}

fn section(word: &str) -> Result<Section, &'static str> {
    let mut all = Section::ALL.into_iter();
    let section = all.find(|section| section.as_str() == word);
    section.ok_or("the sections are places, pinned, index and iterations")
}

#[derive(Args)]
pub(crate) struct SearchArgs {
    /// Plain words (any of them), "phrases", prefix*, -not; any text is a query. Quote it for the shell: 'clock -lake'.
    /// Put a query that begins with `-` after `--`
    pub(crate) query: OsString,
    /// More words of the query
    #[arg(value_name = "WORD")]
    pub(crate) more: Vec<OsString>,
    /// Only notes of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<KindArg>,
    /// Only notes that apply at this directory: its own and those of every directory above it
    #[arg(long = "at", value_name = "PATH", value_parser = given_path())]
    pub(crate) at: Option<OsString>,
    /// Show at most this many notes; 0: no limit
    #[arg(long, value_name = "N", default_value_t = waynote::search::DEFAULT_LIMIT)]
    pub(crate) limit: usize,
    /// Search every revision, including those of deleted notes
    #[arg(long)]
    pub(crate) history: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    /// Notes by directory
    Place,
    /// Notes by key, of agents and of directories
    Key,
    /// Notes by iteration
    Log,
}

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// The note: a key, a path, `#3` of the session, or an address; `@REVISION` for an older one. An event:
    /// session:name#event-N
    #[arg(value_name = "NOTE")]
    pub(crate) address: String,
    /// Print the note as of a revision or a time (2026-05-17, yesterday, 2h, RFC 3339)
    #[arg(long, value_name = "TIME|REVISION")]
    pub(crate) as_of: Option<String>,
}
