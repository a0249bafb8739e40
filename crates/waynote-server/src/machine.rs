//! The check for dead processes, which the program passes to the server: the server itself does not ask the system.

use std::sync::Arc;

use waynote::event::ProcessIdentity;

/// Tells whether a process is dead; none for a process of another machine, where this one cannot tell.
pub type DeadProcesses = Arc<dyn Fn(&ProcessIdentity) -> Option<bool> + Send + Sync>;

/// A borrowed [`DeadProcesses`].
pub(crate) type IsDead<'a> = &'a (dyn Fn(&ProcessIdentity) -> Option<bool> + Send + Sync);
