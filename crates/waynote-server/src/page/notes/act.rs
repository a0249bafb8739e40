//! The actions on notes: save, pin, delete, undo, restore.

use waynote::named::Typist;
use waynote::single::{self, SaveOptions};
use waynote::visible::hidden_characters;
use waynote::{
    Address, Change, Content, Error, Expect, Key, Place, Result, Scope, SessionLog, cites,
};

use super::edit::{self, Form};
use super::{Asked, scope};
use crate::page::fields::{BadField, iteration};
use crate::page::forms::{Outcome, Sent};
use crate::page::site::Site;

/// Saves the text of a form. The form is shown again if the note has changed meanwhile, or if a rule refuses the text.
///
/// # Errors
/// Those of reading the store.
pub(crate) fn save(sent: &Sent<'_>) -> Result<Outcome> {
    let mut form = Form::sent(sent.fields)?;
    if sent.fields.get("do") == Some("preview") {
        form.is_previewed = true;
    } else {
        match written(sent, &form) {
            Ok(address) => {
                let what = match hidden_characters(&form.text) {
                    0 => "saved",
                    _ => "cleaned",
                };
                form.asked.after = None;
                return Ok(done(sent.site, &form.asked, &address, what));
            }
            Err(error) => {
                if let Error::Conflict { current, .. } = &error {
                    // The next attempt has the current revision, since the form now shows that text. A note that is
                    // gone is created again.
                    form.base = current.as_ref().map_or(0, |note| note.revision);
                    form.is_new = form.note.is_none();
                    let there = current.as_ref().map(|note| note.address.clone());
                    form.note = form.note.or(there);
                    form.current.clone_from(current);
                }
                form.error = Some(error);
            }
        }
    }
    form = form.with_scopes(sent.site);
    Ok(Outcome::Again(edit::view(sent.site, &form)))
}

fn written(sent: &Sent<'_>, form: &Form) -> Result<Address> {
    let (store, stamp) = (sent.store, sent.stamp);
    if form.text.trim().is_empty() {
        return Err(Error::Empty {
            what: "text".into(),
        });
    }
    let content = Content::text(form.text.as_str())?;
    let address = match &form.note {
        Some(address) => address.clone(),
        None => match (scope(&form.scope)?, form.key.as_str()) {
            (Scope::Session(session), _) => {
                let log = SessionLog::new(store, session);
                if form.kind.is_empty() {
                    let advice = "the notes of a session are listed by type";
                    return Err(BadField::new("choose a type", advice).into());
                }
                let iteration = iteration(&form.iteration)?;
                let note = log.add(form.kind.parse()?, iteration, content, stamp)?;
                return Ok(note.address);
            }
            (Scope::Place(place), key) => {
                let key = (!key.is_empty()).then(|| key.parse()).transpose()?;
                on_place(sent, &form.scope, place, key.as_ref())?
            }
            (scope, key) => Address::keyed(&scope, key.parse()?)?,
        },
    };
    let options = SaveOptions::default()
        .limits(sent.site.limits)
        .expect(Expect::Revision(form.base));
    single::save(store, address.clone(), content, options, stamp)?;
    Ok(address)
}

/// The note on a place as it is typed: a path gets the name that new notes get there, an address keeps its own.
fn on_place(sent: &Sent<'_>, typed: &str, place: Place, key: Option<&Key>) -> Result<Address> {
    let start = sent.site.start.filter(|_| !Address::is_meant(typed));
    let lineage = start.map(|start| (start.lineages)(&place));
    let typist = Typist {
        agent: start.map_or(&sent.stamp.author, |start| &start.agent),
        session: None,
        base: None,
        lineage: lineage.as_ref(),
        is_directory: &|_| false,
    };
    typist.check_known()?;
    typist.at(sent.store, place, key)
}

/// Carries out one action on a note: `pin`, `unpin`, `delete`, `confirm`, `undo`, `redo` or `restore`.
///
/// # Errors
/// Those of [`waynote::Store::apply`].
pub(crate) fn change(sent: &Sent<'_>) -> Result<Outcome> {
    let (store, fields) = (sent.store, sent.fields);
    let address: Address = fields.get("note").unwrap_or_default().parse()?;
    let asked = Asked::of(fields)?;
    let last = fields.number("base")?;
    if sent.act == "confirm" {
        let note = single::get(store, &address, None)?;
        if let Some(base) = last.filter(|base| *base != note.revision) {
            return Err(Error::Conflict {
                address,
                expected: format!("revision {base}"),
                current: Some(Box::new(note)),
            });
        }
        cites::confirm(store, &address, sent.stamp)?;
        return Ok(done(sent.site, &asked, &address, "confirmed"));
    }
    let of = address.clone();
    let (change, said) = match sent.act {
        "pin" => (Change::pin(address, true), "pinned"),
        "unpin" => (Change::pin(address, false), "unpinned"),
        "delete" => {
            // Only the revision that the person saw is deleted, not a text that somebody else has just written.
            let expect = last.into();
            (Change::Delete { address, expect }, "deleted")
        }
        "redo" => (Change::Redo { address, last }, "redone"),
        "restore" => {
            let restore = Change::Restore {
                address,
                revision: fields.number("revision")?.unwrap_or_default(),
                last,
            };
            (restore, "restored")
        }
        "undo" => {
            let undo = Change::Undo {
                address,
                origin: None,
                last,
            };
            (undo, "undone")
        }
        _ => return Err(sent.unknown()),
    };
    let applied = store.apply(&[change], sent.stamp)?;
    let said = match applied.iter().any(|of| of.changed) {
        true => said,
        false => "unchanged",
    };
    Ok(done(sent.site, &asked, &of, said))
}

/// Back to the list, with the note open.
pub(crate) fn done(site: &Site<'_>, asked: &Asked, address: &Address, said: &str) -> Outcome {
    let link = asked.link(site).with("note", address);
    Outcome::Done(link.with("done", said).href())
}
