//! Asking a person before something that cannot be undone.

use std::io::{self, IsTerminal, Write};

use crate::error::{Failure, Outcome};

/// True if a person can be asked: standard input and standard error are terminals.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks; only a yes is one.
pub(super) fn is_yes(question: &str) -> Outcome<bool> {
    let ask = || -> io::Result<String> {
        let mut terminal = io::stderr();
        write!(terminal, "{question} [y/N] ")?;
        terminal.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|error| Failure::file("terminal", "read", error))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
