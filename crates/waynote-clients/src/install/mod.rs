//! Setting waynote up in a client's files, and taking it back.

pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod state;
