//! The clients, one file each: its files and entries, its hooks and the form of its answers, its arguments in a loop, and
//! how it reads its files. This file is the list of them.

mod antigravity;
mod claude_code;
mod codex;
mod cursor;
mod gemini;
mod goose;
pub(crate) mod opencode;
mod others;
mod qwen;
mod vscode;

use std::path::Path;

use waynote_system::Environment;

use crate::client::Event;
use crate::error::{Lacking, Result};
use crate::profile::setup::{ClientFile, InstallScope, Machine, Setup};
use crate::profile::target::TOKEN_VARIABLE;
use crate::profile::{InstalledPlugin, Profile, Snippet};

/// The enumeration of all clients, each with its profile.
macro_rules! clients {
    ($($(#[$about:meta])* $name:ident = $profile:expr,)*) => {
        /// An agent program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Client {
            $($(#[$about])* $name,)*
        }

        impl Client {
            /// All of them.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            pub(crate) fn profile(self) -> &'static Profile {
                match self {
                    $(Self::$name => &$profile,)*
                }
            }
        }
    };
}

clients! {
    /// Claude Code.
    ClaudeCode = claude_code::PROFILE,
    /// Codex CLI.
    Codex = codex::PROFILE,
    /// Cursor.
    Cursor = cursor::PROFILE,
    /// opencode.
    Opencode = opencode::PROFILE,
    /// Gemini CLI.
    Gemini = gemini::PROFILE,
    /// Antigravity CLI.
    Antigravity = antigravity::PROFILE,
    /// Goose.
    Goose = goose::PROFILE,
    /// VS Code's agent mode.
    Vscode = vscode::PROFILE,
    /// Copilot CLI.
    Copilot = vscode::COPILOT,
    /// Qwen Code.
    Qwen = qwen::PROFILE,
    /// Crush.
    Crush = others::CRUSH,
    /// Amp.
    Amp = others::AMP,
    /// Kiro.
    Kiro = others::KIRO,
    /// Zed.
    Zed = others::ZED,
    /// Windsurf.
    Windsurf = others::WINDSURF,
    /// Cline.
    Cline = others::CLINE,
    /// Roo Code.
    Roo = others::ROO,
    /// Junie, of JetBrains' editors.
    Junie = others::JUNIE,
}

impl Client {
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

    /// The client whose agent runs this process as a command, as far as its environment tells.
    pub fn of_shell(environment: &Environment) -> Option<Self> {
        let variable = |client: &Self| environment.variable(client.profile().shell_variable);
        let runs = |client: &Self| matches!(variable(client), Ok(Some(_)));
        Self::ALL.into_iter().find(runs)
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

    /// True if it lacks a part that an option of an installation is about.
    pub fn lacks(self, part: Lacking) -> bool {
        let profile = self.profile();
        match part {
            Lacking::Prompts => profile.event_word(Event::Prompt).is_none(),
            Lacking::Calls => profile.call.is_none(),
            Lacking::Ending => profile.event_word(Event::Stop).is_none(),
            Lacking::Endpoint => profile.endpoint.reference.is_empty(),
            Lacking::ProjectFiles => profile.server[1].is_empty(),
            Lacking::Files => profile.server[0].is_empty(),
        }
    }

    /// True if its program or its folder is on this machine.
    ///
    /// # Errors
    /// [`Error::Environment`](crate::Error::Environment), where its files cannot be named.
    pub fn is_found(self, machine: Machine<'_>) -> Result<bool> {
        let setup = Setup::unchecked(machine, self.profile(), InstallScope::User)?;
        let home = setup.roots()?.folder;
        let files = setup.files()?.into_iter().map(|file| file.path);
        let files = files.chain(setup.snippet()?.map(|snippet| snippet.file));
        let mut folders = files.filter_map(|file| file.parent().map(Path::to_owned));
        // Its state may be in home itself.
        let folder = folders.find(|folder| *folder != home);
        Ok(
            folder.is_some_and(|folder| folder.exists() && !is_ours(&folder))
                || machine.environment.on_path(setup.profile.program).is_some(),
        )
    }
}

/// True if all files below a folder are ours alone: another client's hooks may be there.
fn is_ours(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries = entries.peekable();
    let is_ours = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(of) if of.is_dir() => is_ours(&entry.path()),
        Ok(_) => entry.file_name().as_encoded_bytes().starts_with(b"waynote"),
        Err(_) => false,
    };
    entries.peek().is_some() && entries.all(is_ours)
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
        (self.profile.files)(self)
    }

    /// The lines that a person adds, for a client whose file is not edited.
    ///
    /// # Errors
    /// [`Error::Environment`](crate::Error::Environment), where the file cannot be named.
    pub fn snippet(&self) -> Result<Option<Snippet>> {
        let of_user = self
            .profile
            .snippet
            .filter(|_| self.reach == InstallScope::User);
        of_user.map(|snippet| snippet(self)).transpose()
    }

    /// Our plugin, where the client has it switched on: it brings everything that its files would.
    pub fn plugin(&self) -> Option<InstalledPlugin> {
        let plugin = (self.profile.plugin)(self.machine);
        plugin.filter(|_| self.reach == InstallScope::User)
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
                let has_tools = client.event_word(Event::BeforeTool).is_some();
                assert_eq!(client.profile().events.is_empty(), !has_tools);
                continue;
            };
            let word = client.event_word(event).unwrap();
            assert_eq!(client.event_named(word), Some(event));
        }
        assert_eq!(Client::named("claude"), Some(Client::ClaudeCode));
        assert_eq!(Client::named("gemini-cli"), Some(Client::Gemini));
        assert_eq!(Client::named("emacs"), None);
        assert_eq!(Client::Cursor.event_named("beforeSubmitPrompt"), None);
        assert_eq!(
            Client::Gemini.event_named("BeforeAgent"),
            Some(Event::Prompt)
        );
        assert_eq!(Client::Vscode.event_named("UserPromptSubmit"), None);
    }

    #[test]
    fn a_shell_tells_whose_it_is() {
        let of = |name: &str| {
            let set = [(name.into(), "1".into()), ("HOME".into(), "/home/u".into())];
            Client::of_shell(&Environment::new(set)).map(Client::word)
        };
        for client in Client::ALL {
            let variable = client.profile().shell_variable;
            assert!(variable.is_empty() || of(variable) == Some(client.word()));
        }
        assert_eq!(of("CLAUDECODE"), Some("claude-code"));
        assert_eq!(of("CLAUDE_PROJECT_DIR"), None);
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
