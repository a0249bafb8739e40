//! Services that a loop needs from the program that runs it.

use std::sync::Arc;

use jiff::Timestamp;

use crate::observer::Observer;
use crate::supervise::guard::Guard;
use crate::supervise::signals::Signals;

/// Services that a loop needs from the program that runs it.
#[non_exhaustive]
pub struct Host<'h> {
    /// The clock for all records.
    pub clock: &'h dyn Fn() -> Timestamp,
    /// Receives the loop's notices and the agent's output.
    pub observer: Arc<dyn Observer>,
    /// Signals that end the loop in order.
    pub signals: Signals,
    /// Ends the agent when this process is killed. Without it the agent runs on then.
    pub guard: Option<Guard>,
    /// True if the loop may take over orphans of the agent and reap every child that has ended: only for a process that
    /// starts no other children while the loop runs. Without it, processes that the agent leaves in its group are
    /// killed when it ends, without time to end by themselves.
    pub owns_children: bool,
    /// Takes the session from a loop on another machine, which is known to be dead.
    pub take_over: bool,
}

impl<'h> Host<'h> {
    /// A host without an observer, a guard or signals.
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
