//! The view Now: the fields, the budget as a bar, the block and its receipt, the slider.

use maud::{Markup, html};
use waynote::context::{Claim, IterationBlock, Section, Shown, Style, Why};
use waynote::text::minute;
use waynote::visible::visible;

use super::cost;
use super::{Choices, Given, LEAST_TOKENS, MOST_CLAIMS, MOST_TOKENS, Now, Shows, Times, Typed};
use crate::page::fields::Link;
use crate::page::site::{Site, View};
use crate::page::words::{self, chip, size};

/// The most bytes of a block that are shown: a page has a limit.
const MOST_BYTES: usize = 64 * 1024;

/// The sections in the order of the bar.
pub(super) const SECTIONS: [Section; 4] = [
    Section::Pinned,
    Section::Places,
    Section::Iterations,
    Section::Index,
];

/// The names of these sections, and of all else.
pub(super) const LABELS: [&str; 5] = [
    "pinned",
    "places",
    "earlier iterations",
    "other notes",
    "headings",
];

pub(crate) fn view(site: &Site<'_>, now: &Now) -> Markup {
    html! {
        div.head {
            h1 data-live="title" { @if now.typed.at.is_some() { "What a run read then" } @else { "What a run reads now" } }
            span.grow {}
            span data-live="copy" {
                button.btn.needs-script type="button" data-copy="block" disabled[now.block.as_ref().is_ok_and(|shows| shows.block.text.is_empty())] { "Copy block" }
            }
        }
        div data-live="waits" { (waits(site, now.question.as_deref())) }
        div data-live="given" { @if let Some(of) = &now.given { (given(now, of)) } }
        (bar(site, &now.typed, &now.choices))
        div data-live="budget" {
            @match &now.block {
                Err(error) => { (words::error(error)) }
                Ok(shows) => { (budget(shows)) }
            }
        }
        div.cols {
            div data-live="block" { @if let Ok(shows) = &now.block { (block(shows, now.choices.is_empty)) } }
            div.stack {
                div data-live="receipt" { @if let Ok(shows) = &now.block { (receipt(site, shows)) } }
                (time(site, &now.typed, &now.times, now.block.is_err()))
                @match &now.cost {
                    Some(days) => { (cost::view(days)) }
                    None => { p { a href=(link(site, &now.typed).with("cost", "").href()) { "Tokens of a start here, over 30 days" } } }
                }
            }
        }
    }
}

/// Says whether the block on the page is the one that the iteration was given.
fn given(now: &Now, given: &Given) -> Markup {
    let (number, session) = (&now.typed.iteration, visible(&now.typed.session));
    html! {
        @match given {
            Given::NotRecorded => { div.notice.warn role="status" { span {
                "Place and budget were not recorded when iteration " (number) " of "
                strong { (session) } " began. Choose them below to see what it would have been given."
            } } }
            Given::Recorded { block, is_same: true } => { div.notice role="status" { span {
                "Iteration " (number) " of " strong { (session) } " was given this: " (block) "."
            } } }
            Given::Recorded { .. } => { div.notice.warn role="status" { span {
                "This is not the block that iteration " (number) " of " strong { (session) } " was given: "
                (IterationBlock::DIFFERS) "."
            } } }
        }
    }
}

/// The sessions with an open question, and what the first one asks.
fn waits(site: &Site<'_>, question: Option<&str>) -> Markup {
    let waiting = site.seen.waiting();
    let Some(first) = waiting.first() else {
        return html! {};
    };
    html! {
        div.notice.warn role="status" {
            span {
                a.link href=(site.view(View::Sessions).with("session", first).href()) { strong { (visible(first.as_str())) } }
                " asks: " (visible(question.unwrap_or_default()))
                @if waiting.len() > 1 { " · " (waiting.len() - 1) " more wait" }
            }
            a.btn href=(site.view(View::Sessions).href()) { "Answer" }
        }
    }
}

fn bar(site: &Site<'_>, typed: &Typed, choices: &Choices) -> Markup {
    let field = |label: &'static str, name: &'static str, value: &str, list: &[String]| {
        html! {
            label.field { span { (label) }
                input name=(name) value=(value) list={ (name) "-names" } autocomplete="off" spellcheck="false";
            }
            datalist id={ (name) "-names" } { @for name in list { option value=(name) {} } }
        }
    };
    html! {
        form.bar.asks method="get" action=(site.view(View::Now).href()) data-auto="" role="search" aria-label="What to show" {
            (field("place", "place", &typed.place, &choices.places))
            (field("agent", "agent", &typed.agent, &choices.agents))
            (field("session", "session", &typed.session, &choices.sessions))
            label.field.short { span { "iteration" }
                input name="iteration" value=(typed.iteration) inputmode="numeric" placeholder="all" autocomplete="off";
            }
            label.field { span { "style" }
                select name="style" {
                    @for style in [Style::Stable, Style::Faithful] { option value=(style) selected[typed.style == style] { (style) } }
                }
            }
            label.field.short { span { "budget" }
                input.num name="budget" value=(typed.budget) inputmode="numeric" autocomplete="off" title={ (size(LEAST_TOKENS)) " to " (size(MOST_TOKENS)) " tokens; style faithful has none" };
            }
            label.field.wide { span { "prompt" }
                input name="prompt" value=(typed.prompt) placeholder="what the run is about to do (optional)" autocomplete="off";
            }
            @if let Some(at) = typed.at { input type="hidden" name="at" value=(at); }
            button.btn.no-script { "Show" }
        }
    }
}

/// The budget as a bar, by section.
fn budget(shows: &Shows) -> Markup {
    let receipt = &shows.block.receipt;
    let whole = receipt.budget.max(receipt.tokens).max(1);
    let other = receipt.headings + receipt.last_line;
    let part = |section| (class(section), label(section), shows.tokens(section));
    let mut parts = Vec::from(SECTIONS.map(part));
    parts.push(("he", LABELS[4], other));
    let mut x = 0;
    let bars = parts.iter().map(|(class, _, tokens)| {
        let (at, width) = (x, tokens * 1000 / whole);
        x += width;
        (class, at, width.saturating_sub(1))
    });
    html! {
        section.budget aria-label="Budget" {
            div.head {
                strong.num { (size(receipt.tokens)) }
                @if receipt.budget > 0 { small { "of " (size(receipt.budget)) " tokens" } }
                @else { small { "tokens, and no budget" } }
                span.grow {}
                @if shows.block.style == Style::Stable {
                    small.num {
                        (shows.number(Shown::Whole)) " whole · " (shows.number(Shown::Line)) " as a line · "
                        (words::grouped(receipt.left_out)) " left out"
                    }
                }
            }
            svg.track viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
                @for (class, x, width) in bars {
                    rect class=(class) x=(x) y="0" width=(width) height="10" {}
                }
            }
            div.legend {
                @for (class, label, tokens) in parts.iter().filter(|(_, _, tokens)| *tokens > 0) {
                    span { i class=(class) {} (label) " " span.num { (size(*tokens)) } }
                }
            }
        }
    }
}

pub(super) fn class(section: Section) -> &'static str {
    match section {
        Section::Pinned => "p",
        Section::Places => "pl",
        Section::Iterations => "ru",
        _ => "ix",
    }
}

fn label(section: Section) -> &'static str {
    let index = SECTIONS.iter().position(|of| *of == section);
    LABELS[index.unwrap_or(3)]
}

fn block(shows: &Shows, is_empty: bool) -> Markup {
    let block = &shows.block;
    let shown = &block.text[..block.text.floor_char_boundary(MOST_BYTES)];
    html! {
        section.card {
            header {
                h2 { "The block, byte for byte" }
                span.grow {}
                small { (block.style) " · " span.num { (size(block.text.len())) } " bytes" }
            }
            @if block.text.is_empty() {
                div.empty {
                    @if is_empty {
                        p { "This store has no notes yet. What a run would read stands here as soon as there is one." }
                        (words::first_steps())
                    } @else {
                        p { "No note applies: the model would get nothing." }
                        p { "Choose another place, agent or session above." }
                    }
                }
            } @else {
                pre.block id="block" tabindex="0" aria-label="The block" { (shown) }
                @if shown.len() < block.text.len() { p.fill { "The rest is not shown here; " code { "waynote context" } " prints all of it." } }
            }
        }
    }
}

fn receipt(site: &Site<'_>, shows: &Shows) -> Markup {
    let receipt = &shows.block.receipt;
    let is_faithful = shows.block.style == Style::Faithful;
    let claims = &receipt.claims[..receipt.claims.len().min(MOST_CLAIMS)];
    let is_out = |claim: &&Claim| claim.shown == Shown::LeftOut;
    let listed_out = claims.iter().filter(is_out).count() as u64;
    let more = receipt.left_out.saturating_sub(listed_out);
    html! {
        section.card {
            header { h2 { "Receipt" } span.grow {} small { "by priority" } }
            @if is_faithful {
                p.empty {
                    "Style faithful prints all that applies, as Zrb, ralph.nu and openotters do: "
                    b.num { (words::grouped(receipt.shown)) } " notes whole, none left out."
                }
            } @else if claims.is_empty() {
                p.empty { "Every note that applies is listed here: whole, as a line, or left out, and why." }
            } @else {
                table {
                    thead { tr { th scope="col" { "Note" } th scope="col" { "Shown" } th.num scope="col" { "Tokens" } } }
                    tbody { @for claim in claims { (row(site, shows, claim)) } }
                }
            }
            @if more > 0 {
                p.fill { (words::grouped(more)) " more left out: no room left in this section." }
            }
            @if !receipt.damaged.is_empty() {
                p.fill.bad { (receipt.damage()) }
            }
        }
    }
}

fn row(site: &Site<'_>, shows: &Shows, claim: &Claim) -> Markup {
    let (kind, word) = match claim.shown {
        Shown::Whole => ("whole", "whole"),
        Shown::Line => ("line", "one line"),
        _ => ("out", "left out"),
    };
    // A line of the index is all that was asked for.
    let kind = if claim.why == Why::Listed { "" } else { kind };
    let href = site.view(View::Notes).with("note", &claim.address).href();
    let note = shows.notes.iter().find(|of| of.address == claim.address);
    html! {
        tr {
            td {
                i class={ "dot " (class(claim.section)) } title=(label(claim.section)) {}
                a href=(href) {
                    @match note {
                        Some(note) => { (words::name(note)) }
                        None => { (words::address(&claim.address)) }
                    }
                }
                @if let Some(note) = note.filter(|note| note.edition() == claim.revision) { (words::whose(site, note)) }
                @if !matches!(claim.why, Why::Fits | Why::Listed) { small.why { (claim.why) } }
            }
            td { (chip(kind, word)) }
            td.num { @if claim.shown == Shown::LeftOut { "–" } @else { (size(claim.tokens)) } }
        }
    }
}

/// The slider through the changes, and a date.
fn time(site: &Site<'_>, typed: &Typed, times: &Times, is_bad: bool) -> Markup {
    let steps = &times.steps;
    let to = |at: Option<jiff::Timestamp>| link(site, typed).with_some("at", at).href();
    let since = steps.len() - times.at;
    let before = (times.at > 1).then(|| &steps[times.at - 2]);
    let after = steps.get(times.at);
    let shown = times.at.checked_sub(1).and_then(|index| steps.get(index));
    html! {
        section.card.time-card aria-labelledby="time-title" {
            header {
                h2 id="time-title" { "At another time" }
                span.grow {}
                small.num data-live="time" {
                    @match typed.at {
                        None if is_bad => {}
                        None => { "now" }
                        Some(at) => { (minute(at)) " UTC · " (waynote::text::plural(since as u64, "change")) " since" }
                    }
                }
            }
            form.time method="get" action=(site.view(View::Now).href()) data-auto="" {
                (hidden(typed))
                @if let Some(newest) = steps.last() {
                    input type="hidden" name="of" value=(newest.time);
                    input type="range" name="step" min="0" max=(steps.len()) value=(times.at) aria-label="Time: step through the changes of these notes" aria-valuetext=[shown.map(|step| minute(step.time))];
                    div.head.ends {
                        small { (minute(steps[0].time)) }
                        span.grow {}
                        small { "now" }
                    }
                }
                div.bar {
                    span data-live="steps" {
                        @if let Some(before) = before { a.btn href=(to(Some(before.time))) { "‹ Before" } " " }
                        @if let Some(after) = after { a.btn href=(to(Some(after.time))) { "After ›" } " " }
                        @if typed.at.is_some() { a.btn href=(to(None)) { "Now" } " " }
                        @if let (Some(step), true) = (shown, typed.at.is_some()) {
                            small.last { (step.action.as_str()) " "
                                @match &step.note { Some(note) => { (words::name(note)) } None => { (words::address(&step.address)) } }
                            }
                        }
                    }
                    span.grow {}
                    button.btn.no-script { "Show" }
                }
            }
            form.when method="get" action=(site.view(View::Now).href()) {
                (hidden(typed))
                label.field { span { "date (UTC)" }
                    input type="datetime-local" name="when" step="1" value=[typed.at.map(|at| minute(at).replace(' ', "T"))];
                }
                button.btn { "Go" }
            }
        }
    }
}

fn asked(typed: &Typed) -> [(&'static str, &str); 7] {
    let style = match typed.style {
        Style::Stable => "",
        style => style.as_str(),
    };
    [
        ("style", style),
        ("place", &typed.place),
        ("agent", &typed.agent),
        ("session", &typed.session),
        ("iteration", &typed.iteration),
        ("budget", &typed.budget),
        ("prompt", &typed.prompt),
    ]
}

fn hidden(typed: &Typed) -> Markup {
    html! {
        @for (name, value) in asked(typed) {
            @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
        }
    }
}

fn link(site: &Site<'_>, typed: &Typed) -> Link {
    let fields = asked(typed).into_iter();
    let given = fields.filter(|(_, value)| !value.is_empty());
    given.fold(site.view(View::Now), |link, (name, value)| {
        link.with(name, value)
    })
}
