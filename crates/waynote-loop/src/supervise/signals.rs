//! The signals that ask the loop to end, as events instead of a sudden death.

use std::sync::Arc;
use std::sync::mpsc::channel;

use parking_lot::Mutex;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals as Iterator};

use waynote_system::process;

use crate::error::{Error, Result};

/// Requests to end the loop: the signals of the process, from [`Signals::listen`] until this is dropped, or those sent
/// to [`Signals::sender`].
pub struct Signals {
    heard: Arc<Mutex<SignalState>>,
    thread: Option<Handle>,
}

type Listener = Box<dyn Fn(i32) + Send>;

#[derive(Default)]
struct SignalState {
    first: Option<i32>,
    listener: Option<Listener>,
}

impl SignalState {
    fn take(&mut self, signal: i32) {
        self.first.get_or_insert(signal);
        if let Some(listener) = &self.listener {
            listener(signal);
        }
    }
}

impl Signals {
    /// Those of the process: Ctrl-C, SIGTERM, and the terminal that is gone; but not what the process was started to
    /// ignore (`nohup`).
    ///
    /// # Errors
    /// [`waynote::Error::File`] when the system refuses.
    pub fn listen() -> Result<Self> {
        let mut wanted = vec![SIGINT, SIGTERM, SIGHUP];
        wanted.retain(|signal| !process::ignores(*signal));
        let failed = |error| Error::file("signals", "listened to", error);
        let mut signals = Iterator::new(wanted).map_err(failed)?;
        let heard = Arc::new(Mutex::new(SignalState::default()));
        let thread = signals.handle();
        let inside = Arc::clone(&heard);
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                for signal in signals.forever() {
                    inside.lock().take(signal);
                }
            })
            .map_err(failed)?;
        Ok(Self {
            heard,
            thread: Some(thread),
        })
    }

    /// Only those that are sent, none of the process.
    pub fn none() -> Self {
        Self {
            heard: Arc::default(),
            thread: None,
        }
    }

    /// Ends the loop from another thread as a signal of that number would.
    pub fn sender(&self) -> impl Fn(i32) + Send + 'static {
        let heard = Arc::clone(&self.heard);
        move |signal| heard.lock().take(signal)
    }

    /// The first signal that asked the loop to end.
    pub fn asked(&self) -> Option<i32> {
        self.heard.lock().first
    }

    /// Calls the listener with every signal, also with an earlier one, until the returned guard is dropped.
    pub(super) fn each(&self, listener: impl Fn(i32) + Send + 'static) -> ListenerGuard<'_> {
        let mut heard = self.heard.lock();
        if let Some(first) = heard.first {
            listener(first);
        }
        heard.listener = Some(Box::new(listener));
        ListenerGuard(self)
    }

    /// Waits for that long, or until a signal asks to end.
    pub fn wait(&self, duration: Duration) -> Option<i32> {
        let (sender, signals) = channel();
        let _listening = self.each(move |signal| {
            let _ = sender.send(signal);
        });
        signals.recv_timeout(duration).ok()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        if let Some(thread) = &self.thread {
            thread.close();
        }
    }
}

/// Removes the listener on drop.
pub(super) struct ListenerGuard<'s>(&'s Signals);

impl Drop for ListenerGuard<'_> {
    fn drop(&mut self) {
        self.0.heard.lock().listener = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_a_signal_or_its_time() {
        let signals = Signals::none();
        assert_eq!(signals.wait(Duration::from_millis(1)), None);
        assert_eq!(signals.asked(), None);
        let send = signals.sender();
        let sender = std::thread::spawn(move || send(SIGTERM));
        assert_eq!(signals.wait(Duration::from_secs(600)), Some(SIGTERM));
        sender.join().unwrap();
        signals.sender()(SIGINT);
        assert_eq!(signals.asked(), Some(SIGTERM), "the first counts");
        assert_eq!(signals.wait(Duration::from_secs(600)), Some(SIGTERM));
    }
}
