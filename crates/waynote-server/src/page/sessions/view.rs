//! The view Sessions.

use maud::{Markup, html};
use waynote::event::IterationOutcome;
use waynote::session_state::Iteration;
use waynote::text::{plural, shell_word};
use waynote::visible::{lines, visible};
use waynote::{Address, EntryType, Name, Note, SessionState, SessionStatus};

use super::one::{ITERATIONS, OfType};
use super::{Asks, One, Row, Sessions};
use crate::page::forms;
use crate::page::markdown;
use crate::page::site::{Site, View};
use crate::page::words::{chip, day, grouped, pages, took, unseen};

pub(crate) fn view(site: &Site<'_>, sessions: &Sessions) -> Markup {
    html! {
        div.head {
            h1 { "Sessions" }
            small.num data-live="number" {
                (sessions.total) " in all · " (sessions.running) " running"
                @if sessions.waiting > 0 { " · " b { (waits(sessions.waiting)) } }
            }
        }
        @if let Some(done) = sessions.done.as_deref().and_then(done) {
            div.notice role="status" data-notice="" { span { (done) } }
        }
        @if sessions.rows.is_empty() && sessions.one.is_none() && sessions.after == 0 {
            section.card { div.empty {
                p { "No loop has run yet. Each one is a session: its iterations, its notes and its questions stand here." }
                p { code { "waynote loop --session nightly --spec SPEC.md --with claude-code" } }
            } }
        } @else {
            div.cols.sessions {
                div.stack {
                    div data-live="asks" { @for asks in &sessions.questions { (ask(site, asks)) } }
                    (list(site, sessions))
                }
                div.one id="session" data-live="session" { @if let Some(one) = &sessions.one { (session(site, one)) } }
            }
        }
    }
}

/// The sentence after an action.
fn done(what: &str) -> Option<&'static str> {
    Some(match what {
        "answered" => "Answered. The next iteration of the session has your answer in its prompt.",
        "stops" => "Its loop stops after this iteration.",
        "archived" => "Archived. A loop or an answer in it puts it back on the list.",
        "listed" => "It is on the list again.",
        _ => return None,
    })
}

fn waits(number: usize) -> String {
    match number {
        1 => "1 needs an answer".into(),
        number => format!("{number} need an answer"),
    }
}

/// A question, with the box for its answer.
fn ask(site: &Site<'_>, asks: &Asks) -> Markup {
    let session = asks.session.as_str();
    html! {
        section.ask aria-label={ "Question of " (visible(session)) } data-key={ "ask " (session) } {
            div.head {
                h2 { (visible(session)) " asks" }
                small { "iteration " (asks.question.iteration) " · " (day(asks.since, site.now)) }
            }
            div.prose.tight { (markdown::rendered(&asks.question.question)) }
            @if site.may_write() {
                form method="post" action=(site.link("sessions/answer").href()) data-keep="" {
                    (forms::hidden(&[("session", session.to_owned())]))
                    textarea name="answer" rows="3" required aria-label={ "Answer to " (visible(session)) }
                        placeholder="Your answer; it goes into the next prompt" {}
                    div.bar { button.btn.primary { "Answer" } small { "Then run " (continues(&asks.session)) } }
                }
            }
        }
    }
}

fn list(site: &Site<'_>, sessions: &Sessions) -> Markup {
    let open = sessions.one.as_ref().map(|one| one.session.as_str());
    html! {
        section.card id="sessions" data-live="sessions" {
            header { h2 { "All sessions" } span.grow {} small { "newest first" } }
            table {
                thead { tr {
                    th scope="col" { "Session" } th scope="col" { "State" } th.num scope="col" { "Iterations" }
                    th.num.w scope="col" { "Notes" } th.num.w scope="col" { "Last" }
                } }
                tbody data-list="" { @for row in &sessions.rows { (entry(site, sessions, row, open == Some(row.session.as_str()))) } }
            }
            (pages(
                (sessions.after > 0).then(|| (site.view(View::Sessions), "First page")),
                sessions.next().map(|next| (site.view(View::Sessions).with("after", next), "More")),
            ))
        }
    }
}

fn entry(site: &Site<'_>, sessions: &Sessions, row: &Row, is_open: bool) -> Markup {
    let link = site.view(View::Sessions).with("session", &row.session);
    let after = (sessions.after > 0).then_some(sessions.after);
    html! {
        tr.open[is_open] data-key=(row.session) data-rev=[row.last] {
            td { a.addr href={ (link.with_some("after", after).href()) "#session" } data-swap="" aria-current=[is_open.then_some("true")] { (visible(row.session.as_str())) } }
            td { (state_chip(&row.status)) @if let Some(detail) = row.status.detail() { small.why { (visible(&detail)) } } }
            td.num { @match row.iteration { Some(iteration) => { (iteration) @if let Some(of) = row.of { " of " (of) } } None => { "–" } } }
            td.num.w { (grouped(row.notes)) }
            td.num.w { @match row.last { Some(last) => { (day(last, site.now)) } None => { "–" } } }
        }
    }
}

fn session(site: &Site<'_>, one: &One) -> Markup {
    let name = one.session.as_str();
    html! {
        a.btn.back href="#sessions" { "‹ All sessions" }
        section.card aria-labelledby="session-title" {
            header {
                h2.title id="session-title" { span.addr { (visible(name)) } } (state_chip(&one.status))
                span.grow {}
                a.btn href=(site.view(View::Notes).with("in", waynote::Scope::Session(one.session.clone())).href()) { "Its notes" }
            }
            div.pad.stack {
                @if let Some(detail) = one.status.detail() { p.why { (visible(&detail)) } }
                @if let Some(given) = &one.status.answer {
                    div.prose.tight { (markdown::rendered(&format!("Answered by {}: {}", given.by, given.answer))) }
                }
                (go_on(one))
                @if site.may_write() { (acts(site, one)) }
                @if let Some((done, of)) = one.run { p.num { (done) " of the " (of) " iterations of this run are done." } }
                @if !one.iterations.is_empty() { (bars(one)) }
                @for of in &one.types { (notes(site, one, of)) }
                @if one.types.is_empty() { p.none { "It has no notes yet." } }
                @if !one.iterations.is_empty() { (iterations(site, one)) }
            }
        }
    }
}

/// The chip with the state's words.
fn state_chip(status: &SessionStatus) -> Markup {
    let kind = match status.state {
        SessionState::Running | SessionState::Answered => "whole",
        SessionState::Waiting => "line",
        SessionState::Done => "done",
        SessionState::Stalled | SessionState::Failed | SessionState::Lost => "bad",
        _ => "",
    };
    chip(kind, status.state.as_str())
}

/// The way to continue a session in which no loop runs.
fn go_on(one: &One) -> Markup {
    let (before, then) = match one.status.state {
        SessionState::Waiting => (
            "Answer its question. Then run",
            "it goes on with the answer",
        ),
        SessionState::Answered => ("Run", "it goes on with the answer"),
        SessionState::Stalled | SessionState::Failed => ("Mend the cause. Then run", "it goes on"),
        SessionState::Lost
        | SessionState::Stopped
        | SessionState::Interrupted
        | SessionState::OutOfTime => ("Run", "it goes on"),
        _ => return html! {},
    };
    html! {
        p.go-on {
            (before) " " (continues(&one.session)) " on the machine where it ran"
            @if let Some(directory) = &one.directory { ", in " code { (visible(directory)) } }
            ": " (then) "."
        }
    }
}

/// The command that goes on with a loop. The page itself starts no process.
fn continues(session: &Name) -> Markup {
    html! { code { "waynote loop --continue " (visible(&shell_word(session.as_str()))) } }
}

/// Stops a loop that runs; takes another session off the list, or puts it back.
fn acts(site: &Site<'_>, one: &One) -> Markup {
    let name = one.session.to_string();
    let form = |path: &str, undo: bool, label: String| {
        html! {
            form method="post" action=(site.link(path).href()) {
                (forms::hidden(&[("session", name.clone())]))
                @if undo { (forms::hidden(&[("undo", "yes".into())])) }
                button.btn.quiet { (label) }
            }
        }
    };
    if one.status.state != SessionState::Running {
        let label = ["Archive", "Put back on the list"][usize::from(one.is_archived)];
        return form("sessions/archive", one.is_archived, label.into());
    }
    let last = one.iterations.last();
    let after = last.map_or("this iteration".into(), |of| format!("#{}", of.number));
    match one.stops {
        true => html! { p.num { "It stops after " (after) "." } },
        false => form("sessions/stop", false, format!("Stop after {after}")),
    }
}

/// The class and the word of an iteration's outcome.
fn outcome(of: &Iteration, is_running: bool) -> (&'static str, String) {
    match of.outcome {
        None if is_running => ("now", "running".into()),
        None => ("fail", "lost".into()),
        _ if of.is_blocked => ("stuck", "asked a person".into()),
        Some(outcome) if outcome.is_success() => ("ok", "done".into()),
        Some(IterationOutcome::Interrupted) => ("cut", "interrupted".into()),
        Some(outcome) => ("fail", outcome.to_string()),
    }
}

/// Iterations as a chart: the height is the duration, the colour the outcome.
fn bars(one: &One) -> Markup {
    const HEIGHT: u128 = 48;
    let millis = |of: &Iteration| of.duration.map_or(0, |took| took.as_millis());
    let longest = one.iterations.iter().map(millis).max().unwrap_or(0).max(1);
    let all = one.iterations.iter().filter_map(|of| of.duration).sum();
    let is_running = one.status.state == SessionState::Running;
    let width = one.iterations.len() * 12;
    let kinds = [
        ("ok", "done"),
        ("stuck", "asked"),
        ("fail", "failed"),
        ("cut", "interrupted"),
        ("now", "running"),
    ];
    let number = |class| {
        let classes = one.iterations.iter().map(|of| outcome(of, is_running).0);
        classes.filter(|of| *of == class).count()
    };
    html! {
        div {
            svg.runs viewBox={ "0 0 " (width) " " (HEIGHT) } width=(width) height=(HEIGHT) role="img"
                aria-label=(plural(one.iterations.len() as u64, "iteration")) {
                @for (index, of) in one.iterations.iter().enumerate() {
                    @let high = (millis(of) * HEIGHT / longest).max(5);
                    @let (class, word) = outcome(of, is_running);
                    rect class=(class) x=(index * 12) y=(HEIGHT - high) width="9" height=(high) rx="1.5" {
                        title { "#" (of.number) " " (word) @if let Some(time) = of.duration { ", " (took(time)) } }
                    }
                }
            }
            div.legend {
                @for (class, word) in kinds { @if number(class) > 0 { span { i class=(class) {} (word) " " span.num { (number(class)) } } } }
                @if one.iterations.len() == ITERATIONS { span { "the last " (ITERATIONS) } }
                span { "height: time, " (took(all)) " in all" }
            }
        }
    }
}

fn notes(site: &Site<'_>, one: &One, of: &OfType) -> Markup {
    let title = match &of.kind {
        EntryType::Stuck => "Stuck".to_owned(),
        EntryType::Learning => "Learnings".into(),
        EntryType::Tip => "Tips".into(),
        EntryType::Decision => "Decisions".into(),
        other => visible(other.as_str()),
    };
    let more = of.count.saturating_sub(of.notes.len() as u64);
    let all = site
        .view(View::Notes)
        .with("in", waynote::Scope::Session(one.session.clone()))
        .with("only", &of.kind);
    html! {
        section.of-type {
            h3 { (title) " " span.dimmer.num { @if of.open < of.count { (of.open) " open of " } (grouped(of.count)) } }
            ul.log { @for note in &of.notes { (entry_of_log(site, one, note)) } }
            @if more > 0 { a.more href=(all.href()) { (grouped(more)) " more" } }
        }
    }
}

fn entry_of_log(site: &Site<'_>, one: &One, note: &Note) -> Markup {
    let to = |address: &Address| site.view(View::Notes).with("note", address).href();
    let href = to(&note.address);
    let by = note.resolved_by.as_ref();
    let by = by.map(|id| Address::Session(one.session.clone(), *id));
    html! {
        li.resolved[note.resolved_by.is_some()] data-key=(note.address) data-rev=(note.revision) {
            a href=(href) {
                span.dimmer.num {
                    @match note.iteration { Some(iteration) => { "#" (iteration) } None => { "–" } }
                    @if note.revision > 1 { ", " (note.revision) " times" }
                }
                " " (visible(&note.preview))
            }
            @if let Some(by) = &by {
                a.resolver href=(to(by)) { (chip("out", "resolved")) }
            }
        }
    }
}

/// The iterations as a table: the outcome of each, and a link to the notes that it was given.
fn iterations(site: &Site<'_>, one: &One) -> Markup {
    let is_running = one.status.state == SessionState::Running;
    html! {
        details.iterations open[one.iterations.len() <= 8] {
            summary { h3 { "Iterations, newest first" } }
            table {
                thead { tr { th scope="col" { "#" } th scope="col" { "Ended" } th.num scope="col" { "Took" } th.num scope="col" { "Notes" } th scope="col" { "Prompt" } } }
                tbody { @for of in one.iterations.iter().rev() {
                    @let (class, word) = outcome(of, is_running);
                    tr {
                        td.num { (of.number) }
                        td { i class={ "dot " (class) } {} (word)
                            @if of.attempts > 1 { small { " " (of.attempts) " attempts" } }
                            @if let Some(said) = &of.said { small.why { (lines(&waynote::secrets::masked(said))) } }
                        }
                        td.num { @match of.duration { Some(time) => { (took(time)) } None => { "–" } } }
                        td.num { (of.notes_added) }
                        td { a.link href=(given(site, one, of)) { "notes it was given" (unseen(&format!(", iteration {}", of.number))) } }
                    }
                } }
            }
        }
    }
}

/// The address of the block that an iteration was given: the notes of earlier ones, as they were when it began.
fn given(site: &Site<'_>, one: &One, of: &Iteration) -> String {
    let agent = waynote::Author::of(&of.author).notebook(site.is_shared);
    site.view(View::Now)
        .with_some("agent", agent.map(str::to_owned))
        .with("session", &one.session)
        .with("iteration", of.number)
        .with("at", of.started_at)
        .with("given", "")
        .href()
}
