//! An event in words.

use std::fmt;

use super::SessionEvent;
use crate::error::safe;
use crate::text::plural;

/// One line, and below it the event's text. Credentials in it are masked.
impl fmt::Display for SessionEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoopStarted {
                holder,
                directory,
                iterations,
            } => {
                let (holder, directory) = (safe(holder), safe(directory));
                write!(f, "a loop started: {holder}, in {directory}")?;
                match iterations {
                    Some(iterations) => write!(f, ", for {}", plural(*iterations, "iteration")),
                    None => Ok(()),
                }
            }
            Self::LoopEnded { reason, detail } => {
                write!(f, "the loop ended: {reason}")?;
                below(f, detail.as_deref())
            }
            Self::IterationStarted { iteration, block } => {
                write!(f, "iteration {iteration} started")?;
                match block {
                    Some(block) => write!(f, ": {block}"),
                    None => Ok(()),
                }
            }
            Self::IterationEnded {
                iteration,
                outcome,
                duration_ms,
                attempts,
                notes_added,
                said,
            } => {
                write!(f, "iteration {iteration} ended: {outcome}")?;
                if let Some(duration) = duration_ms {
                    write!(f, ", after {}.{:03} s", duration / 1000, duration % 1000)?;
                }
                if *attempts > 1 {
                    write!(f, ", {attempts} attempts")?;
                }
                write!(f, ", {} added", plural(*notes_added, "note"))?;
                below(f, said.as_deref())
            }
            Self::Completed { iteration, summary } => {
                write!(
                    f,
                    "the agent said in iteration {iteration} that all is done:"
                )?;
                below(f, Some(summary))
            }
            Self::Blocked {
                iteration,
                question,
            } => {
                write!(f, "the agent asked a person in iteration {iteration}:")?;
                below(f, Some(question))
            }
            Self::Answered { answer } => {
                f.write_str("a person answered:")?;
                below(f, Some(answer))
            }
            Self::StopRequested => {
                f.write_str("a person asked the loop to stop after this iteration")
            }
            Self::Archived => f.write_str("the session was archived"),
            Self::Unarchived => f.write_str("the session was put back on the list"),
            Self::Resolved { entry, by } => write!(f, "entry {entry} was resolved by {by}"),
        }
    }
}

fn below(f: &mut fmt::Formatter<'_>, said: Option<&str>) -> fmt::Result {
    match said {
        Some(said) => write!(f, "\n{}", safe(said)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EndReason, IterationOutcome, ProcessIdentity};
    use super::*;

    #[test]
    fn each_event_says_what_happened() {
        // Assembled here, so that no scanner takes this file for a leak.
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let ended = |duration_ms, attempts, said| SessionEvent::IterationEnded {
            iteration: 2,
            outcome: IterationOutcome::Exited { code: 3 },
            duration_ms,
            attempts,
            notes_added: 1,
            said,
        };
        let started = |iterations| SessionEvent::LoopStarted {
            holder: ProcessIdentity::new("box", "b", 7, 1),
            directory: "/p".into(),
            iterations,
        };
        let all = [
            started(None),
            started(Some(5)),
            SessionEvent::IterationStarted {
                iteration: 2,
                block: None,
            },
            ended(None, 1, None),
            ended(Some(61_020), 2, Some(format!("no such key {token}"))),
            SessionEvent::Completed {
                iteration: 2,
                summary: "All tests pass.".into(),
            },
            SessionEvent::Blocked {
                iteration: 3,
                question: "Which port?\nOr none?".into(),
            },
            SessionEvent::Answered {
                answer: "8080".into(),
            },
            SessionEvent::StopRequested,
            SessionEvent::Archived,
            SessionEvent::Unarchived,
            SessionEvent::LoopEnded {
                reason: EndReason::Error,
                detail: Some("the disk is full".into()),
            },
            SessionEvent::LoopEnded {
                reason: EndReason::Iterations,
                detail: None,
            },
            SessionEvent::Resolved {
                entry: "03g56gadhc9giz28czyb1mrr5".parse().unwrap(),
                by: "03g56gadhc9giz28d00a2qtq9".parse().unwrap(),
            },
        ];
        let said: Vec<String> = all.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(said.join("\n"), @"
        a loop started: process 7 on box, in /p
        a loop started: process 7 on box, in /p, for 5 iterations
        iteration 2 started
        iteration 2 ended: failed (exit code 3), 1 note added
        iteration 2 ended: failed (exit code 3), after 61.020 s, 2 attempts, 1 note added
        no such key [masked: github-token]
        the agent said in iteration 2 that all is done:
        All tests pass.
        the agent asked a person in iteration 3:
        Which port?
        Or none?
        a person answered:
        8080
        a person asked the loop to stop after this iteration
        the session was archived
        the session was put back on the list
        the loop ended: error
        the disk is full
        the loop ended: iterations
        entry 03g56gadhc9giz28czyb1mrr5 was resolved by 03g56gadhc9giz28d00a2qtq9
        ");
    }
}
