//! The actions on notes: save, pin, delete, undo, restore.

use waynote::single::{self, SaveOptions};
use waynote::{Address, Change, Content, Error, Expect, Result, Scope, SessionLog, Stamp, Store};

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
            Ok(done(site, &list, &address, "saved"))
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

/// Carries out one action on a note: `pin`, `unpin`, `delete`, `undo`, `redo` or `restore`.
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
    let (change, said) = match act {
        "pin" | "unpin" => {
            let pinned = act == "pin";
            let change = Change::Pin {
                address: address.clone(),
                pinned,
                expect: Expect::Any,
            };
            (change, if pinned { "pinned" } else { "unpinned" })
        }
        "delete" => {
            // Only the revision that the person saw is deleted, not a text that somebody else has just written.
            let change = Change::Delete {
                address: address.clone(),
                expect: base.map_or(Expect::Any, Expect::Revision),
            };
            (change, "deleted")
        }
        "redo" => {
            let change = Change::Redo {
                address: address.clone(),
                last: base,
            };
            (change, "redone")
        }
        "restore" => {
            let revision = fields.number("revision")?.unwrap_or_default();
            let change = Change::Restore {
                address: address.clone(),
                revision,
            };
            (change, "restored")
        }
        _ => {
            let change = Change::Undo {
                address: address.clone(),
                origin: None,
                last: base,
            };
            (change, "undone")
        }
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
