//! The commands about sessions: `log`, and the options of `loop`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::values::{some_iterations, some_time};
use waynote::Name;
use waynote::context::Style;

use super::{AllowArgs, CitesArgs, NarrowArgs};
use crate::duration;
use crate::presets::Preset;

#[derive(Subcommand)]
#[command(defer = true)]
pub(crate) enum LogCommand {
    /// Add an entry for later iterations
    Add {
        /// The text; `-` reads it from standard input unchanged. Put a text that begins with `-` after `--`
        text: OsString,
        /// stuck, learning, tip or decision
        #[arg(long = "type", value_name = "TYPE")]
        kind: String,
        /// Resolve a stuck note, which then leaves the prompts. Name it by #3 (the only one of iteration 3), by some of
        /// its words, or by its address
        #[arg(long, value_name = "NOTE")]
        resolves: Option<String>,
        #[command(flatten)]
        cites: CitesArgs,
        #[command(flatten)]
        allow: AllowArgs,
    },
    /// For the agent of a loop: say that the whole task is done; no further iteration starts
    Complete {
        /// What was done; `-` reads it from standard input
        summary: OsString,
    },
    /// For the agent of a loop: ask a person how to go on; the loop stops until there is an answer
    Blocked {
        /// The question; `-` reads it from standard input
        question: OsString,
    },
    /// List the entries, oldest first
    List {
        /// Only entries of this type
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        #[command(flatten)]
        narrow: NarrowArgs,
    },
    /// Show the session: its iterations (start, duration, result) and its notes by type
    Show,
    /// List the sessions: their notes, their last iteration, and their state
    Sessions {
        /// Archived sessions too
        #[arg(long)]
        all: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// Take a session off the list; a loop or an answer in it puts it back. Its notes stay
    Archive {
        /// The session
        #[arg(value_name = "SESSION")]
        of: Name,
        /// Put it back on the list
        #[arg(long)]
        undo: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum LoopCommand {
    /// Stop the loop of a session after its iteration, wherever it runs
    Stop {
        /// The session
        #[arg(value_name = "SESSION")]
        of: Name,
    },
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct LoopArgs {
    #[command(subcommand)]
    pub(crate) other: Option<LoopCommand>,
    /// The agent and its arguments; with `--with`, more arguments for that client
    #[arg(last = true, value_name = "AGENT", required_unless_present_any = ["with", "of"])]
    pub(crate) command: Vec<OsString>,
    /// Start the loop of this session again, with the command, the directory and the options that you started it with on
    /// this machine. A new --iterations, --time or --iteration-time replaces the earlier one
    #[arg(long = "continue", id = "of", value_name = "SESSION", conflicts_with_all = ["command", "with", "spec", "tasks",
        "prompt", "extra_instructions", "until", "style", "budget", "stall",
        "retries", "retry_wait", "logs", "notify"])]
    pub(crate) of: Option<Name>,
    /// Run this client without a person, instead of AGENT. It may use waynote's tools without asking
    #[arg(long, value_name = "CLIENT")]
    pub(crate) with: Option<Preset>,
    /// The spec: what is to be done. Its text opens every prompt, up to 256 KiB of it
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// The task list. It is read again for every iteration and is part of its prompt, up to 256 KiB of it
    #[arg(long, value_name = "FILE")]
    pub(crate) tasks: Option<PathBuf>,
    /// A prompt template, instead of the built-in one; docs/loops.md lists its placeholders
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) prompt: Option<PathBuf>,
    /// More instructions, at the end of every prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) extra_instructions: Option<String>,
    /// How many iterations to run; without it, until the loop stops for another reason. The same number again continues a
    /// run that was cut short
    #[arg(long, value_name = "N", value_parser = some_iterations)]
    pub(crate) iterations: Option<u64>,
    /// Stop when the agent prints this text alone on a line
    #[arg(long, value_name = "TEXT")]
    pub(crate) until: Option<String>,
    /// Stop after this time, for example 8h or 1h30m; an agent that is running then is ended
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub(crate) time: Option<Duration>,
    /// End an attempt of the agent after this time, and count it as failed
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub(crate) iteration_time: Option<Duration>,
    /// How the notes in a prompt are written: the same bytes for the same notes, or as the three source programs do
    /// [env: WAYNOTE_STYLE]
    #[arg(long, value_name = "STYLE")]
    pub(crate) style: Option<Style>,
    /// The token limit for the notes in a prompt; 0: no limit [env: WAYNOTE_BUDGET] [default: 2000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Stop as stalled when N iterations noted the same problem as stuck, or N in a row left neither a new note nor a change
    /// in the working tree; 0: never
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) stall: usize,
    /// How often to retry an agent that fails within an iteration
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) retries: u32,
    /// How long to wait before the first retry; the wait doubles each time, up to five minutes
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration::with_unit)]
    pub(crate) retry_wait: Duration,
    /// Write the agent's output to this folder, a new file for each iteration, instead of showing it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) logs: Option<PathBuf>,
    /// Run this line of shell when the loop has ended, unless a person ended it. WAYNOTE_SESSION and WAYNOTE_STATE are in its
    /// environment, the summary is on its standard input as JSON. It is ended after 30 seconds; the exit code stays that
    /// of the loop. '' runs none, whatever the settings say [env: WAYNOTE_NOTIFY]
    #[arg(long, value_name = "CMD")]
    pub(crate) notify: Option<String>,
    /// The answer to the question that the loop stopped with. One that begins with `-` is written --answer=TEXT
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Option<String>,
    /// Take over the session of a loop on another machine. Use it only if you know that that loop has ended
    #[arg(long)]
    pub(crate) take_over: bool,
    /// Print the prompt of the next iteration, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
