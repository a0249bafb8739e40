//! A hook's answer: from the client's input to its own form of output. The caller opens the store, and limits the time
//! of that.

mod action;
mod notes;
pub(crate) mod payload;
mod prompt;
mod session;
mod start;
mod stop;
mod tool;

use std::path::Path;

use waynote::context::Request;
use waynote::{Author, Lineage, Place, Store};
use waynote_system::Environment;
use waynote_system::process::Process;
use waynote_system::repository::Naming;

use crate::client::{Client, Event};
use crate::error::{Error, Result};
use crate::ledger::{About, Ledgers, Link, PendingDelivery};

use action::Touched;
pub(crate) use notes::BLOCK_BEGINS_WITH;
use payload::Payload;
use session::Session;

/// A hook's event, in a session with its ledger.
pub struct Hook {
    client: Client,
    event: Event,
    payload: Payload,
    session: Session,
    touched: Touched,
}

/// Lines that a block begins with, about the lineage that it is for.
pub type Says<'s> = &'s dyn Fn(&Lineage) -> String;

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
            touched: Touched::default(),
        })
    }

    /// The client that asks: some run hooks that were written for Claude Code, and read answers in their own forms.
    fn asking(&self, environment: &Environment) -> Client {
        let is_set = |name| environment.variable(name).ok().flatten().is_some();
        let asks = |client: &Client| client.profile().hook_variable.is_some_and(is_set);
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
    /// True if a session or a subagent begins.
    pub fn is_start(&self) -> bool {
        matches!(self.event, Event::SessionStart | Event::SubagentStart)
    }

    /// True if the session may go on without an answer: it has begun, and is not at a prompt without its block.
    pub fn can_wait(&self) -> bool {
        let is_owed = self.event == Event::Prompt && self.session.is_owed();
        !self.is_start() && !is_owed
    }

    /// Looks at what the event is about, at a place with its lineage, and these further roots. False where there is
    /// nothing to say, whatever the store holds.
    ///
    /// # Errors
    /// [`Error::Environment`].
    pub fn looks(
        &mut self,
        environment: &Environment,
        naming: &Naming,
        lineage: &Lineage,
        roots: &[Place],
    ) -> Result<bool> {
        let session = &self.session;
        let is_at_tool = self.event.is_at_tool();
        if is_at_tool && self.payload.tool.is_change() {
            session.changes();
        }
        if session.is_off || session.is_paused(lineage.place()) {
            return Ok(false);
        }
        if self.event == Event::Stop {
            let may_ask = session.given.changed.is_some() && !session.given.was_asked;
            return Ok(may_ask && self.payload.has_ended() && !self.payload.is_subagents());
        }
        if !is_at_tool || !session.is_named() {
            // Without a name, the same notes would be told at every tool.
            return Ok(!is_at_tool);
        }
        let profile = self.client.profile();
        let failure = match (self.event, self.payload.tool.command()) {
            (Event::AfterTool | Event::AfterFailure, Some(_)) => {
                let is_known = self.event == Event::AfterFailure && profile.reads_failure.is_none();
                let reads = profile.reads_failure.unwrap_or(|_| false);
                self.payload.tool.failure(is_known, reads)
            }
            _ => None,
        };
        let speaks_before = self.client.event_word(Event::BeforeTool).is_some();
        let has_run = speaks_before && self.event == Event::AfterFailure;
        let machine = (environment, naming);
        self.touched = Touched::new(machine, &self.payload, lineage, roots, failure, has_run)?;
        Ok(!self.touched.is_nothing())
    }

    /// A lineage in the checkouts that a tool touches, too: their notes of others can be told.
    #[must_use]
    pub fn touched(&self, lineage: &Lineage) -> Lineage {
        self.touched.within(lineage)
    }

    /// An answer without notes; without a text, one that adds nothing.
    pub fn saying(&self, text: String) -> Answer {
        self.answering(text, None)
    }

    fn answering(&self, text: String, pending: Option<PendingDelivery>) -> Answer {
        let tokens = waynote::context::Budget::default().tokens_of(&text);
        let profile = self.client.profile();
        let event = profile.event_word(self.event).unwrap_or_default();
        let about = About {
            event: event.to_owned(),
            action: self.event.is_at_tool().then(|| self.payload.tool.label()),
            tokens,
        };
        let notes = pending.as_ref().map_or(0, PendingDelivery::count);
        let is_told = notes > 0 && matches!(self.event, Event::SessionStart | Event::Prompt);
        let ending = if notes == 1 { "" } else { "s" };
        let line = format!("waynote: {notes} note{ending}, {tokens} tokens");
        Answer {
            client: self.client,
            event: self.event,
            line: is_told.then_some(line),
            pending: pending.map(|pending| match text.is_empty() {
                true => pending,
                false => pending.about(about),
            }),
            text,
            link: self.session.link.clone(),
        }
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
        let told = named.as_deref().into_iter();
        let told = told.chain(self.payload.directories()).chain(working);
        let whole = told.filter(|path| path.starts_with('/'));
        let mut places = whole.filter_map(|path| Place::resolve(path, &base).ok());
        Ok(places.find(Place::is_project).unwrap_or_else(Place::home))
    }

    /// The notes that the session lacks at this event: its block or new notes, and notes that match its prompt, if it
    /// `searches`. A session's block begins with what `says` has for it. Nothing counts as delivered before the answer
    /// is [claimed](Answer::claim).
    ///
    /// # Errors
    /// [`Error::Library`], where the store refuses.
    pub fn answer(
        &self,
        environment: &Environment,
        store: &dyn Store,
        request: Request,
        searches: bool,
        has_it_in_prompt: bool,
        says: Says<'_>,
    ) -> Result<Answer> {
        let session = &self.session;
        // As the client's MCP server writes.
        let request = request.author(Author::Agent(self.client.word()).name()?);
        let (text, pending) = match self.event {
            Event::SubagentStart => start::of_subagent(store, request, session, &self.payload)?,
            Event::SessionStart => {
                start::of_session(store, request, session, has_it_in_prompt, says)?
            }
            Event::Prompt => {
                let asked = self.payload.asked().filter(|_| searches);
                prompt::at(store, request, session, asked, has_it_in_prompt, says)?
            }
            // A loop asks its agent for notes itself.
            Event::Stop if has_it_in_prompt => Default::default(),
            Event::Stop => stop::at(store, session)?,
            Event::BeforeTool | Event::AfterTool | Event::AfterFailure => {
                action::at(environment, store, &request, session, &self.touched)?
            }
        };
        Ok(self.answering(text, pending))
    }
}

/// The answer of a hook.
pub struct Answer {
    client: Client,
    event: Event,
    /// The text to add; may be empty.
    text: String,
    /// A line for the person, where a session gets notes; at tools it would be in the way.
    line: Option<String>,
    /// The delivery of the text, where the session has a name.
    pending: Option<PendingDelivery>,
    /// The session in which the client's process is then.
    link: Option<Link>,
}

impl Answer {
    /// The output, in the client's form. From now on it counts as delivered, unless the claim is
    /// [released](PendingDelivery::release). Nothing is added where another hook delivered the same meanwhile.
    pub fn claim(self) -> (String, Option<PendingDelivery>) {
        let is_end = self.event == Event::Stop;
        // At the end of a turn, or at a tool about which there is nothing to say, nobody counts on an answer.
        let is_silent = is_end || self.text.is_empty() && self.event.is_at_tool();
        let is_taken = self.pending.as_ref().map(PendingDelivery::claim);
        if !is_silent {
            self.link.iter().for_each(Link::note);
        }
        let profile = self.client.profile();
        if !is_taken.unwrap_or(!is_silent) || self.text.is_empty() {
            let is_quiet = is_end || self.event.is_at_tool();
            let nothing = if is_quiet {
                ""
            } else {
                profile.answer.nothing()
            };
            return (nothing.to_owned(), None);
        }
        let word = profile.event_word(self.event).unwrap_or_default();
        let said = match is_end {
            true => profile.ending.saying(&self.text),
            false => profile
                .answer
                .adding(word, &self.text, self.line.as_deref()),
        };
        (said, self.pending)
    }
}

impl Client {
    /// The answer of a hook that adds nothing.
    pub fn adding_nothing(self) -> &'static str {
        self.profile().answer.nothing()
    }
}
