//! The view Notes: search, tree, list, reader.

use maud::{Markup, html};
use waynote::visible::visible;
use waynote::{EntryType, ScopeKind, Snippet, Store};

use super::list::{Asked, Item, List, Only, Show};
use super::tree::Row;
use super::{Notes, Shown, changes, done, reader, worth};
use crate::page::site::{Site, View};
use crate::page::words::{self, chip, grouped};

pub(crate) fn view(store: &dyn Store, site: &Site<'_>, notes: &Notes) -> Markup {
    let asked = &notes.asked;
    html! {
        div.head {
            h1 { "Notes" }
            small.num data-live="number" { (number(notes)) }
            span.grow {}
            @if site.may_write() {
                a.btn.primary href=(new(site, asked)) { "New note" }
            }
        }
        (done::view(site, asked, notes.done.as_ref()))
        (shows(site, asked))
        @match &notes.shown {
            Shown::Notes(shown) => {
                (bar(site, notes))
                div.three.reading[notes.reader.is_some()] {
                    (tree(site, notes))
                    (list(site, notes, shown))
                    (reader::view(site, notes))
                }
            }
            Shown::Changes(shown) => {
                (author_bar(site, asked))
                div.three.reading[notes.reader.is_some()] {
                    (tree(site, notes))
                    (changes::view(site, notes, shown))
                    (reader::view(site, notes))
                }
            }
            Shown::Worth(shown) => {
                div.three.two {
                    (tree(site, notes))
                    (worth::view(store, site, asked, shown))
                }
            }
        }
    }
}

/// The links to the other lists of the same scope.
fn shows(site: &Site<'_>, asked: &Asked) -> Markup {
    let all = [
        (Show::Notes, "Notes"),
        (Show::Changes, "Latest changes"),
        (Show::Worth, "Worth a look"),
    ];
    html! {
        nav.bar.shows aria-label="Lists" {
            @for (show, word) in all {
                @let other = Asked { show, scope: asked.scope.clone(), ..Asked::default() };
                a.btn href=(other.link(site).href()) aria-current=[(asked.show == show).then_some("page")] { (word) }
            }
        }
    }
}

/// The field for the author of changes.
fn author_bar(site: &Site<'_>, asked: &Asked) -> Markup {
    html! {
        form.bar method="get" action=(site.view(View::Notes).href()) data-auto="" role="search" aria-label="Changes" {
            input type="hidden" name="show" value="changes";
            @if let Some(scope) = &asked.scope { input type="hidden" name="in" value=(scope); }
            label.field { span { "by" } input name="author" value=(asked.author) placeholder="anyone" autocomplete="off" spellcheck="false"; }
            button.btn.no-script { "Show" }
        }
    }
}

fn new(site: &Site<'_>, asked: &Asked) -> String {
    asked.on(site.link("notes/new")).href()
}

fn number(notes: &Notes) -> Markup {
    let Shown::Notes(list) = &notes.shown else {
        return html! { (grouped(notes.all)) };
    };
    let is_search = !notes.asked.query.is_empty();
    html! {
        @match list.total {
            Some(total) if is_search => { (waynote::text::plural(total, "hit")) }
            None if is_search => { "the " (list.items.len()) " best hits" }
            Some(total) => { (grouped(total)) " of " (grouped(notes.all.max(total))) }
            None => { (grouped(notes.all)) }
        }
    }
}

fn bar(site: &Site<'_>, notes: &Notes) -> Markup {
    let asked = &notes.asked;
    let of_session = asked
        .scope
        .as_ref()
        .is_some_and(|of| of.kind() == ScopeKind::Session);
    let mut only = vec![(Only::All, "all".to_owned())];
    match &asked.scope {
        Some(_) if of_session => {
            only.extend(EntryType::ALL.map(|kind| (Only::Type(kind.clone()), kind.to_string())));
        }
        Some(_) => only.push((Only::Pinned, "pinned".into())),
        None => {
            let kinds = [
                (ScopeKind::Place, "places"),
                (ScopeKind::Agent, "notebooks"),
                (ScopeKind::Session, "sessions"),
            ];
            only.extend(kinds.map(|(kind, word)| (Only::Kind(kind), word.to_owned())));
        }
    }
    html! {
        form.bar method="get" action=(site.view(View::Notes).href()) data-auto="" role="search" aria-label="Notes" {
            @if let Some(scope) = &asked.scope { input type="hidden" name="in" value=(scope); }
            label.field.search { svg.lens viewBox="0 0 16 16" aria-hidden="true" { path d="M10.6 10.6 14 14M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0Z" {} } (words::unseen("Search"))
                input type="search" name="q" value=(asked.query) autocomplete="off" spellcheck="false" data-search=""
                    placeholder={ "Search " @match &asked.scope { Some(scope) => { (words::scope_word(scope)) " " (words::scope_name(scope)) } None => { "all notes" } } };
            }
            label.field { span { "show" }
                select name="only" {
                    @for (of, word) in &only {
                        option value=(of.word().unwrap_or_default()) selected[asked.only == *of] { (word) }
                    }
                }
            }
            button.btn.no-script { "Search" }
        }
    }
}

fn tree(site: &Site<'_>, notes: &Notes) -> Markup {
    let is_all = notes.asked.scope.is_none();
    html! {
        nav.card.tree aria-label="Scopes" data-live="tree" {
            a.all href=(Asked { show: notes.asked.show, ..Asked::default() }.link(site).href()) aria-current=[is_all.then_some("true")] {
                "All notes" span.dimmer.num { (grouped(notes.all)) }
            }
            @for (title, rows) in &notes.tree {
                h2 { (title) }
                @if rows.is_empty() { p.none { "none" } }
                @for row in rows { (branch(site, notes, row)) }
            }
        }
    }
}

fn branch(site: &Site<'_>, notes: &Notes, row: &Row) -> Markup {
    let inset = ["", "in1", "in2", "in3", "in4"][row.depth.min(4)];
    let Some(scope) = &row.scope else {
        return html! { p class={ "none " (inset) } { (row.label) } };
    };
    let is_here = notes.asked.scope.as_ref() == Some(scope);
    html! {
        a class=(inset) href=(Asked { show: notes.asked.show, scope: Some(scope.clone()), ..Asked::default() }.link(site).href()) title=(visible(scope.name())) aria-current=[is_here.then_some("true")] {
            span.cut { (row.label) }
            @if row.notes > 0 { span.dimmer.num { (grouped(row.notes)) } }
        }
    }
}

fn list(site: &Site<'_>, notes: &Notes, list: &List) -> Markup {
    let asked = &notes.asked;
    html! {
        section.card.list aria-label="Notes of this list" data-live="list" data-list="" {
            @for of_one in list.items.chunk_by(|one, next| is_folded(asked, one) && one.note.address.scope() == next.note.address.scope()) {
                @if let [first, _, ..] = of_one {
                    details.fold open[of_one.iter().any(|item| is_open(notes, item))] {
                        summary { span.addr { (words::scope_name(&first.note.address.scope())) } " " small.num { (of_one.len()) " entries" } }
                        @for item in of_one { (entry(site, notes, item)) }
                    }
                } @else { @for item in of_one { (entry(site, notes, item)) } }
            }
            @if list.items.is_empty() { (nothing(site, asked, list.next.is_some())) }
            (words::pages(
                asked.after.map(|_| (asked.page(site, None), "First page")),
                list.next.map(|next| (asked.page(site, Some(next)), "More")),
            ))
        }
    }
}

/// True for entries of a session among notes of other kinds.
fn is_folded(asked: &Asked, item: &Item) -> bool {
    asked.scope.is_none() && asked.query.is_empty() && item.note.kind.is_some()
}

fn is_open(notes: &Notes, item: &Item) -> bool {
    let reader = notes.reader.as_ref();
    reader.is_some_and(|of| of.address == item.note.address)
}

fn entry(site: &Site<'_>, notes: &Notes, item: &Item) -> Markup {
    let (note, is_open) = (&item.note, is_open(notes, item));
    let is_inside = notes.asked.scope.as_ref() == Some(&note.address.scope());
    let href = notes.asked.link(site).with("note", &note.address).href();
    html! {
        a href=(href) data-swap="" data-key=(note.address) data-rev=(note.revision) aria-current=[is_open.then_some("true")] {
            span.row {
                span.grow { @if is_inside { (words::name_inside(note)) } @else { (words::name_listed(note)) } }
                @if note.pinned { (chip("", "pinned")) }
                @if note.resolved_by.is_some() { (chip("out", "resolved")) }
                @if note.is_stale() { (chip("bad", "stale")) }
                @if note.source.is_dated() { (words::day(note.updated_at, site.now)) }
            }
            span.says {
                (words::whose(site, note))
                @match &item.snippet {
                    Some(snippet) if !snippet.text.is_empty() => { (matched(snippet)) }
                    _ if note.preview.is_empty() => { em { "(empty)" } }
                    _ => { (visible(&note.preview)) }
                }
            }
        }
    }
}

/// The line that matches, with its words marked. Credentials are masked where a preview would mask them.
fn matched(snippet: &Snippet) -> Markup {
    let masked = waynote::secrets::masked(&snippet.text);
    if masked != snippet.text {
        return html! { (visible(&masked)) };
    }
    let mut from = 0;
    let mut pieces = Vec::new();
    for range in &snippet.matches {
        if let (Some(before), Some(word)) = (
            snippet.text.get(from..range.start),
            snippet.text.get(range.clone()),
        ) {
            pieces.push((before, word));
            from = range.end;
        }
    }
    html! {
        @for (before, word) in pieces { (visible(before)) mark { (visible(word)) } }
        (visible(snippet.text.get(from..).unwrap_or_default()))
    }
}

fn nothing(site: &Site<'_>, asked: &Asked, is_more: bool) -> Markup {
    html! {
        div.empty {
            @if !asked.query.is_empty() {
                p { "Nothing matches " strong { (visible(&asked.query)) } "." }
                p { "Any of the words counts; " code { "\"a phrase\"" } ", " code { "pre*" } " and " code { "-not" } " work too." }
            } @else if is_more {
                p { "None of the latest changes is of such a note." }
            } @else if asked.only != Only::All {
                p { "No note fits these filters." }
                p { a href=(Asked { scope: asked.scope.clone(), ..Asked::default() }.link(site).href()) { "Show all" } }
            } @else if let Some(scope) = &asked.scope {
                p { "There are no notes in this " (words::scope_word(scope)) "." }
                @if site.may_write() { p { a href=(new(site, asked)) { "Write the first one" } } }
            } @else {
                p { "This store has no notes yet." }
                (words::first_steps())
            }
        }
    }
}
