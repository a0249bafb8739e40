//! The store of whoever answers questions, and what is heard of it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use waynote::Version;
use waynote_remote::{End, News};

use crate::opened::Opened;
use crate::settings::Settings;

/// How often a database is asked whether something has happened.
const POLL: Duration = Duration::from_millis(500);

/// How long one connection to a server is read. One that was lost without a sign is found out then.
const STREAM: Duration = Duration::from_secs(30);

/// The first pause after a lost connection; it doubles up to the longest.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What was heard of the store.
pub(super) enum Heard {
    News(News),
    /// Nothing is heard any more.
    Lost,
}

/// The store, and what is heard of it.
pub(super) struct Source {
    pub(super) opened: Arc<Opened>,
    /// What stands for the token that it was opened with.
    pub(super) token: Option<String>,
    pub(super) news: Receiver<Heard>,
    /// None for a store on a server, which reports what happens.
    poll: Option<Poll>,
    /// Whether everything that happens is heard of.
    pub(super) hears: bool,
    /// Whether something has happened that is not in the answers.
    pub(super) is_new: bool,
    pub(super) asked: Option<Instant>,
}

/// What is known of a database, which reports nothing.
struct Poll {
    version: Option<Version>,
    next: Instant,
    pause: Duration,
}

impl Poll {
    fn new() -> Self {
        Self {
            version: None,
            next: Instant::now(),
            pause: PAUSE,
        }
    }

    /// Asks for the version when it is time: whether it is another one. None where the database is away.
    fn look(&mut self, opened: &Opened) -> Option<bool> {
        if self.next > Instant::now() {
            return self.version.is_some().then_some(false);
        }
        let version = opened.store().version().ok();
        let is_new = version != self.version;
        let wait = match version {
            Some(_) => {
                self.pause = PAUSE;
                POLL
            }
            None => {
                let pause = self.pause;
                self.pause = (pause * 2).min(LONGEST_PAUSE);
                pause
            }
        };
        self.next = Instant::now() + wait;
        self.version = version;
        self.version.is_some().then_some(is_new)
    }
}

impl Source {
    /// Opens the store. `gone` is called as soon as no answer may be used before the store was asked again.
    pub(super) fn open(
        settings: &Settings,
        token: Option<String>,
        gone: impl Fn() + Send + 'static,
    ) -> Option<Self> {
        let opened = Arc::new(Opened::at_the_first_call(settings).ok()?);
        let (sender, news) = channel();
        let is_remote = opened.remote().is_some();
        if is_remote {
            let listened = Arc::clone(&opened);
            thread::Builder::new()
                .name("waynote-feed".into())
                .spawn(move || listen(&listened, &sender, gone))
                .ok()?;
        }
        Some(Self {
            opened,
            token,
            news,
            poll: (!is_remote).then(Poll::new),
            hears: false,
            is_new: true,
            asked: None,
        })
    }

    /// Takes in what was heard. Returns whether no answer may be used before the store was asked again.
    pub(super) fn take_in(&mut self, heard: Vec<Heard>) -> bool {
        let mut is_gone = false;
        if let Some(poll) = &mut self.poll {
            let looked = poll.look(&self.opened);
            is_gone = looked.is_none() && self.hears;
            self.hears = looked.is_some();
            self.is_new |= looked.unwrap_or_default();
        }
        for heard in heard {
            match heard {
                Heard::News(news) => {
                    self.hears = true;
                    self.is_new = true;
                    is_gone |= news == News::Forgotten;
                }
                Heard::Lost => {
                    self.hears = false;
                    is_gone = true;
                }
            }
        }
        is_gone
    }
}

/// Passes on what happens in a store on a server, until nobody wants to know.
fn listen(opened: &Opened, to: &Sender<Heard>, gone: impl Fn()) {
    let Some(store) = opened.remote() else {
        return;
    };
    let mut pause = PAUSE;
    loop {
        let followed = store.follow(STREAM, |news| {
            if news == News::Forgotten {
                gone();
            }
            to.send(Heard::News(news)).is_ok()
        });
        match followed {
            Ok(End::Unwanted) => return,
            Ok(End::TimeOver) => pause = PAUSE,
            Ok(End::Lost) | Err(_) => {
                gone();
                if to.send(Heard::Lost).is_err() {
                    return;
                }
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}
