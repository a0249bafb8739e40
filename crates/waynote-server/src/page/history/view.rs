//! The view History.

use maud::{Markup, html};
use waynote::secrets::masked;
use waynote::visible::visible;
use waynote::{Action, Address, Note, Revision, State};

use super::{History, OfNote, OfStore, REVISIONS, diff};
use crate::page::forms;
use crate::page::site::{Site, View};
use crate::page::words::{self, address, author, chip, day, exact};

pub(crate) fn view(site: &Site<'_>, history: &History) -> Markup {
    match history {
        History::Store(of) => of_store(site, of),
        History::Note(of) => of_note(site, of),
    }
}

fn of_store(site: &Site<'_>, of: &OfStore) -> Markup {
    let (changes, next) = (&of.changes, of.next);
    html! {
        div.head { h1 { "History" } small { "every change of the store, newest first" } }
        section.card data-live="history" {
            @if changes.is_empty() && next.is_some() {
                div.empty { p { "Nothing that you may see is among the latest changes." } }
            } @else if changes.is_empty() {
                div.empty { p { "Nothing was written yet. Each change stands here, with who made it; none is ever lost." } }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "When (UTC)" } th scope="col" { "What" } th scope="col" { "Note" } th.w scope="col" { "By" } th.w.num scope="col" { "Revision" }
                    } }
                    tbody data-list="" { @for change in changes { (row(site, change)) } }
                }
            }
            (words::pages(
                (!of.is_first).then(|| (site.view(View::History), "Newest")),
                next.map(|next| (site.view(View::History).with("before", next), "Older")),
            ))
        }
    }
}

fn row(site: &Site<'_>, change: &Revision) -> Markup {
    let of = change.address();
    let href = site.view(View::History).with("note", of).href();
    html! {
        tr data-key={ (of) "@" (change.number()) } data-rev="" {
            td.nowrap { (day(change.recorded_at, site.now)) }
            td { (action(change)) }
            td.what { a href=(href) { @match change.note() { Some(note) => { (words::name(note)) } None => { (address(of)) } } }
                small.says { (said(change)) }
            }
            td.w { (author(change.author())) }
            td.w.num { (change.number()) }
        }
    }
}

/// The word for a change's action.
fn action(change: &Revision) -> Markup {
    let kind = match change.action {
        Action::Save | Action::Repeat | Action::Sync => "",
        Action::Delete => "line",
        Action::Forget => "bad",
        _ => "whole",
    };
    html! {
        (chip(kind, change.action.as_str()))
        @if let Some(undone) = change.undoes { small { " of " (undone) } }
    }
}

fn said(change: &Revision) -> String {
    match &change.state {
        State::Present(note) => visible(&note.preview),
        State::Forgotten { .. } => "its text was forgotten".into(),
        _ => String::new(),
    }
}

fn of_note(site: &Site<'_>, note: &OfNote) -> Markup {
    let (of, last, from) = (&note.address, note.last, note.before);
    let link = || site.view(View::History).with("note", of);
    // Numbers have no gaps, so the page before this one begins at this number. The newest page needs none.
    let newer = from.map(|from| from.saturating_add(REVISIONS as u64));
    let newer = newer.filter(|newer| *newer <= last);
    html! {
        div.head {
            h1 { "History of " (address(of)) }
            span.grow {}
            a.btn href=(site.view(View::Notes).with("note", of).href()) { "Open the note" }
            a.btn href=(site.view(View::History).href()) { "Whole store" }
        }
        div.stack data-live="history" {
            @for (index, (revision, before)) in note.revisions.iter().enumerate() {
                (card(site, revision, before.as_ref(), last, index == 0 && from.is_none()))
            }
            (words::pages(
                from.map(|_| (link().with_some("before", newer), "Newer")),
                note.next.map(|next| (link().with("before", next), "Older")),
            ))
        }
    }
}

fn card(
    site: &Site<'_>,
    revision: &Revision,
    before: Option<&Revision>,
    last: u64,
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
                @if is_newest { (chip("whole", "current")) }
                span.grow {}
                small { "by " (author(revision.author())) @if let Some(token) = &revision.token { " with token " (visible(token.as_str())) } ", " (exact(revision.recorded_at)) }
                @if may_restore {
                    form.inline method="post" action=(site.link("notes/restore").href()) {
                        (forms::hidden(&[
                            ("note", revision.address().to_string()),
                            ("revision", revision.number().to_string()),
                            ("base", last.to_string()),
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
