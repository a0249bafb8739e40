//! The loop's observations for the stall rule, and the evidence in words. The rule is the library's
//! ([`waynote::stall::StallRule`]).

use waynote::stall::{Progress, RecurringProblem, StallEvidence, StallRule};

use crate::stop::Stop;
use crate::tree::TreeState;

/// The work of an agent, as far as the loop sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) tree: TreeState,
    /// The text of the task list, hashed; none without a list, or while it cannot be read.
    pub(crate) tasks: Option<Option<[u8; 32]>>,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            tree: TreeState::NoRepository,
            tasks: None,
        }
    }
}

impl Work {
    /// Why changes of files do not count, if they do not.
    pub(crate) fn unseen(&self) -> Option<&str> {
        match &self.tree {
            TreeState::Known(_) => None,
            TreeState::NoRepository => Some("not a git repository"),
            TreeState::Unknown(why) => Some(why),
        }
    }
}

/// Watches the work of a loop.
pub(crate) struct StallWatch {
    rule: StallRule,
    work: Work,
    /// The last lines of the agent in the latest iterations.
    last_lines: Vec<String>,
}

impl StallWatch {
    /// `work` is the state before the first iteration.
    pub(crate) fn new(limit: usize, work: Work) -> Self {
        Self {
            rule: StallRule::new(limit),
            work,
            last_lines: Vec::new(),
        }
    }

    /// The state that was seen last.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// Takes in what an iteration brought, and the agent's last line. Stops the loop when it stalls.
    pub(crate) fn after(
        &mut self,
        progress: &Progress,
        work: Work,
        last_line: Option<String>,
    ) -> Option<Stop> {
        let is_changed = work != self.work;
        self.work = work;
        self.last_lines.push(last_line.unwrap_or_default());
        let stalled = self.rule.after(progress, is_changed)?;
        Some(Stop::Stalled {
            iterations: stalled.iterations(),
            evidence: self.in_words(&stalled),
        })
    }

    fn in_words(&self, stalled: &StallEvidence) -> Vec<String> {
        let mut lines: Vec<String> = stalled.walls.iter().map(same_wall).collect();
        let idle = stalled.idle;
        if idle == 0 {
            return lines;
        }
        let tasks = self.work.tasks;
        let list = tasks.map_or("", |_| " or a change of the task list");
        lines.push(match &self.work.tree {
            TreeState::Known(tree) => format!(
                "{idle} iterations without a new note{list} or a change in the working tree ({tree})"
            ),
            TreeState::NoRepository => format!(
                "{idle} iterations without a new note{list} (not a git repository, so changes of files do not count)"
            ),
            TreeState::Unknown(why) => format!(
                "{idle} iterations without a new note{list} (changes in the working tree do not count: {why})"
            ),
        });
        let from = self.last_lines.len().saturating_sub(idle);
        if let [first, rest @ ..] = &self.last_lines[from..]
            && !first.is_empty()
        {
            match rest.iter().all(|line| line == first) {
                true => lines.push(format!("the agent's last line each time: {first}")),
                false => lines.extend(
                    self.last_lines
                        .last()
                        .filter(|line| !line.is_empty())
                        .map(|last| format!("the agent's last line: {last}")),
                ),
            }
        }
        lines
    }
}

fn same_wall(wall: &RecurringProblem) -> String {
    let iterations: Vec<String> = wall.iterations.iter().map(|of| format!("#{of}")).collect();
    let preview = waynote::visible::visible(&wall.note.preview);
    format!(
        "stuck on the same problem in {}: {preview} ({})",
        iterations.join(", "),
        wall.note.address.masked()
    )
}
