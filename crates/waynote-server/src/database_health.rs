//! Whether a database answers. While it does not, it is asked once a second, and nobody else waits for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, Semaphore, watch};
use tokio::time::{sleep, timeout};
use waynote::error::{CustomError, ErrorClass};
use waynote::{Error, Result};

use crate::app::App;
use crate::problem::Answer;
use crate::visit::waiting;

/// The state of a database, and the tokens that counted there lately.
pub(crate) struct DatabaseHealth {
    /// The database in metrics and in the log.
    label: String,
    probe: Box<dyn Fn() -> Result<()> + Send + Sync>,
    /// The reason for which it is away.
    away: watch::Sender<Option<String>>,
    suspected: Notify,
    /// True if a call was not answered in time, until the database has been asked.
    is_suspected: AtomicBool,
    looks: Arc<Semaphore>,
    /// When each counted last.
    known: Mutex<HashMap<[u8; 32], Instant>>,
}

/// How long anybody waits to be let in.
pub(crate) const LOOK: Duration = Duration::from_secs(3);

/// How long a writer waits for a database that is away: another server may be about to take over.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause before a database that is away is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// The look-ups at one time for callers who may be strangers: half of a database's connections.
const LOOKS: usize = 4;

/// For so long a token is remembered.
const KNOWN: Duration = Duration::from_secs(300);

/// The most tokens that are remembered.
const MOST: usize = 4096;

/// The kind of the errors of a database that is away.
const AWAY: &str = "server_away";

/// The error of a call that was not made, or not to its end.
#[derive(Debug, thiserror::Error)]
#[error("the database of this store does not answer")]
pub(crate) struct DatabaseAway;

impl CustomError for DatabaseAway {
    fn kind(&self) -> &'static str {
        AWAY
    }

    fn class(&self) -> ErrorClass {
        ErrorClass::Unreachable
    }

    fn advice(&self) -> Option<String> {
        Some("send it again later; the log of the server says why".into())
    }
}

impl DatabaseHealth {
    /// A database that is taken to answer, until a call fails. `probe` is a short call.
    pub(crate) fn new(
        label: String,
        probe: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            label,
            probe: Box::new(probe),
            away: watch::Sender::new(None),
            suspected: Notify::new(),
            is_suspected: AtomicBool::new(false),
            looks: Arc::new(Semaphore::new(LOOKS)),
            known: Mutex::default(),
        })
    }

    pub(crate) fn is_up(&self) -> bool {
        self.away.borrow().is_none()
    }

    /// True if it is away, or may be.
    pub(crate) fn may_be_away(&self) -> bool {
        self.is_suspected.load(Ordering::Relaxed) || !self.is_up()
    }

    /// The result of a call that decides whether a caller is let in, or [`DatabaseAway`]: at once if the database is known
    /// to be away, else within [`LOOK`]. Few of those calls run at one time, but for callers who are known.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        is_known: bool,
        call: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Answer<Result<T>> {
        let asked = async {
            let seat = match is_known {
                true => None,
                false => Some(self.looks.clone().acquire_owned().await),
            };
            let done = waiting(move || {
                let _seat = seat;
                call()
            });
            done.await
        };
        tokio::select! {
            biased;
            () = self.is(false) => {}
            done = asked => {
                if let Ok(Err(error)) = &done {
                    self.saw(error);
                }
                return done;
            }
            () = sleep(LOOK) => {
                self.is_suspected.store(true, Ordering::Relaxed);
                self.suspected.notify_one();
            }
        }
        Ok(Err(DatabaseAway.into()))
    }

    /// Takes the error of a call into account.
    pub(crate) fn saw(&self, error: &Error) {
        if is_away(error) {
            self.away.send_replace(Some(error.to_string()));
            self.suspected.notify_one();
        }
    }

    /// Waits until the database is in this state.
    async fn is(&self, up: bool) {
        let mut away = self.away.subscribe();
        let _ = away.wait_for(|away| away.is_none() == up).await;
    }

    /// Waits for a database that is away. True if it answers again.
    pub(crate) async fn comes_back(&self) -> bool {
        timeout(PATIENCE, self.is(true)).await.is_ok()
    }

    /// Asks the database as long as it is away, while the server runs.
    pub(crate) async fn watch(self: Arc<Self>, app: App) {
        loop {
            self.suspected.notified().await;
            let mut is_told = false;
            self.tell(&app, self.away.borrow().as_ref(), &mut is_told);
            loop {
                let away = self.failed(&app).await;
                // A call may have found it away meanwhile.
                self.tell(&app, self.away.borrow().as_ref(), &mut is_told);
                self.tell(&app, away.as_ref(), &mut is_told);
                let is_away = away.is_some();
                if is_told && !is_away {
                    app.log_event("database_back", self.label.clone());
                }
                self.away.send_replace(away);
                self.is_suspected.store(false, Ordering::Relaxed);
                if !is_away {
                    break;
                }
                sleep(AGAIN).await;
            }
        }
    }

    /// Logs once why it is away.
    fn tell(&self, app: &App, away: Option<&String>, is_told: &mut bool) {
        if let (Some(reason), false) = (away, *is_told) {
            *is_told = true;
            app.log_event("database_away", format!("{}: {reason}", self.label));
        }
    }

    /// The reason for which it is away; none if it answers.
    async fn failed(self: &Arc<Self>, app: &App) -> Option<String> {
        let (health, began) = (self.clone(), Instant::now());
        let probed = waiting(move || (health.probe)()).await.ok()?;
        let error = probed.err();
        app.metrics
            .call(&self.label, began.elapsed(), error.as_ref());
        error.filter(is_away).map(|error| error.to_string())
    }

    /// Remembers that a token counts at a store.
    pub(crate) fn note(&self, store: &str, token: Option<&str>) {
        let mut known = self.known.lock();
        if known.len() >= MOST {
            known.retain(|_, at| at.elapsed() < KNOWN);
        }
        if known.len() < MOST {
            known.insert(key(store, token), Instant::now());
        }
    }

    /// True if the token counted at that store a few minutes ago.
    pub(crate) fn knows(&self, store: &str, token: Option<&str>) -> bool {
        let known = self.known.lock();
        let at = known.get(&key(store, token));
        at.is_some_and(|at| at.elapsed() < KNOWN)
    }
}

fn key(store: &str, token: Option<&str>) -> [u8; 32] {
    Sha256::digest(format!("{store} {}", token.unwrap_or_default())).into()
}

pub(crate) fn is_away(error: &Error) -> bool {
    error.kind() == AWAY
}
