//! Facts of every client, in the same words.

use super::answer::Form;
use super::target::EndpointForm;
use crate::client::{Client, Event};

/// The facts of a client.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) client: Client,
    /// The word that names it on the command line.
    pub(crate) word: &'static str,
    /// Other words for it.
    pub(crate) aliases: &'static [&'static str],
    /// The name that people know.
    pub(crate) title: &'static str,
    /// Its own program, where one is on the path.
    pub(crate) program: &'static str,
    /// The events at which it takes a text from hooks, with its own words for them.
    pub(crate) events: &'static [(Event, &'static str)],
    /// The event at which a session of it gets its block; none where no hook brings it.
    pub(crate) block_event: Option<Event>,
    /// The form of a hook's answer.
    pub(crate) answer: Form,
    /// How its file names an MCP endpoint.
    pub(crate) endpoint: EndpointForm,
}

impl Facts {
    /// The client's own word for an event; none where the client has no such event, takes no text there or needs none.
    pub(crate) fn event_word(&self, event: Event) -> Option<&'static str> {
        let mut events = self.events.iter();
        events.find(|(of, _)| *of == event).map(|(_, word)| *word)
    }
}
