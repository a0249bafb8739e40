//! The actions on notes: save, pin, delete, undo, restore.

use waynote::single::{self, SaveOptions};
use waynote::visible::hidden_characters;
use waynote::{
    Address, Change, Content, Error, Expect, Result, Scope, SessionLog, Stamp, Store, cites,
};

use super::edit::{self, Form};
use super::{Asked, scope};
use crate::page::fields::{BadField, Fields, iteration};
use crate::page::forms::Outcome;
use crate::page::site::Site;

/// Saves the text of a form. The form is shown again if the note has changed meanwhile, or if a rule refuses the text.
///
/// # Errors
/// Those of reading the store.
pub(crate) fn save(
    store: &dyn Store,
    site: &Site<'_>,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let mut form = Form::sent(fields)?;
    if fields.get("do") == Some("preview") {
        form.is_previewed = true;
        form = form.with_scopes(site);
        return Ok(Outcome::Again(edit::view(site, &form)));
    }
    match written(store, site, &form, stamp) {
        Ok(address) => {
            let list = Asked {
                after: None,
                ..form.asked
            };
            let what = match hidden_characters(&form.text) {
                0 => "saved",
                _ => "cleaned",
            };
            Ok(done(site, &list, &address, what))
        }
        Err(error) => {
            if let Error::Conflict { current, .. } = &error {
                // The next attempt has the current revision, since the form now shows that text. A note that is gone is
                // created again.
                form.base = current.as_ref().map_or(0, |note| note.revision);
                form.is_new = form.note.is_none();
                form.current.clone_from(current);
                if form.note.is_none() {
                    form.note = current.as_ref().map(|note| note.address.clone());
                }
            }
            form.error = Some(error);
            form = form.with_scopes(site);
            Ok(Outcome::Again(edit::view(site, &form)))
        }
    }
}

fn written(store: &dyn Store, site: &Site<'_>, form: &Form, stamp: &Stamp) -> Result<Address> {
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
                    return Err(no_type());
                }
                let iteration = iteration(&form.iteration)?;
                let note = log.add(form.kind.parse()?, iteration, content, stamp)?;
                return Ok(note.address);
            }
            (Scope::Place(place), "") => Address::Place(place),
            (scope, key) => Address::keyed(&scope, key.parse()?)?,
        },
    };
    let options = SaveOptions::default()
        .limits(site.limits)
        .expect(Expect::Revision(form.base));
    single::save(store, address.clone(), content, options, stamp)?;
    Ok(address)
}

fn no_type() -> Error {
    BadField::new("choose a type", "the notes of a session are listed by type").into()
}

/// Carries out one action on a note: `pin`, `unpin`, `delete`, `confirm`, `undo`, `redo` or `restore`.
///
/// # Errors
/// Those of [`Store::apply`].
pub(crate) fn change(
    store: &dyn Store,
    site: &Site<'_>,
    act: &str,
    fields: &Fields,
    stamp: &Stamp,
) -> Result<Outcome> {
    let address: Address = fields.get("note").unwrap_or_default().parse()?;
    let asked = Asked::of(fields)?;
    let base = fields.number("base")?;
    if act == "confirm" {
        let note = single::get(store, &address, None)?;
        if base.is_some_and(|base| base != note.revision) {
            return Err(Error::Conflict {
                address,
                expected: format!("revision {}", base.unwrap_or_default()),
                current: Some(Box::new(note)),
            });
        }
        cites::confirm(store, &address, stamp)?;
        return Ok(done(site, &asked, &address, "confirmed"));
    }
    let note = address.clone();
    let change = match act {
        "pin" | "unpin" => Change::Pin {
            address: note,
            pinned: act == "pin",
            expect: Expect::Any,
        },
        // Only the revision that the person saw is deleted, not a text that somebody else has just written.
        "delete" => Change::Delete {
            address: note,
            expect: base.into(),
        },
        "redo" => Change::Redo {
            address: note,
            last: base,
        },
        "restore" => Change::Restore {
            address: note,
            revision: fields.number("revision")?.unwrap_or_default(),
            last: base,
        },
        _ => Change::Undo {
            address: note,
            origin: None,
            last: base,
        },
    };
    let said = match act {
        "pin" => "pinned",
        "unpin" => "unpinned",
        "delete" => "deleted",
        "redo" => "redone",
        "restore" => "restored",
        _ => "undone",
    };
    let applied = store.apply(&[change], stamp)?;
    let said = match applied.iter().any(|of| of.changed) {
        true => said,
        false => "unchanged",
    };
    Ok(done(site, &asked, &address, said))
}

/// Back to the list, with the note open.
pub(crate) fn done(site: &Site<'_>, asked: &Asked, address: &Address, said: &str) -> Outcome {
    let link = asked.link(site).with("note", address);
    Outcome::Done(link.with("done", said).href())
}
