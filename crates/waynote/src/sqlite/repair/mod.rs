//! Copies of a store, and salvage from a damaged one.

pub(super) mod backup;
pub(super) mod part;
pub(super) mod restore;
pub(super) mod salvage;
pub(super) mod verify;
pub(super) mod verify_rows;
