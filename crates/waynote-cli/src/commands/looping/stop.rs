//! Why a loop stops, and what that means for whoever waits for it.

use std::process::ExitCode;

use waynote::event::{EndReason, IterationOutcome};
use waynote::stall::{Progress, RecurringProblem};

use crate::error::BLOCKED;
use crate::iterate::tree::Tree;

/// Why a loop stopped, with what it stopped for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// As many iterations as were asked for.
    Iterations(u64),
    /// The time was over.
    Time,
    /// The text was in the agent's output.
    Until(String),
    /// The agent's summary.
    Completed(String),
    /// The agent's question.
    Blocked(String),
    /// The evidence, a line each.
    Stalled(Vec<String>),
    /// How the agent failed at last.
    Failed(IterationOutcome),
    /// The signal's number.
    Interrupted(i32),
}

impl Stop {
    pub(super) fn reason(&self) -> EndReason {
        match self {
            Self::Iterations(_) => EndReason::Iterations,
            Self::Time => EndReason::Time,
            Self::Until(_) => EndReason::Until,
            Self::Completed(_) => EndReason::Completed,
            Self::Blocked(_) => EndReason::Blocked,
            Self::Stalled(_) => EndReason::Stalled,
            Self::Failed(_) => EndReason::Failed,
            Self::Interrupted(_) => EndReason::Interrupted,
        }
    }

    /// 0 where it went as it was asked to; else a code of its own, above those of other refusals.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Iterations(_) | Self::Time | Self::Until(_) | Self::Completed(_) => 0,
            Self::Stalled(_) => 3,
            Self::Blocked(_) => BLOCKED,
            Self::Failed(_) => 5,
            // As shells tell it.
            Self::Interrupted(signal) => u8::try_from(128 + signal).unwrap_or(1),
        }
    }

    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code())
    }

    /// In one line.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Iterations(1) => "the iteration that was asked for is done".into(),
            Self::Iterations(count) => {
                format!("the {count} iterations that were asked for are done")
            }
            Self::Time => "its time is over".into(),
            Self::Until(text) => format!("the agent said `{text}`"),
            Self::Completed(_) => "the agent says that all is done".into(),
            Self::Blocked(_) => "the agent needs an answer".into(),
            Self::Stalled(_) => "it stalls: going on would only cost".into(),
            Self::Failed(IterationOutcome::NotStarted) => {
                "the agent could not be started in any attempt".into()
            }
            Self::Failed(how @ IterationOutcome::Signalled { .. }) => {
                format!("the agent was {how} in every attempt")
            }
            Self::Failed(how) => format!("the agent {how} in every attempt"),
            Self::Interrupted(signal) => format!("interrupted ({})", signal_name(*signal)),
        }
    }

    /// What the log keeps of it beside the reason and what the agent said.
    pub(super) fn kept(&self) -> Option<String> {
        match self {
            Self::Stalled(evidence) => Some(evidence.join("\n")),
            Self::Interrupted(signal) => Some(signal_name(*signal)),
            _ => None,
        }
    }

    /// What it stopped for, in lines.
    pub(super) fn details(&self) -> Vec<String> {
        match self {
            Self::Completed(text) | Self::Blocked(text) => {
                text.lines().map(str::to_owned).collect()
            }
            Self::Stalled(evidence) => evidence.clone(),
            _ => Vec::new(),
        }
    }
}

fn signal_name(signal: i32) -> String {
    match signal {
        1 => "SIGHUP".into(),
        2 => "SIGINT".into(),
        15 => "SIGTERM".into(),
        other => format!("signal {other}"),
    }
}

/// Sees whether a loop stalls.
pub(super) struct Stall {
    /// How often is too often; 0: never.
    limit: usize,
    /// Iterations in a row that brought nothing.
    idle: usize,
    tree: Tree,
}

impl Stall {
    /// `tree` is the working tree before the first iteration.
    pub(super) fn new(limit: usize, tree: Tree) -> Self {
        Self {
            limit,
            idle: 0,
            tree,
        }
    }

    /// Takes in what an iteration brought; the evidence, when it is enough.
    pub(super) fn after(&mut self, progress: &Progress, tree: Tree) -> Option<Vec<String>> {
        if self.limit == 0 {
            return None;
        }
        let is_changed = tree != self.tree;
        self.tree = tree;
        self.idle = match progress.new_notes == 0 && !is_changed {
            true => self.idle + 1,
            false => 0,
        };
        let walls = progress.walls.iter();
        let mut evidence: Vec<String> = walls
            .filter(|wall| wall.iterations.len() >= self.limit)
            .map(same_wall)
            .collect();
        if self.idle >= self.limit {
            evidence.push(match &self.tree {
                Tree::Known(tree) => format!(
                    "{} iterations brought no new note and no change of the working tree ({tree})",
                    self.idle
                ),
                Tree::None => format!(
                    "{} iterations brought no new note (no git repository here: files are not looked at)",
                    self.idle
                ),
                Tree::Unknown(why) => format!(
                    "{} iterations brought no new note; of the working tree nothing is known: {why}",
                    self.idle
                ),
            });
        }
        (!evidence.is_empty()).then_some(evidence)
    }
}

fn same_wall(wall: &RecurringProblem) -> String {
    let iterations: Vec<String> = wall.iterations.iter().map(|of| format!("#{of}")).collect();
    let preview = waynote::visible::visible(&wall.note.preview);
    format!(
        "stuck at the same in {}: {preview} ({})",
        iterations.join(", "),
        wall.note.address
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_an_agent_failed_is_said_in_a_sentence() {
        let said = [
            IterationOutcome::Exited { code: 1 },
            IterationOutcome::Signalled { signal: 9 },
            IterationOutcome::TimedOut,
            IterationOutcome::NotStarted,
        ]
        .map(|how| Stop::Failed(how).line());
        assert_eq!(
            said,
            [
                "the agent failed (exit code 1) in every attempt",
                "the agent was killed (signal 9) in every attempt",
                "the agent timed out in every attempt",
                "the agent could not be started in any attempt",
            ]
        );
    }
}
