//! Expectations of each client at each moment: the one list that the checks go by and the documentation is made from.

use anyhow::Result;

#[cfg(test)]
use super::clients::AGENTS;
use super::clients::Agent;
use super::home::Bench;
use super::scenarios::{
    conversations, loops, people, plugins, projects, remote, setting_up, tools,
};

/// A moment at which a client is driven.
pub(super) struct Moment {
    /// Its word on the command line.
    pub(super) word: &'static str,
    /// The promise at this moment.
    pub(super) promise: &'static str,
    /// True if waynote is not installed before.
    pub(super) is_bare: bool,
    /// What is done and checked.
    pub(super) plays: fn(&Bench) -> Result<()>,
}

const fn moment(
    word: &'static str,
    promise: &'static str,
    plays: fn(&Bench) -> Result<()>,
) -> Moment {
    Moment {
        word,
        promise,
        plays,
        is_bare: false,
    }
}

const fn bare(
    word: &'static str,
    promise: &'static str,
    plays: fn(&Bench) -> Result<()>,
) -> Moment {
    Moment {
        is_bare: true,
        ..moment(word, promise, plays)
    }
}

pub(super) const MOMENTS: [Moment; 26] = [
    moment(
        "start",
        "A session starts: its first request holds the block, once; a tool's reply does not repeat it",
        conversations::start,
    ),
    moment(
        "long",
        "The block is as long as hooks may make it: it arrives whole",
        conversations::long,
    ),
    moment(
        "resume",
        "A session is resumed, twice: the block is not repeated, a note that is new since arrives",
        conversations::resume,
    ),
    moment(
        "compaction",
        "The conversation is compacted: the next request holds the block again",
        conversations::compaction,
    ),
    moment(
        "clear",
        "The conversation is cleared: the next request holds the block",
        conversations::clear,
    ),
    moment(
        "subagent",
        "A subagent starts: its first request holds the block",
        conversations::subagent,
    ),
    moment(
        "action",
        "*Action*: a file is read twice; the note of its directory comes with the first reading, once",
        tools::action,
    ),
    moment(
        "action-compacted",
        "*Action* after a compaction: the note comes with the next reading again, once",
        tools::compacted,
    ),
    moment(
        "action-subagent",
        "*Action* in a session and in its subagent: each conversation gets the note, once",
        tools::by_subagent,
    ),
    moment(
        "worktrees",
        "*Action* in two sessions at once, in two worktrees: each gets the block and the note, once",
        tools::worktrees,
    ),
    moment(
        "two-clients",
        "*Action* in Claude Code and this client at once, in one project: each gets the block and the note, once",
        tools::two_clients,
    ),
    moment(
        "failure",
        "*Failure*: a command fails; the note that matches its output stands in the next request",
        tools::failure,
    ),
    moment(
        "two-at-once",
        "Two sessions at once in two projects: each gets its own project's notes alone",
        conversations::two_at_once,
    ),
    moment(
        "projects",
        "A fact is saved by key in two projects: each gets its own, also in a second clone, after a worktree, renamed",
        projects::each_has_its_own,
    ),
    moment(
        "person",
        "A fact is saved over a person's note: it is refused, and the agent reads the note and the ways out",
        projects::leaves_a_persons_note,
    ),
    moment(
        "shared",
        "The repository shares a note: a line until a person trusts it, then the note; a save over it is refused",
        projects::reads_what_is_shared,
    ),
    moment(
        "two-people",
        "Two people with a team's store, one with Claude Code: each gets the team's notes and their own preference alone",
        people::two_people,
    ),
    moment(
        "loop",
        "A loop: an iteration reads what earlier ones noted; `session_complete` ends it",
        loops::completes,
    ),
    moment(
        "blocked",
        "A loop: `blocked` stops it; the next prompt holds the question and the answer, once",
        loops::blocked,
    ),
    moment(
        "hang",
        "A loop: an agent that hangs is ended with all that it started, and tried again",
        loops::hangs,
    ),
    moment(
        "recovers",
        "A loop: the provider fails, then recovers: the iteration is tried again and completes",
        loops::recovers,
    ),
    moment(
        "gives-up",
        "A loop: the provider fails each time: exit code 5, with the provider's words",
        loops::gives_up,
    ),
    bare(
        "install",
        "`install`, then `uninstall`: every file as it was; `doctor` finds nothing wrong",
        setting_up::install,
    ),
    bare(
        "plugin",
        "The plugin, by the client's own commands: block, action's note and tools, in a loop too; once beside `install`; then gone",
        plugins::plugin,
    ),
    bare(
        "endpoint",
        "The MCP endpoint of a server: the token of the environment is sent, and in no file; notes are read and saved",
        remote::endpoint,
    ),
    moment(
        "load",
        "Sessions start while four busy processes take the processor: each has the block",
        conversations::load,
    ),
];

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
pub(super) fn cell(agent: &Agent, moment: &Moment) -> Cell {
    match (agent.client, moment.word) {
        ("claude-code", "two-clients") => Cell::None("see the others"),
        ("codex", "two-people") => Cell::Gate,
        (_, "two-people") => Cell::None("see Codex"),
        ("claude-code", _) => Cell::Gate,
        ("copilot", "compaction" | "action-compacted") => Cell::None("not tried"),
        ("qwen", "plugin" | "action-compacted" | "worktrees" | "two-clients") => {
            Cell::None("not tried")
        }
        ("copilot" | "qwen", "clear") => Cell::None("`/clear` is a start"),
        ("opencode" | "goose", "long") => Cell::None("takes no text from a hook"),
        (
            "goose",
            "action" | "action-compacted" | "action-subagent" | "worktrees" | "two-clients"
            | "failure",
        ) => Cell::None("has no hooks at tools"),
        ("gemini" | "goose" | "qwen", "subagent" | "action-subagent") => {
            Cell::None("takes no text for a subagent")
        }
        ("opencode", "clear") => Cell::None("`/new` is a start"),
        ("codex", "clear") => Cell::Fed,
        // These wait, or start many sessions.
        (_, "hang" | "load") => Cell::All,
        (
            "gemini" | "opencode" | "goose" | "copilot" | "qwen",
            "projects" | "person" | "shared",
        ) => Cell::All,
        ("gemini" | "opencode", "endpoint") => Cell::All,
        ("codex" | "goose", _) => Cell::Gate,
        // These take ten seconds of processor time a session.
        (
            "gemini",
            "start" | "long" | "resume" | "compaction" | "clear" | "two-at-once" | "loop"
            | "blocked" | "install",
        ) => Cell::Gate,
        ("opencode" | "qwen", "start") => Cell::Gate,
        (
            "copilot",
            "start" | "long" | "resume" | "subagent" | "action" | "failure" | "two-at-once"
            | "install" | "plugin",
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
    for moment in &MOMENTS {
        let cells = AGENTS.iter().map(|agent| match cell(agent, moment) {
            Cell::Gate => " yes |".to_owned(),
            Cell::All => " yes, `--all` |".to_owned(),
            Cell::Fed => " yes, by its hook |".to_owned(),
            Cell::None(why) => format!(" – ({why}) |"),
        });
        text += &format!("| {} |{}\n", moment.promise, cells.collect::<String>());
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
