//! A store in a file of its own: open it, share it, and lock it.

pub(super) mod head;
pub(super) mod open;
pub(super) mod pool;
pub(super) mod writer;
