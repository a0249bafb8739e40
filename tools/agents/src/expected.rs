//! Expectations of each client at each moment: the one list that the checks go by and the documentation is made from.

#[cfg(test)]
use super::clients::AGENTS;
use super::clients::Agent;

/// A moment at which a client is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Start,
    Long,
    Resume,
    Compaction,
    Clear,
    Subagent,
    Action,
    ActionCompacted,
    ActionSubagent,
    Worktrees,
    TwoClients,
    Failure,
    TwoAtOnce,
    Loop,
    Blocked,
    Hang,
    Recovers,
    GivesUp,
    Install,
    Plugin,
    Night,
    Endpoint,
    Load,
}

impl Moment {
    pub(super) const ALL: [Self; 23] = [
        Self::Start,
        Self::Long,
        Self::Resume,
        Self::Compaction,
        Self::Clear,
        Self::Subagent,
        Self::Action,
        Self::ActionCompacted,
        Self::ActionSubagent,
        Self::Worktrees,
        Self::TwoClients,
        Self::Failure,
        Self::TwoAtOnce,
        Self::Loop,
        Self::Blocked,
        Self::Hang,
        Self::Recovers,
        Self::GivesUp,
        Self::Install,
        Self::Plugin,
        Self::Night,
        Self::Endpoint,
        Self::Load,
    ];

    /// Its word on the command line.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Long => "long",
            Self::Resume => "resume",
            Self::Compaction => "compaction",
            Self::Clear => "clear",
            Self::Subagent => "subagent",
            Self::Action => "action",
            Self::ActionCompacted => "action-compacted",
            Self::ActionSubagent => "action-subagent",
            Self::Worktrees => "worktrees",
            Self::TwoClients => "two-clients",
            Self::Failure => "failure",
            Self::TwoAtOnce => "two-at-once",
            Self::Loop => "loop",
            Self::Blocked => "blocked",
            Self::Hang => "hang",
            Self::Recovers => "recovers",
            Self::GivesUp => "gives-up",
            Self::Install => "install",
            Self::Plugin => "plugin",
            Self::Night => "night",
            Self::Endpoint => "endpoint",
            Self::Load => "load",
        }
    }

    /// The promise at this moment, for the documentation.
    #[cfg(test)]
    fn promise(self) -> &'static str {
        match self {
            Self::Start => {
                "A session starts: its first request holds the block, once; a tool's reply does not repeat it"
            }
            Self::Long => "The block is as long as hooks may make it: it arrives whole",
            Self::Resume => {
                "A session is resumed, twice: the block is not repeated, a note that is new since arrives"
            }
            Self::Compaction => {
                "The conversation is compacted: the next request holds the block again"
            }
            Self::Clear => "The conversation is cleared: the next request holds the block",
            Self::Subagent => "A subagent starts: its first request holds the block",
            Self::Action => {
                "*Action*: a file is read twice; the note of its directory comes with the first reading, once"
            }
            Self::ActionCompacted => {
                "*Action* after a compaction: the note comes with the next reading again, once"
            }
            Self::ActionSubagent => {
                "*Action* in a session and in its subagent: each conversation gets the note, once"
            }
            Self::Worktrees => {
                "*Action* in two sessions at once, in two worktrees: each gets the block and the note, once"
            }
            Self::TwoClients => {
                "*Action* in Claude Code and this client at once, in one project: each gets the block and the note, once"
            }
            Self::Failure => {
                "*Failure*: a command fails; the note that matches its output stands in the next request"
            }
            Self::TwoAtOnce => {
                "Two sessions at once in two projects: each gets its own project's notes alone"
            }
            Self::Loop => {
                "A loop: an iteration reads what earlier ones noted; `session_complete` ends it"
            }
            Self::Blocked => {
                "A loop: `blocked` stops it; the next prompt holds the question and the answer, once"
            }
            Self::Hang => {
                "A loop: an agent that hangs is ended with all that it started, and tried again"
            }
            Self::Recovers => {
                "A loop: the provider fails, then recovers: the iteration is tried again and completes"
            }
            Self::GivesUp => {
                "A loop: the provider goes on failing: exit code 5, with the provider's words"
            }
            Self::Install => {
                "`install`, then `uninstall`: every file as it was; `doctor` finds nothing wrong"
            }
            Self::Plugin => {
                "The plugin, by the client's own commands: block, action's note and tools, in a loop too; once beside `install`; then gone"
            }
            Self::Night => {
                "A night, by the commands of [Run an agent overnight](loops.md): edits, notes, failures, a question"
            }
            Self::Endpoint => {
                "The MCP endpoint of a server: the token of the environment is sent, and in no file; notes are read and saved"
            }
            Self::Load => {
                "Sessions start while four busy processes take the processor: each has the block"
            }
        }
    }
}

/// How a cell is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// By the real client, in the gate.
    Gate,
    /// By the real client, with `--all`: it takes long.
    All,
    /// In the gate, by the input that the client sends: the client itself needs a person at a terminal.
    Fed,
    /// Not at all; why.
    None(&'static str),
}

/// How a client's moment is proven.
pub(super) fn cell(agent: &Agent, moment: Moment) -> Cell {
    use Moment::{
        Action, ActionCompacted, ActionSubagent, Blocked, Clear, Compaction, Endpoint, Failure,
        Hang, Install, Load, Long, Loop, Night, Plugin, Resume, Start, Subagent, TwoAtOnce,
        TwoClients, Worktrees,
    };
    match (agent.client, moment) {
        ("claude-code", TwoClients) => Cell::None("see the others"),
        ("claude-code", _) => Cell::Gate,
        ("copilot", Compaction | ActionCompacted) => Cell::None("not tried"),
        ("qwen", Plugin | ActionCompacted | Worktrees | TwoClients) => Cell::None("not tried"),
        ("copilot" | "qwen", Clear) => Cell::None("`/clear` is a start"),
        ("opencode" | "goose", Long) => Cell::None("takes no text from a hook"),
        ("goose", Action | ActionCompacted | ActionSubagent | Worktrees | TwoClients | Failure) => {
            Cell::None("has no hooks at tools")
        }
        (_, Night) => Cell::None("played with Claude Code"),
        ("gemini" | "goose" | "qwen", Subagent | ActionSubagent) => {
            Cell::None("takes no text for a subagent")
        }
        ("opencode", Clear) => Cell::None("`/new` is a start"),
        ("codex", Clear) => Cell::Fed,
        // These wait, or start many sessions.
        (_, Hang | Load) => Cell::All,
        ("gemini" | "opencode", Endpoint) => Cell::All,
        ("codex" | "goose", _) => Cell::Gate,
        // These take ten seconds of processor time a session.
        (
            "gemini",
            Start | Long | Resume | Compaction | Clear | TwoAtOnce | Loop | Blocked | Install,
        ) => Cell::Gate,
        ("opencode" | "qwen", Start) => Cell::Gate,
        (
            "copilot",
            Start | Long | Resume | Subagent | Action | Failure | TwoAtOnce | Install | Plugin,
        ) => Cell::Gate,
        _ => Cell::All,
    }
}

/// The table of moments and clients, for the documentation.
#[cfg(test)]
fn table() -> String {
    let names = AGENTS
        .iter()
        .map(|agent| format!(" {} {} |", agent.title, agent.version));
    let mut text = format!("\n| moment |{}\n", names.collect::<String>());
    text += &format!("|---|{}\n", "---|".repeat(AGENTS.len()));
    for moment in Moment::ALL {
        let cells = AGENTS.iter().map(|agent| match cell(agent, moment) {
            Cell::Gate => " yes |".to_owned(),
            Cell::All => " yes, `--all` |".to_owned(),
            Cell::Fed => " yes, by its hook |".to_owned(),
            Cell::None(why) => format!(" – ({why}) |"),
        });
        text += &format!("| {} |{}\n", moment.promise(), cells.collect::<String>());
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/clients.md");
    const BEGIN: &str = "<!-- The table: written by `cargo xtask docs` -->\n";
    const END: &str = "<!-- The end of the table -->";

    #[test]
    fn the_table_of_clients_is_up_to_date() {
        let document = std::fs::read_to_string(DOCUMENT).unwrap();
        let (before, rest) = document.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        let wanted = format!("{before}{BEGIN}{}{END}{after}", table());
        if std::env::var_os("WAYNOTE_UPDATE_DOCS").is_some() {
            std::fs::write(DOCUMENT, &wanted).unwrap();
        }
        assert!(
            document == wanted || std::env::var_os("WAYNOTE_UPDATE_DOCS").is_some(),
            "docs/clients.md is not what is checked: run `cargo xtask docs`"
        );
    }
}
