//! The output of a loop for a person: a line for each event, and a status line under the agent's output.

use std::time::Duration;

use waynote::loops;
use waynote::store::Recent;
use waynote::text::{plural, shell_word};
use waynote::{EntryType, Scope};
use waynote_loop::{Attempt, Notice, Observer, Plan, Stream};

use super::screen::Screen;
use crate::duration::{rounded, to_the_second};
use crate::error::{Outcome, say, say_coloured};
use crate::session_view;

/// Shows what a loop does.
pub(super) struct Show {
    screen: Screen,
    /// True if standard output is only for the summary, as JSON.
    is_json: bool,
}

impl Show {
    pub(super) fn new(is_json: bool) -> Self {
        Self {
            screen: match is_json {
                true => Screen::on_standard_error(),
                false => Screen::new(),
            },
            is_json,
        }
    }

    fn line(&self, text: &str) {
        if !self.is_json {
            say(text);
        }
    }
}

impl Observer for Show {
    fn notice(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Running {
                iteration,
                elapsed,
                notes,
            } => self.screen.draw(&status(*iteration, *elapsed, *notes)),
            Notice::Waiting { next, left, said } => {
                let said = said.map_or(String::new(), |said| format!(" · {said}"));
                self.screen.draw(&format!(
                    "iteration {} · {} in {}{said}",
                    next.iteration,
                    attempt(*next),
                    to_the_second(*left)
                ));
            }
            Notice::StatusEnded => self.screen.erase(),
            Notice::Resumed { done, all } => {
                self.line(&format!("continuing: {done} of {all} iterations are done"));
            }
            Notice::IterationStarted { iteration } => {
                self.line(&format!("── iteration {iteration} ──"));
            }
            Notice::Retrying {
                next,
                outcome,
                wait,
                said,
            } => {
                self.line(&format!(
                    "iteration {}: {outcome}; {} in {}",
                    next.iteration,
                    attempt(*next),
                    rounded(*wait)
                ));
                if let Some(said) = said {
                    self.line(&format!("  failed with: {said}"));
                }
            }
            Notice::WantsTerminal => self.line(
                "the agent was ended: it tried to read from the terminal, and in a loop nobody answers there",
            ),
            Notice::LogIncomplete { iteration, error } => {
                self.line(&format!("the log of iteration {iteration} is incomplete: {error}"));
            }
            Notice::SlowedDown { iterations, wait } => self.line(&format!(
                "{iterations} iterations in a row took less than a second; the next one starts in {} (with `--iterations N` it starts at once)",
                rounded(*wait)
            )),
            _ => {}
        }
    }

    fn output(&self, stream: Stream, bytes: &[u8]) {
        self.screen.pass(stream, bytes);
    }

    fn watches_time(&self) -> bool {
        self.screen.has_status()
    }
}

/// `iteration 4 · 2m 13s · 3 notes added`
fn status(iteration: i64, elapsed: Duration, notes: u64) -> String {
    format!(
        "iteration {iteration} · {} · {} added",
        to_the_second(elapsed),
        plural(notes, "note")
    )
}

fn attempt(next: Attempt) -> String {
    format!("attempt {} of {}", next.number, next.limit)
}

/// How many open notes of each type are shown before the first iteration, at most.
const SHOWN: usize = 10;

/// Shows the session as it is before the first iteration: its latest iterations, and its latest open notes by type.
pub(super) fn session(plan: &Plan, store: &dyn waynote::Store) -> Outcome {
    let colour = session_view::stderr_has_colour();
    let iterations = loops::iterations(store, &plan.session, usize::MAX)?;
    let mut notes = Vec::new();
    for kind in EntryType::ALL {
        let latest = Recent::Entries {
            session: plan.session.clone(),
            kind,
            before: None,
            open: true,
        };
        let mut latest = store.recent(&latest, 0, SHOWN)?;
        latest.reverse();
        notes.extend(latest);
    }
    let text = session_view::iterations(&iterations, false, colour)
        + &session_view::notes(&notes, colour, true);
    if text.is_empty() {
        return Ok(());
    }
    say_coloured(text.trim_end());
    let all = store.count(&Scope::Session(plan.session.clone()))?;
    if all > notes.len() as u64 {
        say(&format!(
            "\n{} of {all} notes: `waynote --session {} log show` has all",
            notes.len(),
            shell_word(plan.session.as_str())
        ));
    }
    say("");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let line = |seconds, notes| status(4, Duration::from_secs(seconds), notes);
        assert_eq!(line(133, 3), "iteration 4 · 2m 13s · 3 notes added");
        assert_eq!(line(0, 0), "iteration 4 · 0s · 0 notes added");
        assert_eq!(line(3_725, 1), "iteration 4 · 1h 02m 05s · 1 note added");
    }
}
