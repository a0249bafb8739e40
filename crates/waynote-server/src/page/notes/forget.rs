//! Forgetting a note: the page first shows everything that would be lost, and asks for confirmation.

use maud::{Markup, html};
use waynote::visible::visible;
use waynote::{Address, AddressAt, Error, Forget, Forgotten, Result, Revision, Stamp, Store};

use super::{Asked, act};
use crate::page::fields::{BadField, Fields};
use crate::page::forms::{self, Outcome};
use crate::page::site::Site;
use crate::page::words::{self, grouped};

/// The most addresses that are listed.
const LISTED: usize = 30;

/// The question before a note is forgotten.
pub(crate) struct Question {
    asked: Asked,
    address: Address,
    would: Forgotten,
    /// The latest revisions whose texts would be lost.
    texts: Vec<Revision>,
    error: Option<Error>,
}

impl Question {
    /// Reads the result that forgetting would have; nothing is changed.
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, stamp: &Stamp) -> Result<Self> {
        let address: Address = fields.get("note").unwrap_or_default().parse()?;
        let would = store.would_forget(&Forget::new(address.clone()), stamp)?;
        Ok(Self {
            asked: Asked::of(fields)?,
            texts: store.history_before(&address, None, LISTED)?,
            address,
            would,
            error: None,
        })
    }
}

pub(crate) fn view(site: &Site<'_>, question: &Question) -> Markup {
    let Question {
        asked,
        address,
        would,
        texts,
        error,
    } = question;
    let back = asked.link(site).with("note", address).href();
    html! {
        div.head { h1 { "Forget " (words::address(address)) } }
        @if let Some(error) = error { (words::error(error)) }
        section.card.confirm {
            div.pad {
                p { strong { "This cannot be undone." } " Its text, in "
                    (waynote::text::plural(would.revisions.len() as u64, "revision"))
                    ", is removed from the store, from its search index and from its files. That there was a note stays in the journal." }
                p { "To take a note out of prompts and keep its history, delete it instead." }
                ul.log { @for revision in texts { @if let Some(note) = revision.note() {
                    li { small.num { "revision " (revision.number()) ", " (words::exact(revision.recorded_at)) } div.mono { (visible(&note.preview)) } }
                } } }
                @if would.revisions.len() > LISTED { p { "and " (grouped((would.revisions.len() - LISTED) as u64)) " older ones." } }
                @if !would.shared.is_empty() {
                    p { "The same text also stands in:" }
                    ul { @for of in would.shared.iter().take(LISTED) { li { (at(of)) } } }
                    @if would.shared.len() > LISTED { p { "and " (grouped((would.shared.len() - LISTED) as u64)) " more." } }
                }
            }
            form.pad method="post" action=(site.link("notes/forget").href()) {
                (forms::hidden(&[("note", address.to_string())]))
                (forms::hidden(&asked.fields()))
                @if !would.shared.is_empty() || !would.shared_events.is_empty() {
                    label.check { input type="checkbox" name="everywhere" value="yes"; " Forget it there too" }
                }
                label.check { input type="checkbox" name="sure" value="yes" required; " I want this text to be gone for good" }
                div.bar { button.btn.danger { "Forget it" } a.btn href=(back) { "Keep it" } }
            }
        }
    }
}

fn at(of: &AddressAt) -> Markup {
    html! {
        (words::address(&of.address))
        @if let Some(revision) = of.revision { small { " revision " (revision) } }
    }
}

/// Forgets the note, if the box for it is ticked.
///
/// # Errors
/// Those of [`Store::forget`].
pub(crate) fn forget(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    if fields.get("sure") != Some("yes") {
        let question = Question {
            error: Some(BadField::new("nothing was forgotten", "tick the box to confirm").into()),
            ..Question::gather(store, fields, stamp)?
        };
        return Ok(Outcome::Again(view(site, &question)));
    }
    let address: Address = fields.get("note").unwrap_or_default().parse()?;
    let everywhere = fields.get("everywhere") == Some("yes");
    store.forget(&Forget::new(address.clone()).everywhere(everywhere), stamp)?;
    Ok(act::done(site, &Asked::of(fields)?, &address, "forgotten"))
}
