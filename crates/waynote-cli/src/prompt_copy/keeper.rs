//! Whoever answers the questions of hooks: a thread of the MCP server and of the loop.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use waynote_clients::{Ledgers, missing_at_prompt};
use waynote_remote::{Keep, Slot};
use waynote_system::process::Process;

use super::files::{ANSWER, Answer, Question};
use super::source::{Heard, Source};
use super::{MOST, elsewhere, questions};
use crate::error::Outcome;
use crate::opened::Opened;
use crate::settings::Settings;
use crate::{clock, remote};

/// How often new questions and what was handed over are looked for.
const TICK: Duration = Duration::from_millis(250);

/// What happens within so long is taken in together.
const MOMENT: Duration = Duration::from_millis(10);

/// The store is not asked more often than that: many changes at once count as one.
const BETWEEN: Duration = Duration::from_secs(1);

/// After so long the store is asked even if nothing was heard of.
const AGAIN: Duration = Duration::from_secs(40);

/// Answers questions until it goes. Then its answers go, too.
pub(crate) struct Keeper {
    answers: Arc<Mutex<Answers>>,
}

/// The files that were written.
#[derive(Default)]
struct Answers {
    files: HashMap<PathBuf, Slot>,
    /// How often all were removed: what was asked before that must not be written after it.
    removals: u64,
    has_ended: bool,
}

impl Answers {
    fn remove(&mut self) {
        self.removals += 1;
        for (_, file) in self.files.drain() {
            file.remove();
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.has_ended = true;
        answers.remove();
    }
}

impl Keeper {
    /// Starts to answer what is asked below this process: a client, or the loop itself. None for a store on this machine,
    /// which answers in time, and where nothing can be kept.
    pub(crate) fn start(settings: &Settings, asker: Option<Process>) -> Outcome<Option<Self>> {
        let Some(url) = elsewhere(settings) else {
            return Ok(None);
        };
        let Some(keep) = remote::keep()? else {
            return Ok(None);
        };
        let own = Process::numbered(std::process::id());
        let (Some(asker), Some(own), Some(ledgers)) =
            (asker, own, crate::commands::hook::ledgers()?)
        else {
            return Ok(None);
        };
        let answers = Arc::default();
        let work = Work {
            settings: settings.clone(),
            url: url.to_owned(),
            keep,
            ledgers,
            asker,
            own,
            answers: Arc::clone(&answers),
            source: None,
            done: HashMap::new(),
        };
        // Without the thread, hooks ask the store themselves.
        let started = thread::Builder::new()
            .name("waynote-prompts".into())
            .spawn(move || work.run());
        Ok(started.is_ok().then_some(Self { answers }))
    }
}

struct Work {
    settings: Settings,
    url: String,
    keep: Keep,
    ledgers: Ledgers,
    asker: Process,
    own: Process,
    answers: Arc<Mutex<Answers>>,
    source: Option<Source>,
    /// What each answer was made from, by the key of its question.
    done: HashMap<String, Done>,
}

/// What an answer was made from, and when.
struct Done {
    question: Question,
    ledger: Option<(SystemTime, u64)>,
    at: Instant,
}

impl Work {
    fn run(mut self) {
        self.remove_left_over();
        loop {
            let heard = match &self.source {
                Some(source) => match source.news.recv_timeout(TICK) {
                    Ok(heard) => {
                        thread::sleep(MOMENT);
                        Some(heard)
                    }
                    Err(RecvTimeoutError::Timeout) => None,
                    // A database reports nothing by itself.
                    Err(RecvTimeoutError::Disconnected) => {
                        thread::sleep(TICK);
                        None
                    }
                },
                None => {
                    thread::sleep(TICK);
                    None
                }
            };
            if self.lock().has_ended {
                return;
            }
            self.step(heard);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the answers of processes that have ended.
    fn remove_left_over(&self) {
        self.keep.sweep();
        for file in self.keep.slots(&self.url, ANSWER) {
            if Answer::read(&file).is_none_or(|answer| !answer.writer().is_alive()) {
                file.remove();
            }
        }
    }

    fn step(&mut self, heard: Option<Heard>) {
        let token = remote::token_mark(&self.settings).ok().flatten();
        let mut asked = questions(&self.keep, &self.url, &self.asker);
        asked.retain(|(_, question)| question.token == token);
        asked.truncate(MOST);
        if asked.is_empty() {
            // Nobody asks, or something was forgotten: the next question begins anew.
            self.source = None;
            self.done.clear();
            self.lock().remove();
            return;
        }
        if self
            .source
            .as_ref()
            .is_none_or(|source| source.token != token)
        {
            self.done.clear();
            self.lock().remove();
            let answers = Arc::clone(&self.answers);
            // At once, even while the store is being asked.
            let gone = move || {
                answers
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove();
            };
            self.source = Source::open(&self.settings, token, gone);
        }
        let Some(source) = &mut self.source else {
            return;
        };
        let mut heard: Vec<_> = heard.into_iter().collect();
        heard.extend(source.news.try_iter());
        let is_gone = source.take_in(heard);
        let (hears, is_new) = (source.hears, source.is_new);
        let may_ask = source.asked.is_none_or(|at| at.elapsed() >= BETWEEN);
        if is_gone {
            self.done.clear();
            self.lock().remove();
        }
        if !hears || !may_ask {
            return;
        }
        let due: Vec<_> = asked
            .into_iter()
            .filter(|(_, question)| is_new || !self.is_done(question))
            .collect();
        if due.is_empty() {
            return;
        }
        if let Some(source) = &mut self.source {
            source.is_new = false;
            source.asked = Some(Instant::now());
        }
        for (file, question) in due {
            self.answer(&file, question);
        }
    }

    /// Whether a question has its answer: it, and what the session was given, are the same as then.
    fn is_done(&self, question: &Question) -> bool {
        let done = self.done.get(&question.key());
        done.is_some_and(|done| {
            done.question == *question
                && done.ledger == self.ledgers.stamp(&question.session)
                && done.at.elapsed() < AGAIN
        })
    }

    fn answer(&mut self, file: &Slot, question: Question) {
        let Some(opened) = self
            .source
            .as_ref()
            .map(|source| Arc::clone(&source.opened))
        else {
            return;
        };
        let mark = file.mark();
        let to = file.beside(ANSWER);
        let ledger = self.ledgers.stamp(&question.session);
        let is_others = Answer::read(&to).is_some_and(|there| {
            let now = clock::now().unwrap_or_default();
            there.writer() != self.own && there.writer().is_alive() && there.is_fresh(now)
        });
        // Two servers may run for one client: the other one answers.
        if !is_others {
            let removals = self.lock().removals;
            let made = self.made(&opened, &question);
            // Nobody else reports what was damaged for this.
            opened.store().take_damage();
            let mut answers = self.lock();
            match made {
                Ok(Some(answer)) if !answers.has_ended && answers.removals == removals => {
                    answer.write(&to);
                    answers.files.insert(to.path().to_owned(), to.clone());
                    // Forgotten meanwhile: nobody knows whether before or after the store was asked.
                    if file.mark() != mark {
                        to.remove();
                    }
                }
                // The hook asks by itself, and says what is wrong.
                _ => to.remove(),
            }
        }
        let done = Done {
            question,
            ledger,
            at: Instant::now(),
        };
        self.done.insert(done.question.key(), done);
    }

    /// The answer; none where the session lacks the whole block, for which a hook has more time.
    fn made(&self, opened: &Opened, question: &Question) -> Outcome<Option<Answer>> {
        let given = self.ledgers.delivered(&question.session);
        if given.block.is_none() {
            return Ok(None);
        }
        let now = clock::now()?;
        let request = question.request(opened.store(), now)?;
        let found = missing_at_prompt(opened.store(), request, &given)?;
        Answer::new(now, &self.own, question, given.listed(), found).map(Some)
    }
}
