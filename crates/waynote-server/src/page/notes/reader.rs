//! One note to read: its text, its data, and its actions.

use maud::{Markup, html};
use waynote::context::Budget;
use waynote::visible::{lines, visible};
use waynote::{Action, Address, Error, Note, Result, Revision, Scope, State, Store};

use super::{Asked, Notes, Shown, history};
use crate::page::forms;
use crate::page::markdown;
use crate::page::site::{Site, View};
use crate::page::words::{self, author, chip, exact, size};

/// The most bytes of a note that the page shows.
const MOST_BYTES: usize = 40 * 1024;

/// A note to read.
pub(crate) struct Reader {
    pub(crate) address: Address,
    /// The note, or its fate.
    pub(crate) note: Found,
}

impl Reader {
    /// The note, if there is one.
    pub(super) fn note(&self) -> Option<&Note> {
        match &self.note {
            Found::Note(note) => Some(note),
            _ => None,
        }
    }
}

/// The result of a look-up of an address.
pub(crate) enum Found {
    Note(Box<Note>),
    /// The note was deleted or forgotten: its last revision.
    Gone(Box<Revision>),
    /// No note was ever there, or it cannot be read.
    Nothing(Error),
}

impl Reader {
    /// Reads the note of the field `note`; none when there is no such field.
    pub(crate) fn gather(store: &dyn Store, fields: &super::Fields) -> Result<Option<Self>> {
        let Some(text) = fields.get("note") else {
            return Ok(None);
        };
        let address: Address = text.parse()?;
        let note = match store.get(&address) {
            Ok(Some(note)) => Found::Note(Box::new(note)),
            Ok(None) => match store.history_before(&address, None, 1)?.pop() {
                Some(last) => Found::Gone(Box::new(last)),
                None => Found::Nothing(Error::not_found(address.to_string())),
            },
            Err(error) => Found::Nothing(error),
        };
        Ok(Some(Self { address, note }))
    }
}

pub(super) fn view(site: &Site<'_>, notes: &Notes) -> Markup {
    html! {
        article.card.reader data-live="reader" {
            @match &notes.reader {
                None => {
                    div.empty {
                        @if matches!(&notes.shown, Shown::Notes(list) if list.items.is_empty()) { p { "A note of the list is shown here." } }
                        @else { p { "Choose a note from the list to read it here." } p.keys-hint { kbd { "j" } " " kbd { "k" } " go through the list." } }
                    }
                }
                Some(reader) => {
                    a.btn.back href=(notes.asked.link(site).href()) { "‹ Back to the list" }
                    @match &reader.note {
                        Found::Note(note) => { (found(site, &notes.asked, note)) }
                        Found::Gone(last) => { (gone(site, &notes.asked, last)) }
                        Found::Nothing(error) => { (words::error(error)) }
                    }
                }
            }
        }
    }
}

fn found(site: &Site<'_>, asked: &Asked, note: &Note) -> Markup {
    let is_entry = matches!(note.address, Address::Session(..));
    let may_change = site.may_write() && !is_entry && note.source.is_own();
    html! {
        header {
            h2.title { (words::name(note)) }
            @if note.pinned { (chip("whole", "pinned")) }
            @if note.resolved_by.is_some() { (chip("out", "resolved")) }
            @if !note.secrets().is_empty() { (chip("bad", "holds a credential")) }
            @if let Some(mark) = note.mark(visible) { (chip("", &mark)) }
            span.grow {}
            @if may_change {
                a.btn href=(edit_link(site, asked, &note.address, note.revision)) data-key-e="" { "Edit" }
                @if matches!(note.address, Address::Agent(..)) {
                    @let (act, word) = if note.pinned { ("unpin", "Unpin") } else { ("pin", "Pin") };
                    (action(site, asked, act, &note.address, note.revision, html! { button.btn data-key-p="" { (word) } }))
                }
            }
            (menu(site, asked, note, may_change))
        }
        div.scroll {
        (body(site, note))
        div.meta {
            @if let Some(times) = note.seen().filter(|times| *times > 1) { span.num { "noted " (times) " times" } }
            @if note.source.is_own() {
                span { "revision " b.num { (note.revision) } " · " a href=(history::link(site, &note.address).href()) { "history" } }
            }
            @if note.source.is_dated() {
                span { "by " (author(&note.author)) }
                span { "written " (exact(note.updated_at)) }
            }
            @if let Some(stale) = note.stale(visible) { span { (stale) } }
            @if note.created_at != note.updated_at { span { "first " (exact(note.created_at)) } }
            span.num { (size(note.content.len())) " bytes" }
            @if note.content.len() <= MOST_BYTES {
                span.num { (size(Budget::default().tokens_of(&note.content.shown()))) " tokens" }
            }
        }
        }
    }
}

fn body(site: &Site<'_>, note: &Note) -> Markup {
    let text = note.content.shown();
    let start = &text[..text.floor_char_boundary(MOST_BYTES)];
    let whole = site.link("notes/text").with("note", &note.address).href();
    html! {
        @if note.content.is_blank() {
            div.prose { p.none { "(empty)" } }
        } @else if note.content.as_text().is_none() {
            pre.block { (lines(start)) }
        } @else {
            div.prose { (markdown::rendered(start)) }
        }
        @if start.len() < text.len() {
            p.fill { "The note goes on: " a href=(whole) { "all " (size(text.len())) " bytes as text" } "." }
        }
    }
}

fn menu(site: &Site<'_>, asked: &Asked, note: &Note, may_change: bool) -> Markup {
    let address = &note.address;
    html! {
        details.menu {
            summary.btn aria-label="More actions" { "⋯" }
            div.menu-items {
                a href=(site.link("notes/text").with("note", address).href()) { "As text" }
                @if note.source.is_own() { a href=(history::link(site, address).href()) { "History" } }
                @if let Scope::Place(place) = address.scope() {
                    a href=(site.view(View::Now).with("place", place).href()) { "What a run reads here" }
                }
                @if may_change {
                    (action(site, asked, "undo", address, note.revision, html! { button data-key-u="" { "Undo the last change" } }))
                    (action(site, asked, "redo", address, note.revision, html! { button { "Redo" } }))
                    (action(site, asked, "delete", address, note.revision, html! { button { "Delete" } }))
                }
            }
        }
    }
}

fn gone(site: &Site<'_>, asked: &Asked, last: &Revision) -> Markup {
    let address = last.address();
    let is_forgotten =
        last.action == Action::Forget || matches!(last.state, State::Forgotten { .. });
    html! {
        header { h2.title { (words::address(address)) } (chip("out", if is_forgotten { "forgotten" } else { "deleted" })) }
        div.empty {
            @match &last.state {
                State::Forgotten { forgotten_at, forgotten_by, .. } => {
                    p { "Forgotten " (words::day(*forgotten_at, site.now)) " by " (author(forgotten_by)) ". Its text is gone for good." }
                }
                _ if is_forgotten => { p { "Forgotten by " (author(last.author())) ". Its text is gone for good." } }
                _ => { p { "Deleted " (words::day(last.recorded_at, site.now)) " by " (author(last.author())) "." } }
            }
            div.bar.center {
                @if site.may_write() && !is_forgotten {
                    (action(site, asked, "undo", address, last.number(), html! { button.btn.primary data-key-u="" { "Bring it back" } }))
                }
                a.btn href=(history::link(site, address).href()) { "History" }
            }
        }
    }
}

/// The link to the form for a note. It names the revision, so that the form can tell if the note has changed.
pub(crate) fn edit_link(
    site: &Site<'_>,
    asked: &Asked,
    address: &Address,
    revision: u64,
) -> String {
    let link = site.link("notes/edit").with("note", address);
    asked.on(link.with("base", revision)).href()
}

/// A form with one button for an action on a note.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is made where this is called"
)]
pub(crate) fn action(
    site: &Site<'_>,
    asked: &Asked,
    act: &str,
    address: &Address,
    revision: u64,
    button: Markup,
) -> Markup {
    html! {
        form.inline method="post" action=(site.link(&format!("notes/{act}")).href()) {
            (forms::hidden(&[("note", address.to_string()), ("base", revision.to_string())]))
            (forms::hidden(&asked.fields()))
            (button)
        }
    }
}
