//! Rows: read, put and erase them, and see whether they are whole.

pub(super) mod checksum;
pub(super) mod damage;
pub(super) mod erase;
pub(super) mod events;
pub(super) mod feed;
pub(super) mod handle;
pub(super) mod index;
pub(super) mod journal;
pub(super) mod put;
pub(super) mod query;
pub(super) mod read;
pub(super) mod recent;
pub(super) mod scopes;
