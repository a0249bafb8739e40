//! The allowance of one request: whether somebody still waits for its answer, and how much text it may read.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

thread_local! {
    static CURRENT: RefCell<Option<Allowance>> = const { RefCell::new(None) };
}

/// The allowance of one request: whether somebody still waits for its answer, and how much text it may read.
///
/// A server hands it in with [`Allowance::during`]. Loops over notes look at it, so a request ends soon after
/// [`Allowance::end`], with [`Error::Ended`]. Writes have none: what has begun is carried out.
#[derive(Clone, Debug)]
pub struct Allowance(Arc<AllowanceState>);

#[derive(Debug)]
struct AllowanceState {
    is_ended: AtomicBool,
    /// The bytes of texts that were read.
    read: AtomicU64,
    most: u64,
}

impl Allowance {
    /// An allowance to read texts of so many bytes.
    pub fn of(bytes: u64) -> Self {
        Self(Arc::new(AllowanceState {
            is_ended: AtomicBool::new(false),
            read: AtomicU64::new(0),
            most: bytes,
        }))
    }

    /// Ends the request, from any thread.
    pub fn end(&self) {
        self.0.is_ended.store(true, Ordering::Relaxed);
    }

    /// True if the request was ended.
    pub fn is_ended(&self) -> bool {
        self.0.is_ended.load(Ordering::Relaxed)
    }

    /// Runs `work` on this thread with the allowance.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        with(Some(self.clone()), work)
    }

    /// Runs `work` without an allowance, whatever this thread has.
    pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
        with(None, work)
    }

    fn current<T>(look: impl FnOnce(&Self) -> T) -> Option<T> {
        CURRENT.with_borrow(|current| current.as_ref().map(look))
    }

    /// Looks whether somebody still waits. Without an allowance on this thread, somebody does.
    ///
    /// # Errors
    /// [`Error::Ended`].
    pub fn check() -> Result<()> {
        match Self::current(Self::is_ended) {
            Some(true) => Err(Error::Ended),
            _ => Ok(()),
        }
    }

    /// Counts a text of so many bytes, which an engine has found and not copied yet.
    ///
    /// # Errors
    /// [`Error::TooMuchAsked`] over the allowance; [`Error::Ended`].
    pub fn take(bytes: usize) -> Result<()> {
        let taken = |allowance: &Self| {
            let bytes = bytes as u64;
            let read = allowance.0.read.fetch_add(bytes, Ordering::Relaxed) + bytes;
            let most = allowance.0.most;
            match read > most {
                true => Err(Error::TooMuchAsked {
                    what: "bytes of texts".into(),
                    asked: read,
                    most,
                }),
                false => Ok(()),
            }
        };
        Self::check()?;
        Self::current(taken).unwrap_or(Ok(()))
    }
}

fn with<T>(allowance: Option<Allowance>, work: impl FnOnce() -> T) -> T {
    /// Puts the former one back, even if the work panics.
    struct FormerAllowance(Option<Allowance>);
    impl Drop for FormerAllowance {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _former = FormerAllowance(CURRENT.replace(allowance));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_counts_for_its_work_alone() {
        let allowance = Allowance::of(10);
        let kind = |result: Result<()>| result.err().map(|error| error.kind().to_owned());
        allowance.during(|| {
            assert_eq!(kind(Allowance::take(6)), None);
            assert_eq!(kind(Allowance::take(4)), None);
            assert_eq!(kind(Allowance::take(1)), Some("too_much_asked".into()));
            assert_eq!(kind(Allowance::aside(|| Allowance::take(99))), None);
            allowance.end();
            assert_eq!(kind(Allowance::check()), Some("ended".into()));
            assert_eq!(kind(Allowance::aside(Allowance::check)), None);
        });
        assert_eq!(kind(Allowance::take(99)), None);
    }
}
