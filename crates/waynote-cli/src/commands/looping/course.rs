//! A loop that has begun: one iteration after another, until something stops it.

use std::ffi::OsString;
use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

use waynote::context::Renderer;
use waynote::event::{self, IterationOutcome as Ending};
use waynote::loops::{self, Loop, LoopStart, added};
use waynote::session_state::AgentSignal;
use waynote::store::LocalStore;
use waynote::{EntryType, Name, Position, Stamp, session_state, stall};

use crate::args::LoopArgs;
use crate::duration;
use crate::error::{Failure, Outcome, say};
use crate::inside;
use crate::iterate::agent::{self, Attempt, How, NotRun, Patience};
use crate::iterate::backoff::Backoff;
use crate::iterate::group;
use crate::iterate::guard::Guard;
use crate::iterate::said::Tail;
use crate::iterate::signals::Signals;
use crate::iterate::status::{Screen, status};
use crate::iterate::until::Until;
use crate::program;
use crate::variables;

use super::plan::Plan;
use super::stop::{Stall, Stop};
use super::summary::Summary;

/// A loop that has a session.
pub(super) struct Course<'p> {
    plan: &'p Plan,
    store: &'p dyn LocalStore,
    run: Loop<'p>,
    /// Iterations of its run that are done.
    done: u64,
    /// Whether standard output is for the summary alone.
    is_json: bool,
    begun: Instant,
    /// The number of its first iteration.
    first: i64,
    signals: Signals,
    guard: Guard,
    screen: Screen,
    renderer: Renderer,
    stall: Stall,
    /// Iterations in a row that took no time.
    hasty: u32,
}

/// What an attempt of an iteration came to, and the iteration with the last one.
struct Turn {
    ending: Ending,
    /// Why no further one follows, as far as the agent's process tells.
    stop: Option<Stop>,
    /// What the agent printed last, where it failed.
    said: Option<String>,
}

/// The attempts of an iteration.
struct Attempts {
    turn: Outcome<Turn>,
    count: u32,
    /// What the agent printed last at the last one that failed.
    said: Option<String>,
}

impl<'p> Course<'p> {
    pub(super) fn begin(
        plan: &'p Plan,
        store: &'p dyn LocalStore,
        args: &LoopArgs,
        is_json: bool,
    ) -> Outcome<Self> {
        // From here on a signal ends the loop in order.
        let signals = Signals::listen()?;
        group::adopt_orphans();
        let guard = Guard::start(guard()?)?;
        let begin = LoopStart {
            holder: inside::holder(),
            directory: plan.directory.display().to_string(),
            iterations: plan.iterations,
            answer: args.answer.as_deref(),
            is_dead: &|holder| {
                inside::is_dead(holder) || args.take_over && !inside::is_known_to_live(holder)
            },
        };
        let stamp = stamp(plan)?;
        let run = Loop::begin(store, plan.session.clone(), begin, &stamp)?;
        let first = run.next_iteration()?;
        Ok(Self {
            done: run.done_before(),
            stall: Stall::new(plan.stall, plan.tree()),
            hasty: 0,
            plan,
            store,
            run,
            is_json,
            begun: Instant::now(),
            first,
            signals,
            guard,
            screen: match is_json {
                true => Screen::on_standard_error(),
                false => Screen::new(),
            },
            renderer: Renderer::default(),
        })
    }

    /// Runs iterations until something stops it.
    pub(super) fn run(&mut self) -> Outcome<Stop> {
        if let (Some(all), 1..) = (self.plan.iterations, self.done) {
            self.tell(&format!(
                "going on: {} of {all} iterations are done",
                self.done
            ));
        }
        loop {
            if let Some(signal) = self.signals.asked() {
                return Ok(Stop::Interrupted(signal));
            }
            if self.time_left() == Some(Duration::ZERO) {
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
            if let Some(signal) = self.rest(begun.elapsed()) {
                return Ok(Stop::Interrupted(signal));
            }
        }
    }

    /// Nobody told how many iterations there shall be, and the agent returns at once, again and again: that is a mistake, which shall
    /// not go on a hundred times a second until somebody looks.
    fn rest(&mut self, took: Duration) -> Option<i32> {
        const AT_ONCE: Duration = Duration::from_secs(1);
        const OFTEN: u32 = 10;
        if self.plan.iterations.is_some() || took >= AT_ONCE {
            self.hasty = 0;
            return None;
        }
        self.hasty += 1;
        let wait = Backoff::new(AT_ONCE, u32::MAX).after(self.hasty.checked_sub(OFTEN)? + 1)?;
        let wait = self.time_left().map_or(wait, |left| wait.min(left));
        self.tell(&format!(
            "{} iterations in a row took less than a second; the next one in {} (`--iterations N` goes on at once)",
            self.hasty,
            duration::rounded(wait)
        ));
        self.signals.wait(wait)
    }

    /// Gives the session back and sums up; what went wrong on the way is told after that.
    pub(super) fn end(self, stop: Outcome<Stop>) -> Outcome<Summary> {
        let stamp = stamp(self.plan)?;
        let (reason, kept) = match &stop {
            Ok(stop) => (stop.reason(), stop.kept()),
            Err(failure) => (event::EndReason::Error, Some(failure.what())),
        };
        let kept = kept.map(|kept| waynote::secrets::masked(&kept).into_owned());
        let ended = self.run.end_with(reason, kept, &stamp);
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
            duration: self.begun.elapsed(),
            left: self
                .plan
                .iterations
                .map(|all| (all.saturating_sub(self.done), all)),
        })
    }

    /// One iteration, from its prompt to what it brought.
    fn iteration(&mut self) -> Outcome<Option<Stop>> {
        let number = self.run.next_iteration()?;
        let prompt = self.plan.prompt(self.store, &mut self.renderer, number)?;
        let before = self.store.version()?.position;
        let logs = self.plan.logs.as_ref();
        let log = logs
            .map(|logs| logs.file(&self.plan.session, number))
            .transpose()?;
        self.run.start_iteration(&stamp(self.plan)?)?;
        self.tell(&format!("── iteration {number} ──"));
        let begun = Instant::now();
        let Attempts { turn, count, said } = self.attempts(number, &prompt, log.as_ref());
        let (ending, stop) = match &turn {
            Ok(turn) => (turn.ending, turn.stop.clone()),
            Err(_) => (Ending::NotStarted, None),
        };
        let told = loops::IterationEnd {
            outcome: ending,
            duration: begun.elapsed(),
            attempts: count,
            said,
        };
        let stamp = stamp(self.plan)?;
        // What the agent said counts while its iteration is the live one.
        let said = session_state::said(self.store, &self.plan.session)?;
        self.run.end_iteration(number, told, &stamp)?;
        turn?;
        let stop = match (stop, said) {
            (Some(Stop::Interrupted(signal)), _) => Some(Stop::Interrupted(signal)),
            (_, Some(AgentSignal::Blocked(question))) => Some(Stop::Blocked(question)),
            (_, Some(AgentSignal::Completed(summary))) => Some(Stop::Completed(summary)),
            (stop, None) => stop,
        };
        match stop {
            Some(stop) => Ok(Some(stop)),
            None => self.stalled(before),
        }
    }

    fn stalled(&mut self, before: Option<Position>) -> Outcome<Option<Stop>> {
        if self.plan.stall == 0 {
            return Ok(None);
        }
        let author = self.plan.settings.agents_author()?;
        let progress = stall::since(self.store, &self.plan.session, &author, before)?;
        let evidence = self.stall.after(&progress, self.plan.tree());
        Ok(evidence.map(Stop::Stalled))
    }

    /// Starts the agent, and again when it fails.
    fn attempts(&mut self, number: i64, prompt: &str, log: Option<&File>) -> Attempts {
        let (mut count, mut said) = (0, None);
        let turn = loop {
            count += 1;
            let mut turn = match self.attempt(number, prompt, log) {
                Ok(turn) => turn,
                failed => break failed,
            };
            said = turn.said.take().or(said);
            if turn.stop.is_some() || turn.ending.is_success() {
                break Ok(turn);
            }
            let Some(wait) = self.plan.backoff.after(count) else {
                turn.stop = Some(Stop::Failed(turn.ending));
                break Ok(turn);
            };
            // An agent that said what it had to say is not asked again.
            if matches!(
                session_state::said(self.store, &self.plan.session),
                Ok(Some(_))
            ) {
                break Ok(turn);
            }
            let said = said.as_deref();
            if let Some(signal) = self.wait_for_next(number, turn.ending, count, wait, said) {
                turn.ending = Ending::Interrupted;
                turn.stop = Some(Stop::Interrupted(signal));
                break Ok(turn);
            }
            if self.time_left() == Some(Duration::ZERO) {
                turn.stop = Some(Stop::Time);
                break Ok(turn);
            }
        };
        Attempts { turn, count, said }
    }

    /// Waits before the next attempt, and says why; a signal ends it.
    fn wait_for_next(
        &self,
        number: i64,
        ending: Ending,
        attempts: u32,
        wait: Duration,
        said: Option<&str>,
    ) -> Option<i32> {
        let wait = self.time_left().map_or(wait, |left| wait.min(left));
        let next = format!(
            "attempt {} of {}",
            attempts + 1,
            self.plan.backoff.attempts()
        );
        let in_words = duration::rounded(wait);
        self.tell(&format!(
            "iteration {number}: {ending}; {next} in {in_words}"
        ));
        if let Some(said) = said {
            self.tell(&format!("  failed with: {said}"));
        }
        let said = said.map_or(String::new(), |said| format!(" · {said}"));
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            // A line is drawn anew each second, where somebody sees it.
            let step = match self.screen.has_status() {
                true => left.min(Duration::from_secs(1)),
                false => left,
            };
            self.screen.draw(&format!(
                "iteration {number} · {next} in {}{said}",
                duration::to_the_second(left)
            ));
            let signal = self.signals.wait(step);
            if signal.is_some() || step == left {
                self.screen.erase();
                return signal;
            }
        }
    }

    fn attempt(&mut self, number: i64, prompt: &str, log: Option<&File>) -> Outcome<Turn> {
        let plan = self.plan;
        let prepared = plan.agent.with_prompt(prompt)?;
        let environment = environment(plan, number)?;
        let times = [self.time_left(), plan.iteration_time];
        let most = times.into_iter().flatten().min();
        let log = log
            .map(|log| log.try_clone())
            .transpose()
            .map_err(|error| Failure::file("the log", "written", error))?;
        let (store, session, screen) = (self.store, &plan.session, &self.screen);
        let has_status = screen.has_status();
        let mut tick = |elapsed: Duration| {
            if has_status {
                let notes = added(store, session, number).unwrap_or_default();
                let notes = usize::try_from(notes).unwrap_or(usize::MAX);
                screen.draw(&status(number, elapsed, notes));
            }
        };
        tick(Duration::ZERO);
        let attempt = Attempt {
            prepared: &prepared,
            environment: &environment,
            directory: Some(&plan.directory),
            screen: log.is_none().then_some(screen),
            log,
            until: plan
                .until
                .as_deref()
                .and_then(|text| Until::new(text, prompt)),
            deadline: most.and_then(|most| Instant::now().checked_add(most)),
            patience: Patience::default(),
        };
        let ended = agent::run(attempt, &self.signals, Some(&self.guard), &mut tick);
        self.screen.erase();
        group::reap_orphans();
        let ended = match ended {
            Ok(ended) => ended,
            // A client that brings itself up to date is not there for a moment. One that never was is a mistake.
            Err(NotRun::Unusable(failure)) if number > self.first => {
                return Ok(Turn {
                    ending: Ending::NotStarted,
                    stop: None,
                    said: Some(failure.what()),
                });
            }
            Err(why) => return Err(why.into()),
        };
        if ended.how == How::WantsTerminal {
            self.tell("the agent wants to read from the terminal, which is not its own in a loop: it was ended");
        }
        if let Some(error) = ended.log_error {
            self.tell(&format!(
                "the log of iteration {number} is not whole: {error}"
            ));
        }
        let stop = match ended.how {
            How::Interrupted(signal) => Some(Stop::Interrupted(signal)),
            _ if ended.until_seen => plan.until.clone().map(Stop::Until),
            How::TimedOut if self.time_left() == Some(Duration::ZERO) => Some(Stop::Time),
            _ => None,
        };
        let reports_failure = |tail: &Tail| {
            plan.client
                .is_some_and(|client| client.reports_failure(&tail.lines()))
        };
        let ending = match ended.how {
            How::Exited(0) if stop.is_none() && reports_failure(&ended.tail) => Ending::Reported,
            How::Exited(code) => Ending::Exited { code },
            // It had done what it was there for.
            How::Signalled(_) if ended.until_seen => Ending::Exited { code: 0 },
            How::Signalled(signal) => Ending::Signalled { signal },
            How::WantsTerminal => Ending::Signalled {
                signal: signal_hook::consts::SIGTTIN,
            },
            // Of the loop's time, not of the attempt's.
            How::TimedOut if stop == Some(Stop::Time) => Ending::Interrupted,
            How::TimedOut => Ending::TimedOut,
            How::Interrupted(_) => Ending::Interrupted,
        };
        let has_failed = !ending.is_success() && ending != Ending::Interrupted;
        Ok(Turn {
            said: has_failed.then(|| ended.tail.why()).flatten(),
            ending,
            stop,
        })
    }

    /// How much of the loop's time is left, where it has a limit.
    fn time_left(&self) -> Option<Duration> {
        let time = self.plan.time?;
        Some(time.saturating_sub(self.begun.elapsed()))
    }

    fn tell(&self, text: &str) {
        if !self.is_json {
            say(text);
        }
    }
}

/// The command of the guard.
fn guard() -> Outcome<Command> {
    let mut command = Command::new(program::own()?);
    command.arg("loop-guard");
    Ok(command)
}

fn stamp(plan: &Plan) -> Outcome<Stamp> {
    let author = plan.settings.author.value.clone();
    let stamp = Stamp::new(crate::clock::now()?, author);
    Ok(stamp.allowing(plan.settings.secret_policy()))
}

/// What an agent and all that it starts are told.
fn environment(plan: &Plan, number: i64) -> Outcome<Vec<(String, OsString)>> {
    let settings = &plan.settings;
    let store = std::path::absolute(&settings.store.value)
        .map_err(|error| Failure::file(&settings.store.value, "found", error))?;
    let author = settings.agents_author()?;
    let ours: [(&str, OsString); 6] = [
        (variables::STORE, store.into()),
        (variables::SESSION, plan.session.as_str().into()),
        (variables::ITERATION, number.to_string().into()),
        (variables::AGENT, settings.agent.value.as_str().into()),
        (variables::AUTHOR, author.as_str().into()),
        (variables::LOOP, plan.session.as_str().into()),
    ];
    let ours = ours.map(|(name, value)| (name.to_owned(), value));
    Ok(ours
        .into_iter()
        .chain(plan.rights.environment.iter().cloned())
        .collect())
}

/// The new entries of these iterations by type.
fn notes_by_type(
    store: &dyn LocalStore,
    session: &Name,
    first: i64,
    last: i64,
) -> Outcome<Vec<(EntryType, u64)>> {
    let mut counts = Vec::new();
    for kind in EntryType::in_order(store.kinds(session)?) {
        let before = |iteration| store.count_entries(session, Some(&kind), Some(iteration), false);
        let count = before(last.saturating_add(1))?.saturating_sub(before(first)?);
        counts.push((kind, count));
    }
    Ok(counts)
}
