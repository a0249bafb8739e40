//! What xtask and the tools share: steps and their list of what was not checked, programs of other registries, and what
//! measuring needs.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

pub mod measure;
pub mod random;
pub mod registries;
pub mod release;
pub mod served;
pub mod steps;
pub mod unchecked;

use anyhow::Result;

/// Runs a program with the words of its command line, and says at its end what was not checked.
///
/// # Errors
/// What `run` returns.
pub fn main(run: impl FnOnce(&[&str]) -> Result<()>) -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = run(&words);
    unchecked::print();
    done
}
