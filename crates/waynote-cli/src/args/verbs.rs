//! The commands about a note wherever it is: `edit`, `mv`, `cp`, `ls`, `diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::given_path;
use super::{AllowArgs, CitesArgs, KindArg};

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum VerbCommand {
    /// Edit a note in your editor, or create it
    ///
    /// The editor is $VISUAL, else $EDITOR, else vi. The note is saved if it was not changed meanwhile; otherwise your text
    /// stays in a file, which is named. An unchanged text writes nothing.
    Edit(EditArgs),
    /// Move a note to another address; nothing is lost
    ///
    /// Without --force, an existing note is not overwritten. The history of the text up to now stays at the old address.
    Mv(MoveArgs),
    /// Copy a note to another address
    Cp(MoveArgs),
    /// List notes of every kind, latest first
    ///
    /// With --agent or --session: of these only. With --author: by this author.
    Ls(ListArgs),
    /// Show what changed between two revisions of a note, or between two notes, word by word
    Diff {
        /// The note; of NOTE alone, the last two revisions are compared
        #[arg(value_name = "NOTE[@REVISION]")]
        old: String,
        /// The note or the revision to compare with
        #[arg(value_name = "NOTE[@REVISION]")]
        new: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct EditArgs {
    /// The note: a key, `.`, a path, or an address [default: the working directory's note]
    #[arg(default_value = ".", hide_default_value = true)]
    pub(crate) note: String,
    /// Add this text at the end of the note, on a line of its own, without an editor; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub(crate) append: Option<OsString>,
    /// Take the text from this file, without an editor
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) expect: ExpectArgs,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
}

#[derive(Args)]
pub(crate) struct MoveArgs {
    /// The note: a key, `.`, a path, or an address
    pub(crate) from: String,
    /// Its new address: a key, a path (`~/p#key` for a key on a directory), or an address
    pub(crate) to: String,
    /// Overwrite an existing note; `undo` brings it back
    #[arg(long)]
    pub(crate) force: bool,
    /// Overwrite it only if this is its current revision
    #[arg(long, value_name = "N", requires = "force")]
    pub(crate) if_revision: Option<u64>,
}

// Filters of a list.
#[derive(Args)]
pub(crate) struct NarrowArgs {
    /// Only what was written since then (2026-05-17, yesterday, 2h, RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// At most this many, the newest ones; 0: no limit
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Args)]
pub(crate) struct ListArgs {
    /// Only notes of this kind
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<KindArg>,
    /// Only notes that apply at this directory: its own and those of every directory above it
    #[arg(long = "at", value_name = "PATH", value_parser = given_path())]
    pub(crate) at: Option<OsString>,
    /// Only log entries of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) entry_type: Option<String>,
    #[command(flatten)]
    pub(crate) narrow: NarrowArgs,
}

// A text to write, and when.
#[derive(Args)]
pub(crate) struct WriteArgs {
    #[command(flatten)]
    pub(crate) text: TextArgs,
    #[command(flatten)]
    pub(crate) expect: ExpectArgs,
    #[command(flatten)]
    pub(crate) cites: CitesArgs,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
}

// The state of a note that is to be changed.
#[derive(Args, Clone, Copy, Default)]
pub(crate) struct ExpectArgs {
    /// Change the note only if this is its current revision; 0: only if it does not exist yet
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) if_revision: Option<u64>,
}

// The text of a note.
#[derive(Args)]
pub(crate) struct TextArgs {
    /// The text; `-` reads it from standard input unchanged. Put a text that begins with `-` after `--`. Without a text,
    /// your editor opens on a terminal
    pub(crate) text: Option<OsString>,
    /// Take the text from this file
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub(crate) file: Option<PathBuf>,
}
