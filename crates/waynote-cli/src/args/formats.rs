//! Arguments of import, start and export. The formats of an import are those of the table of formats.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand};
use waynote_formats::FORMATS;

use super::At;

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The format
    #[arg(value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: String,
    /// The file or folder. For `zrb` and `xs`, `-` reads standard input. Formats of a project's files take --at instead
    pub(crate) source: Option<PathBuf>,
    /// For `xs`: the store's folder, where the source is a file of frames [default: the folder of the file]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) contents: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) at: At,
    /// List what would be imported, and import nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn formats() -> PossibleValuesParser {
    let store = PossibleValue::new("json").help(
        "The whole store that `waynote export json` wrote, into a new store: name a new file with --store",
    );
    let others = FORMATS
        .iter()
        .map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(std::iter::once(store).chain(others))
}

#[derive(Args)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    pub(crate) at: At,
    /// Take these sources without asking, and set up the agents that are here: names as the list shows them, `all` or
    /// `none`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) take: Vec<String>,
    /// Set up no agents
    #[arg(long)]
    pub(crate) no_install: bool,
    /// Set them up without the question at the end of a session (`install --ask`)
    #[arg(long)]
    pub(crate) no_ask: bool,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum ExportCommand {
    /// The whole store as lines of JSON, for `import json`: notes with their history, entries, events; not the tokens
    Json {
        /// The new file; `-` prints
        target: PathBuf,
    },
    /// A folder with a Markdown file for each note, to read in any editor
    Markdown {
        /// The folder; other files in it stay
        folder: PathBuf,
    },
    /// The notes of a directory into its AGENTS.md, between two comments; the rest of the file stays
    AgentsMd {
        #[command(flatten)]
        at: At,
    },
    /// Zrb's notes.json: every directory's own note. Keyed notes of directories are left out, and named
    Zrb {
        /// The file; what else is in it stays. `-` prints [default: the configured notes file, or ~/.zrb/notes.json]
        target: Option<PathBuf>,
    },
    /// The session's log, appended to topic ralph.NAME.note of a running xs store
    Xs {
        /// The store's folder
        target: PathBuf,
    },
    /// openotters' memory.db: the agent's notebook into its `notes` table
    Openotters {
        /// The database; other tables stay as they are
        target: PathBuf,
    },
}
