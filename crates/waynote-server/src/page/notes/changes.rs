//! The filter "latest changes" of Notes: what was changed last in the store, and by which author.

use maud::{Markup, html};
use waynote::visible::visible;
use waynote::{Action, Position, Reader, Result, Revision, State};

use super::list::after;
use super::{Asked, Notes};
use crate::page::site::Site;
use crate::page::words::{self, address, author, chip, day};

/// The changes of a page.
const CHANGES: usize = 40;

/// The most reads of the journal for one page.
const READS: usize = 6;

/// A page of changes.
pub(crate) struct Changes {
    /// Latest first.
    items: Vec<Revision>,
    /// The position where the next page begins; none on the last page.
    next: Option<Position>,
}

impl Changes {
    /// The changes that were asked for, from a bounded part of the journal.
    pub(super) fn gather(store: &dyn Reader, asked: &Asked) -> Result<Self> {
        let mut next = asked.position();
        let mut items = Vec::new();
        for _ in 0..READS {
            let changes = store.journal(next, CHANGES)?;
            let is_last = changes.len() < CHANGES;
            for change in changes {
                next = change.position;
                let is_author = change.author().as_str().contains(&asked.author);
                let scope = asked.scope.as_ref();
                if is_author && scope.is_none_or(|scope| change.address().scope() == *scope) {
                    items.push(change);
                }
                if items.len() == CHANGES {
                    return Ok(Self { items, next });
                }
            }
            if is_last {
                return Ok(Self { items, next: None });
            }
        }
        Ok(Self { items, next })
    }
}

pub(super) fn view(site: &Site<'_>, notes: &Notes, changes: &Changes) -> Markup {
    let asked = &notes.asked;
    let next = changes.next.and_then(after);
    html! {
        section.card.list aria-label="Latest changes" data-live="list" data-list="" {
            @for change in &changes.items { (row(site, notes, change)) }
            @if changes.items.is_empty() {
                div.empty {
                    @if next.is_some() { p { "None of the latest changes fits." } }
                    @else if asked.scope.is_some() || !asked.author.is_empty() { p { "No change fits." } }
                    @else { p { "Nothing was written yet. Each change stands here, with its author; none is ever lost." } }
                }
            }
            (words::pages(
                asked.after.map(|_| (asked.page(site, None), "Newest")),
                next.map(|next| (asked.page(site, Some(next)), "Older")),
            ))
        }
    }
}

fn row(site: &Site<'_>, notes: &Notes, change: &Revision) -> Markup {
    let of = change.address();
    let is_open = notes
        .reader
        .as_ref()
        .is_some_and(|open| open.address == *of);
    let href = notes.asked.link(site).with("note", of).href();
    html! {
        a href=(href) data-swap="" data-key={ (of) "@" (change.number()) } data-rev="" aria-current=[is_open.then_some("true")] {
            span.row {
                span.grow { @match change.note() { Some(note) => { (words::name(note)) } None => { (address(of)) } } }
                (action(change))
                (day(change.recorded_at, site.now))
            }
            span.says { (said(change)) }
            span.says.dimmer {
                "revision " (change.number()) " by " (author(change.author()))
                @if let Some(number) = change.undoes { ", of revision " (number) }
            }
        }
    }
}

/// The word for a change's action.
pub(super) fn action(change: &Revision) -> Markup {
    let kind = match change.action {
        Action::Save | Action::Repeat | Action::Sync => "",
        Action::Delete => "line",
        Action::Forget => "bad",
        _ => "whole",
    };
    chip(kind, change.action.as_str())
}

fn said(change: &Revision) -> String {
    match &change.state {
        State::Present(note) => visible(&note.preview),
        State::Forgotten { .. } => "its text was forgotten".into(),
        _ => String::new(),
    }
}
