//! The prompt of an iteration: its files and notes, read again each time.

mod source_file;
mod template;

use jiff::Timestamp;
use waynote::context::{IterationBlock, Renderer, Request};
use waynote::loops::{is_answered_by, next_iteration};
use waynote::session_state::{answerable_question, fresh_answer, nothing_asked};
use waynote::{Name, Store};

use crate::error::Result;

pub use source_file::SourceFile;
pub use template::Template;

use template::Parts;

/// The parts of a loop's prompts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromptParts {
    /// The notes of a prompt, and their budget. Its session and iteration are the loop's.
    pub notes: Request,
    /// The task of the agent.
    pub spec: Option<SourceFile>,
    /// The parts that are done: the agent keeps this file up to date, and may remove it at the end.
    pub tasks: Option<SourceFile>,
    /// A template instead of the built-in one.
    pub template: Option<Template>,
    /// Further instructions of the user, at the end of every prompt.
    pub extra_instructions: Option<String>,
    /// The text that the agent prints when everything is done, if it is to.
    pub until: Option<String>,
}

impl PromptParts {
    /// The notes alone, in the built-in template.
    pub fn new(notes: Request) -> Self {
        Self {
            notes,
            spec: None,
            tasks: None,
            template: None,
            extra_instructions: None,
            until: None,
        }
    }

    /// Makes a prompt without notes: a template or a file that is wrong is found before the loop begins.
    pub(crate) fn check(&self, session: &Name) -> Result {
        self.filled(session, 1, "", None, true).map(drop)
    }

    /// The prompt of the next iteration, as things stand; `answer` is what a person answers to the open question.
    pub(crate) fn next(
        &self,
        store: &dyn Store,
        session: &Name,
        answer: Option<&str>,
        now: Timestamp,
    ) -> Result<String> {
        let iteration = next_iteration(store, session)?;
        let asked = answerable_question(store, session)?;
        let typed = match (&asked, answer) {
            (Some(asked), Some(answer)) => Some((asked.question.as_str(), answer)),
            (None, Some(answer)) if !is_answered_by(store, session, answer)? => {
                return Err(waynote::Error::from(nothing_asked(store, session)?).into());
            }
            _ => None,
        };
        let renderer = &mut Renderer::default();
        let (prompt, _) = self.of_iteration(store, renderer, session, (iteration, now), typed)?;
        Ok(prompt)
    }

    /// The prompt of an iteration that begins now, with the current text of its files, and its block as an event records
    /// it. `typed` is a question with an answer that is in no store yet.
    pub(crate) fn of_iteration(
        &self,
        store: &dyn Store,
        renderer: &mut Renderer,
        session: &Name,
        (iteration, now): (i64, Timestamp),
        typed: Option<(&str, &str)>,
    ) -> Result<(String, IterationBlock)> {
        // The block is never over its budget.
        let mut request = self.notes.clone();
        request.session = Some(session.clone());
        request.iteration = Some(iteration);
        request.now = now;
        let block = renderer.render(store, &request)?;
        let kept = fresh_answer(store, session)?;
        let kept = kept.as_ref();
        let kept = kept.map(|given| (given.question.question.as_str(), given.answer.as_str()));
        let (answer, is_first) = (typed.or(kept), typed.is_some());
        let prompt = self.filled(session, iteration, &block.for_agent(), answer, is_first)?;
        Ok((prompt, IterationBlock::new(&request, &block)))
    }

    fn filled(
        &self,
        session: &Name,
        iteration: i64,
        notes: &str,
        answer: Option<(&str, &str)>,
        is_first: bool,
    ) -> Result<String> {
        let text = |file: Option<&SourceFile>| {
            file.map_or_else(|| Ok(String::new()), SourceFile::for_prompt)
        };
        let spec = text(self.spec.as_ref())?;
        // An agent that has finished its tasks may remove the file.
        let tasks = self.tasks.as_ref();
        let tasks = text(tasks.filter(|file| is_first || !file.is_gone()))?;
        let parts = Parts {
            session: session.as_str(),
            iteration,
            spec: &spec,
            notes,
            tasks: &tasks,
            answer,
            until: self.until.as_deref().unwrap_or_default(),
            extra: self.extra_instructions.as_deref().unwrap_or_default(),
        };
        template::render(self.template.as_ref(), &parts)
    }
}
