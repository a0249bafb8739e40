//! A store in a file of its own: open it, share it, and lock it.

pub(super) mod acknowledged;
pub(super) mod alone;
pub(super) mod files;
pub(super) mod fold;
pub(super) mod frozen;
pub(super) mod head;
pub(super) mod open;
pub(super) mod pool;
pub(super) mod pooled;
pub(super) mod queue;
pub(super) mod second_name;
pub(super) mod shared_room;
pub(super) mod side_files;
