//! Helpers for the operating system: replacing files, locks with a deadline and their holders, free space, git
//! worktrees.

pub mod file;
#[cfg(feature = "sqlite")]
pub(crate) mod holder;
pub mod lock;
#[cfg(feature = "sqlite")]
pub(crate) mod room;
pub mod worktree;
