//! Why a loop stopped, in words, and as an exit code.

use waynote::event::IterationOutcome;
use waynote::text::plural;
use waynote::{Author, SessionState};
use waynote_loop::{Stop, signal_name};

use crate::error::BLOCKED;

/// 0 if the loop ended as requested, else a code of its own, above those of other refusals.
pub(super) fn exit_code(stop: &Stop) -> u8 {
    match stop {
        Stop::Iterations(_)
        | Stop::Time
        | Stop::Until(_)
        | Stop::Completed(_)
        | Stop::Requested(_) => 0,
        Stop::Stalled { .. } => 3,
        Stop::Blocked(_) => BLOCKED,
        Stop::Failed(_) | Stop::FailedAtOnce(..) => 5,
        // As shells tell it.
        Stop::Interrupted(signal) => u8::try_from(128 + signal).unwrap_or(1),
        // A reason that this program does not know.
        _ => 1,
    }
}

/// The state of the session after the loop, and why it stopped.
pub(super) fn headline(stop: &Stop) -> String {
    let state = SessionState::after(stop.reason());
    match stop {
        Stop::Requested(_) => format!("{state}, {}", line(stop)),
        _ => format!("{state}: {}", line(stop)),
    }
}

/// Why, in one line.
pub(super) fn line(stop: &Stop) -> String {
    match stop {
        Stop::Iterations(1) => "the requested iteration is done".into(),
        Stop::Iterations(count) => format!("the {count} requested iterations are done"),
        Stop::Time => "the time limit was reached".into(),
        Stop::Until(text) => format!("the agent printed `{text}`"),
        Stop::Completed(_) => "the agent says that all is done".into(),
        Stop::Blocked(_) => "the agent asked a question".into(),
        Stop::Stalled { iterations, .. } => {
            let iterations = plural(*iterations as u64, "iteration");
            format!("{iterations} without progress")
        }
        Stop::Failed(IterationOutcome::NotStarted) => {
            "the agent could not be started in any attempt".into()
        }
        Stop::Failed(how @ IterationOutcome::Signalled { .. }) => {
            format!("the agent was {how} in every attempt")
        }
        Stop::Failed(how) => format!("the agent {how} in every attempt"),
        Stop::Interrupted(signal) => signal_name(*signal),
        Stop::FailedAtOnce(how, times) => {
            format!("the agent {how} at once, {times} times in a row")
        }
        Stop::Requested(by) => match Author::of(by) {
            Author::Person => "as you asked".into(),
            _ => format!("as {by} asked"),
        },
        other => other.reason().to_string(),
    }
}

/// The reason of the stop, in lines.
pub(super) fn details(stop: &Stop) -> Vec<String> {
    match stop {
        Stop::Completed(text) | Stop::Blocked(text) => text.lines().map(str::to_owned).collect(),
        Stop::Stalled { evidence, .. } => evidence.clone(),
        _ => Vec::new(),
    }
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
        .map(|how| line(&Stop::Failed(how)));
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
