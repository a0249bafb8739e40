//! The two files: a question, and its answer.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use waynote::Store;
use waynote::context::{Request, ShownNote};
use waynote_remote::Slot;
use waynote_system::process::Process;

use crate::error::Outcome;
use crate::inside::Asker;

pub(super) const QUESTION: &str = "question";
pub(super) const ANSWER: &str = "answer";

/// How old an answer may be. Whoever answers does it again before that, even where nothing happens.
const LONGEST: SignedDuration = SignedDuration::from_secs(60);

/// What a hook asks. Two hooks of one session ask the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Question {
    /// What stands for the token. Nobody answers with another one's rights.
    pub(super) token: Option<String>,
    /// The client's name of the session.
    pub(super) session: String,
    /// The client, and the processes above it.
    pub(super) processes: Vec<(u32, u64)>,
    /// What the environment says of a loop.
    pub(super) told: Option<String>,
    /// Without the time, and with the session and the iteration that were named: the store knows the others.
    pub(super) request: waynote_api::Request,
}

impl Question {
    pub(super) fn request_of(request: &Request) -> Outcome<waynote_api::Request> {
        let mut form = waynote_api::Request::try_from(request)?;
        form.now.clear();
        Ok(form)
    }

    /// What its file is named after.
    pub(super) fn key(&self) -> String {
        let client = self.processes.first();
        format!("{:?} {client:?} {}", self.token, self.session)
    }

    pub(super) fn read(file: &Slot) -> Option<Self> {
        serde_json::from_slice(&file.read()?).ok()
    }

    pub(super) fn write(&self, file: &Slot) {
        if let Ok(text) = serde_json::to_vec(self) {
            file.write(&text);
        }
    }

    /// The whole request, as the hook would make it now.
    pub(super) fn request(&self, store: &dyn Store, now: Timestamp) -> Outcome<Request> {
        let mut form = self.request.clone();
        form.now = now.to_string();
        let request = Request::try_from(form)?;
        let above = || {
            let processes = self.processes.iter();
            processes
                .map(|(pid, start)| Process {
                    pid: *pid,
                    start: *start,
                })
                .collect()
        };
        let asker = Asker {
            session: request.session.clone(),
            iteration: request.iteration,
            told: self.told.clone(),
            above,
        };
        let inside = asker.inside(store)?;
        Ok(request.session(inside.session).iteration(inside.iteration))
    }
}

/// The answer to a question.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    /// When the store was asked.
    at: String,
    /// The process that keeps it up to date.
    writer: (u32, u64),
    pub(super) question: Question,
    /// What the session was given.
    pub(super) given: String,
    /// What is to be told; empty for nothing.
    text: String,
    notes: Vec<waynote_api::ShownNote>,
}

impl Answer {
    pub(super) fn new(
        at: Timestamp,
        writer: &Process,
        question: &Question,
        given: String,
        (text, notes): (String, Vec<ShownNote>),
    ) -> Outcome<Self> {
        let notes = notes.iter().map(waynote_api::ShownNote::try_from);
        Ok(Self {
            at: at.to_string(),
            writer: (writer.pid, writer.start),
            question: question.clone(),
            given,
            text,
            notes: notes.collect::<waynote::Result<_>>()?,
        })
    }

    pub(super) fn read(file: &Slot) -> Option<Self> {
        serde_json::from_slice(&file.read()?).ok()
    }

    pub(super) fn write(&self, file: &Slot) {
        if let Ok(text) = serde_json::to_vec(self) {
            file.write(&text);
        }
    }

    pub(super) fn writer(&self) -> Process {
        let (pid, start) = self.writer;
        Process { pid, start }
    }

    /// Whether it is not too old. A time of the future is as good as an old one: somebody set a clock.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        let age = self.at.parse().map(|at| now.duration_since(at));
        age.is_ok_and(|age| age.abs() <= LONGEST)
    }

    /// The text, and the notes in it.
    pub(super) fn parts(self) -> Option<(String, Vec<ShownNote>)> {
        let notes = self.notes.into_iter().map(TryInto::try_into);
        let notes: waynote::Result<_> = notes.collect();
        Some((self.text, notes.ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_fresh_for_a_minute() {
        let now: Timestamp = "2026-05-17T12:00:00Z".parse().unwrap();
        let request = Request::new("a".parse().unwrap(), "~/p".parse().unwrap(), now);
        let question = Question {
            token: None,
            session: "s".into(),
            processes: vec![(7, 8)],
            told: None,
            request: Question::request_of(&request).unwrap(),
        };
        let later = request.now(now + SignedDuration::from_secs(9));
        assert_eq!(question.request, Question::request_of(&later).unwrap());
        let writer = Process { pid: 7, start: 8 };
        let parts = ("text".to_owned(), Vec::new());
        let answer = Answer::new(now, &writer, &question, String::new(), parts.clone()).unwrap();
        let after = |seconds| now + SignedDuration::from_secs(seconds);
        assert!(answer.is_fresh(now) && answer.is_fresh(after(60)));
        assert!(!answer.is_fresh(after(61)) && !answer.is_fresh(after(-61)));
        assert_eq!(answer.parts(), Some(parts));
    }
}
