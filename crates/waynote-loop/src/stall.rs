//! The loop's observations for the stall rule, and the evidence in words. The rule is the library's
//! ([`waynote::stall::StallRule`]).

use waynote::stall::{Progress, RecurringProblem, StallEvidence, StallRule};

use crate::stop::Stop;
use crate::tree::TreeState;

/// Watches the work tree of a loop.
pub(crate) struct StallWatch {
    rule: StallRule,
    tree: TreeState,
}

impl StallWatch {
    /// `tree` is the work tree before the first iteration.
    pub(crate) fn new(limit: usize, tree: TreeState) -> Self {
        Self {
            rule: StallRule::new(limit),
            tree,
        }
    }

    /// Takes in what an iteration brought. Stops the loop when it stalls.
    pub(crate) fn after(&mut self, progress: &Progress, tree: TreeState) -> Option<Stop> {
        let is_changed = tree != self.tree;
        self.tree = tree;
        let stalled = self.rule.after(progress, is_changed)?;
        Some(Stop::Stalled {
            iterations: stalled.iterations(),
            evidence: self.in_words(&stalled),
        })
    }

    fn in_words(&self, stalled: &StallEvidence) -> Vec<String> {
        let mut lines: Vec<String> = stalled.walls.iter().map(same_wall).collect();
        if stalled.idle > 0 {
            let idle = stalled.idle;
            lines.push(match &self.tree {
                TreeState::Known(tree) => format!(
                    "{idle} iterations without a new note or a change in the working tree ({tree})"
                ),
                TreeState::NoRepository => format!(
                    "{idle} iterations without a new note (not a git repository, so changes of files do not count)"
                ),
                TreeState::Unknown(why) => format!(
                    "{idle} iterations without a new note (changes in the working tree do not count: {why})"
                ),
            });
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
