//! Work that several threads do at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Works on things, so many at a time, in their order; the results in the order in which they came.
pub fn at_once<T: Send, R: Send>(
    many: usize,
    things: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let things = Mutex::new(things.into_iter().collect::<Vec<_>>().into_iter());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..many.max(1) {
            scope.spawn(|| {
                loop {
                    let next = lock(&things).next();
                    let Some(thing) = next else { return };
                    let result = work(thing);
                    lock(&results).push(result);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a lock, also after a thread that held it has panicked.
pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
