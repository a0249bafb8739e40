//! Backups of a store, and checks of it.

pub(super) mod backup;
pub(super) mod part;
pub(super) mod restore;
pub(super) mod verify;
pub(super) mod verify_rows;
