//! The three kinds of note, as callers use them, over any store: by directory, by key, by iteration of a loop.

pub mod found;
pub mod instead;
pub mod listing;
pub mod loops;
pub mod moved;
pub mod named;
pub mod notebook;
pub mod places;
pub mod scope_list;
pub mod session_log;
pub mod session_status;
pub mod single;
pub mod stands;
pub mod tend;
