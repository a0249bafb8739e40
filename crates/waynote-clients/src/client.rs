//! Events of clients with a hook of ours. The clients themselves are listed in [`clients`](crate::clients).

pub use crate::clients::Client;

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
    /// A tool is about to run.
    BeforeTool,
    /// A tool has run.
    AfterTool,
    /// A tool has failed.
    AfterFailure,
    /// The agent has ended its turn.
    Stop,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::SessionStart,
        Self::SubagentStart,
        Self::Prompt,
        Self::BeforeTool,
        Self::AfterTool,
        Self::AfterFailure,
        Self::Stop,
    ];

    /// True at a tool: what is said there goes to whoever called it, which may be a subagent.
    pub fn is_at_tool(self) -> bool {
        matches!(
            self,
            Self::BeforeTool | Self::AfterTool | Self::AfterFailure
        )
    }
}
