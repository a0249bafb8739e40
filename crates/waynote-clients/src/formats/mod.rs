//! The formats of clients' files: an entry of ours is put in and taken out.
//!
//! [`entry`] says what is written, [`refusal`] why a file is left alone. Below are the editors of each format; [`edit`]
//! chooses among them. No client is known here.

pub(crate) mod edit;
pub(crate) mod entry;
pub(crate) mod hook_command;
pub(crate) mod json;
pub(crate) mod refusal;
pub(crate) mod source;
pub(crate) mod toml;
