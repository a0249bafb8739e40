//! Asking a person before something that cannot be undone.

use std::io::{self, IsTerminal, Write};

use crate::error::{Failure, KEPT, Outcome, complain};

/// Asks before something that cannot be undone, after the lines that say what would happen. A refusal where there is
/// no terminal, or when the answer is not yes.
pub(super) fn ask(risk: &str, before: &str, question: &str) -> Outcome {
    if !can_ask() {
        let what = format!("{risk}, and there is no terminal to confirm it");
        return Err(Failure::refused("not_confirmed", what, "add `--yes`"));
    }
    if !before.is_empty() {
        complain(before);
    }
    match is_yes(question)? {
        true => Ok(()),
        false => Err(Failure::refused(KEPT, "nothing was changed", "")),
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

/// Asks where yes is the default; only a no is one, or the end of the input.
pub(super) fn is_no(question: &str) -> Outcome<bool> {
    let answer = answered(&format!("{question} [Y/n] "))?;
    let word = answer.trim().to_lowercase();
    Ok(answer.is_empty() || matches!(word.as_str(), "n" | "no"))
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
