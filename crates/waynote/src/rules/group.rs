//! Threads of one process share commits.
//!
//! The first thread leads: it writes its own call and those that arrived until then in one transaction, each decided on
//! top of the planned writes of the earlier ones. Calls that arrive meanwhile wait, and the first of them leads next. A
//! refused call writes nothing and does not stop the others. If the engine fails, each call is tried alone.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::apply::Call;
use crate::change::Applied;
use crate::error::{Error, Result};
use crate::id::OperationId;

/// The most calls in one commit, so that no call waits long for the others.
const MOST: usize = 256;

/// The answer to one call.
pub(super) type Answer = Result<Vec<Applied>>;

/// Writes calls in one transaction, and returns an answer for each.
type Write<'w> = &'w dyn Fn(&[&Call<'_>]) -> Result<Vec<Answer>>;

/// The waiting calls.
#[derive(Default)]
pub(super) struct Group {
    waiting: Mutex<WaitingCalls>,
}

#[derive(Default)]
struct WaitingCalls {
    threads: Vec<Arc<Waiter>>,
    is_led: bool,
}

/// A thread that waits while another thread writes its call.
struct Waiter {
    /// The call, kept until its turn.
    call: Call<'static>,
    told: Mutex<Message>,
    tells: Condvar,
}

/// A message to a waiting thread.
enum Message {
    Nothing,
    /// It leads the next group.
    Lead,
    Answered(Answer),
}

impl Group {
    /// Carries out a call, alone or with those of other threads.
    pub(super) fn run(&self, call: Call<'_>, write: Write<'_>) -> Answer {
        let mut waiting = self.waiting.lock();
        if !waiting.is_led {
            waiting.is_led = true;
            drop(waiting);
            return self.lead(&call, write);
        }
        let waiter = Arc::new(Waiter {
            call: call.into_owned(),
            told: Mutex::new(Message::Nothing),
            tells: Condvar::new(),
        });
        waiting.threads.push(Arc::clone(&waiter));
        drop(waiting);
        match waiter.wait() {
            Some(answer) => answer,
            None => self.lead(&waiter.call, write),
        }
    }

    /// Writes this call together with the waiting ones.
    fn lead(&self, own: &Call<'_>, write: Write<'_>) -> Answer {
        let mut led = Leader {
            group: self,
            others: self.take(own),
        };
        let others = led.others.iter().map(|other| &other.call);
        let calls: Vec<&Call<'_>> = std::iter::once(own).chain(others).collect();
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
            Err(error) => return Err(error),
        };
        let mut answers = answers.into_iter();
        let answered = answers.next().unwrap_or_else(unanswered);
        let others = std::mem::take(&mut led.others);
        // The next group is written while these threads wake up.
        drop(led);
        let padded = answers.chain(std::iter::repeat_with(unanswered));
        for (other, answer) in others.into_iter().zip(padded) {
            other.answer(answer);
        }
        answered
    }

    /// Takes waiting threads for a commit that has one call already. A call that is repeated while the first one is
    /// being written waits for that commit, and then finds it.
    fn take(&self, own: &Call<'_>) -> Vec<Arc<Waiter>> {
        let mut operations: HashSet<OperationId> = own.stamp().operation.into_iter().collect();
        let mut waiting = self.waiting.lock();
        let others = waiting.threads.iter().take(MOST - 1);
        let operation = |other: &Arc<Waiter>| other.call.stamp().operation;
        let is_new = |other: &&Arc<Waiter>| operation(other).is_none_or(|of| operations.insert(of));
        let taken = others.take_while(is_new).count();
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
            holder: holder.clone(),
        },
        Error::StoreLost { path, reason } => Error::store_lost(path.clone(), reason.clone()),
        Error::LostWrites {
            path,
            acknowledged,
            found,
        } => Error::LostWrites {
            path: path.clone(),
            acknowledged: *acknowledged,
            found: *found,
        },
        Error::ReadOnly { path, reason } => Error::read_only(path.clone(), reason.clone()),
        Error::Custom(error) => Error::Custom(error.of_store()?),
        _ => return None,
    })
}

fn unanswered() -> Answer {
    Err(failed())
}

fn failed() -> Error {
    Error::engine(
        "store",
        "the thread that wrote for others failed; whether this was written is not known",
    )
}

/// Writes each call in a transaction of its own, and answers each thread when its call is written.
fn one_by_one(own: &Call<'_>, led: &mut Leader<'_>, write: Write<'_>) -> Answer {
    let alone = |call: &Call<'_>| write(&[call])?.pop().unwrap_or_else(unanswered);
    let answered = alone(own);
    while let Some(other) = led.others.first().cloned() {
        let answer = alone(&other.call);
        led.others.remove(0);
        other.answer(answer);
    }
    answered
}

/// The calls that one thread writes. When it is dropped, also by a panic, each call is answered and another thread
/// leads.
struct Leader<'g> {
    group: &'g Group,
    others: Vec<Arc<Waiter>>,
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        for other in std::mem::take(&mut self.others) {
            other.answer(unanswered());
        }
        let mut waiting = self.group.waiting.lock();
        if waiting.threads.is_empty() {
            waiting.is_led = false;
        } else {
            let next = waiting.threads.remove(0);
            next.tell(Message::Lead);
        }
    }
}

impl Waiter {
    /// Waits for the answer; none if this thread has to lead.
    fn wait(&self) -> Option<Answer> {
        let mut told = self.told.lock();
        loop {
            match std::mem::replace(&mut *told, Message::Nothing) {
                Message::Answered(answer) => return Some(answer),
                Message::Lead => return None,
                Message::Nothing => {
                    self.tells.wait(&mut told);
                }
            }
        }
    }

    fn answer(&self, answer: Answer) {
        self.tell(Message::Answered(answer));
    }

    fn tell(&self, what: Message) {
        *self.told.lock() = what;
        self.tells.notify_one();
    }
}

#[cfg(test)]
mod tests;
