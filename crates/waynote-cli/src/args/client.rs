//! The commands about clients, and a client as it is named on the command line.

use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use waynote_clients::Client;

use super::At;

/// A client that a command is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientArg(pub(crate) Client);

impl ValueEnum for ClientArg {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<ClientArg>> =
            LazyLock::new(|| Client::ALL.into_iter().map(ClientArg).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let Self(client) = self;
        let value = PossibleValue::new(client.word()).help(client.title());
        Some(value.aliases(client.aliases()))
    }
}

#[derive(Args, Clone)]
pub(crate) struct HookArgs {
    /// A client, as `waynote install` lists them
    pub(crate) client: String,
    /// The client's word for what happens, as SessionStart [default: SessionStart]
    pub(crate) event: Option<String>,
    /// At a prompt: add only the notes that the session lacks; do not search for matches
    #[arg(long)]
    pub(crate) no_search: bool,
}

#[derive(Args, Clone, Default)]
pub(crate) struct InstallArgs {
    /// The agent
    pub(crate) client: Option<ClientArg>,
    /// Into every agent that is on this machine; an option that one of them lacks is left out there
    #[arg(long, conflicts_with = "client")]
    pub(crate) all: bool,
    /// Write to the working directory's files, which a team shares, instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// At every prompt, also add the notes that match it
    #[arg(long)]
    pub(crate) every_prompt: bool,
    /// When an agent that changed files and left no note ends its turn, ask it once what the next run should know
    #[arg(long)]
    pub(crate) ask: bool,
    /// Let hooks at tools call the connected server instead of starting a program (Claude Code from 2.1.118, Codex from
    /// 0.148). A run without the server then gets no notes at tools
    #[arg(long, conflicts_with = "remote_mcp")]
    pub(crate) by_server: bool,
    /// For a store on a server: write only the server's MCP endpoint: no local program, no hooks. The agent sends the
    /// token that it finds in WAYNOTE_TOKEN
    #[arg(long, conflicts_with_all = ["every_prompt", "ask"])]
    pub(crate) remote_mcp: bool,
}

#[derive(Args)]
pub(crate) struct UninstallArgs {
    /// The agent
    pub(crate) client: Option<ClientArg>,
    /// From every agent that is set up
    #[arg(long, conflicts_with = "client")]
    pub(crate) all: bool,
    /// Clean the working directory's files instead of the user's
    #[arg(long)]
    pub(crate) project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args)]
pub(crate) struct PauseArgs {
    /// The session id that the client uses [default: the directory]
    #[arg(value_name = "SESSION", conflicts_with = "path")]
    pub(crate) of: Option<String>,
    #[command(flatten)]
    pub(crate) at: At,
    /// List the active pauses, and change nothing
    #[arg(long, conflicts_with_all = ["of", "path", "length", "end"])]
    pub(crate) list: bool,
    /// How long, as 30m or 2h [default: until `waynote pause --end`]
    #[arg(long = "for", value_name = "TIME", value_parser = crate::duration::with_unit)]
    pub(crate) length: Option<std::time::Duration>,
    /// End the pause
    #[arg(long, conflicts_with = "length")]
    pub(crate) end: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_named_by_its_word_or_another() {
        for client in Client::ALL {
            for word in client.aliases().iter().chain([&client.word()]) {
                let ClientArg(named) = ClientArg::from_str(word, false).unwrap();
                assert_eq!(named, client);
            }
        }
        assert!(ClientArg::from_str("emacs", false).is_err());
    }

    #[test]
    fn the_help_of_mcp_names_every_project_variable() {
        use clap::CommandFactory;
        let mut command = crate::args::Cli::command();
        let mcp = command.find_subcommand_mut("mcp").unwrap();
        let help = mcp.render_long_help().to_string();
        for variable in Client::project_variables() {
            assert!(help.contains(variable), "{variable}");
        }
    }
}
