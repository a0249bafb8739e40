//! The output of a loop for a person: a line for each event, and a status line under the agent's output.

use std::time::Duration;

use waynote::loops;
use waynote::store::Recent;
use waynote::text::plural;
use waynote::{EntryType, Name, Scope};
use waynote_loop::{Notice, Observer, Plan, Stream};

use super::screen::Screen;
use crate::duration::{rounded, to_the_second};
use crate::error::{Outcome, say, say_coloured, title};
use crate::{clock, session_view, when};

/// Shows what a loop does.
pub(super) struct Show {
    screen: Screen,
    /// True if standard output is only for the summary, as JSON.
    is_json: bool,
    session: String,
}

impl Show {
    pub(super) fn new(is_json: bool, session: &Name) -> Self {
        Self {
            screen: Screen::new(is_json),
            is_json,
            session: session.to_string(),
        }
    }

    fn line(&self, text: &str) {
        if !self.is_json {
            say(&timed(text));
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
            Notice::StatusEnded => self.screen.erase(),
            Notice::Resumed { done, all } => {
                self.line(&format!("continuing: {done} of {all} iterations are done"));
            }
            Notice::FilesDoNotCount { why, has_tasks } => {
                let list = if *has_tasks { " and the task list" } else { "" };
                self.line(&format!("only new notes{list} count as progress: {why}"));
            }
            Notice::IterationStarted { iteration } => {
                title(&format!("{} #{iteration}", self.session), false);
                self.line(&format!("── iteration {iteration} ──"));
            }
            Notice::Retrying {
                next,
                outcome,
                wait,
                said,
            } => {
                let (wait, number, limit) = (rounded(*wait), next.number, next.limit);
                let then = format!("attempt {number} of {limit} in {wait}");
                self.line(&format!("iteration {}: {outcome}; {then}", next.iteration));
                if let Some(said) = said {
                    self.line(&format!("failed with: {said}"));
                }
            }
            Notice::WantsTerminal => self.line(
                "the agent was ended: it tried to read from the terminal, and no person answers in a loop",
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
    let (elapsed, notes) = (to_the_second(elapsed), plural(notes, "note"));
    format!("iteration {iteration} · {elapsed} · {notes} added")
}

/// A line of the loop's log, with the time.
pub(super) fn timed(text: &str) -> String {
    let now = clock::now().map(when::clock).unwrap_or_default();
    format!("{now} {text}")
}

/// How many open notes of each type are shown before the first iteration, at most.
const SHOWN: usize = 10;

/// Shows the loop that begins (its session, its agent, its limits, and where its output goes), then the session as it is:
/// its latest iterations, and its latest open notes by type.
pub(super) fn begin(plan: &Plan, agent: &str, store: &dyn waynote::Store) -> Outcome {
    let session = session_view::named(&plan.session);
    let stall = (plan.stall > 0).then(|| format!("{} without progress", plan.stall));
    let limits = [
        plan.iterations.map(|all| plural(all, "iteration")),
        plan.time.map(rounded),
        plan.iteration_time
            .map(|each| format!("{} an iteration", rounded(each))),
        stall,
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    let limits = match limits.as_slice() {
        [] => "no limit".into(),
        limits => format!("at most {}", limits.join(", ")),
    };
    let output = match &plan.logs {
        Some(logs) => format!("output in {}", logs.folder().display()),
        None => "output below".into(),
    };
    let (notebook, day) = (&plan.prompt.notes.agent, when::minute(clock::now()?));
    say(&timed(&format!(
        "session {session}, {day}{}: {agent} as agent {notebook}; {limits}; {output}",
        when::zone()
    )));
    let iterations = loops::iterations(store, &plan.session, usize::MAX)?;
    let mut notes = Vec::new();
    for kind in EntryType::ALL {
        let latest = Recent::Entries {
            session: plan.session.clone(),
            kind,
            before: None,
            open: true,
        };
        notes.extend(store.recent(&latest, 0, SHOWN)?.into_iter().rev());
    }
    if let Some(last) = iterations.last() {
        let all = plural(store.count(&Scope::Session(plan.session.clone()))?, "note");
        say(&timed(&format!("resuming after #{} ({all})", last.number)));
    }
    let colour = session_view::stderr_has_colour();
    let text = session_view::iterations(&iterations, false, colour)
        + &session_view::notes(&notes, colour, true);
    if !text.is_empty() {
        say_coloured(text.trim_end());
        say("");
    }
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
