//! Small pieces that all views share: addresses, times, chips, numbers.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::Offset;
use maud::{Markup, html};
use waynote::author::shown;
pub(crate) use waynote::text::grouped;
use waynote::text::minute;
use waynote::visible::{lines, visible};
use waynote::{Address, Author, EntryType, Error, Name, Note, Scope};

use super::fields::Link;
use super::site::Site;

/// An address, its scope quieter than its key.
pub(crate) fn address(address: &Address) -> Markup {
    let scope = visible(&address.scope().to_string());
    html! {
        span.addr {
            @match (address, address.key()) {
                (Address::Place(_), _) => {
                    @let (word, name) = scope.split_once(':').unwrap_or_default();
                    em { (word) ":" } wbr; (breakable(name))
                }
                (_, Some(key)) => { em { (breakable(&scope)) } wbr; "#" (breakable(&key)) }
                (_, None) => { (scope) }
            }
        }
    }
}

/// A note's name: its address, or the session, iteration and type of an entry.
pub(crate) fn name(note: &Note) -> Markup {
    match (&note.address, &note.kind) {
        (Address::Session(session, _), Some(kind)) => html! {
            span.addr {
                em { (breakable(&visible(session.as_str()))) } " "
                @if let Some(iteration) = note.iteration { "#" (iteration) " " }
                (entry_type(kind))
            }
        },
        (of, _) => address(of),
    }
}

/// The type of an entry, in its colour.
fn entry_type(kind: &EntryType) -> Markup {
    let class = match kind {
        EntryType::Stuck => "t-stuck",
        EntryType::Learning => "t-learning",
        EntryType::Tip => "t-tip",
        EntryType::Decision => "t-decision",
        _ => "",
    };
    html! { span class=(class) { (visible(kind.as_str())) } }
}

/// A note's name in a list of many scopes: the part that distinguishes it comes first.
pub(crate) fn name_listed(note: &Note) -> Markup {
    let scope = note.address.scope();
    html! {
        @match &note.address {
            Address::Place(of) => { span.addr { (visible(of.as_str())) } }
            _ => { (name_inside(note)) " " span.addr.dimmer { (scope_name(&scope)) } }
        }
    }
}

/// A note's name in a list of notes of its scope.
pub(crate) fn name_inside(note: &Note) -> Markup {
    match (&note.address, &note.kind) {
        (Address::Session(..), Some(kind)) => html! {
            span.addr {
                @if let Some(iteration) = note.iteration { em { "#" (iteration) } " " }
                (entry_type(kind))
            }
        },
        (Address::Place(_), _) => html! { span.addr { "its own note" } },
        (of, _) => match of.key() {
            Some(key) => html! { span.addr { em { "#" } (breakable(&key)) } },
            None => address(of),
        },
    }
}

/// A path that can break behind its slashes.
pub(crate) fn breakable(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split_inclusive('/').enumerate() {
            @if index > 0 { wbr; }
            (part)
        }
    }
}

/// The name of a scope, as the tree and headings show it.
pub(crate) fn scope_name(scope: &Scope) -> String {
    visible(scope.name())
}

/// The word for a scope.
pub(crate) fn scope_word(scope: &Scope) -> &'static str {
    match scope {
        Scope::Place(_) => "place",
        Scope::Agent(_) => "notebook",
        Scope::Session(_) => "session",
        _ => "scope",
    }
}

/// The day of a time; the minute and the zone are its title.
pub(crate) fn day(time: Timestamp, now: Timestamp) -> Markup {
    let (date, today) = (
        Offset::UTC.to_datetime(time),
        Offset::UTC.to_datetime(now).date(),
    );
    let form = match date.date() {
        date if date == today => "%H:%M",
        date if date.year() == today.year() => "%-d %b",
        _ => "%-d %b %Y",
    };
    html! { time.num datetime=(time) title={ (minute(time)) " UTC" } { (date.strftime(form)) } }
}

/// Day and minute.
pub(crate) fn exact(time: Timestamp) -> Markup {
    html! { time.num datetime=(time) title="universal time (UTC)" { (minute(time)) } }
}

/// A duration in two units at most; a short one in tenths of a second.
pub(crate) fn took(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        ..10 => format!("{}.{} s", seconds, time.subsec_millis() / 100),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// A number of tokens, or of anything else that is counted in memory.
pub(crate) fn size(number: usize) -> String {
    grouped(number as u64)
}

/// A word in a pill. The kinds are those of the style sheet: `whole`, `line`, `out`, `bad`, or nothing.
pub(crate) fn chip(kind: &'static str, word: &str) -> Markup {
    html! { span class={ "chip " (kind) } { (word) } }
}

/// The links to the other pages of a list: back to the first ones, and on to the next one, each with its word.
pub(crate) fn pages(back: Option<(Link, &str)>, next: Option<(Link, &str)>) -> Markup {
    html! {
        @if back.is_some() || next.is_some() {
            nav.pages aria-label="Pages" {
                @if let Some((link, word)) = back { a.btn href=(link.href()) { (word) } }
                span.grow {}
                @if let Some((link, word)) = next { a.btn rel="next" href=(link.href()) { (word) } }
            }
        }
    }
}

/// Whose a note of a list is: a mark if others share it, and in a store of several people its author.
pub(crate) fn whose(site: &Site<'_>, note: &Note) -> Markup {
    let by = || {
        Author::of(&note.author)
            .by(visible)
            .filter(|_| site.is_shared)
    };
    html! { @if let Some(whose) = note.mark(visible).or_else(by) { " " (chip("", &whose)) " " } }
}

/// The words for an author.
pub(crate) fn author(name: &Name) -> String {
    of_holder(name, None)
}

/// The words for an author who wrote with a token of this holder.
pub(crate) fn of_holder(name: &Name, holder: Option<&Name>) -> String {
    match (Author::of(name), holder) {
        (Author::Person, None) => "a person".into(),
        _ => visible(&shown(name, holder)),
    }
}

/// An error with its cause and the advice, in the place that the reader looks at.
pub(crate) fn error(error: &Error) -> Markup {
    problem(&error.to_string(), error.advice().as_deref())
}

/// The same for the page's own errors.
pub(crate) fn problem(what: &str, advice: Option<&str>) -> Markup {
    html! {
        div.problem role="alert" {
            strong { (sentence(&lines(what))) }
            @if let Some(advice) = advice { p { (sentence(&lines(advice))) } }
        }
    }
}

/// A text as a sentence: it begins with a capital letter and ends with a period.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|char| char.to_uppercase().to_string());
    let rest = chars.as_str();
    let end = if text.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    format!("{}{rest}{end}", first.unwrap_or_default())
}

/// The commands that put notes into an empty store.
pub(crate) fn first_steps() -> Markup {
    html! {
        p { "Connect an agent, which writes notes while it works:" }
        p { code { "waynote install claude-code" } }
        p { "Or write the first one yourself:" }
        p { code { "waynote key save deploy 'run make ship'" } }
    }
}

/// A text only for screen readers.
pub(crate) fn unseen(text: &str) -> Markup {
    html! { span.unseen { (text) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_short() {
        let now: Timestamp = "2026-05-19T14:02:00Z".parse().unwrap();
        let of = |time: &str| day(time.parse().unwrap(), now).into_string();
        assert!(of("2026-05-19T09:05:00Z").contains(">09:05<"));
        assert!(of("2026-05-17T09:05:00Z").contains(">17 May<"));
        assert!(of("2025-12-01T09:05:00Z").contains(">1 Dec 2025<"));
        assert_eq!(grouped(1_234_567), "1,234,567");
        let took = |millis| took(Duration::from_millis(millis));
        assert_eq!(
            [took(18_720_000), took(59_900), took(9_990), took(100)],
            ["5 h 12 min", "59 s", "9.9 s", "0.1 s"]
        );
        assert_eq!(sentence("there is no x"), "There is no x.");
    }
}
