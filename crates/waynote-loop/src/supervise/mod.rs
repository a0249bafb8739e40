//! Running an agent's process and all that it starts: the command line, the process group, the streams, the signals that
//! end it, and a guard for the case that the loop itself is killed.

pub(crate) mod attempt;
#[cfg(test)]
mod attempt_tests;
pub(crate) mod command;
pub(crate) mod ending;
pub(crate) mod group;
pub(crate) mod guard;
pub(crate) mod signals;
pub(crate) mod stop_text;
mod streams;
pub(crate) mod tail;
