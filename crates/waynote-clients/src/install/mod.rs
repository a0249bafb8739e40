//! Setting waynote up in a client's files, and taking it back to the byte.

pub(crate) mod plan;
pub(crate) mod record;
mod renew;
pub(crate) mod state;
