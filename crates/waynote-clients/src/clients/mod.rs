//! The clients, one file each: its files and entries, its hooks and the form of its answers, its permissions in a loop,
//! and what `doctor` looks at. This file is the list of them.

mod claude_code;
mod codex;
mod cursor;
mod gemini;
pub(crate) mod goose;
mod opencode;
mod vscode;

use std::path::Path;

use crate::client::{Client, Event};
use crate::error::Result;
use crate::profile::Profile;
use crate::profile::permissions::Invocation;
use crate::profile::setup::{ClientFile, InstallScope, Machine, Roots, Setup};
use crate::profile::target::TOKEN_VARIABLE;

impl Client {
    pub(crate) fn profile(self) -> &'static Profile {
        match self {
            Self::ClaudeCode => &claude_code::PROFILE,
            Self::Codex => &codex::PROFILE,
            Self::Cursor => &cursor::PROFILE,
            Self::Opencode => &opencode::PROFILE,
            Self::Gemini => &gemini::PROFILE,
            Self::Goose => &goose::PROFILE,
            Self::Vscode => &vscode::PROFILE,
        }
    }

    /// The word that names it on the command line.
    pub fn word(self) -> &'static str {
        self.profile().word
    }

    /// Other words for it.
    pub fn aliases(self) -> &'static [&'static str] {
        self.profile().aliases
    }

    /// The name that people know.
    pub fn title(self) -> &'static str {
        self.profile().title
    }

    /// The client of a word, as the command line takes it.
    pub fn named(word: &str) -> Option<Self> {
        let is_it = |client: &Self| client.word() == word || client.aliases().contains(&word);
        Self::ALL.into_iter().find(is_it)
    }

    /// The variable in which it tells hooks and servers its project's directory.
    pub fn project_variable(self) -> Option<&'static str> {
        self.profile().project_variable
    }

    /// The variables in which clients tell their project's directory. A server, which does not know its client, takes the
    /// first that is set.
    pub fn project_variables() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter_map(Self::project_variable)
    }

    /// The event at which a session of it gets its block; none where no hook brings it.
    pub fn block_event(self) -> Option<Event> {
        self.profile().block_event
    }

    /// Its own word for an event; none where it has no such event, takes no text there or needs none.
    pub fn event_word(self, event: Event) -> Option<&'static str> {
        self.profile().event_word(event)
    }

    /// The event that it calls `word`.
    pub fn event_named(self, word: &str) -> Option<Event> {
        Event::ALL.into_iter().find(|event| {
            self.event_word(*event)
                .is_some_and(|own| own.eq_ignore_ascii_case(word))
        })
    }

    /// True if its program or its folder is on this machine.
    ///
    /// # Errors
    /// [`Error::Environment`](crate::Error::Environment), where its files cannot be named.
    pub fn is_found(self, machine: Machine<'_>) -> Result<bool> {
        let root = Roots::of(machine.environment, InstallScope::User)?;
        let trace = (self.profile().trace)(&root)?;
        let program = self.profile().program;
        Ok(trace.parent().is_some_and(Path::exists)
            || machine.environment.on_path(program).is_some())
    }
}

impl<'e> Setup<'e> {
    /// The client.
    pub fn client(&self) -> Client {
        self.profile.client
    }

    /// Its files and what each gets, in the order in which they are written.
    ///
    /// # Errors
    /// [`Error::Environment`](crate::Error::Environment), where they cannot be named.
    pub fn files(&self) -> Result<Vec<ClientFile>> {
        let files = (self.profile.files)(self)?;
        let files = files
            .into_iter()
            .filter(|file| self.has_hooks() || file.part.has_server());
        Ok(files.map(|file| self.without_hooks(file)).collect())
    }

    /// Files of hooks that are to go, where there are to be none.
    ///
    /// # Errors
    /// [`Error::Environment`](crate::Error::Environment), where they cannot be named.
    pub fn left_over(&self) -> Result<Vec<ClientFile>> {
        if self.has_hooks() {
            return Ok(Vec::new());
        }
        let mut files = (self.profile.files)(self)?;
        files.retain(|file| !file.part.has_server());
        Ok(files)
    }

    /// True if the client has our plugin switched on, which brings everything that its files would.
    pub fn has_plugin(&self) -> bool {
        let call = Invocation::new(self.machine, &[]);
        self.reach == InstallScope::User && (self.profile.plugin)(&call).is_some()
    }

    /// Steps after an installation that only the user can do.
    pub fn next_steps(&self) -> Vec<String> {
        let mut steps = (self.profile.next_steps)(self.reach, self.has_hooks());
        if self.target.is_endpoint() {
            let title = self.client().title();
            steps.insert(
                0,
                format!("set {TOKEN_VARIABLE} to the token in the environment that {title} is started with: its entry refers to it"),
            );
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_clients_and_events() {
        for client in Client::ALL {
            assert_eq!(Client::named(client.word()), Some(client));
            assert_eq!(client.profile().client, client);
            let Some(event) = client.block_event() else {
                assert_eq!(client, Client::Goose);
                continue;
            };
            let word = client.event_word(event).unwrap();
            assert_eq!(client.event_named(word), Some(event));
        }
        assert_eq!(Client::named("claude"), Some(Client::ClaudeCode));
        assert_eq!(Client::named("gemini-cli"), Some(Client::Gemini));
        // It is not known where hooks of the last three belong.
        for other in ["emacs", "antigravity", "qwen", "cline"] {
            assert_eq!(Client::named(other), None);
        }
        assert_eq!(Client::Cursor.event_named("beforeSubmitPrompt"), None);
        assert_eq!(
            Client::Gemini.event_named("BeforeAgent"),
            Some(Event::Prompt)
        );
        assert_eq!(Client::Vscode.event_named("UserPromptSubmit"), None);
    }

    /// Some clients refuse a whole file for one event that they do not know.
    #[test]
    fn hooks_run_at_these_events_and_no_other() {
        let mut all = String::new();
        for client in Client::ALL {
            let profile = client.profile();
            for (event, word) in profile.events {
                let matcher = profile.matcher(*event).unwrap_or("-");
                all += &format!("{} {word} {matcher}\n", client.word());
            }
        }
        assert_eq!(all, include_str!("events.txt"));
    }
}
