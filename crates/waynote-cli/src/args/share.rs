//! Arguments of `waynote share` and `waynote trust`.

use std::ffi::OsString;

use clap::{ArgGroup, Args, ValueEnum};

use super::values::given_path;

#[derive(Args)]
#[command(group = ArgGroup::new("which").required(true).multiple(true).args(["notes", "all", "prune"]))]
pub(crate) struct ShareArgs {
    /// The notes: keys, `.`, paths, or addresses
    #[arg(value_name = "NOTE")]
    pub(crate) notes: Vec<String>,
    /// Every note of this repository in your own store
    #[arg(long, conflicts_with = "notes")]
    pub(crate) all: bool,
    /// Delete your own notes, of these or of all, whose text is what the shared file says; `undo` brings them back
    #[arg(long, conflicts_with = "to")]
    pub(crate) prune: bool,
    /// Where to: files of the repository, or the team's store
    #[arg(long, value_name = "WHERE", default_value = "repository")]
    pub(crate) to: ShareTo,
    /// The revision of the team's note that yours replaces, once you have read it
    #[arg(long, value_name = "N", requires = "notes", conflicts_with = "prune")]
    pub(crate) if_revision: Option<u64>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShareTo {
    /// Files in `.waynote/`
    Repository,
    /// The team's store
    Team,
}

#[derive(Args)]
pub(crate) struct TrustArgs {
    /// A directory in the checkout [default: the working directory]
    #[arg(value_name = "DIR", value_parser = given_path())]
    pub(crate) directory: Option<OsString>,
    /// Read them no longer
    #[arg(long)]
    pub(crate) remove: bool,
}
