//! Files that several programs use: replaced in one step, read up to a limit, locked with a deadline. Also the main
//! checkout of a linked git worktree.

pub mod lock;
pub mod worktree;

mod file;

pub use file::{
    belong_to_folder, contents, followed, make_folder, make_private, open_regular, put_inside,
    read_up_to, real, replace_private, spelled, take_after,
};
