//! What `waynote loop` is made of, apart from the store: the prompt, the agent's command, one attempt of it, and what
//! a person sees meanwhile.

pub(crate) mod agent;
#[cfg(test)]
mod agent_tests;
pub(crate) mod backoff;
pub(crate) mod command;
pub(crate) mod group;
pub(crate) mod guard;
pub(crate) mod logs;
pub(crate) mod prompt;
pub(crate) mod said;
pub(crate) mod signals;
pub(crate) mod sources;
pub(crate) mod status;
mod streams;
pub(crate) mod tree;
pub(crate) mod until;
