//! Threads of one process share commits.
//!
//! The first thread leads: it writes its own call and those that arrived until then in one transaction, each decided on
//! top of the planned writes of the earlier ones. Calls that arrive meanwhile wait, and the first of them leads next. A
//! refused call writes nothing and does not stop the others. If the engine fails, each call is tried alone. A thread may
//! bring several calls at once.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::apply::Call;
use crate::change::{Applied, Change};
use crate::error::{Error, Result};
use crate::event::SessionEvent;
use crate::key::Name;
use crate::note::Stamp;

/// The most calls in one commit, so that no call waits long for the others.
pub(super) const MOST: usize = 256;

/// The answer to one call.
pub(super) type Answer = Result<Vec<Applied>>;

/// Writes calls in one transaction, and returns an answer for each.
type Write<'w> = &'w dyn Fn(&[Call<'_>]) -> Result<Vec<Answer>>;

/// The waiting calls.
#[derive(Default)]
pub(super) struct Group {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    threads: Vec<Arc<Waiter>>,
    is_led: bool,
}

/// A thread that waits while another thread writes its calls.
struct Waiter {
    calls: Vec<Kept>,
    told: Mutex<Told>,
    tells: Condvar,
}

/// A message to a waiting thread.
enum Told {
    Nothing,
    /// It leads the next group.
    Lead,
    Answered(Vec<Answer>),
}

/// A call, kept until its turn.
enum Kept {
    Apply {
        changes: Vec<Change>,
        stamp: Stamp,
    },
    Record {
        session: Name,
        events: Vec<SessionEvent>,
        lease: Option<u64>,
        stamp: Stamp,
    },
}

impl Kept {
    fn of(call: Call<'_>) -> Self {
        match call {
            Call::Apply { changes, stamp } => Self::Apply {
                changes: changes.to_vec(),
                stamp: stamp.clone(),
            },
            Call::Record {
                session,
                events,
                lease,
                stamp,
            } => Self::Record {
                session: session.clone(),
                events: events.to_vec(),
                lease,
                stamp: stamp.clone(),
            },
        }
    }

    fn call(&self) -> Call<'_> {
        match self {
            Self::Apply { changes, stamp } => Call::Apply { changes, stamp },
            Self::Record {
                session,
                events,
                lease,
                stamp,
            } => Call::Record {
                session,
                events,
                lease: *lease,
                stamp,
            },
        }
    }
}

impl Group {
    /// Carries out at most [`MOST`] calls of this thread, alone or with those of others.
    pub(super) fn run(&self, calls: &[Call<'_>], write: Write<'_>) -> Vec<Answer> {
        let mut waiting = self.waiting.lock();
        if !waiting.is_led {
            waiting.is_led = true;
            drop(waiting);
            return self.lead(calls, write);
        }
        let waiter = Arc::new(Waiter {
            calls: calls.iter().map(|call| Kept::of(*call)).collect(),
            told: Mutex::new(Told::Nothing),
            tells: Condvar::new(),
        });
        waiting.threads.push(Arc::clone(&waiter));
        drop(waiting);
        match waiter.wait() {
            Some(answers) => answers,
            None => self.lead(calls, write),
        }
    }

    /// Writes these calls together with the waiting ones.
    fn lead(&self, own: &[Call<'_>], write: Write<'_>) -> Vec<Answer> {
        let mut led = Led {
            group: self,
            others: self.take(own.len()),
        };
        let others = led.others.iter().flat_map(|other| &other.calls);
        let calls: Vec<Call<'_>> = own.iter().copied().chain(others.map(Kept::call)).collect();
        let answers = match write(&calls) {
            Ok(answers) => answers,
            Err(error) if calls.len() > 1 => match the_same(&error) {
                // It is nobody's own, and each has waited as long as it may.
                Some(_) => calls
                    .iter()
                    .map(|_| Err(the_same(&error).unwrap_or_else(failed)))
                    .collect(),
                // The engine may be unable to carry out one of them.
                None => {
                    drop(calls);
                    return one_by_one(own, &mut led, write);
                }
            },
            Err(error) => return vec![Err(error)],
        };
        let mut answers = answers.into_iter();
        let mut next = |calls: usize| -> Vec<Answer> {
            let padded = answers.by_ref().chain(std::iter::repeat_with(unanswered));
            padded.take(calls).collect()
        };
        let answered = next(own.len());
        let others = std::mem::take(&mut led.others);
        // The next group is written while these threads wake up.
        drop(led);
        for other in others {
            other.answer(next(other.calls.len()));
        }
        answered
    }

    /// Takes waiting threads for a commit that has some calls already.
    fn take(&self, mut calls: usize) -> Vec<Arc<Waiter>> {
        let mut waiting = self.waiting.lock();
        let fits = |of: &&Arc<Waiter>| {
            calls += of.calls.len();
            calls <= MOST
        };
        let taken = waiting.threads.iter().take_while(fits).count();
        waiting.threads.drain(..taken).collect()
    }
}

/// The same error for another call, if it is about the store and not about one call.
fn the_same(error: &Error) -> Option<Error> {
    Some(match error {
        Error::Busy {
            path,
            waited,
            holder,
        } => Error::Busy {
            path: path.clone(),
            waited: *waited,
            holder: *holder,
        },
        Error::StoreLost { path, reason } => Error::StoreLost {
            path: path.clone(),
            reason: reason.clone(),
        },
        Error::LostWrites {
            path,
            acknowledged,
            found,
        } => Error::LostWrites {
            path: path.clone(),
            acknowledged: *acknowledged,
            found: *found,
        },
        Error::ReadOnly { path, reason } => Error::ReadOnly {
            path: path.clone(),
            reason: reason.clone(),
        },
        Error::Custom(error) => Error::Custom(error.of_store()?),
        _ => return None,
    })
}

fn unanswered() -> Answer {
    Err(failed())
}

fn failed() -> Error {
    Error::Engine {
        path: "store".into(),
        source: "the thread that wrote for others failed; whether this was written is not known"
            .into(),
    }
}

/// Writes each call in a transaction of its own, and answers each thread when its calls are written.
fn one_by_one(own: &[Call<'_>], led: &mut Led<'_>, write: Write<'_>) -> Vec<Answer> {
    let alone = |call: Call<'_>| write(&[call])?.pop().unwrap_or_else(unanswered);
    let answered = own.iter().map(|call| alone(*call)).collect();
    while let Some(other) = led.others.first().cloned() {
        let answers = other.calls.iter().map(|call| alone(call.call())).collect();
        led.others.remove(0);
        other.answer(answers);
    }
    answered
}

/// The calls that one thread writes. When it is dropped, also by a panic, each call is answered and another thread
/// leads.
struct Led<'g> {
    group: &'g Group,
    others: Vec<Arc<Waiter>>,
}

impl Drop for Led<'_> {
    fn drop(&mut self) {
        for other in std::mem::take(&mut self.others) {
            other.answer(other.calls.iter().map(|_| unanswered()).collect());
        }
        let mut waiting = self.group.waiting.lock();
        if waiting.threads.is_empty() {
            waiting.is_led = false;
        } else {
            let next = waiting.threads.remove(0);
            next.tell(Told::Lead);
        }
    }
}

impl Waiter {
    /// Waits for the answers; none if this thread has to lead.
    fn wait(&self) -> Option<Vec<Answer>> {
        let mut told = self.told.lock();
        loop {
            match std::mem::replace(&mut *told, Told::Nothing) {
                Told::Answered(answers) => return Some(answers),
                Told::Lead => return None,
                Told::Nothing => {
                    self.tells.wait(&mut told);
                }
            }
        }
    }

    fn answer(&self, answers: Vec<Answer>) {
        self.tell(Told::Answered(answers));
    }

    fn tell(&self, what: Told) {
        *self.told.lock() = what;
        self.tells.notify_one();
    }
}
