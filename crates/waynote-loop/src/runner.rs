//! A loop that runs: one iteration after another, until something stops it.

use std::time::{Duration, Instant};

use waynote::context::Renderer;
use waynote::event::{EndReason, IterationOutcome};
use waynote::loops::{self, Loop, LoopStart};
use waynote::secrets::masked;
use waynote::session_state::{self, AgentSignal};
use waynote::{Position, Stamp, Store, stall};

use crate::attempts::{AllAttempts, Attempts, TimeLimit};
use crate::backoff::Backoff;
use crate::error::Result;
use crate::host::Host;
use crate::identity;
use crate::observer::Notice;
use crate::plan::Plan;
use crate::stall::StallWatch;
use crate::stop::Stop;
use crate::summary::{RunRemainder, Summary, notes_by_type};
use crate::supervise::group;

/// A running loop, which holds the session. Dropped before [`LoopRunner::end`], it leaves the session as a killed loop
/// does: the next one finds it dead and goes on.
pub struct LoopRunner<'p> {
    plan: &'p Plan,
    store: &'p dyn Store,
    host: Host<'p>,
    run: Loop<'p>,
    /// Iterations of its run that are done.
    done: u64,
    time: TimeLimit,
    /// The number of its first iteration.
    first: i64,
    renderer: Renderer,
    stall: StallWatch,
    /// Iterations in a row that took no time.
    hasty: u32,
}

impl<'p> LoopRunner<'p> {
    /// Takes the session. `answer` is a person's answer to the question that the last loop stopped with.
    ///
    /// # Errors
    /// [`waynote::LoopError::LoopRunning`] when another loop has the session; [`waynote::LoopError::Unanswered`] when a
    /// question is open and no answer is given, [`waynote::LoopError::NothingAsked`] for an answer where none is;
    /// [`waynote::Error::HoldsSecret`] for a credential in the answer; [`waynote::Error::Busy`],
    /// [`waynote::Error::ReadOnly`], [`waynote::Error::DiskFull`], [`waynote::Error::DamagedStore`] or
    /// [`waynote::Error::Engine`] when the store cannot be written.
    pub fn begin(
        plan: &'p Plan,
        store: &'p dyn Store,
        host: Host<'p>,
        answer: Option<&str>,
    ) -> Result<Self> {
        if host.owns_children {
            group::adopt_orphans();
        }
        let take_over = host.take_over;
        let is_dead = |process: &_| match take_over && !identity::is_known_to_live(process) {
            true => Some(true),
            false => identity::known_dead(process),
        };
        let directory = plan.directory.display().to_string();
        let mut start = LoopStart::new(identity::current(), directory, &is_dead);
        start.iterations = plan.iterations;
        start.answer = answer;
        let stamp = plan.stamp((host.clock)());
        let stamp = stamp.by(answer.map(|_| identity::writer()));
        let run = Loop::begin(store, plan.session.clone(), start, &stamp)?;
        let first = run.next_iteration()?;
        Ok(Self {
            done: run.done_before(),
            stall: StallWatch::new(plan.stall, plan.work()),
            hasty: 0,
            plan,
            store,
            host,
            run,
            time: TimeLimit {
                begun: Instant::now(),
                limit: plan.time,
            },
            first,
            renderer: Renderer::default(),
        })
    }

    /// The number of the event that gave it the session, for [`Store::heartbeat`].
    pub fn lease(&self) -> u64 {
        self.run.lease()
    }

    /// Runs iterations until something stops it. Its result is for [`LoopRunner::end`].
    ///
    /// # Errors
    /// Errors of the prompt's files, the agent's command, the logs or the store by then.
    pub fn run(&mut self) -> Result<Stop> {
        if let (Some(all), done @ 1..) = (self.plan.iterations, self.done) {
            self.notice(&Notice::Resumed { done, all });
        }
        let work = self.stall.work();
        if let (1.., Some(why)) = (self.plan.stall, work.unseen()) {
            let has_tasks = work.tasks.is_some();
            self.notice(&Notice::FilesDoNotCount { why, has_tasks });
        }
        loop {
            if let Some(signal) = self.host.signals.asked() {
                return Ok(Stop::Interrupted(signal));
            }
            if self.time.is_over() {
                return Ok(Stop::Time);
            }
            let begun = Instant::now();
            if let Some(stop) = self.iteration()? {
                return Ok(stop);
            }
            self.done += 1;
            if Some(self.done) == self.plan.iterations {
                return Ok(Stop::Iterations(self.done));
            }
            if let Some(signal) = self.slow_down(begun.elapsed()) {
                return Ok(Stop::Interrupted(signal));
            }
        }
    }

    /// Waits after many short iterations in a row, if the run has no limit: an agent that returns at once is a mistake,
    /// and shall not go on a hundred times a second.
    fn slow_down(&mut self, took: Duration) -> Option<i32> {
        const AT_ONCE: Duration = Duration::from_secs(1);
        const OFTEN: u32 = 10;
        if self.plan.iterations.is_some() || took >= AT_ONCE {
            self.hasty = 0;
            return None;
        }
        self.hasty += 1;
        let wait = Backoff::new(AT_ONCE, u32::MAX).after(self.hasty.checked_sub(OFTEN)? + 1)?;
        let wait = self.time.at_most(wait);
        self.notice(&Notice::SlowedDown {
            iterations: self.hasty,
            wait,
        });
        self.host.signals.wait(wait)
    }

    /// Gives the session back and sums up. An error of the run is recorded, and returned after that.
    ///
    /// # Errors
    /// That of the run; [`waynote::LoopError::LeaseLost`] when another loop has taken the session;
    /// [`waynote::Error::Busy`], [`waynote::Error::ReadOnly`], [`waynote::Error::DiskFull`],
    /// [`waynote::Error::DamagedStore`] or [`waynote::Error::Engine`] when the store cannot be written.
    pub fn end(self, stop: Result<Stop>) -> Result<Summary> {
        let stamp = self.stamp();
        let (reason, kept) = match &stop {
            Ok(stop) => (stop.reason(), stop.kept()),
            Err(error) => (EndReason::Error, Some(error.to_string())),
        };
        let kept = kept.map(|kept| masked(&kept).into_owned());
        let ended = self.run.end(reason, kept, &stamp);
        let stop = stop?;
        ended?;
        let session = &self.plan.session;
        let mut iterations = loops::iterations(self.store, session, usize::MAX)?;
        iterations.retain(|of| of.number >= self.first);
        let last = iterations.last().map_or(self.first, |of| of.number);
        Ok(Summary {
            notes: notes_by_type(self.store, session, self.first, last)?,
            session: session.clone(),
            stop,
            iterations,
            duration: self.time.begun.elapsed(),
            left: self.plan.iterations.map(|all| RunRemainder {
                iterations: all.saturating_sub(self.done),
                all,
            }),
        })
    }

    /// One iteration, from its prompt to what it brought.
    fn iteration(&mut self) -> Result<Option<Stop>> {
        let number = self.run.next_iteration()?;
        let (session, now) = (&self.plan.session, (self.host.clock)());
        let parts = &self.plan.prompt;
        let (prompt, block) =
            parts.of_iteration(self.store, &mut self.renderer, session, (number, now), None)?;
        let before = self.store.version()?.position;
        let logs = self.plan.logs.as_ref();
        let log = logs.map(|logs| logs.file(session, number)).transpose()?;
        // Ages in the block are as of this time.
        let stamp = self.plan.stamp(now);
        self.run.start_iteration(block, &stamp)?;
        // Idle work, best effort: the agent works for minutes now.
        let _ = self.store.checkpoint();
        self.notice(&Notice::IterationStarted { iteration: number });
        let begun = Instant::now();
        let attempts = Attempts {
            plan: self.plan,
            store: self.store,
            host: &self.host,
            time: self.time,
            iteration: number,
            lease: self.run.lease(),
            prompt: &prompt,
            log: log.as_ref(),
            is_first: number == self.first,
        };
        let AllAttempts { last, count, said } = attempts.run();
        let (outcome, stop, last_line) = match &last {
            Ok(last) => (last.outcome, last.stop.clone(), last.last_line.clone()),
            Err(_) => (IterationOutcome::NotStarted, None, None),
        };
        let end = loops::IterationEnd::new(outcome, begun.elapsed(), count).said(said);
        let stamp = self.stamp();
        // The agent's signal counts while its iteration is the live one.
        let signal = session_state::last_signal(self.store, session)?;
        self.run.end_iteration(number, end, &stamp)?;
        last?;
        let stop = match (stop, signal) {
            (Some(Stop::Interrupted(signal)), _) => Some(Stop::Interrupted(signal)),
            (_, Some(AgentSignal::Blocked(question))) => Some(Stop::Blocked(question)),
            (_, Some(AgentSignal::Completed(summary))) => Some(Stop::Completed(summary)),
            (stop, _) => stop,
        };
        if stop.is_some() {
            return Ok(stop);
        }
        match session_state::stop_requested(self.store, session)? {
            Some(by) if Some(self.done + 1) != self.plan.iterations => {
                Ok(Some(Stop::Requested(by)))
            }
            _ => self.stalled(before, last_line),
        }
    }

    fn stalled(
        &mut self,
        before: Option<Position>,
        last_line: Option<String>,
    ) -> Result<Option<Stop>> {
        if self.plan.stall == 0 {
            return Ok(None);
        }
        let (session, author) = (&self.plan.session, &self.plan.agent_author);
        let progress = stall::since(self.store, session, author, before)?;
        Ok(self.stall.after(&progress, self.plan.work(), last_line))
    }

    fn stamp(&self) -> Stamp {
        self.plan.stamp((self.host.clock)())
    }

    fn notice(&self, notice: &Notice<'_>) {
        self.host.observer.notice(notice);
    }
}
