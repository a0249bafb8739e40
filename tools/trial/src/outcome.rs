//! One run: a trap, an arm, an agent, and what came of it.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use kit::random::Random;
use serde::Serialize;

use crate::clients::{Agent, Client};
use crate::home::{Arm, Delivery, Home};
use crate::traps::Trap;

/// Parts of the names of tools that change files. What comes with the change itself comes too late for it.
const CHANGES: [&str; 5] = ["edit", "write", "patch", "replace", "create"];

/// What is the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Setting<'s> {
    pub(crate) agent: Agent,
    pub(crate) client: Client,
    pub(crate) waynote: &'s Path,
    /// How many other notes a store has.
    pub(crate) others: usize,
    pub(crate) keep: bool,
}

/// What came of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Outcome {
    pub(crate) trap: String,
    pub(crate) kind: String,
    pub(crate) arm: Arm,
    pub(crate) seed: u64,
    /// The visible tests pass.
    pub(crate) is_done: bool,
    /// The task is done, and the hidden tests fail.
    pub(crate) is_mistaken: bool,
    /// The note that is tried, or its placebo, was there whole before the files that decide were changed.
    pub(crate) was_delivered: bool,
    /// How often that note was told at tools.
    pub(crate) tried_at_tools: usize,
    /// How many other notes were told: at a start, for a path, after a failure.
    pub(crate) others_at_start: usize,
    pub(crate) others_of_paths: usize,
    pub(crate) others_of_failures: usize,
    pub(crate) tokens_at_start: usize,
    pub(crate) tokens_at_tools: usize,
    pub(crate) seconds: f64,
}

impl Setting<'_> {
    /// Runs a trap once.
    pub(crate) fn run(&self, trap: &Trap, arm: Arm, seed: u64) -> Result<Outcome> {
        let name = || format!("{} in arm {}, seed {seed}", trap.name, arm.word());
        let home = Home::new(self, trap, arm, seed).with_context(name)?;
        // Arms of one run have the same store, but chances of their own.
        let own = Random::of(seed, arm as u64).number();
        let begin = Instant::now();
        let said = home.does(&self.agent, trap, own).with_context(name)?;
        let seconds = begin.elapsed().as_secs_f64();
        let project = home.project();
        let decided = trap.decided_at(&project).unwrap_or(u128::MAX);
        let deliveries = home.deliveries().with_context(name)?;
        let is_done = trap.is_done(&project)?;
        let mut outcome = Outcome {
            trap: trap.name.clone(),
            kind: trap.kind.clone(),
            arm,
            seed,
            is_done,
            is_mistaken: is_done && !trap.is_right(&project)?,
            seconds,
            ..Outcome::default()
        };
        for delivery in deliveries {
            outcome.count(&delivery, &home.tried, decided);
        }
        if self.keep {
            println!("{}: {}", name(), home.keep(&said)?.display());
        }
        Ok(outcome)
    }
}

impl Outcome {
    fn count(&mut self, delivery: &Delivery, tried: &[String], decided: u128) {
        let is_at_tool = delivery.event.contains("Tool");
        let tool = delivery.action.split(' ').next().unwrap_or_default();
        let tool = tool.to_lowercase();
        let is_change = CHANGES.iter().any(|part| tool.contains(part));
        let is_before = delivery.at <= decided && !is_change;
        let is_tried = |address: &String| tried.contains(address);
        let (those, others): (Vec<_>, Vec<_>) = delivery
            .notes
            .iter()
            .partition(|told| is_tried(&told.address));
        self.was_delivered |= is_before && those.iter().any(|told| told.is_whole());
        if is_at_tool {
            self.tried_at_tools += those.len();
            let failed = delivery.event.contains("Failure");
            let count = if failed {
                &mut self.others_of_failures
            } else {
                &mut self.others_of_paths
            };
            *count += others.len();
            self.tokens_at_tools += delivery.tokens;
        } else {
            self.others_at_start += others.len();
            self.tokens_at_start += delivery.tokens;
        }
    }

    pub(crate) fn tokens(&self) -> usize {
        self.tokens_at_start + self.tokens_at_tools
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_note_is_in_time_if_it_is_whole_and_before_the_change() {
        let tried = ["place:~/project/src".to_owned()];
        for (event, action, at, shown, expected) in [
            ("PreToolUse", "Read /p/src/x", 5, "whole", true),
            ("PostToolUseFailure", "Bash make", 5, "whole", true),
            ("SessionStart", "", 5, "whole", true),
            ("SessionStart", "", 5, "line", false),
            ("PreToolUse", "Read /p/src/x", 11, "whole", false),
            ("PreToolUse", "Write /p/src/x", 5, "whole", false),
            ("PreToolUse", "apply_patch /p/src/x", 5, "whole", false),
        ] {
            let delivery: Delivery = serde_json::from_value(json!({
                "at": at, "event": event, "action": action, "tokens": 7,
                "notes": [
                    { "address": tried[0], "shown": shown },
                    { "address": "place:~/project/src#other", "shown": "whole" },
                ],
            }))
            .unwrap();
            let mut outcome = Outcome::default();
            outcome.count(&delivery, &tried, 10);
            let others = [
                outcome.others_at_start,
                outcome.others_of_paths,
                outcome.others_of_failures,
            ];
            assert_eq!(
                outcome.was_delivered, expected,
                "{event} {action} {at} {shown}"
            );
            assert_eq!((outcome.tokens(), others.iter().sum()), (7, 1), "{event}");
        }
    }
}
