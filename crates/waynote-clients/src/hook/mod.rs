//! A hook's answer: from the client's input to its own form of output. The caller opens the store, and limits the time
//! of that.

mod notes;
pub(crate) mod payload;
mod prompt;
mod session;
mod start;

use std::path::Path;

use waynote::context::Request;
use waynote::{Place, Store};
use waynote_system::Environment;
use waynote_system::process::Process;

use crate::client::{Client, Event};
use crate::error::{Error, Result};
use crate::ledger::{Ledgers, Link, PendingDelivery};

pub(crate) use notes::BLOCK_BEGINS_WITH;
use payload::Payload;
use session::Session;

/// A hook's event, in a session with its ledger.
pub struct Hook {
    client: Client,
    event: Event,
    payload: Payload,
    session: Session,
}

/// The arguments and the input of a hook.
pub struct Call<'w> {
    /// The client, as the hook's command names it.
    pub client: Client,
    /// The client's word for the event.
    pub event: &'w str,
    /// The client's input.
    pub payload: Payload,
}

impl Call<'_> {
    /// Records the event for the client's session, and reads the session's ledger.
    ///
    /// Without `ledgers` nothing can be remembered. `process` is the client's: [`Process::client`].
    ///
    /// # Errors
    /// [`Error::NoEvent`].
    pub fn enter(
        self,
        environment: &Environment,
        ledgers: Option<Ledgers>,
        process: Option<&Process>,
    ) -> Result<Hook> {
        let client = self.asking(environment);
        let event = client
            .event_named(self.event)
            // Another client runs a hook that was written for this one.
            .or_else(|| self.client.event_named(self.event))
            .filter(|event| client.event_word(*event).is_some())
            .ok_or_else(|| Error::NoEvent {
                client,
                event: waynote::visible::visible(self.event),
            })?;
        Ok(Hook {
            session: Session::enter(client, event, &self.payload, ledgers, process),
            client,
            event,
            payload: self.payload,
        })
    }

    /// The client that asks: some run hooks that were written for Claude Code, and read answers in their own forms.
    fn asking(&self, environment: &Environment) -> Client {
        let is_set = |name| environment.variable(name).ok().flatten().is_some();
        let asks = |client: &Client| client.profile().hook_variable().is_some_and(is_set);
        match self.client {
            Client::ClaudeCode if self.payload.is_cursors() => Client::Cursor,
            Client::ClaudeCode if !is_set("CLAUDECODE") => {
                let asking = Client::ALL.into_iter().find(asks);
                asking.unwrap_or(self.client)
            }
            client => client,
        }
    }
}

impl Hook {
    /// True if the session may go on without an answer: it is at a prompt, and is not known to lack its block.
    pub fn can_wait(&self) -> bool {
        self.event == Event::Prompt && !self.session.is_owed()
    }

    /// True if the prompt of a loop that runs this client can have given the session its block: it is no subagent's,
    /// and has not lost that since.
    pub fn may_have_it_in_prompt(&self) -> bool {
        !self.session.given.was_reset && !self.payload.is_subagents()
    }

    /// The project's directory: from the client's variable, else from its input, else the working directory; home and
    /// the root only when there is nothing else.
    ///
    /// # Errors
    /// [`Error::Environment`].
    pub fn place(&self, environment: &Environment) -> Result<Place> {
        let variable = self.client.project_variable();
        let named = variable.and_then(|name| environment.variable(name).ok().flatten());
        let working = environment.working_directory().ok().and_then(Path::to_str);
        let base = environment.base()?;
        let candidates = named
            .as_deref()
            .into_iter()
            .chain(self.payload.directories())
            .chain(working);
        Ok(candidates
            .filter(|path| path.starts_with('/'))
            .filter_map(|path| Place::resolve(path, &base).ok())
            .find(Place::is_project)
            .unwrap_or_else(Place::home))
    }

    /// The notes that the session lacks at this event: its block or new notes, and notes that match its prompt, if it
    /// `searches`. Nothing counts as delivered before the answer is [claimed](Answer::claim).
    ///
    /// # Errors
    /// [`Error::Library`], where the store refuses.
    pub fn answer(
        &self,
        store: &dyn Store,
        request: Request,
        searches: bool,
        has_it_in_prompt: bool,
    ) -> Result<Answer> {
        let session = &self.session;
        let (text, pending) = match self.event {
            Event::SubagentStart => start::of_subagent(store, request, session, &self.payload)?,
            Event::SessionStart => start::of_session(store, request, session, has_it_in_prompt)?,
            Event::Prompt => {
                let asked = self.payload.asked().filter(|_| searches);
                prompt::at(store, request, session, asked, has_it_in_prompt)?
            }
        };
        Ok(Answer {
            client: self.client,
            event: self.event,
            text,
            pending,
            link: session.link.clone(),
        })
    }
}

/// The answer of a hook.
pub struct Answer {
    client: Client,
    event: Event,
    /// The text to add; may be empty.
    text: String,
    /// The delivery of the text, where the session has a name.
    pending: Option<PendingDelivery>,
    /// The session in which the client's process is then.
    link: Option<Link>,
}

impl Answer {
    /// The output, in the client's form. From now on it counts as delivered, unless the claim is
    /// [released](PendingDelivery::release). Nothing is added where another hook delivered the same meanwhile.
    pub fn claim(self) -> (String, Option<PendingDelivery>) {
        let is_taken = self.pending.as_ref().is_none_or(PendingDelivery::claim);
        self.link.iter().for_each(Link::note);
        if !is_taken || self.text.is_empty() {
            return (self.client.adding_nothing().to_owned(), None);
        }
        let facts = self.client.profile().facts();
        let word = facts.event_word(self.event).unwrap_or_default();
        (facts.answer.adding(word, &self.text), self.pending)
    }
}

impl Client {
    /// The answer of a hook that adds nothing.
    pub fn adding_nothing(self) -> &'static str {
        self.profile().facts().answer.nothing()
    }
}
