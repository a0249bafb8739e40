//! The view History.

use maud::{Markup, html};
use waynote::secrets::masked;
use waynote::visible::visible;
use waynote::{Action, Address, Note, Revision, ScopeKind, State};

use super::{Asked, History, OfNote, OfStore, REVISIONS, Undone, diff};
use crate::page::fields::Link;
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
        (bar(site, &of.asked))
        section.card data-live="history" {
            @if changes.is_empty() && next.is_some() {
                div.empty { p { "None of the latest changes fits these filters, or you may not see them." } }
            } @else if changes.is_empty() && link(site, &of.asked).href() != site.view(View::History).href() {
                div.empty { p { "No change fits these filters." } p { a href=(site.view(View::History).href()) { "Show all" } } }
            } @else if changes.is_empty() {
                div.empty { p { "Nothing was written yet. Each change stands here, with who made it; none is ever lost." } }
            } @else {
                table {
                    thead { tr {
                        th scope="col" { "When (UTC)" } th scope="col" { "What" } th scope="col" { "Note" } th.w scope="col" { "By" } th.w.num scope="col" { "Revision" }
                    } }
                    tbody data-list="" { @for change in changes { (row(site, change, &of.undone)) } }
                }
            }
            (words::pages(
                (!of.is_first).then(|| (link(site, &of.asked), "Newest")),
                next.map(|next| (link(site, &of.asked).with("before", next), "Older")),
            ))
        }
    }
}

/// The list with the same filters.
fn link(site: &Site<'_>, asked: &Asked) -> Link {
    let author = Some(&asked.author).filter(|author| !author.is_empty());
    site.view(View::History)
        .with_some("author", author)
        .with_some("kind", asked.kind.map(ScopeKind::as_str))
        .with_some("since", asked.since)
}

fn bar(site: &Site<'_>, asked: &Asked) -> Markup {
    let kinds = [
        (ScopeKind::Place, "places"),
        (ScopeKind::Agent, "notebooks"),
        (ScopeKind::Session, "sessions"),
    ];
    let day = asked
        .since
        .map(|since| jiff::tz::Offset::UTC.to_datetime(since).date());
    html! {
        form.bar method="get" action=(site.view(View::History).href()) data-auto="" role="search" aria-label="Changes" {
            label.field { span { "by" } input name="author" value=(asked.author) placeholder="anybody" autocomplete="off" spellcheck="false"; }
            label.field { span { "of" }
                select name="kind" {
                    option value="" { "all notes" }
                    @for (kind, word) in kinds { option value=(kind.as_str()) selected[asked.kind == Some(kind)] { (word) } }
                }
            }
            label.field { span { "since" } input type="date" name="since" value=[day]; }
            button.btn.no-script { "Show" }
        }
    }
}

fn row(site: &Site<'_>, change: &Revision, undone: &Undone) -> Markup {
    let of = change.address();
    let href = site.view(View::History).with("note", of).href();
    html! {
        tr data-key={ (of) "@" (change.number()) } data-rev="" {
            td.nowrap { (day(change.recorded_at, site.now)) }
            td { (action(change, undone)) }
            td.what { a href=(href) { @match change.note() { Some(note) => { (words::name(note)) } None => { (address(of)) } } }
                small.says { (said(change)) }
            }
            td.w { (author(change.author())) }
            td.w.num { (change.number()) }
        }
    }
}

/// The word for a change's action.
fn action(change: &Revision, undone: &Undone) -> Markup {
    let kind = match change.action {
        Action::Save | Action::Repeat | Action::Sync => "",
        Action::Delete => "line",
        Action::Forget => "bad",
        _ => "whole",
    };
    html! {
        (chip(kind, change.action.as_str()))
        @if let Some(number) = change.undoes {
            small { " of revision " (number)
                @if let Some(was) = undone.get(&(change.address().clone(), number)) {
                    ", " (was.action.as_str()) @if let Some(note) = was.note() { " “" (visible(&note.preview)) "”" }
                }
            }
        }
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
                (card(site, revision, before.as_ref(), note, index == 0 && from.is_none()))
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
    of: &OfNote,
    is_newest: bool,
) -> Markup {
    let may_restore = site.may_write()
        && !is_newest
        && revision.note().is_some()
        && !matches!(revision.address(), Address::Session(..));
    html! {
        section.card.revision data-key={ "r" (revision.number()) } data-rev="" aria-label={ "Revision " (revision.number()) } {
            header {
                h2.title.num { "Revision " (revision.number()) } (action(revision, &of.undone))
                @if is_newest { (chip("whole", "current")) }
                span.grow {}
                small { "by " (author(revision.author())) @if let Some(token) = &revision.token { " with token " (visible(token.as_str())) } ", " (exact(revision.recorded_at)) }
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
