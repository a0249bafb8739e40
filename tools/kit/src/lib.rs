//! Shared by xtask and the tools: steps and their list of unchecked things, programs of other registries, work at once,
//! and measuring.

#![allow(clippy::disallowed_methods, reason = "measuring needs the clock")]

pub mod at_once;
pub mod measure;
pub mod process;
pub mod random;
pub mod registries;
pub mod release;
pub mod served;
pub mod steps;
pub mod unchecked;

use anyhow::Result;

/// Runs a program with the words of its command line, and prints at its end the list of unchecked things.
///
/// # Errors
/// The error of `run`.
pub fn main(run: impl FnOnce(&[&str]) -> Result<()>) -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = run(&words);
    unchecked::print();
    done
}
