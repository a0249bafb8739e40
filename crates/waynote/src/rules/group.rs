//! Threads of one process share commits.
//!
//! The first thread leads: it writes its own call and those that arrived until then in one transaction, each decided on
//! top of the planned writes of the earlier ones. Calls that arrive meanwhile wait, and the first of them leads next. A
//! refused call writes nothing and does not stop the others. If the engine fails, each call is tried alone.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::apply::Call;
use crate::change::{Applied, Change};
use crate::error::{Error, Result};
use crate::event::SessionEvent;
use crate::key::Name;
use crate::note::Stamp;
use crate::system::mutex::locked;

/// The most calls in one commit, so that no call waits long for the others.
const MOST: usize = 256;

/// The answer to one call.
pub(super) type Answer = Result<Vec<Applied>>;

/// The waiting calls.
#[derive(Default)]
pub(super) struct Group {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    calls: Vec<Arc<Waiter>>,
    is_led: bool,
}

/// A call whose thread waits while another thread writes it.
struct Waiter {
    call: Kept,
    told: Mutex<Told>,
    tells: Condvar,
}

/// A message to a waiting thread.
enum Told {
    Nothing,
    /// It leads the next group.
    Lead,
    Answered(Box<Answer>),
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
    /// Carries out a call, alone or with others. `write` writes calls in one transaction and returns an answer for
    /// each.
    pub(super) fn run(
        &self,
        call: Call<'_>,
        write: &dyn Fn(&[Call<'_>]) -> Result<Vec<Answer>>,
    ) -> Answer {
        let mut waiting = locked(&self.waiting);
        if !waiting.is_led {
            waiting.is_led = true;
            drop(waiting);
            return self.lead(call, write);
        }
        let waiter = Arc::new(Waiter {
            call: Kept::of(call),
            told: Mutex::new(Told::Nothing),
            tells: Condvar::new(),
        });
        waiting.calls.push(Arc::clone(&waiter));
        drop(waiting);
        match waiter.wait() {
            Some(answer) => answer,
            None => self.lead(call, write),
        }
    }

    /// Writes a call together with the waiting ones.
    fn lead(&self, call: Call<'_>, write: &dyn Fn(&[Call<'_>]) -> Result<Vec<Answer>>) -> Answer {
        let mut led = Led {
            group: self,
            others: self.take(),
        };
        let calls: Vec<Call<'_>> = std::iter::once(call)
            .chain(led.others.iter().map(|other| other.call.call()))
            .collect();
        let mut answers = match write(&calls) {
            Ok(answers) => answers,
            Err(error) if calls.len() > 1 => match the_same(&error) {
                // It is nobody's own, and each has waited as long as it may.
                Some(_) => calls
                    .iter()
                    .map(|_| Err(the_same(&error).unwrap_or_else(failed)))
                    .collect(),
                // One of them may be what the engine cannot carry out.
                None => {
                    drop(calls);
                    return one_by_one(call, &mut led, write);
                }
            },
            Err(error) => return Err(error),
        }
        .into_iter();
        let own = answers.next().unwrap_or_else(unanswered);
        let others = std::mem::take(&mut led.others);
        // The next group is written while these threads wake up.
        drop(led);
        for other in others {
            other.answer(answers.next().unwrap_or_else(unanswered));
        }
        own
    }

    fn take(&self) -> Vec<Arc<Waiter>> {
        let mut waiting = locked(&self.waiting);
        let most = waiting.calls.len().min(MOST);
        waiting.calls.drain(..most).collect()
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

/// Writes each call in a transaction of its own, and answers it at once.
fn one_by_one(
    call: Call<'_>,
    led: &mut Led<'_>,
    write: &dyn Fn(&[Call<'_>]) -> Result<Vec<Answer>>,
) -> Answer {
    let alone = |call: Call<'_>| write(&[call])?.pop().unwrap_or_else(unanswered);
    let own = alone(call);
    while let Some(other) = led.others.first().cloned() {
        let answer = alone(other.call.call());
        led.others.remove(0);
        other.answer(answer);
    }
    own
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
            other.answer(unanswered());
        }
        let mut waiting = locked(&self.group.waiting);
        if waiting.calls.is_empty() {
            waiting.is_led = false;
        } else {
            let next = waiting.calls.remove(0);
            next.tell(Told::Lead);
        }
    }
}

impl Waiter {
    /// Waits for the answer; none if this thread has to lead.
    fn wait(&self) -> Option<Answer> {
        let mut told = locked(&self.told);
        loop {
            match std::mem::replace(&mut *told, Told::Nothing) {
                Told::Answered(answer) => return Some(*answer),
                Told::Lead => return None,
                Told::Nothing => {
                    told = self
                        .tells
                        .wait(told)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn answer(&self, answer: Answer) {
        self.tell(Told::Answered(Box::new(answer)));
    }

    fn tell(&self, what: Told) {
        *locked(&self.told) = what;
        self.tells.notify_one();
    }
}
