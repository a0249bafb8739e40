//! Locking what threads share. A panic in another thread leaves nothing here that could not be used.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, whatever became of the thread that held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
