//! The interface between the server and the program that runs it.

use jiff::Timestamp;
use waynote::event::EventAddress;
use waynote::store::Damage;
use waynote::{Allowance, Store};

use crate::reply::Refusal;

/// The store, the time, and whether the program's settings allow writing.
pub trait Host: Send + Sync + 'static {
    /// The store. If it cannot be opened when the server starts, a later call must be able to open it: a store's error
    /// is the reply to one call, and the next call tries again.
    fn store(&self) -> &(dyn Store + Send + Sync);

    /// The time.
    fn now(&self) -> Timestamp;

    /// The loop inside which the client works ([`Stamp::lease`](waynote::Stamp::lease)), if it works in one.
    fn lease(&self) -> Option<EventAddress> {
        None
    }

    /// How much the calls may read, and whether somebody still waits for their answers. None: no limit.
    fn allowance(&self) -> Option<&Allowance> {
        None
    }

    /// Asked before every write.
    ///
    /// # Errors
    /// A refusal that says why writing is not allowed.
    fn may_write(&self) -> Result<(), Refusal>;

    /// Runs after every call: a program can report here the store's notices, and the damage in the data that the call
    /// read.
    fn after_call(&self, _damage: &Damage) {}
}
