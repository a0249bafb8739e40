//! What the operating system gives: files that take the place of others, locks with a deadline, links of git worktrees.

pub mod file;
pub mod lock;
pub mod mutex;
pub mod worktree;
