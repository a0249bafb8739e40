//! What the server needs of the program that runs it.

use jiff::Timestamp;
use waynote::LocalStore;

use crate::reply::Refusal;

/// The store, the time, and what the program's settings say of writing.
pub trait Host: Send + Sync + 'static {
    /// The store. One that cannot be opened when the server starts must open at a later call: an error of the store is
    /// the answer to one call, and the next call tries again.
    fn store(&self) -> &(dyn LocalStore + Send + Sync);

    /// The time.
    fn now(&self) -> Timestamp;

    /// Asked before every write.
    ///
    /// # Errors
    /// Why nothing may be written.
    fn may_write(&self) -> Result<(), Refusal>;

    /// Called after every call: a program can say here what the store met on the way.
    fn after_call(&self) {}
}
