//! What the server is told about its machine, since it asks nobody itself.

use std::sync::Arc;

use waynote::event::ProcessIdentity;

/// Tells whether a process is known to be dead. One of another machine never is.
pub type DeadProcesses = Arc<dyn Fn(&ProcessIdentity) -> bool + Send + Sync>;

/// The same, borrowed.
pub(crate) type IsDead<'a> = &'a (dyn Fn(&ProcessIdentity) -> bool + Send + Sync);
