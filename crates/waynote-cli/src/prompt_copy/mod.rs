//! What the next prompt of a session is to be told, kept on disk where the store is elsewhere: a hook has 40 ms at a
//! prompt, and a server may need longer.
//!
//! A hook leaves a question: its request, with the client's processes and the name of the session. The MCP server of that
//! client, or the loop that runs it, answers the question, and again after everything that happens in the store or is
//! handed over to the session. The hook of the next prompt reads the answer. Question and answer are two files beside
//! the blocks that are kept for outages; they go when those go.

mod files;
mod keeper;
mod source;

use jiff::SignedDuration;
use waynote::context::{Request, ShownNote};
use waynote_clients::{Delivered, Hook};
use waynote_remote::{Keep, Slot};
use waynote_system::process::Process;

use crate::error::Outcome;
use crate::settings::Settings;
use crate::variables::LOOP;
use crate::{home, remote};

use files::{ANSWER, Answer, QUESTION, Question};
pub(crate) use keeper::Keeper;

/// A question is left anew after that, so that it does not get too old.
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// So many sessions of one client are kept up to date: those that were begun last.
const MOST: usize = 4;

/// The question of a hook.
pub(crate) struct Asked {
    question: Question,
    file: Slot,
}

impl Asked {
    /// The question of this hook. None where the store is on this machine, and where nobody could answer it: nothing
    /// is known of the client's process, or the session has no name.
    pub(crate) fn of(settings: &Settings, hook: &Hook, request: &Request) -> Outcome<Option<Self>> {
        let Some(url) = elsewhere(settings) else {
            return Ok(None);
        };
        let Some(keep) = remote::keep()? else {
            return Ok(None);
        };
        let (Some(session), Some(client)) = (hook.session_of_prompts(), Process::client()) else {
            return Ok(None);
        };
        // What is below the client is another process each time.
        let above = Process::above().into_iter();
        let above = above.skip_while(|process| *process != client);
        let question = Question {
            token: remote::token_mark(settings)?,
            session: session.to_owned(),
            processes: above.map(|process| (process.pid, process.start)).collect(),
            told: home::variable(LOOP)?,
            request: Question::request_of(request)?,
        };
        let file = keep.slot(url, QUESTION, &question.key());
        Ok(Some(Self { question, file }))
    }

    /// What is to be told to a session that was given that, if somebody keeps it up to date.
    pub(crate) fn answer(&self, given: &Delivered) -> Option<(String, Vec<ShownNote>)> {
        // A forgetting has removed the question, and perhaps not the answer yet.
        self.file.mark()?;
        let answer = Answer::read(&self.file.beside(ANSWER))?;
        let now = crate::clock::now().ok()?;
        let is_right = answer.question == self.question
            && answer.given == given.listed()
            && answer.is_fresh(now)
            && answer.writer().is_alive();
        is_right.then(|| answer.parts()).flatten()
    }

    /// Leaves the question for whoever answers it.
    pub(crate) fn leave(&self) {
        let is_there = Question::read(&self.file).is_some_and(|left| left == self.question);
        if !is_there || self.file.is_older_than(HOUR) {
            self.question.write(&self.file);
        }
    }
}

/// The address of a store that is not on this machine.
fn elsewhere(settings: &Settings) -> Option<&str> {
    settings.remote().or_else(|| settings.database())
}

/// Removes what is kept of a store in a database. (A store on a server does it by itself.)
pub(crate) fn forget(settings: &Settings) -> Outcome {
    if let Some(url) = settings.database()
        && let Some(keep) = remote::keep()?
    {
        keep.forget(url);
    }
    Ok(())
}

/// The questions about a store that are to be answered by a process: its client, or the loop itself, is among the
/// processes that asked.
fn questions(keep: &Keep, url: &str, asker: &Process) -> Vec<(Slot, Question)> {
    let files = keep.slots(url, QUESTION).into_iter();
    let mut questions: Vec<_> = files
        .filter_map(|file| Some((Question::read(&file)?, file)))
        .filter(|(question, _)| question.processes.contains(&(asker.pid, asker.start)))
        .map(|(question, file)| (file, question))
        .collect();
    questions.sort_by_key(|(file, _)| std::cmp::Reverse(file.written()));
    questions
}
