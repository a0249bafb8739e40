//! The command line's commands and options. The doc comments here are the help; docs/reference.md is made from them.

mod borrowed;
mod client;
mod formats;
mod groups;
mod mistakes;
mod notes;
#[cfg(test)]
mod printed;
mod serve;
mod session;
mod share;
mod stores;
mod token;
mod ui;
mod values;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, FromArgMatches, Parser, Subcommand};

use waynote::Name;

use values::{given, given_path};
use waynote::Citation;

pub(crate) use client::{ClientArg, HookArgs, InstallArgs, PauseArgs, UninstallArgs};
pub(crate) use formats::{ExportCommand, ImportArgs, StartArgs};
pub(crate) use mistakes::explained;
pub(crate) use notes::{
    ContextArgs, KeyCommand, KeyedArgs, KindArg, NoteArgs, PathArgs, PlaceCommand, ScopeArgs,
    SearchArgs, ShowArgs, TargetArgs,
};
#[cfg(feature = "server")]
pub(crate) use serve::ServeArgs;
pub(crate) use serve::ServerCommand;
pub(crate) use session::{LogCommand, LoopArgs, LoopCommand, SessionCommand};
pub(crate) use share::{ShareArgs, ShareTo, TrustArgs};
pub(crate) use stores::StoresCommand;
#[cfg(feature = "server")]
pub(crate) use token::CreateArgs;
pub(crate) use token::TokenCommand;
pub(crate) use ui::UiArgs;
pub(crate) use verbs::{
    EditArgs, ExpectArgs, ListArgs, MoveArgs, NarrowArgs, TextArgs, VerbCommand, WriteArgs,
};

/// Durable notes that language-model agents, and the people who run them, leave for later runs.
///
/// `waynote note TEXT` leaves a note in the project, `waynote context` prints what applies as one block for a prompt.
/// Without a command, it prints `waynote status`.
#[derive(Parser)]
#[command(
    name = "waynote",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The arguments as they were typed. The groups and examples of the help are made for help alone.
pub(crate) fn parsed(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let is_help = |word: &OsString| ["help", "--help", "-h"].iter().any(|help| word == help);
    if !arguments.iter().any(is_help) {
        return Cli::try_parse_from(arguments);
    }
    // The parser's own `help` takes names of commands alone.
    let is_all = arguments
        .get(1..)
        .is_some_and(|words| words == ["help", "--all"]);
    let mut command = groups::with_groups(is_all);
    let matches = match is_all {
        true => command.try_get_matches_from_mut(["waynote", "--help"]),
        false => command.try_get_matches_from_mut(arguments),
    };
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| error.format(&mut command))
}

// The options of every command. A flag overrides the environment, which overrides the configuration file.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The store: a file, a store on a server (https://HOST/s/NAME), or a store in PostgreSQL
    /// (postgres://HOST/DATABASE?store=NAME) [env: WAYNOTE_STORE]
    #[arg(long, global = true, value_name = "STORE", value_parser = given)]
    pub(crate) store: Option<String>,
    /// The file with the token of a store on a server [env: WAYNOTE_TOKEN_FILE]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) token_file: Option<String>,
    /// Keep the notes in another program's SQLite database (named by --store), in tables of their own.
    /// Only the first command needs it
    #[arg(long, global = true)]
    pub(crate) attach: bool,
    /// The agent. Named here, keys are those of its notebook [env: WAYNOTE_AGENT] [default: default]
    #[arg(long, global = true, value_name = "NAME", value_parser = given)]
    pub(crate) agent: Option<String>,
    /// The session whose log to use [env: WAYNOTE_SESSION]
    #[arg(long, global = true, value_name = "NAME", value_parser = given)]
    pub(crate) session: Option<String>,
    /// The current iteration of the session [env: WAYNOTE_ITERATION]
    #[arg(long, global = true, value_name = "N", allow_negative_numbers = true)]
    pub(crate) iteration: Option<i64>,
    /// The author of what you write: person, agent:NAME, … [env: WAYNOTE_AUTHOR] [default: person]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Any setting that `waynote config` lists, for this command; for several, repeat it
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print times in UTC on a terminal too; pipes and --json always have UTC
    #[arg(long, global = true)]
    pub(crate) utc: bool,
    /// Say less on standard error: errors and warnings only
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

// Deferred: the arguments of a command are made when it is the one that runs. Making all of them took a tenth of a
// command's time. What is flattened into a command has `//` comments: clap would print `///` as the command's
// description.
#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Leave a note for later runs: of this directory, or with --key one of its own in this project
    ///
    /// Without --key, the text is added at the end of the directory's own note, which applies everywhere below it. With
    /// --key, it is a note of the project: the repository, in all of its checkouts; outside of a repository the
    /// directory; in home, the root and temporary folders the agent's notebook.
    Note(NoteArgs),
    /// Notes by directory, for scripts
    #[command(subcommand)]
    Place(PlaceCommand),
    /// Notes by key, for scripts: of the project, a directory, or an agent's notebook
    #[command(subcommand)]
    Key(KeyCommand),
    /// The morning view: questions that wait, how loops ended, what is new, the notes that apply here
    ///
    /// `waynote` alone prints it too. What is new is what others wrote since the view was printed last on this machine;
    /// with --json, the next view says it again.
    Status,
    /// Notes by iteration, in a session's append-only log
    #[command(subcommand)]
    Log(LogCommand),
    /// Run an agent again and again, each time with a fresh context and the notes of earlier iterations
    ///
    /// The agent is any program. It gets the prompt on standard input; or write {prompt} in its arguments for the text,
    /// {prompt_file} for a file with it. The loop stops at a limit; when the agent says so (a text in its output, the
    /// tools session_complete and blocked); when the agent fails; or when iterations bring nothing new.
    ///
    /// Exit codes: 0 finished, 1 refused or failed, 2 wrong arguments, 3 stalled, 4 blocked, 5 the agent fails,
    /// 128 and the signal's number when interrupted.
    Loop(LoopArgs),
    /// Archive a session: take it off the list of sessions
    #[command(subcommand)]
    Session(SessionCommand),
    /// Answer the question of a session's agent; the next iteration has the answer in its prompt
    ///
    /// Only a person answers: the command is refused inside a loop. `waynote log show` has the whole question.
    Answer {
        /// The session
        #[arg(value_name = "SESSION")]
        of: Name,
        /// The answer; `-` reads it from standard input. Put one that begins with `-` after `--`
        text: OsString,
    },
    /// Print the block of notes that applies, for a prompt
    Context(ContextArgs),
    /// Search the notes, best match first
    Search(SearchArgs),
    /// Read and tend the notes on a screen of the terminal: scopes, notes, search, the block
    ///
    /// `?` shows the keys. It edits in $VISUAL, else $EDITOR, and shows what others write within a second or two. It needs
    /// a terminal of 60 columns and 16 lines.
    Browse,
    /// Print a note, or one event of a session, by its address
    Show(ShowArgs),
    /// List a note's revisions, latest first; without a note, the newest changes of the whole store
    ///
    /// With --author: changes by this author.
    History {
        /// The note: a key, a path, `#3` of the session, or an address. An event: session:name#event-N
        #[arg(value_name = "NOTE")]
        address: Option<String>,
        #[command(flatten)]
        narrow: NarrowArgs,
    },
    #[command(flatten)]
    Verb(VerbCommand),
    /// Undo your last change; run it again to undo the one before
    ///
    /// Without an address, it undoes the last change by your author (--author) to a note in the agent's notebook, or on
    /// this directory, its parents or its subdirectories. It skips what others wrote, imports and log entries. `redo`
    /// brings the change back.
    Undo {
        /// Undo the last change of this note, whoever made it; in a store of several people, only your own
        address: Option<String>,
    },
    /// Redo what the last undo took back; run it again for the undo before
    ///
    /// After you make a new change, nothing can be redone.
    Redo {
        /// The note, whoever undid its last change
        address: Option<String>,
    },
    /// Make an older revision of a note current again, or restore the whole store from a backup
    Restore(RestoreArgs),
    /// Write the whole store into one file, for `restore`
    ///
    /// The file is one state of the store, even if others write meanwhile. It is synced and checked before it is renamed
    /// to FILE.
    /// Copying notes.db by hand is no backup: the newest notes are in the WAL beside it.
    Backup {
        /// The new file
        file: PathBuf,
        /// Replace the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Remove a note's text for good; nothing brings it back
    ///
    /// It asks for confirmation first. Without a terminal, it needs --yes.
    ///
    /// The history still lists the revisions, with when and by whom they were forgotten. The text is removed from the
    /// store's files and from a notes.json kept in sync. Copies of these files are not searched.
    Forget {
        /// The note; the address may end in `@REVISION`. An event: session:NAME#event-N. All entries and events of a
        /// session: session:NAME
        address: String,
        /// Forget only this revision [default: all of them]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        revision: Option<u64>,
        /// Forget the same text in every other note, revision and event too
        #[arg(long)]
        everywhere: bool,
        /// Show what would be forgotten, and forget nothing
        #[arg(long, conflicts_with = "yes")]
        dry_run: bool,
        /// Do not ask (for scripts)
        #[arg(long)]
        yes: bool,
    },
    /// Serve the notes to an agent over standard input and output (Model Context Protocol)
    ///
    /// The client starts and ends it. It prints only the protocol. If no author is set, the author is agent:NAME. The
    /// project is the directory that the client names (CLAUDE_PROJECT_DIR, GEMINI_PROJECT_DIR, QWEN_PROJECT_DIR,
    /// CURSOR_PROJECT_DIR, CRUSH_PROJECT_DIR, or its roots), else the working directory; home and the root directory are
    /// never the project.
    Mcp {
        /// Sets of tools: default, openotters, ralph, zrb, memory, all. If two sets have a tool of the same name, the first
        /// set's is used
        #[arg(
            long,
            value_name = "SETS",
            value_delimiter = ',',
            default_value = "default"
        )]
        tools: Vec<String>,
    },
    #[command(flatten)]
    Server(ServerCommand),
    /// Open the page of the store in the browser
    ///
    /// It is served on 127.0.0.1 until Ctrl-C, for one browser: the link works once, and the browser that opened it has a
    /// cookie from then on. It opens in your browser ($BROWSER, xdg-open or
    /// open); without one, open the printed link. For a store on a server, it opens the page of that server.
    Ui(UiArgs),
    /// Bring in another program's notes
    Import(ImportArgs),
    /// Write notes for another program
    #[command(subcommand)]
    Export(ExportCommand),
    /// Answer a client's hook with the block of notes, in the client's own format
    ///
    /// Reads the client's JSON from standard input. Whatever goes wrong, the answer adds nothing and the exit code is 0.
    Hook(HookArgs),
    /// List the notes that an agent session received: when, for which action, at what cost
    ///
    /// Without a session: the one that was given something last. Its subagents are listed with it.
    Why {
        /// The session id that the client uses
        #[arg(value_name = "SESSION")]
        of: Option<String>,
    },
    /// List the notes that cite code which has changed, with what it said and says now
    ///
    /// Code that only moved or was indented anew is not listed. `waynote confirm` says that a note is still true.
    Stale,
    /// Go through the notes that are worth a look, one after another: confirm, merge, unpin or delete each
    ///
    /// These are notes that cite changed code, notes that say nearly the same, and notes and pins that no session was given
    /// for 90 days. Nothing changes without an answer; elsewhere than on a terminal they are listed.
    Tend,
    /// Say that a note is still true: a revision with the same text, which cites the code as it is now
    Confirm {
        /// The note
        address: String,
    },
    /// Give notes of this repository to everybody who has it: as files in its `.waynote/`, to be committed
    ///
    /// Prints what to commit. The note in your own store stays, and is silent where a checkout has the same text; after the
    /// merge, `--prune` deletes it. A note that is shared already gets your text.
    Share(ShareArgs),
    /// Read the notes that this checkout shares in `.waynote/`: until a person says so, none of them reaches an agent
    ///
    /// It holds for this checkout with its linked worktrees, also for what later commits change. It asks first, and needs a
    /// terminal. The setting `trust` has patterns of paths for all checkouts below a directory.
    Trust(TrustArgs),
    /// Deliver no notes by hooks for a while: at a directory and below it, or to a session
    ///
    /// A prompt whose first or last line is `waynote: off` does the same for its own turn. What a session was given before
    /// stays with it. Lists the active pauses.
    Pause(PauseArgs),
    /// Begin in a project: bring in notes that are here already, set up the agents
    ///
    /// Looks for notes of other programs in this project and in the listed places of your home (docs: import), shows them
    /// with their tokens, and asks which to take. What an agent here loads by itself is marked, and not chosen. Then it
    /// sets up the agents of this machine. Nothing is taken from its source.
    Start(StartArgs),
    /// Set an agent up: its MCP server entry and its hooks, in its own files
    ///
    /// Without a client: lists the agents found on this machine, and how each is set up. Everything else in the files stays
    /// as it is. A copy is kept, and `waynote uninstall` restores it.
    ///
    /// What you set for this command (--agent, --session, --store, --set, variables) is written into the entry and the hooks,
    /// so each agent can have its own notebook, session or store. No token is written into an agent's files.
    Install(InstallArgs),
    /// Remove what `install` added
    Uninstall(UninstallArgs),
    /// Write a folder that agents install as a plugin: server, hooks, a skill and commands
    ///
    /// It is for the user of this machine: hooks and server start this program by its path. Claude Code, Codex, Copilot
    /// and Gemini CLI take it, each with its own hooks. What you set for this command is written into it, as by `install`.
    Plugin {
        /// The folder: a new one, an empty one, or that of an earlier plugin
        folder: PathBuf,
    },
    /// Check that agents get the notes: binary, store, files, trust, and a live round trip
    ///
    /// The exit code is 0 when nothing is wrong, else 1. Each finding says what to do next.
    Doctor {
        /// The agent [default: all that are set up]
        client: Option<ClientArg>,
        /// Check the working directory's files instead of the user's
        #[arg(long)]
        project: bool,
    },
    /// Check the store for damage
    ///
    /// The exit code is 0 when the store is sound, else 1. The command also reports a store that has lost acknowledged
    /// writes: its write-ahead log was damaged or deleted, or an older copy has taken its place. Such a store can be
    /// read, but not written.
    Verify {
        /// Build the search index again before the check
        #[arg(long, conflicts_with = "accept_rollback")]
        repair_index: bool,
        /// Accept that the store has lost acknowledged writes, so that it can be written again. Asks first; without a
        /// terminal, it needs --yes
        #[arg(long)]
        accept_rollback: bool,
        /// Do not ask (for scripts)
        #[arg(long, requires = "accept_rollback")]
        yes: bool,
    },
    /// Copy a whole store into another one: a file or a database, in either direction
    ///
    /// FROM and TO are files, or stores in PostgreSQL (postgres://HOST/DATABASE?store=NAME). Everything is copied: notes
    /// with their histories, authors, times and pins, log entries, events, what was forgotten, and tokens. What is
    /// damaged in FROM is left out and listed, and the exit code is 1. TO must not exist yet: it is there when it is
    /// complete and was checked, and a copy that was interrupted starts anew. FROM stays as it is; write to only one of
    /// the two from then on.
    Copy {
        /// The store to copy
        from: String,
        /// The new store
        to: String,
    },
    /// The stores of a PostgreSQL database
    #[command(subcommand)]
    Stores(StoresCommand),
    /// Tokens: who may do what with the store over a server
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show each setting and where it comes from, or change the configuration file
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// Run a scripted agent in a loop, in a throwaway store
    Demo,
    /// What ends an agent whose loop was killed
    #[command(hide = true)]
    LoopGuard,
    /// The agent of the demo
    #[command(hide = true)]
    DemoAgent,
    /// Print the completions for a shell: bash reads them by `source <(waynote completions bash)`
    ///
    /// In bash, zsh and fish, keys, addresses, sessions and agents of the store are completed too.
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the licences of waynote and of the token vocabulary in it
    #[command(alias = "licenses")]
    Licences,
    /// Print the manual page, or write one for every command
    Man {
        /// Write waynote.1, waynote-place.1, … into this folder
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct RestoreArgs {
    /// The note's address, which may end in `@REVISION`; or the file that `waynote backup` wrote
    #[arg(value_name = "ADDRESS|FILE")]
    pub(crate) what: OsString,
    /// The note's revision
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) expect: ExpectArgs,
    /// When restoring a file, replace the store. The old one is kept as notes.db.before-TIME
    #[arg(long, conflicts_with = "revision")]
    pub(crate) replace: bool,
}

// Where a place is.
#[derive(Args, Clone, Default)]
pub(crate) struct At {
    /// The directory, as a path or an address; it need not exist [default: the working directory]
    #[arg(long = "at", value_name = "PATH", value_parser = given_path())]
    pub(crate) path: Option<OsString>,
}

// The code that a note is about.
#[derive(Args)]
pub(crate) struct CitesArgs {
    /// Code that the note is about: src/pay.rs:40-60, src/pay.rs, or an identifier; for several, repeat it. The note is
    /// labelled when that changes [default: `path:line` between backquotes in the text]
    #[arg(long, value_name = "CODE")]
    pub(crate) cites: Vec<String>,
    /// Cite nothing
    #[arg(long, conflicts_with = "cites")]
    pub(crate) no_cites: bool,
}

impl CitesArgs {
    pub(crate) fn given(&self) -> Option<Vec<Citation>> {
        let is_given = self.no_cites || !self.cites.is_empty();
        is_given.then(|| self.cites.iter().map(Citation::new).collect())
    }
}

// Allows texts that are refused by default.
#[derive(Args, Default)]
pub(crate) struct AllowArgs {
    /// Write it even if it holds a credential (a key, a token, a password)
    #[arg(long = "allow-secret")]
    pub(crate) secret: bool,
    /// Write it even if it is empty or blank
    #[arg(long = "allow-empty")]
    pub(crate) empty: bool,
}

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum ConfigCommand {
    /// Write a setting into the configuration file; comments and everything else in it stay
    Set {
        /// The setting, as `waynote config` names it
        name: String,
        /// Its value; separate the items of a list with commas
        #[arg(allow_negative_numbers = true)]
        value: String,
    },
    /// Remove a setting from the configuration file
    Unset {
        /// The setting, as `waynote config` names it
        name: String,
    },
}
