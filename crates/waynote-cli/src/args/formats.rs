//! Arguments of import and export. Most formats get theirs from the table of formats; the others have their own here.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use waynote::{Result, Scope};
use waynote_formats::{FORMATS, ForeignNotes, Format, SourceKind, openotters, xs, zrb};

use super::{At, NotebookArgs};

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum ImportCommand {
    /// The whole store that `waynote export json` wrote, into a new store
    ///
    /// The store must not exist yet: name a new file with --store. Nothing is made if the file is not whole.
    Json {
        /// The file
        source: PathBuf,
    },
    #[command(about = zrb::FORMAT.about)]
    Zrb {
        /// The file; `-` reads standard input [default: the configured notes file, or ~/.zrb/notes.json]
        source: Option<PathBuf>,
    },
    #[command(about = xs::FORMAT.about, long_about = whole_help(&xs::FORMAT))]
    Xs {
        /// The store's folder, a file of frames, or `-`
        source: PathBuf,
        /// The store's folder, for frames from a file [default: the folder of the file]
        #[arg(long, value_name = "FOLDER")]
        contents: Option<PathBuf>,
    },
    #[command(about = openotters::FORMAT.about, long_about = whole_help(&openotters::FORMAT))]
    Openotters {
        /// The database
        source: PathBuf,
    },
    #[command(flatten)]
    TableFormat(TableImport),
}

/// An import whose arguments come from the table of formats.
pub(crate) enum TableImport {
    Project {
        format: &'static Format,
        args: ProjectArgs,
    },
    Source {
        read: fn(&Path, &Scope) -> Result<ForeignNotes>,
        args: SourceArgs,
    },
}

#[derive(Args)]
pub(crate) struct ProjectArgs {
    #[command(flatten)]
    pub(crate) at: At,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Args)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    pub(crate) notebook: NotebookArgs,
    /// The file or folder
    pub(crate) source: PathBuf,
    #[command(flatten)]
    pub(crate) dry: DryRun,
}

#[derive(Args)]
pub(crate) struct DryRun {
    /// List what would be imported, and import nothing
    #[arg(long = "dry-run")]
    pub(crate) on: bool,
}

/// The formats whose arguments come from the table.
fn table_formats() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .filter(|format| !matches!(format.takes, SourceKind::Own))
}

fn whole_help(format: &Format) -> String {
    format!("{}\n\n{}", format.about, format.details)
}

impl Subcommand for TableImport {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(table_formats().map(|format| {
            let command = Command::new(format.name);
            let command = match format.takes {
                SourceKind::Files(_) | SourceKind::Project(_) => ProjectArgs::augment_args(command),
                SourceKind::Source { help, .. } => {
                    SourceArgs::augment_args(command).mut_arg("source", |arg| arg.help(help))
                }
                SourceKind::Own => command,
            };
            // Set after the arguments, which would overwrite it with their own description.
            let command = command.about(format.about);
            match format.details {
                "" => command.long_about(None),
                _ => command.long_about(whole_help(format)),
            }
        }))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        table_formats().any(|format| format.name == name)
    }
}

impl FromArgMatches for TableImport {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let named = matches.subcommand().and_then(|(name, matches)| {
            let format = table_formats().find(|format| format.name == name)?;
            Some((format, matches))
        });
        let (format, matches) =
            named.ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(match format.takes {
            SourceKind::Files(_) | SourceKind::Project(_) => Self::Project {
                format,
                args: ProjectArgs::from_arg_matches(matches)?,
            },
            SourceKind::Source { read, .. } => Self::Source {
                read,
                args: SourceArgs::from_arg_matches(matches)?,
            },
            SourceKind::Own => return Err(clap::Error::new(ErrorKind::InvalidSubcommand)),
        })
    }

    fn update_from_arg_matches(
        &mut self,
        matches: &ArgMatches,
    ) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
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
