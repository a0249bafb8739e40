//! Helpers for the operating system: replacing files, locks with a deadline and who holds them, room on a disk, git
//! worktrees.

pub mod file;
#[cfg(feature = "sqlite")]
pub(crate) mod holder;
pub mod lock;
#[cfg(feature = "sqlite")]
pub(crate) mod room;
pub mod worktree;
