//! The value types: notes, addresses, changes and session events. They validate and print themselves.

pub mod address;
pub(crate) mod allowance;
pub(crate) mod as_of;
pub mod author;
pub mod change;
pub(crate) mod citation;
pub mod content;
pub(crate) mod entry_type;
pub mod error;
pub mod event;
pub mod forget;
pub mod id;
pub mod key;
pub mod limits;
pub(crate) mod lineage;
pub(crate) mod lists;
pub mod note;
pub mod place;
pub(crate) mod report;
pub mod scope;
pub(crate) mod secret_policy;
mod serde_text;
pub(crate) mod source;
pub(crate) mod stamp;
pub(crate) mod writer;
