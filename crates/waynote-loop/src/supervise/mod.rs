//! Running an agent's process and all that it starts: the command line, the process group, the streams, the signals that
//! end it, and a guard for the case that the loop itself is killed.

pub(crate) mod attempt;
#[cfg(test)]
mod attempt_tests;
pub(crate) mod command;
pub(crate) mod group;
pub(crate) mod guard;
pub(crate) mod signals;
mod streams;
pub(crate) mod tail;
pub(crate) mod until;
