//! What a loop needs of the program that runs it.

use std::sync::Arc;

use jiff::Timestamp;

use crate::observer::Observer;
use crate::supervise::guard::Guard;
use crate::supervise::signals::Signals;

/// What a loop needs of the program that runs it.
#[non_exhaustive]
pub struct Host<'h> {
    /// The time: what is recorded bears it.
    pub clock: &'h dyn Fn() -> Timestamp,
    /// Who hears what happens.
    pub observer: Arc<dyn Observer>,
    /// What ends the loop in order.
    pub signals: Signals,
    /// Ends the agent when this process is killed. Without it the agent runs on then.
    pub guard: Option<Guard>,
    /// Whether the loop may take over orphans of the agent and reap every child that has ended. Only for a process that
    /// starts no other children while the loop runs. Without it, what the agent leaves behind in its process group is
    /// killed when it ends, without time to end by itself.
    pub owns_children: bool,
    /// Takes the session from a loop on another machine, which is known to be dead.
    pub take_over: bool,
}

impl<'h> Host<'h> {
    /// A host that nobody watches and no signal ends.
    pub fn new(clock: &'h dyn Fn() -> Timestamp) -> Self {
        Self {
            clock,
            observer: Arc::new(()),
            signals: Signals::none(),
            guard: None,
            owns_children: false,
            take_over: false,
        }
    }
}
