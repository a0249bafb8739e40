//! The view Access.

use jiff::Timestamp;
use maud::{Markup, html};
use waynote::visible::visible;
use waynote::{Name, Place};
use waynote_access::{Rights, TokenInfo};

use super::Access;
use crate::page::forms;
use crate::page::site::{Site, View};
use crate::page::words::{self, chip, day};

pub(crate) fn view(site: &Site<'_>, access: &Access) -> Markup {
    html! {
        div.head { h1 { "Access" } small { "who may read and write this store" } }
        @if let Some((name, text)) = &access.created {
            div.notice role="status" {
                span { "The token " strong { (visible(name.as_str())) } " is shown here once. Give it to its program now:" }
                code.secret { (text) }
            }
        }
        div.cols {
            div.stack { (tokens(site, access)) (audit(site, access)) }
            (new(site, access))
        }
    }
}

fn tokens(site: &Site<'_>, access: &Access) -> Markup {
    html! {
        section.card data-live="tokens" {
            header { h2 { "Tokens" } span.grow {} small.num { (access.tokens.len()) } }
            @if access.tokens.is_empty() {
                div.empty {
                    p { "There are no tokens." }
                    @if site.is_for_one {
                        p { "Only this browser can use this page." }
                        p { "A token is for " code { "waynote serve" } ": from the first one on, every request there needs one." }
                    } @else {
                        p { "Everyone on this machine can use this page, and change all notes." }
                        p { "From the first token on, every request needs one." }
                    }
                }
            } @else {
                table {
                    thead { tr { th scope="col" { "Token" } th scope="col" { "May" } th scope="col" { "Of" } th.w scope="col" { "Expires" } th.w scope="col" { "Last used" } th scope="col" { (words::unseen("Actions")) } } }
                    tbody { @for info in &access.tokens { (row(site, info)) } }
                }
            }
        }
    }
}

fn row(site: &Site<'_>, info: &TokenInfo) -> Markup {
    let kind = match info.rights {
        Rights::Admin => "bad",
        Rights::Write => "line",
        Rights::Read => "whole",
    };
    html! {
        tr data-key=(info.id) data-rev="" {
            td { strong { (visible(info.name.as_str())) } small.why.mono { (info.id) "…" } }
            td { (chip(kind, info.rights.as_str())) }
            td { (of(info)) }
            td.w.nowrap { @match info.expires_at { None => { "never" } Some(at) if at <= site.now => { (chip("bad", "expired")) } Some(at) => { (day(at, site.now)) } } }
            td.w.nowrap { @match info.last_used { Some(last) => { (last) } None => { "never" } } }
            td {
                form.inline method="post" action=(site.link("access/revoke").href()) {
                    (forms::hidden(&[("name", info.name.to_string())]))
                    button.btn aria-label={ "Revoke " (visible(info.name.as_str())) } { "Revoke" }
                }
            }
        }
    }
}

/// The agents and places that a token is narrowed to.
fn of(info: &TokenInfo) -> Markup {
    let agents = info.agents.iter().map(Name::as_str).map(|of| ("agent", of));
    let places = info
        .places
        .iter()
        .map(Place::as_str)
        .map(|of| ("place", of));
    let sessions = info
        .sessions
        .iter()
        .map(Name::as_str)
        .map(|of| ("session", of));
    let all: Vec<(&str, &str)> = agents.chain(places).chain(sessions).collect();
    html! {
        @if all.is_empty() { "everything" }
        @for (kind, name) in all { span.addr.each { em { (kind) ":" } (visible(name)) } " " }
    }
}

fn audit(site: &Site<'_>, access: &Access) -> Markup {
    html! {
        section.card data-live="audit" {
            header { h2 { "Audit" } span.grow {} small { "refused and administrative calls, newest first" } }
            @if access.audit.is_empty() {
                p.empty { "Nothing was refused, and nobody created or revoked a token." }
            } @else {
                table {
                    thead { tr { th scope="col" { "When" } th scope="col" { "Call" } th scope="col" { "Token" } th.w scope="col" { "About" } } }
                    tbody { @for line in &access.audit {
                        tr data-key=(line.key) data-rev=(line.times) {
                            td.nowrap { @match line.at.parse::<Timestamp>() { Ok(at) => { (day(at, site.now)) } Err(_) => { (line.at) } } }
                            td { (visible(&line.call)) " " @if line.refused { (chip("bad", "refused")) } @if line.times > 1 { small.num { " " (line.times) " times" } } }
                            td { @match &line.token { Some(token) => { (visible(token)) } None => { "–" } } }
                            td.w { small { (visible(&line.detail)) } }
                        }
                    } }
                }
            }
            (words::pages(None, access.next.as_ref().map(|next| (site.view(View::Access).with("before", next), "Older"))))
        }
    }
}

fn new(site: &Site<'_>, access: &Access) -> Markup {
    let typed = access.refused.as_ref().map(|(_, fields)| fields);
    let value = |name| {
        typed
            .and_then(|fields| fields.get(name))
            .unwrap_or_default()
            .to_owned()
    };
    let field = |label: &'static str, name: &'static str, example: &'static str| {
        html! { label.field.wide { span { (label) } input name=(name) value=(value(name)) placeholder=(example) autocomplete="off" spellcheck="false"; } }
    };
    html! {
        section.card aria-labelledby="new-token" {
            header { h2 id="new-token" { "New token" } }
            form.pad.stack method="post" action=(site.link("access/create").href()) data-keep="" {
                @if let Some((error, _)) = &access.refused { (words::error(error)) }
                (field("name", "name", "laptop"))
                label.field { span { "may" } select name="rights" {
                    @for (rights, says) in [("read", "read and search"), ("write", "also write"), ("admin", "also forget, and look after tokens")] {
                        option value=(rights) selected[value("rights") == rights] { (says) }
                    }
                } }
                (field("only agents", "agents", "builder, reviewer (none: all)"))
                (field("only places", "places", "~/projects/shop (none: all)"))
                (field("only sessions", "sessions", "nightly (none: all)"))
                label.field { span { "expires in days" } input name="days" value=(value("days")) inputmode="numeric" placeholder="never" autocomplete="off"; }
                div { button.btn.primary { "Create" } }
                @if access.tokens.is_empty() && !site.is_for_one { small { "From the first token on, this page needs one too: create one for yourself that may do everything." } }
            }
        }
    }
}
