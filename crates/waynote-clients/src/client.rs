//! The clients, and their events with a hook of ours. The facts of each client are in its own file, in
//! [`clients`](crate::clients).

/// An agent program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// opencode.
    Opencode,
    /// Gemini CLI.
    Gemini,
    /// Goose.
    Goose,
    /// VS Code's agent mode.
    Vscode,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Opencode,
        Self::Gemini,
        Self::Goose,
        Self::Vscode,
    ];

    /// The variable in which it tells hooks and servers its project's directory.
    pub fn project_variable(self) -> Option<&'static str> {
        let mut variables = PROJECT_VARIABLES.into_iter();
        let own = variables.find(|(client, _)| *client == self);
        own.map(|(_, variable)| variable)
    }
}

/// The variables in which clients tell their project's directory. A server, which does not know its client, takes the
/// first that is set.
pub const PROJECT_VARIABLES: [(Client, &str); 3] = [
    (Client::ClaudeCode, "CLAUDE_PROJECT_DIR"),
    (Client::Gemini, "GEMINI_PROJECT_DIR"),
    (Client::Cursor, "CURSOR_PROJECT_DIR"),
];

/// An event in a client at which a hook of ours runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A session begins, is resumed or cleared, or goes on after a compaction.
    SessionStart,
    /// A subagent begins.
    SubagentStart,
    /// A prompt was sent.
    Prompt,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SessionStart, Self::SubagentStart, Self::Prompt];
}
