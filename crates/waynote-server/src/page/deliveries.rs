//! What hooks gave to the sessions of agents on this machine: for each session, and for a note.

use jiff::Timestamp;
use maud::{Markup, html};
use waynote::tend::LastGiven;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, Position, StoreId};

use super::site::{Site, View};
use super::words::{day, grouped};

/// What a session of an agent was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDeliveries {
    /// The session, by its client's name of it.
    pub session: String,
    /// When it was last given something.
    pub last: Timestamp,
    /// How many tokens all of it has.
    pub tokens: usize,
    /// The notes, each once.
    pub notes: Vec<Address>,
}

/// What this machine recorded for the user who serves the page. Without it, a page says nothing about that.
pub trait MachineRecords: Send + Sync {
    /// The last sessions with deliveries, the newest first.
    fn deliveries(&self) -> Vec<SessionDeliveries>;
    /// When notes were last given to a session.
    fn last_given(&self) -> LastGiven;
    /// How far the user has looked at the changes of a store, and when.
    fn looked(&self, store: StoreId) -> Option<(Position, Timestamp)>;
}

/// How many of the last sessions were given a note; none where nothing is recorded.
pub(super) fn of_note(site: &Site<'_>, address: &Address) -> Option<String> {
    let sessions = site.records.map(MachineRecords::deliveries)?;
    let given = |session: &&SessionDeliveries| session.notes.contains(address);
    let times = sessions.iter().filter(given).count();
    let of = match sessions.len() {
        0 => return None,
        1 => "the last agent session".to_owned(),
        all => format!("the last {all} agent sessions"),
    };
    Some(match times {
        0 => format!("not given to {of}"),
        1 if sessions.len() == 1 => format!("given to {of}"),
        times => format!("given to {times} of {of}"),
    })
}

/// The last sessions, each with its notes.
pub(super) fn of_sessions(site: &Site<'_>) -> Markup {
    let sessions = site.records.map(MachineRecords::deliveries);
    let sessions = sessions.unwrap_or_default();
    html! {
        @if !sessions.is_empty() {
            section.card id="given" data-live="given" {
                header { h2 { "Given to agents here" } span.grow {} small { "by hooks, newest first" } }
                @for session in &sessions {
                    details.pad {
                        summary {
                            span.addr { (visible(&session.session)) } " · " (plural(session.notes.len() as u64, "note")) " · "
                            (grouped(session.tokens as u64)) " tokens · " (day(session.last, site.now))
                        }
                        ul { @for note in &session.notes {
                            li { a.addr href=(site.view(View::Notes).with("note", note).href()) { (visible(&note.masked())) } }
                        } }
                    }
                }
            }
        }
    }
}
