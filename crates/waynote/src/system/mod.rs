//! Helpers for the operating system: who holds a lock, and how much room is left.

pub(crate) mod holder;
pub(crate) mod room;
