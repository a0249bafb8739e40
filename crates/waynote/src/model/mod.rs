//! Values: what a note, its address, a change of it and an event of a session are. They check and print themselves.

pub mod address;
pub mod author;
pub mod change;
pub mod content;
pub(crate) mod entry_type;
pub mod error;
pub mod event;
pub mod forget;
pub mod id;
pub mod key;
pub mod limits;
pub mod note;
pub mod place;
pub(crate) mod report;
pub mod scope;
pub(crate) mod secret_policy;
mod serde_text;
