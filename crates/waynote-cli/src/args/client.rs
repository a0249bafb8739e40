//! A client, as it is named on the command line.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use waynote_clients::Client;

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
        let help = match client {
            Client::Codex => "Codex CLI",
            Client::Vscode => "VS Code's agent mode",
            client => client.title(),
        };
        let value = PossibleValue::new(client.word()).help(help);
        Some(value.aliases(client.aliases()))
    }
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
