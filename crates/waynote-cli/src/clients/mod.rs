//! The agents that waynote is set up in: what each calls itself, says to a hook, takes as an answer, and reads from its files.

pub(crate) mod answer;
pub(crate) mod change;
pub(crate) mod disk;
mod entries;
pub(crate) mod files;
pub(crate) mod goose;
pub(crate) mod json;
mod json_cut;
pub(crate) mod json_found;
pub(crate) mod payload;
pub(crate) mod probe;
pub(crate) mod record;
pub(crate) mod rights;
pub(crate) mod shell;
pub(crate) mod toml;
pub(crate) mod yaml;

use clap::ValueEnum;

/// An agent program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    #[value(alias = "claude")]
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// opencode
    Opencode,
    /// Gemini CLI
    #[value(alias = "gemini-cli")]
    Gemini,
    /// Goose
    Goose,
    /// VS Code's agent mode
    #[value(aliases = ["vs-code", "code"])]
    Vscode,
}

impl Client {
    /// All of them.
    pub(crate) const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Opencode,
        Self::Gemini,
        Self::Goose,
        Self::Vscode,
    ];

    /// The word that names it on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Goose => "goose",
            Self::Vscode => "vscode",
        }
    }

    /// What it calls itself.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "Gemini CLI",
            Self::Goose => "Goose",
            Self::Vscode => "VS Code",
        }
    }

    /// Its own program, where one is on the path.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Goose => "goose",
            Self::Vscode => "code",
        }
    }

    /// The variable in which it tells hooks and servers its project's directory.
    pub(crate) fn project_variable(self) -> Option<&'static str> {
        let mut variables = PROJECT_VARIABLES.into_iter();
        let own = variables.find(|(client, _)| *client == self);
        own.map(|(_, variable)| variable)
    }

    /// The client of a word, as the command line takes it.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::from_str(word, false).ok()
    }
}

/// The variables in which clients tell their project's directory. A server, which does not know its client, takes the
/// first that is set.
pub(crate) const PROJECT_VARIABLES: [(Client, &str); 3] = [
    (Client::ClaudeCode, "CLAUDE_PROJECT_DIR"),
    (Client::Gemini, "GEMINI_PROJECT_DIR"),
    (Client::Cursor, "CURSOR_PROJECT_DIR"),
];

/// What happens in a client when a hook of ours runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A session begins, is resumed or cleared, or goes on after a compaction.
    SessionStart,
    /// A subagent begins.
    SubagentStart,
    /// A prompt was sent.
    Prompt,
}

impl Event {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::SessionStart, Self::SubagentStart, Self::Prompt];

    /// The event at which a session of a client gets its block; none where no hook brings it.
    pub(crate) fn of_block(client: Client) -> Option<Self> {
        match client {
            // Its sessions lose what they get when they start: a prompt with that before it is forgotten when the session is resumed.
            Client::Gemini => Some(Self::Prompt),
            // The server's instructions hold it.
            Client::Goose => None,
            _ => Some(Self::SessionStart),
        }
    }

    /// The client's own word for it; none where the client has no such event, takes no text there or needs none.
    pub(crate) fn word(self, client: Client) -> Option<&'static str> {
        match (self, client) {
            (_, Client::Goose) | (Self::SessionStart, Client::Gemini) => None,
            (Self::SessionStart, Client::Cursor) => Some("sessionStart"),
            (Self::SessionStart, _) => Some("SessionStart"),
            (Self::SubagentStart, Client::ClaudeCode | Client::Codex | Client::Vscode) => {
                Some("SubagentStart")
            }
            (Self::Prompt, Client::ClaudeCode | Client::Codex) => Some("UserPromptSubmit"),
            (Self::Prompt, Client::Gemini) => Some("BeforeAgent"),
            _ => None,
        }
    }

    /// The event of a client's word.
    pub(crate) fn named(word: &str, client: Client) -> Option<Self> {
        Self::ALL.into_iter().find(|event| {
            event
                .word(client)
                .is_some_and(|own| own.eq_ignore_ascii_case(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_mcp_names_every_project_variable() {
        use clap::CommandFactory;
        let mut command = crate::args::Cli::command();
        let mcp = command.find_subcommand_mut("mcp").unwrap();
        let help = mcp.render_long_help().to_string();
        for (client, variable) in PROJECT_VARIABLES {
            assert!(help.contains(variable), "{variable}");
            assert_eq!(client.project_variable(), Some(variable));
        }
        assert_eq!(Client::Codex.project_variable(), None);
    }

    #[test]
    fn words_name_clients_and_events() {
        for client in Client::ALL {
            assert_eq!(Client::named(client.word()), Some(client));
            let shown = client.to_possible_value().unwrap();
            assert_eq!(shown.get_name(), client.word());
            let Some(event) = Event::of_block(client) else {
                assert_eq!(client, Client::Goose);
                continue;
            };
            let word = event.word(client).unwrap();
            assert_eq!(Event::named(word, client), Some(event));
        }
        assert_eq!(Client::named("claude"), Some(Client::ClaudeCode));
        assert_eq!(Client::named("gemini-cli"), Some(Client::Gemini));
        assert_eq!(Client::named("emacs"), None);
        assert_eq!(Event::named("beforeSubmitPrompt", Client::Cursor), None);
        assert_eq!(
            Event::named("BeforeAgent", Client::Gemini),
            Some(Event::Prompt)
        );
        assert_eq!(Event::named("UserPromptSubmit", Client::Vscode), None);
    }
}
