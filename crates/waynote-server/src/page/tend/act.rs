//! The actions of the view Tend that are not those of one note: joining two, and changing several.

use maud::{Markup, html};
use waynote::visible::lines;
use waynote::{Address, Change, Expect, Note, Result, Stamp, Store, secrets::masked, single};

use crate::page::fields::Fields;
use crate::page::forms::{self, Outcome};
use crate::page::notes::{Asked, edit_link};
use crate::page::site::{Site, View};
use crate::page::words;

/// Joins two notes as they were shown, and opens the one that is kept.
///
/// # Errors
/// As [`waynote::tend::merge`].
pub(crate) fn join(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let shown = |note, base| -> Result<Note> {
        let address: Address = fields.get(note).unwrap_or_default().parse()?;
        let mut note = single::get(store, &address, None)?;
        // If it is another revision by now, the store refuses.
        note.revision = fields.number(base)?.unwrap_or_default();
        Ok(note)
    };
    let (kept, gone) = (shown("kept", "base")?, shown("gone", "gone_base")?);
    waynote::tend::merge(store, &kept, &gone, site.limits, stamp)?;
    let note = single::get(store, &kept.address, None)?;
    let to = edit_link(site, &Asked::for_tend(), &note.address, note.revision);
    Ok(Outcome::Done(to))
}

/// Notes to delete or to unpin, whose texts are shown before.
pub(crate) struct Several {
    act: String,
    notes: Vec<Note>,
}

impl Several {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields) -> Result<Self> {
        let mut notes = Vec::new();
        for chosen in fields.all("chosen") {
            let (base, address) = chosen.split_once(' ').unwrap_or_default();
            let mut note = single::get(store, &address.parse()?, None)?;
            // The revision that the person saw.
            note.revision = base.parse().unwrap_or_default();
            notes.push(note);
        }
        let act = fields.get("do").unwrap_or("delete").to_owned();
        notes.retain(|note| act != "unpin" || note.pinned);
        Ok(Self { act, notes })
    }
}

/// The question, with the texts.
pub(crate) fn view(site: &Site<'_>, several: &Several) -> Markup {
    let (word, number) = (&several.act, several.notes.len() as u64);
    let title = match word.as_str() {
        "unpin" => "Unpin",
        _ => "Delete",
    };
    let back = site.view(View::Tend).href();
    html! {
        div.head { h1 { (title) " " (waynote::text::plural(number, "note")) } }
        @if several.notes.is_empty() {
            p { "Nothing is ticked. " a href=(back) { "Back" } }
        } @else {
            form.card.confirm method="post" action=(site.link("tend/several").href()) {
                ul.log.pad { @for note in &several.notes {
                    li { (words::address(&note.address)) @if note.pinned { " " (words::chip("", "pinned")) }
                        pre.block { (lines(&masked(&note.content.shown()))) } }
                    input type="hidden" name="chosen" value={ (note.revision) " " (note.address) };
                } }
                div.pad {
                    (forms::hidden(&[("do", word.clone()), ("sure", "yes".into())]))
                    p { "Their history stays, and each can be brought back." }
                    div.bar { button.btn.danger { (title) } a.btn href=(back) { "Leave them" } }
                }
            }
        }
    }
}

/// Deletes or unpins the notes, all or none.
///
/// # Errors
/// Those of [`Store::apply`].
pub(crate) fn several(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let several = Several::gather(store, fields)?;
    if fields.get("sure") != Some("yes") || several.notes.is_empty() {
        return Ok(Outcome::Again(view(site, &several)));
    }
    let is_unpinned = several.act == "unpin";
    let change = |note: &Note| {
        let (address, expect) = (note.address.clone(), Expect::Revision(note.revision));
        match is_unpinned {
            true => Change::Pin {
                address,
                pinned: false,
                expect,
            },
            false => Change::Delete { address, expect },
        }
    };
    let changes: Vec<Change> = several.notes.iter().map(change).collect();
    store.apply(&changes, stamp)?;
    let said = if is_unpinned { "unpinned" } else { "deleted" };
    Ok(Outcome::Done(
        site.view(View::Tend).with("done", said).href(),
    ))
}
