//! Helpers for the operating system: replacing files, locks with a deadline, git worktrees.

pub mod file;
pub mod lock;
pub mod mutex;
pub mod worktree;
