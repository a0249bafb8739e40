//! One thread writes the changes of notes that many requests wait for (saving, undoing, redoing, restoring, and
//! batches).
//!
//! A request that waits for its change blocks no thread: when dozens of clients write at once, waking a thread for each
//! takes longer than the change itself. Calls that arrive while one transaction is committed are gathered for the next.

use std::sync::Arc;

use parking_lot::Mutex;

use tokio::sync::oneshot;
use waynote::change::Applied;
use waynote::store::ApplyCall;
use waynote::{Result, Store};

use crate::problem::{Answer, Problem};
use crate::told::Told;

/// Combines the changes that requests bring at the same time into one write of a store.
pub(crate) struct Writer {
    store: Told,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    calls: Vec<ApplyCall>,
    /// The channels for the answers, one for each call.
    requests: Vec<oneshot::Sender<Result<Vec<Applied>>>>,
    /// True if a thread is writing, or about to.
    is_running: bool,
}

impl Writer {
    pub(crate) fn new(store: Told) -> Self {
        Self {
            store,
            waiting: Mutex::default(),
        }
    }

    /// Carries out a call, together with those of other requests if there are any. The call is carried out even if its
    /// request is gone.
    pub(crate) async fn apply(self: &Arc<Self>, call: ApplyCall) -> Answer<Result<Vec<Applied>>> {
        let (request, answer) = oneshot::channel();
        let starts = {
            let mut waiting = self.waiting.lock();
            waiting.calls.push(call);
            waiting.requests.push(request);
            !std::mem::replace(&mut waiting.is_running, true)
        };
        if starts {
            self.start();
        }
        answer.await.map_err(|_| Problem::internal())
    }

    fn start(self: &Arc<Self>) {
        let writer = Arc::clone(self);
        tokio::task::spawn_blocking(move || writer.run());
    }

    /// Writes the waiting calls. Calls that arrive during the write are for the next thread, which begins when all of
    /// these are answered.
    fn run(self: &Arc<Self>) {
        let (calls, requests) = {
            let mut waiting = self.waiting.lock();
            let calls = std::mem::take(&mut waiting.calls);
            (calls, std::mem::take(&mut waiting.requests))
        };
        let mut requests: Vec<_> = requests.into_iter().map(Some).collect();
        // Dropped even if a call panics: that request gets no answer, but the next ones are still written.
        let mut next = Some(Next(self));
        let mut left = calls.len();
        self.store.apply_each(&calls, &mut |index, answer| {
            if let Some(request) = requests.get_mut(index).and_then(Option::take) {
                // The request may be gone.
                let _ = request.send(answer);
                left -= 1;
            }
            if left == 0 {
                // The store may have more to do, but no request waits for that.
                next = None;
            }
        });
    }
}

/// Starts another thread for waiting calls, if there are any, when it is dropped.
struct Next<'w>(&'w Arc<Writer>);

impl Drop for Next<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        if waiting.calls.is_empty() {
            waiting.is_running = false;
        } else {
            drop(waiting);
            self.0.start();
        }
    }
}
