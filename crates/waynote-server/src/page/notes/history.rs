//! A note's own history: its revisions with their differences.

use maud::{Markup, html};
use waynote::secrets::masked;
use waynote::{Address, Note, Reader, Result, Revision, State};

use super::changes::action;
use crate::page::diff;
use crate::page::fields::{Fields, Link};
use crate::page::forms;
use crate::page::site::{Site, View};
use crate::page::words::{self, address, author, chip, exact};

/// The revisions of a page.
const REVISIONS: usize = 20;

/// The revisions of one note.
pub(crate) struct History {
    address: Address,
    /// Latest first, each with the one before it.
    revisions: Vec<(Revision, Option<Revision>)>,
    /// The number of the last revision.
    last: u64,
    /// Only revisions with smaller numbers are on this page; none: the latest.
    before: Option<u64>,
    /// Where the next page begins; none on the last page.
    next: Option<u64>,
}

impl History {
    pub(crate) fn gather(store: &dyn Reader, fields: &Fields) -> Result<Self> {
        let address: Address = fields.get("note").unwrap_or_default().parse()?;
        let before = fields.number("before")?;
        // One more than the page shows: the text before its last revision.
        let page = store.history_before(&address, before, REVISIONS + 1)?;
        let last = match before {
            None => page.first().cloned(),
            Some(_) => store.history_before(&address, None, 1)?.pop(),
        };
        let last = last.ok_or_else(|| waynote::Error::not_found(address.to_string()))?;
        let earlier = page.iter().skip(1).cloned().map(Some).chain([None]);
        let revisions = page.iter().cloned().zip(earlier).take(REVISIONS);
        Ok(Self {
            next: (page.len() > REVISIONS).then(|| page[REVISIONS - 1].number()),
            revisions: revisions.collect(),
            address,
            last: last.number(),
            before,
        })
    }
}

/// The link to the history of a note.
pub(crate) fn link(site: &Site<'_>, address: &Address) -> Link {
    site.link("notes/history").with("note", address)
}

pub(crate) fn view(site: &Site<'_>, history: &History) -> Markup {
    let (of, last, from) = (&history.address, history.last, history.before);
    // Numbers have no gaps, so the page before this one begins at this number. The newest page needs none.
    let newer = from.map(|from| from.saturating_add(REVISIONS as u64));
    let newer = newer.filter(|newer| *newer <= last);
    html! {
        div.head {
            h1 { "History of " (address(of)) }
            span.grow {}
            a.btn href=(site.view(View::Notes).with("note", of).href()) { "Open the note" }
        }
        div.stack data-live="history" {
            @for (index, (revision, before)) in history.revisions.iter().enumerate() {
                (card(site, history, revision, before.as_ref(), index == 0 && from.is_none()))
            }
            (words::pages(
                from.map(|_| (link(site, of).with_some("before", newer), "Newer")),
                history.next.map(|next| (link(site, of).with("before", next), "Older")),
            ))
        }
    }
}

fn card(
    site: &Site<'_>,
    of: &History,
    revision: &Revision,
    before: Option<&Revision>,
    is_newest: bool,
) -> Markup {
    let may_restore = site.may_write()
        && !is_newest
        && revision.note().is_some()
        && !matches!(revision.address(), Address::Session(..));
    html! {
        section.card.revision data-key={ "r" (revision.number()) } data-rev="" aria-label={ "Revision " (revision.number()) } {
            header {
                h2.title.num { "Revision " (revision.number()) } (action(revision))
                @if let Some(number) = revision.undoes { small { "of revision " (number) } }
                @if is_newest { (chip("whole", "current")) }
                span.grow {}
                small { "by " (words::of_holder(revision.author(), revision.token.as_ref())) ", " (exact(revision.recorded_at)) }
                @if may_restore {
                    form.inline method="post" action=(site.link("notes/restore").href()) {
                        (forms::hidden(&[
                            ("note", revision.address().to_string()),
                            ("revision", revision.number().to_string()),
                            ("base", of.last.to_string()),
                        ]))
                        button.btn { "Restore" }
                    }
                }
            }
            div.pad { (differs(revision, before.and_then(Revision::note))) }
        }
    }
}

fn differs(revision: &Revision, before: Option<&Note>) -> Markup {
    let text = |note: &Note| masked(&note.content.shown()).into_owned();
    html! {
        @match &revision.state {
            State::Forgotten { forgotten_at, forgotten_by, .. } => {
                p.none { "Its text was forgotten " (exact(*forgotten_at)) " by " (author(forgotten_by)) "." }
            }
            State::Present(note) => {
                @let old = before.map(text).unwrap_or_default();
                @let new = text(note);
                @if old == new {
                    p.none { "The text stayed the same." @if let Some(before) = before { @if before.pinned != note.pinned { " It was " (if note.pinned { "pinned" } else { "unpinned" }) "." } } }
                } @else { (diff::view(&old, &new)) }
            }
            _ => { @match before { Some(before) => { (diff::view(&text(before), "")) } None => { p.none { "The note was removed." } } } }
        }
    }
}
