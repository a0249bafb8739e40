//! The attempts of one iteration: the agent is started, and again while it fails.

use std::fs::File;
use std::time::{Duration, Instant};

use waynote::Store;
use waynote::event::IterationOutcome;
use waynote::loops::added;
use waynote::secrets::masked;
use waynote::session_state;

use crate::environment;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::observer::{self, Notice};
use crate::plan::Plan;
use crate::stop::Stop;
use crate::supervise::attempt::{self, AgentEnd, Attempt, AttemptReport};
use crate::supervise::ending;
use crate::supervise::group::{self, Patience};
use crate::supervise::guard::Guard;
use crate::supervise::stop_text::StopText;

/// The time that a loop has.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimit {
    pub(crate) begun: Instant,
    pub(crate) limit: Option<Duration>,
}

impl TimeLimit {
    /// How much is left, where there is a limit.
    pub(crate) fn left(self) -> Option<Duration> {
        Some(self.limit?.saturating_sub(self.begun.elapsed()))
    }

    pub(crate) fn is_over(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// `wait`, or less if the loop's time ends before.
    pub(crate) fn at_most(self, wait: Duration) -> Duration {
        self.left().map_or(wait, |left| wait.min(left))
    }
}

/// Inputs of an iteration's attempts.
pub(crate) struct Attempts<'r> {
    pub(crate) plan: &'r Plan,
    pub(crate) store: &'r dyn Store,
    pub(crate) host: &'r Host<'r>,
    pub(crate) time: TimeLimit,
    pub(crate) iteration: i64,
    /// The number of the event that gave the loop its session.
    pub(crate) lease: u64,
    pub(crate) prompt: &'r str,
    pub(crate) log: Option<&'r File>,
    /// True while the agent never ran: a failure to start it is a mistake then.
    pub(crate) is_first: bool,
}

/// The result of an attempt, and of the iteration with the last one.
pub(crate) struct AttemptOutcome {
    pub(crate) outcome: IterationOutcome,
    /// Why no further one follows, as far as the agent's process tells.
    pub(crate) stop: Option<Stop>,
    /// The agent's last output, if it failed.
    said: Option<String>,
    /// The last line that it printed.
    pub(crate) last_line: Option<String>,
}

/// An attempt that takes less has failed at once: nothing was tried.
const AT_ONCE: Duration = Duration::from_secs(1);

/// So many attempts in a row that fail at once are no outage but a command that does not work.
const MOST_AT_ONCE: u32 = 5;

/// How often a running agent's session is looked at for its signal, in seconds.
const SIGNAL_SECONDS: u32 = 5;

/// The result of an iteration's attempts.
pub(crate) struct AllAttempts {
    pub(crate) last: Result<AttemptOutcome>,
    pub(crate) count: u32,
    /// The agent's last output at the last attempt that failed.
    pub(crate) said: Option<String>,
}

impl Attempts<'_> {
    /// Starts the agent, and again when it fails.
    pub(crate) fn run(&self) -> AllAttempts {
        let (mut count, mut said, mut at_once) = (0, None, 0);
        let last = loop {
            count += 1;
            let begun = Instant::now();
            let mut attempted = match self.once() {
                Ok(attempted) => attempted,
                failed => break failed,
            };
            said = attempted.said.take().or(said);
            if attempted.stop.is_some() || attempted.outcome.is_success() {
                break Ok(attempted);
            }
            at_once = match begun.elapsed() < AT_ONCE {
                true => at_once + 1,
                false => 0,
            };
            if at_once == MOST_AT_ONCE {
                attempted.stop = Some(Stop::FailedAtOnce(attempted.outcome, at_once));
                break Ok(attempted);
            }
            let Some(wait) = self.plan.backoff.after(count) else {
                attempted.stop = Some(Stop::Failed(attempted.outcome));
                break Ok(attempted);
            };
            // After its own signal to end, or a person's, the agent is not started again.
            let session = &self.plan.session;
            let signal = session_state::last_signal(self.store, session);
            let stop = session_state::stop_requested(self.store, session);
            if matches!(signal, Ok(Some(_))) || matches!(stop, Ok(Some(_))) {
                break Ok(attempted);
            }
            let said = said.as_deref();
            if let Some(signal) = self.wait_for_next(attempted.outcome, count, wait, said) {
                attempted.outcome = IterationOutcome::Interrupted;
                attempted.stop = Some(Stop::Interrupted(signal));
                break Ok(attempted);
            }
            if self.time.is_over() {
                attempted.stop = Some(Stop::Time);
                break Ok(attempted);
            }
        };
        AllAttempts { last, count, said }
    }

    /// Waits before the next attempt; a signal ends it.
    fn wait_for_next(
        &self,
        outcome: IterationOutcome,
        attempts: u32,
        wait: Duration,
        said: Option<&str>,
    ) -> Option<i32> {
        let observer = &self.host.observer;
        let wait = self.time.at_most(wait);
        let next = observer::Attempt {
            iteration: self.iteration,
            number: attempts + 1,
            limit: self.plan.backoff.attempts(),
        };
        observer.notice(&Notice::Retrying {
            next,
            outcome,
            wait,
            said,
        });
        self.host.signals.wait(wait)
    }

    fn once(&self) -> Result<AttemptOutcome> {
        let plan = self.plan;
        let prepared = plan.agent.with_prompt(self.prompt)?;
        let environment = environment::of_iteration(plan, self.iteration, self.lease)?;
        let times = [self.time.left(), plan.iteration_time];
        let most = times.into_iter().flatten().min();
        let log = self.log.map(File::try_clone).transpose();
        let log = log.map_err(|error| Error::file("the log", "written", error))?;
        let observer = &self.host.observer;
        let is_watched = observer.watches_time();
        let (mut ticks, mut has_signalled) = (0, false);
        let mut tick = |elapsed: Duration| {
            if is_watched {
                let notes = added(self.store, &plan.session, self.iteration).unwrap_or_default();
                observer.notice(&Notice::Running {
                    iteration: self.iteration,
                    elapsed,
                    notes,
                });
            }
            ticks += 1;
            if !has_signalled && ticks % SIGNAL_SECONDS == 0 {
                let signal = session_state::last_signal(self.store, &plan.session);
                has_signalled = matches!(signal, Ok(Some(_)));
            }
            has_signalled
        };
        let _ = tick(Duration::ZERO);
        let until = plan.prompt.until.as_deref();
        let attempt = Attempt {
            prepared: &prepared,
            environment: &environment,
            directory: Some(&plan.directory),
            observer: log.is_none().then(|| observer.clone()),
            log,
            until: until.and_then(StopText::new),
            deadline: most.and_then(|most| Instant::now().checked_add(most)),
            patience: Patience::default(),
        };
        let guard = self.host.guard.as_ref();
        let ended = attempt::run(attempt, &self.host.signals, guard, &mut tick);
        observer.notice(&Notice::StatusEnded);
        if self.host.owns_children {
            ending::end_descendants(guard.map(Guard::process), Patience::default().end);
            group::reap_orphans();
        }
        match ended {
            Ok(ended) => Ok(self.judged(&ended)),
            // A client that updates itself is missing for a moment. One that never ran is a mistake.
            Err(error @ Error::CannotStart { .. }) if !self.is_first => Ok(AttemptOutcome {
                outcome: IterationOutcome::NotStarted,
                stop: None,
                said: Some(masked(&error.to_string()).into_owned()),
                last_line: None,
            }),
            Err(error) => Err(error),
        }
    }

    /// The meaning of the agent's end for the iteration and the loop.
    fn judged(&self, ended: &AttemptReport) -> AttemptOutcome {
        let observer = &self.host.observer;
        if ended.how == AgentEnd::WantsTerminal {
            observer.notice(&Notice::WantsTerminal);
        }
        if let Some(error) = &ended.log_error {
            observer.notice(&Notice::LogIncomplete {
                iteration: self.iteration,
                error,
            });
        }
        let stop = match ended.how {
            AgentEnd::Interrupted(signal) => Some(Stop::Interrupted(signal)),
            _ if ended.until_seen => self.plan.prompt.until.clone().map(Stop::Until),
            AgentEnd::TimedOut if self.time.is_over() => Some(Stop::Time),
            _ => None,
        };
        let reports_failure = || {
            let reports_failure = self.plan.reports_failure;
            reports_failure.is_some_and(|reports_failure| reports_failure(&ended.tail.lines()))
        };
        let outcome = match ended.how {
            AgentEnd::Exited(0) if stop.is_none() && reports_failure() => {
                IterationOutcome::Reported
            }
            // Its work was over, and it was ended for that.
            AgentEnd::Exited(_) | AgentEnd::Signalled(_) if ended.was_dismissed => {
                IterationOutcome::Exited { code: 0 }
            }
            AgentEnd::Exited(code) => IterationOutcome::Exited { code },
            AgentEnd::Signalled(signal) => IterationOutcome::Signalled { signal },
            AgentEnd::WantsTerminal => IterationOutcome::Signalled {
                signal: signal_hook::consts::SIGTTIN,
            },
            // The loop's time ended it, not the attempt's.
            AgentEnd::TimedOut if stop == Some(Stop::Time) => IterationOutcome::Interrupted,
            AgentEnd::TimedOut => IterationOutcome::TimedOut,
            AgentEnd::Interrupted(_) => IterationOutcome::Interrupted,
        };
        let has_failed = !outcome.is_success() && outcome != IterationOutcome::Interrupted;
        AttemptOutcome {
            said: has_failed.then(|| ended.tail.why()).flatten(),
            last_line: ended.tail.last(),
            outcome,
            stop,
        }
    }
}
