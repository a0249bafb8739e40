//! Loops: a loop holds a session exclusively and runs its iterations one after another.

use std::time::Duration;

use crate::block::IterationBlock;
use crate::content::Content;
use crate::error::{Error, LoopError, PersonalAct, Result};
use crate::event::{EndReason, IterationOutcome, ProcessIdentity, RecordedEvent, SessionEvent};
use crate::key::{NAME_BYTES, Name};
use crate::model::secret_policy::SecretPolicy;
use crate::note::{EntryType, Stamp};
use crate::rules::person;
use crate::rules::session_events::{lost, running};
use crate::rules::session_state::{
    self, AgentSignal, Answer, Iteration, Question, done_in_run, entry_counts, fresh_answer,
    is_archived, last_iteration, live_iteration, open_question, stop_requested,
};
use crate::scope::Scope;
use crate::session_log::SessionLog;
use crate::store::{Ask, Store, answers};

/// The result of an iteration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct IterationEnd {
    /// How the agent ended in the last attempt.
    pub outcome: IterationOutcome,
    /// How long all attempts took together.
    pub duration: Duration,
    /// How often the agent was started.
    pub attempts: u32,
    /// The last output of an agent that failed, in one line and without credentials.
    pub said: Option<String>,
}

impl IterationEnd {
    /// The result of an iteration with this many starts of the agent.
    pub fn new(outcome: IterationOutcome, duration: Duration, attempts: u32) -> Self {
        Self {
            outcome,
            duration,
            attempts,
            said: None,
        }
    }

    /// Sets the last output of an agent that failed.
    pub fn said(self, said: impl Into<Option<String>>) -> Self {
        Self {
            said: said.into(),
            ..self
        }
    }
}

/// Tells whether the process of a loop is dead; none if it cannot tell, for example for a process of another machine.
/// Then the loop counts as dead after a silence of [`SILENCE`].
pub type IsDead<'a> = &'a dyn Fn(&ProcessIdentity) -> Option<bool>;

/// The time without a heartbeat after which a loop counts as dead, if its process cannot be asked.
pub const SILENCE: Duration = Duration::from_secs(60);

/// The time between two heartbeats of a loop ([`Store::heartbeat`]).
pub const BEAT: Duration = Duration::from_secs(15);

/// True if the loop that holds a session is dead.
///
/// # Errors
/// As [`Store::silence`].
pub fn is_gone(
    store: &dyn Store,
    session: &Name,
    held: &RecordedEvent,
    is_dead: IsDead<'_>,
) -> Result<bool> {
    let SessionEvent::LoopStarted { holder, .. } = &held.event else {
        return Ok(false);
    };
    match is_dead(holder) {
        Some(is_dead) => Ok(is_dead),
        None => {
            let silence = store.silence(session, held.number)?;
            Ok(silence.is_some_and(|silence| silence >= SILENCE))
        }
    }
}

/// The loop that holds a session. If it is dropped without [`Loop::end`], the session looks as if the loop was killed.
pub struct Loop<'s> {
    store: &'s dyn Store,
    session: Name,
    lease: u64,
    done: u64,
}

/// The process that begins a loop, and the options of the loop.
#[non_exhaustive]
pub struct LoopStart<'a> {
    /// The process.
    pub holder: ProcessIdentity,
    /// The directory that it runs in, absolute.
    pub directory: String,
    /// The number of iterations that the run should have; none: no limit. If the last loop had the same number and
    /// ended before it was reached, this loop continues that run.
    pub iterations: Option<u64>,
    /// The answer to the question that stopped the last loop.
    pub answer: Option<&'a str>,
    /// Tells whether a process is dead.
    pub is_dead: IsDead<'a>,
}

impl<'a> LoopStart<'a> {
    /// A loop of this process in this directory, without a limit on iterations. `is_dead` tells whether a process is
    /// dead.
    pub fn new(holder: ProcessIdentity, directory: impl Into<String>, is_dead: IsDead<'a>) -> Self {
        Self {
            holder,
            directory: directory.into(),
            iterations: None,
            answer: None,
            is_dead,
        }
    }

    setters! {
        or_none {
            /// Sets how many iterations the run should have.
            iterations: u64;
            /// Sets the answer to the question that stopped the last loop.
            answer: &'a str;
        }
    }
}

impl<'s> Loop<'s> {
    /// Takes a session. An iteration that a dead loop left open is recorded as lost.
    ///
    /// # Errors
    /// [`LoopError::LoopRunning`] when another loop holds the session; [`LoopError::Unanswered`] when a question is
    /// open and no answer is given; [`LoopError::NothingAsked`] when an answer is given but no question is open;
    /// [`LoopError::NotAPerson`] when an agent gives the answer;
    /// [`Error::HoldsSecret`] for a credential in the answer; [`Error::Busy`], [`Error::ReadOnly`],
    /// [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be written.
    pub fn begin(
        store: &'s dyn Store,
        session: Name,
        begin: LoopStart<'_>,
        stamp: &Stamp,
    ) -> Result<Self> {
        if begin.answer.is_some() {
            person::only(store, stamp, PersonalAct::Answer)?;
        }
        let held = store.lease(&session)?;
        let mut events = Vec::new();
        if let Some(held) = &held {
            if !is_gone(store, &session, held, begin.is_dead)? {
                return Err(running(&session, held));
            }
            events.extend(lost_iteration(store, &session)?);
            events.push(SessionEvent::LoopEnded {
                reason: EndReason::Lost,
                detail: None,
            });
        }
        let done = match begin.iterations {
            Some(iterations) => done_in_run(store, &session, iterations)?,
            None => None,
        };
        events.push(SessionEvent::LoopStarted {
            holder: begin.holder,
            directory: begin.directory,
            iterations: begin.iterations,
        });
        match (open_question(store, &session)?, begin.answer) {
            (Some(Question { question, .. }), None) => {
                return Err(LoopError::Unanswered { session, question }.into());
            }
            (Some(_), Some(answer)) => {
                remember_unused(store, &session, stamp)?;
                events.push(answered(answer));
            }
            // If the same command was run again after a stop, its answer is already in the next prompt.
            (None, Some(answer)) if !is_answered_by(store, &session, answer)? => {
                events.push(answered(answer));
            }
            (None, _) => {}
        }
        let lease = held.map(|held| held.number);
        match store.record(&session, &events, lease, stamp) {
            // Another process also found the holder dead, and was faster.
            Err(Error::Loop(LoopError::LeaseLost { session, .. })) => {
                return Err(match store.lease(&session)? {
                    Some(held) => running(&session, &held),
                    None => lost(&session, None),
                });
            }
            recorded => recorded?,
        }
        let lease = store.lease(&session)?.map_or(0, |held| held.number);
        // The session is held even if the heartbeat cannot be recorded.
        let _ = store.heartbeat(&session, lease);
        Ok(Self {
            store,
            session,
            lease,
            done: done.unwrap_or(0),
        })
    }

    /// The number of iterations of its run that were done before this loop began.
    pub fn done_before(&self) -> u64 {
        self.done
    }

    /// The number of the event that took the session, for [`Store::heartbeat`].
    pub fn lease(&self) -> u64 {
        self.lease
    }

    /// The session.
    pub fn session(&self) -> &Name {
        &self.session
    }

    /// The number of the next iteration. It follows the last iteration of any loop or log entry.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn next_iteration(&self) -> Result<i64> {
        next_iteration(self.store, &self.session)
    }

    /// Begins the next iteration and returns its number. With the block of notes in its prompt, that block can be made
    /// again if it was made at the stamp's time.
    ///
    /// # Errors
    /// [`LoopError::LeaseLost`]; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or
    /// [`Error::Engine`] when the store cannot be written.
    pub fn start_iteration(
        &self,
        block: impl Into<Option<IterationBlock>>,
        stamp: &Stamp,
    ) -> Result<i64> {
        let iteration = self.next_iteration()?;
        let block = block.into().map(Box::new);
        self.record(SessionEvent::IterationStarted { iteration, block }, stamp)?;
        Ok(iteration)
    }

    /// Ends the iteration and returns how many entries it added. An answer that was in its prompt becomes a note, so
    /// that later prompts show it exactly once.
    ///
    /// # Errors
    /// [`LoopError::LeaseLost`]; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or
    /// [`Error::Engine`] when the store cannot be written.
    pub fn end_iteration(&self, iteration: i64, turn: IterationEnd, stamp: &Stamp) -> Result<u64> {
        let notes_added = added(self.store, &self.session, iteration)?;
        if turn.outcome.is_success()
            && let Some(given) = fresh_answer(self.store, &self.session)?
        {
            remember(self.store, &self.session, &given, stamp);
        }
        let event = SessionEvent::IterationEnded {
            iteration,
            outcome: turn.outcome,
            duration_ms: Some(u64::try_from(turn.duration.as_millis()).unwrap_or(u64::MAX)),
            attempts: turn.attempts,
            notes_added,
            said: turn.said,
        };
        self.record(event, stamp)?;
        Ok(notes_added)
    }

    /// Ends the loop and releases the session, with details about the reason, in lines and without credentials. An
    /// iteration whose end could not be recorded is recorded as lost, because an open one would block the next loop.
    ///
    /// # Errors
    /// [`LoopError::LeaseLost`]; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or
    /// [`Error::Engine`] when the store cannot be written.
    pub fn end(self, reason: EndReason, detail: Option<String>, stamp: &Stamp) -> Result<()> {
        let mut events = Vec::from_iter(lost_iteration(self.store, &self.session)?);
        events.push(SessionEvent::LoopEnded { reason, detail });
        self.store
            .record(&self.session, &events, Some(self.lease), stamp)
    }

    fn record(&self, event: SessionEvent, stamp: &Stamp) -> Result<()> {
        self.store
            .record(&self.session, &[event], Some(self.lease), stamp)
    }
}

/// Answers the open question of a session: the next prompt has the answer. Another answer replaces it until an iteration
/// has begun with it. The same answer again changes nothing.
///
/// # Errors
/// [`LoopError::NothingAsked`] and [`LoopError::AlreadyAnswered`] when no question is open; [`LoopError::NotAPerson`]
/// when an agent answers; [`Error::Empty`] and [`Error::HoldsSecret`] for the text; [`Error::Busy`],
/// [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
/// written.
pub fn answer(store: &dyn Store, session: &Name, answer: &str, stamp: &Stamp) -> Result<()> {
    let answer = answer.trim();
    if open_question(store, session)?.is_some() {
        remember_unused(store, session, stamp)?;
    } else if is_answered_by(store, session, answer)? {
        return person::only(store, stamp, PersonalAct::Answer);
    }
    store.record(session, &[answered(answer)], None, stamp)
}

fn answered(answer: &str) -> SessionEvent {
    let answer = answer.into();
    SessionEvent::Answered { answer }
}

/// Asks the loop that holds a session to stop after its iteration. A second request changes nothing.
///
/// # Errors
/// [`LoopError::NoLoop`] when no loop runs in the session; [`LoopError::NotAPerson`] when an agent asks; [`Error::Busy`],
/// [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
/// written.
pub fn stop(store: &dyn Store, session: &Name, is_dead: IsDead<'_>, stamp: &Stamp) -> Result<()> {
    if let Some(held) = store.lease(session)?
        && is_gone(store, session, &held, is_dead)?
    {
        let session = session.clone();
        return Err(LoopError::NoLoop { session }.into());
    }
    if stop_requested(store, session)?.is_some() {
        return person::only(store, stamp, PersonalAct::Stop);
    }
    store.record(session, &[SessionEvent::StopRequested], None, stamp)
}

/// Archives a session, or puts it back on the list. A loop or an answer in it puts it back, too.
///
/// # Errors
/// [`Error::NotFound`] when there is no such session; [`LoopError::NotAPerson`] when an agent asks; [`Error::Busy`],
/// [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be
/// written.
pub fn archive(store: &dyn Store, session: &Name, archives: bool, stamp: &Stamp) -> Result<()> {
    let events = store.events(session, None, 1)?;
    let scope = Scope::Session(session.clone());
    if events.is_empty() && store.count(&scope)? == 0 {
        return Err(Error::not_found(scope.to_string()));
    }
    if is_archived(&events) == archives {
        return person::only(store, stamp, PersonalAct::Archive);
    }
    let event = match archives {
        true => SessionEvent::Archived,
        false => SessionEvent::Unarchived,
    };
    store.record(session, &[event], None, stamp)
}

/// Keeps an answer that no successful iteration has used yet as a note, before a newer one is recorded: otherwise it
/// would be lost if this process were killed in between.
fn remember_unused(store: &dyn Store, session: &Name, stamp: &Stamp) -> Result<()> {
    if let Some(given) = fresh_answer(store, session)? {
        remember(store, session, &given, stamp);
    }
    Ok(())
}

/// True if the last question of a session has this answer, and no iteration has finished its turn with it yet.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn is_answered_by(store: &dyn Store, session: &Name, answer: &str) -> Result<bool> {
    let given = fresh_answer(store, session)?;
    Ok(given.is_some_and(|given| given.answer.trim() == answer.trim()))
}

/// The event that ends the live iteration, if there is one, with an unknown result.
fn lost_iteration(store: &dyn Store, session: &Name) -> Result<Option<SessionEvent>> {
    let Some(iteration) = live_iteration(store, session)? else {
        return Ok(None);
    };
    Ok(Some(SessionEvent::IterationEnded {
        iteration,
        outcome: IterationOutcome::Lost,
        duration_ms: None,
        attempts: 1,
        notes_added: added(store, session, iteration)?,
        said: None,
    }))
}

/// The iterations of a session as in [`session_state::iterations`]. A running or lost iteration is counted with the
/// notes that it has so far, including those of an orphaned agent.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn iterations(store: &dyn Store, session: &Name, limit: usize) -> Result<Vec<Iteration>> {
    let mut iterations = session_state::iterations(store, session, limit)?;
    for of in &mut iterations {
        if matches!(of.outcome, None | Some(IterationOutcome::Lost)) {
            of.notes_added = added(store, session, of.number)?;
        }
    }
    Ok(iterations)
}

/// The session of a loop that names none: the first of `NAME`, `NAME-2`, `NAME-3` … that is new, or in which the last loop
/// ran in this directory of this host and has not finished its work. An archived session is not taken up.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn session_of_directory(
    store: &dyn Store,
    name: &str,
    directory: &str,
    host: &str,
) -> Result<Name> {
    let name: String = name.chars().filter(|char| !char.is_control()).collect();
    let room = NAME_BYTES - "-18446744073709551615".len();
    let name = match name[..name.floor_char_boundary(room)].trim() {
        "" => "loop",
        name => name,
    };
    for number in 1_u64.. {
        let session: Name = match number {
            1 => name.parse()?,
            number => format!("{name}-{number}").parse()?,
        };
        let last = store.events(&session, None, 1)?;
        let is_new = last.is_empty() && store.count(&Scope::Session(session.clone()))? == 0;
        if is_new || !is_archived(&last) && is_unfinished_in(store, &session, directory, host)? {
            return Ok(session);
        }
    }
    unreachable!("a store has fewer sessions")
}

/// True if the last loop of a session ran in this directory of this host, and has not finished its work.
fn is_unfinished_in(
    store: &dyn Store,
    session: &Name,
    directory: &str,
    host: &str,
) -> Result<bool> {
    for recorded in session_state::latest(store, session) {
        match recorded?.event {
            SessionEvent::LoopEnded { reason, .. } if reason.ends_the_run() => return Ok(false),
            SessionEvent::LoopStarted {
                holder,
                directory: of,
                ..
            } => return Ok(of == directory && holder.host == host),
            _ => {}
        }
    }
    Ok(false)
}

/// The number of the next iteration of a session.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn next_iteration(store: &dyn Store, session: &Name) -> Result<i64> {
    let last = match last_iteration(store, session)? {
        Some(last) => Some(last),
        // The log was imported, or written without a loop.
        None => store.last_iteration(session)?,
    };
    Ok(last.map_or(1, |last| last.saturating_add(1)).max(1))
}

/// How many entries of one iteration the log has.
///
/// # Errors
/// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
pub fn added(store: &dyn Store, session: &Name, iteration: i64) -> Result<u64> {
    let counts = entry_counts(session, iteration).to_vec();
    let counts = answers!(store, counts: counts);
    Ok(counts[0].saturating_sub(counts[1]))
}

/// Records a signal of the agent of the live iteration: that all is done, or that it needs a person. If `iteration` is
/// given, it must be the live one.
///
/// # Errors
/// [`LoopError::NoLiveIteration`]; [`LoopError::AlreadySaid`]; [`Error::Empty`] and [`Error::HoldsSecret`] for the
/// text; [`Error::Busy`], [`Error::ReadOnly`], [`Error::DiskFull`], [`Error::DamagedStore`] or [`Error::Engine`] when
/// the store cannot be written.
pub fn signal(
    store: &dyn Store,
    session: &Name,
    iteration: Option<i64>,
    signal: &AgentSignal,
    stamp: &Stamp,
) -> Result<()> {
    let live = match iteration {
        Some(iteration) => Some(iteration),
        None => live_iteration(store, session)?,
    };
    let iteration = live.ok_or_else(|| LoopError::NoLiveIteration {
        session: session.clone(),
        iteration: None,
    })?;
    let event = match signal {
        AgentSignal::Completed(summary) => SessionEvent::Completed {
            iteration,
            summary: summary.trim().into(),
        },
        AgentSignal::Blocked(question) => SessionEvent::Blocked {
            iteration,
            question: question.trim().into(),
        },
    };
    store.record(session, &[event], None, stamp)
}

/// A question of several lines is set apart, because one of its lines may look like an answer.
fn quoted(question: &str) -> String {
    if question.lines().count() < 2 {
        return format!(" {question}");
    }
    let lines = question.lines().map(|line| format!("\n> {line}"));
    lines.collect()
}

/// Adds an answer to the log as a decision, so that later iterations see it like any other entry.
///
/// Question and answer were checked for credentials when they were recorded, perhaps under a policy that allowed more,
/// so they are not checked again. If the note cannot be written for another reason, it is left out. It must not prevent
/// the end of an iteration from being recorded: the answer would stay unused, and every later run would stop here. The
/// same note twice is one entry, so a loop may repeat this after it was killed.
fn remember(store: &dyn Store, session: &Name, given: &Answer, stamp: &Stamp) {
    let text = format!(
        "Asked:{}\nAnswered: {}",
        quoted(&given.question.question),
        given.answer.trim()
    );
    let stamp = stamp.clone().allowing(SecretPolicy::AllowAll);
    let log = SessionLog::new(store, session.clone());
    let iteration = Some(given.question.iteration);
    let _ = Content::text(text)
        .and_then(|content| log.add(EntryType::Decision, iteration, content, &stamp));
}
