//! Facts of every client, in the same words.

use super::answer::{Ending, Form};
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
    /// The tools with which it reads, changes and runs, and those with which it runs, as its hooks select them. They stay
    /// as they are: some clients want a changed hook to be trusted again.
    pub(crate) tools: [&'static str; 2],
    /// The fields of its input that a hook at a tool takes, where such a hook can be a call of a server's tool.
    pub(crate) call: Option<&'static [(&'static str, &'static str)]>,
    /// The form of an answer that lets the turn go on.
    pub(crate) ending: Ending,
    /// How its file names an MCP endpoint.
    pub(crate) endpoint: EndpointForm,
}

impl Facts {
    /// The tools at which a hook of an event runs; none where it runs at no tool.
    pub(crate) fn matcher(&self, event: Event) -> Option<&'static str> {
        let [all, running] = self.tools;
        let tools = match event {
            Event::BeforeTool | Event::AfterTool => all,
            Event::AfterFailure => running,
            _ => "",
        };
        (!tools.is_empty()).then_some(tools)
    }

    /// The client's own word for an event; none where the client has no such event, takes no text there or needs none.
    pub(crate) fn event_word(&self, event: Event) -> Option<&'static str> {
        let mut events = self.events.iter();
        events.find(|(of, _)| *of == event).map(|(_, word)| *word)
    }
}
