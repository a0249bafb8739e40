//! Asking a person before something that cannot be undone.

use std::io::{self, IsTerminal, Write};

use crate::error::{Failure, KEPT, Outcome, complain};

/// What a person has to confirm.
pub(super) struct Question<'q> {
    /// What would happen, and what to do where nobody can be asked.
    pub(super) risk: &'q str,
    pub(super) alone: &'q str,
    /// Said before the question; may be empty.
    pub(super) before: &'q str,
    pub(super) question: &'q str,
    /// What did not happen without a yes, and a hint.
    pub(super) refused: &'q str,
    pub(super) hint: &'q str,
}

impl Question<'_> {
    /// Asks; a refusal where there is no terminal, or when the answer is not yes.
    pub(super) fn ask(&self) -> Outcome {
        let not_confirmed = |what: &str, hint| Err(Failure::refused("not_confirmed", what, hint));
        if !can_ask() {
            let what = format!("{}, and there is no terminal to confirm it", self.risk);
            return not_confirmed(&what, self.alone);
        }
        if !self.before.is_empty() {
            complain(self.before);
        }
        match is_yes(self.question)? {
            true => Ok(()),
            false => Err(Failure::refused(KEPT, self.refused, self.hint)),
        }
    }
}

/// True if a person can be asked: standard input and standard error are terminals.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks; only a yes is one.
pub(super) fn is_yes(question: &str) -> Outcome<bool> {
    let answer = answered(&format!("{question} [y/N] "))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The line that a person answers.
pub(super) fn answered(question: &str) -> Outcome<String> {
    let ask = || -> io::Result<String> {
        let mut terminal = io::stderr();
        terminal.write_all(question.as_bytes())?;
        terminal.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(answer)
    };
    ask().map_err(|error| Failure::file("terminal", "read", error))
}
