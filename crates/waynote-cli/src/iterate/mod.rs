//! What `waynote loop` is made of, apart from the store: the prompt, the agent's command, one attempt of it, and what
//! a person sees meanwhile.

#![cfg_attr(
    not(test),
    expect(dead_code, reason = "the command that calls this is not there yet")
)]

pub(crate) mod command;
pub(crate) mod prompt;
