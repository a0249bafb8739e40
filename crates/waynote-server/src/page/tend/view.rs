//! The view Tend.

use maud::{Markup, html};
use waynote::cites;
use waynote::text::plural;
use waynote::visible::{lines, visible};
use waynote::{Address, Note, Store, secrets::masked};

use super::cost::{Cost, Day};
use super::{LISTED, New, Tend};
use crate::page::forms;
use crate::page::history::diff;
use crate::page::notes::{action, done, edit_link};
use crate::page::now::{LABELS, SECTIONS, class};
use crate::page::site::{Site, View};
use crate::page::words::{self, chip, day, grouped, size, unseen};

pub(crate) fn view(store: &dyn Store, site: &Site<'_>, tend: &Tend) -> Markup {
    let several = site.link("tend/several").href();
    html! {
        // The script renews the rail alone: what is chosen here stays chosen.
        div.head data-again=(several) {
            h1 { "Tend" }
            @if let Some(new) = &tend.new { (since(site, new)) }
            span.grow {}
            @if site.may_write() && tend.stale.len() + tend.not_given.len() > 0 {
                form.inline id="several" method="get" action=(several) {
                    small { "Ticked notes: " }
                    button.btn name="do" value="delete" { "Delete…" } " "
                    button.btn name="do" value="unpin" { "Unpin…" }
                }
            }
        }
        (done::view(site, &tend.asked, tend.done.as_ref()))
        div.stack.tend {
            @if tend.found == 0 { section.card { p.empty { "No note is worth a look: none says what another one says." } } }
            @if !tend.stale.is_empty() { (stale(store, site, tend)) }
            @for pair in &tend.alike { (alike(site, tend, pair)) }
            @if !tend.not_given.is_empty() { (not_given(site, tend)) }
            @if tend.found > LISTED { p.none { "Each part lists at most " (LISTED) " notes; " (grouped(tend.found as u64)) " were found." } }
            @if site.records.is_none() {
                p.none { "Notes that cite changed code, notes that no session was given, and what is new to you are known where agents run: " code { "waynote ui" } " shows them there." }
            }
            (cost(site, &tend.cost))
        }
    }
}

fn since(site: &Site<'_>, new: &New) -> Markup {
    let link = site.view(View::History).with("since", new.since).href();
    html! {
        small { "since you last looked, " (words::ago(new.since, site.now)) ": "
            @if new.new + new.changed == 0 { "nothing new" } @else {
                a.link href=(link) { @if new.is_more { "at least " } (new.new) " new · " (new.changed) " changed" }
            }
        }
    }
}

fn stale(store: &dyn Store, site: &Site<'_>, tend: &Tend) -> Markup {
    html! {
        section.card {
            header { h2 { "May no longer be true" } (chip("line", &tend.stale.len().to_string())) span.grow {} small { "the code that they cite has changed" } }
            @for note in &tend.stale {
                (row(site, tend, note, &html! {}))
                @for cited in note.cites.iter().filter(|cited| cited.changed) {
                    @let (old, now) = store.checkouts().map_or((None, None), |of| cites::spans(of, cited));
                    div.cited {
                        small.mono { (visible(&cited.code)) @if now.is_none() { " is not there any more" } @else if old.is_none() { ": what it said is not kept" } }
                        @if let (Some(old), Some(now)) = (&old, &now) { (diff::view(&masked(old), &masked(now))) }
                    }
                }
            }
        }
    }
}

fn not_given(site: &Site<'_>, tend: &Tend) -> Markup {
    let last = |note: &Note| {
        let at = tend.given.notes.get(&note.address.to_string());
        at.and_then(|at| jiff::Timestamp::from_millisecond(i64::try_from(*at).ok()?).ok())
    };
    html! {
        section.card {
            header { h2 { "Never given in 90 days" } (chip("out", &tend.not_given.len().to_string())) span.grow {} small { "to no session on this machine" } }
            @for note in &tend.not_given {
                (row(site, tend, note, &html! {
                    @if note.pinned { (chip("", "pinned, matched nothing")) }
                    small.dimmer { @match last(note) { Some(at) => { "last given " (day(at, site.now)) } None => { "never given" } } }
                }))
            }
        }
    }
}

/// A note with its acts, and a box to choose it with others.
fn row(site: &Site<'_>, tend: &Tend, note: &Note, more: &Markup) -> Markup {
    let (of, base, asked) = (&note.address, note.revision, &tend.asked);
    let is_entry = matches!(of, Address::Session(..));
    let act = |what: &str, word: &str| {
        action(
            site,
            asked,
            what,
            of,
            base,
            html! { button.btn { (word) (unseen(&format!(" {of}"))) } },
        )
    };
    html! {
        div.worth {
            @if site.may_write() && !is_entry {
                input type="checkbox" form="several" name="chosen" value={ (base) " " (of) } aria-label={ "choose " (of) };
            }
            div.grow {
                a href=(site.view(View::Notes).with("note", of).href()) { (words::name(note)) }
                p { (visible(&masked(&note.preview))) }
            }
            (more)
            @if site.may_write() {
                (act("confirm", "Still true"))
                @if !is_entry {
                    a.btn href=(edit_link(site, asked, of, base)) { "Edit" (unseen(&format!(" {of}"))) }
                    @if note.pinned { (act("unpin", "Unpin")) }
                    (act("delete", "Delete"))
                }
            }
        }
    }
}

/// Two notes side by side, each to keep; or both joined.
fn alike(site: &Site<'_>, tend: &Tend, pair: &[Note; 2]) -> Markup {
    let [left, right] = pair;
    let keep = |gone: &Note, word| {
        let button = html! { button.btn { (word) } };
        action(
            site,
            &tend.asked,
            "delete",
            &gone.address,
            gone.revision,
            button,
        )
    };
    html! {
        section.card {
            header {
                h2 { "Said twice" } span.grow {}
                @if site.may_write() {
                    (keep(right, "Keep the first")) (keep(left, "Keep the second"))
                    form.inline method="post" action=(site.link("tend/join").href()) {
                        (forms::hidden(&[("kept", left.address.to_string()), ("base", left.revision.to_string())]))
                        (forms::hidden(&[("gone", right.address.to_string()), ("gone_base", right.revision.to_string())]))
                        button.btn { "Join and edit" }
                    }
                }
            }
            div.pair { @for note in pair {
                div {
                    a href=(site.view(View::Notes).with("note", &note.address).href()) { (words::name(note)) } " "
                    small { "by " (words::author(&note.author)) ", " (day(note.updated_at, site.now)) @if note.pinned { ", pinned" } }
                    pre.block { (lines(&masked(&note.content.shown()).chars().take(2000).collect::<String>())) }
                }
            } }
        }
    }
}

/// The tokens of the block over time, as a plot with one area for each section.
fn cost(site: &Site<'_>, cost: &Cost) -> Markup {
    const WIDTH: usize = 720;
    const TOP: usize = 2;
    const BASE: usize = 130;
    let last = cost.days.last();
    let budget = last.map_or(0, |day| day.budget);
    let most = cost
        .days
        .iter()
        .map(Day::all)
        .max()
        .unwrap_or(0)
        .max(budget)
        .max(1);
    let steps = cost.days.len().saturating_sub(1).max(1);
    let y = |tokens: usize| BASE - tokens * (BASE - TOP) / most;
    // An area lies between the sum of the sections below it and that with its own.
    let area = |section: usize| {
        let sum = |day: &Day, sections: usize| day.tokens[..sections].iter().sum();
        let point = |index: usize, tokens| format!("{},{}", index * WIDTH / steps, y(tokens));
        let days = cost.days.iter().enumerate();
        let above = days
            .clone()
            .map(|(index, day)| point(index, sum(day, section + 1)));
        let below = days
            .rev()
            .map(|(index, day)| point(index, sum(day, section)));
        above.chain(below).collect::<Vec<_>>().join(" ")
    };
    let class = |section: usize| SECTIONS.get(section).map_or("he", |of| class(*of));
    let field = |name: &str, value: &str| {
        html! {
            label.field { span { (name) } input name=(name) value=(value) autocomplete="off" spellcheck="false"; }
        }
    };
    html! {
        section.card id="cost" {
            header {
                h2 { "Tokens of a start here, over 30 days" } span.grow {}
                @if let Some(last) = last { small.num { (size(last.all())) " of " (size(budget)) " tokens" } }
            }
            form.bar.pad method="get" action={ (site.view(View::Tend).href()) "#cost" } {
                (field("place", &cost.typed.place)) (field("agent", &cost.typed.agent)) button.btn { "Show" }
            }
            @if let (Some(first), Some(last)) = (cost.days.first(), last) {
                div.pad {
                    small { "budget " (size(budget)) }
                    svg.cost viewBox={ "0 0 " (WIDTH) " " (BASE) } preserveAspectRatio="none" role="img" aria-label={ "Tokens of the block: " (first.all()) " 30 days ago, " (last.all()) " today" } {
                        @for section in 0..5 { polygon class=(class(section)) points=(area(section)) {} }
                        line x1="0" x2=(WIDTH) y1=(y(budget)) y2=(y(budget)) {}
                    }
                    div.head { small { (first.date.strftime("%-d %b")) } span.grow {} small { "today" } }
                    div.legend {
                        @for (index, label) in LABELS.iter().enumerate().filter(|(index, _)| last.tokens[*index] > 0) {
                            span { i class=(class(index)) {} (label) " " span.num { (size(last.tokens[index])) } }
                        }
                    }
                    @for pushed in &cost.pushed {
                        p { small {
                            (pushed.date.strftime("%-d %b")) ": "
                            @if let Some((of, by)) = &pushed.grew { (words::address(of)) " grew by " (plural(*by as u64, "token")) ", and " }
                            (plural(pushed.out.len() as u64, "note")) " had less room or none: "
                            @for (index, of) in pushed.out.iter().take(5).enumerate() { @if index > 0 { ", " } (words::address(of)) }
                            @if pushed.out.len() > 5 { " …" }
                        } }
                    }
                    @if cost.pushed.is_empty() { p.none { small { "No note lost room to others." } } }
                }
            } @else { p.empty { "Write a place and the name of an agent." } }
        }
    }
}
