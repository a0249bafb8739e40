//! Saving a note, what it overwrote, and the command that restores that. Deleting one.

use serde::Serialize;
use serde_json::json;
use waynote::text::shell_word;
use waynote::visible::{dropped, hidden_characters};
use waynote::{
    Address, AddressAt, Citation, Content, Error, Note, SaveOptions, Scope, Stamp, single,
};

use super::{edit, stands};
use crate::args::{AllowArgs, ExpectArgs, WriteArgs};
use crate::error::{Failure, Outcome};
use crate::home;
use crate::invocation::Context;
use crate::program;
use crate::settings::Origin;
use crate::typed::{Use, found};

/// A note to write, and how.
pub(super) struct Saving {
    pub(super) address: Address,
    /// Other notes with its key that apply here.
    pub(super) others: Vec<Address>,
    pub(super) options: SaveOptions,
    /// True if the text is added at the end of the note.
    pub(super) adds: bool,
    /// True if a key was given without a scope.
    pub(super) is_unscoped: bool,
}

impl Saving {
    /// A note whose whole text is written, within the limits of the settings.
    pub(super) fn of(context: &Context<'_>, address: Address) -> Self {
        let limits = context.settings.limits(None, None);
        Self {
            address,
            others: Vec::new(),
            options: SaveOptions::default().limits(limits),
            adds: false,
            is_unscoped: false,
        }
    }
}

/// A note that was saved.
#[derive(Serialize)]
pub(super) struct Saved {
    #[serde(flatten)]
    note: Note,
    /// None for a new note.
    #[serde(skip_serializing_if = "Option::is_none")]
    overwrote: Option<Overwrote>,
    /// How many hidden characters of the text were not saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
    /// Other notes with its key that apply here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Address>,
    /// All of it, in words.
    #[serde(skip)]
    pub(super) said: String,
}

/// The revision that was current before.
#[derive(Serialize)]
struct Overwrote {
    revision: u64,
    /// True if it has the same text.
    same_text: bool,
    /// The command that makes it current again.
    undo: String,
}

impl Saved {
    /// Saves a text, or adds it at the end of the note.
    pub(super) fn write(
        context: &Context<'_>,
        saving: Saving,
        content: Content,
        stamp: &Stamp,
    ) -> Outcome<Self> {
        let Saving {
            address,
            others,
            options,
            adds,
            is_unscoped,
        } = saving;
        let given = content.shown().into_owned();
        let is_named = context.settings.agent.origin != Origin::Default;
        let (note, before, begins_notebook) = context.write(|store| {
            let (note, before) = match adds {
                true => single::append(store, &address, &content, options, stamp)?,
                false => single::save(store, address, content, options, stamp)?,
            };
            let scope = note.address.scope();
            let is_first = is_named && before.is_none() && matches!(scope, Scope::Agent(_));
            let begins_notebook = is_first && store.count(&scope)? == 1;
            Ok((note, before, begins_notebook))
        })?;
        if let Ok(base) = home::base()
            && let Ok(lineage) = context.around(&base.cwd())
        {
            stands::remember(&context.settings, &lineage);
        }
        let overwrote = before.map(|before| Overwrote {
            revision: before.revision,
            same_text: before.hash == note.content.hash(),
            undo: program::called() + " undo " + &shell_word(&note.address.to_string()),
        });
        let (now, place) = (note.revision, note.address.place());
        let how = match (&overwrote, place) {
            (None, Some(place)) if place.in_repository().is_some() => {
                "new, in every checkout".into()
            }
            (None, Some(place)) if !place.is_project() => "new, in every project".into(),
            (None, None) if begins_notebook => "new, in a new notebook".into(),
            (None, None) if is_unscoped => "new, in every project".into(),
            (None, _) => "new".into(),
            (
                Some(Overwrote {
                    revision,
                    undo,
                    same_text,
                }),
                _,
            ) => match same_text {
                true => format!("revision {now}, with the text of revision {revision}"),
                false if adds => format!("added to revision {revision}; `{undo}` takes it out"),
                false => format!("overwrote revision {revision}; `{undo}` brings it back"),
            },
        };
        let pinned = options.pin.map_or("", |_| ", pinned");
        let alike: Vec<String> = others.iter().map(Address::masked).collect();
        let alike = match alike.join(", ") {
            none if none.is_empty() => none,
            alike => format!("; the same key is at {alike}"),
        };
        let (before, cited, lost) = (before_theirs(&note), note.cited(), dropped(&given));
        let said = format!(
            "saved {} ({how}{pinned}){before}{cited}{lost}{alike}",
            note.address.masked()
        );
        let hidden = hidden_characters(&given);
        Ok(Self {
            note,
            overwrote,
            dropped: (hidden > 0).then_some(hidden),
            others,
            said,
        })
    }
}

/// That a note stands before one of others, if it does.
pub(super) fn before_theirs(note: &Note) -> String {
    let theirs = note.source.theirs();
    theirs.map_or(String::new(), |of| format!("; it stands before {of} here"))
}

/// Saves the whole text of a note, or more of it, from an argument, a file or the editor, and says so.
pub(super) fn write(context: &mut Context<'_>, saving: Saving, args: &WriteArgs) -> Outcome {
    let options = saving.options.expect(args.expect.if_revision.into());
    let content = edit::text_or_editor(&args.text, &args.allow)?;
    let (saving, cites) = (Saving { options, ..saving }, args.cites.given());
    save(context, saving, content, cites, &args.allow)
}

/// Saves this text, or one from the editor, and says so.
pub(super) fn save(
    context: &mut Context<'_>,
    saving: Saving,
    content: Option<Content>,
    cites: Option<Vec<Citation>>,
    allow: &AllowArgs,
) -> Outcome {
    let Some(content) = content else {
        return edit::in_editor(context, saving, allow);
    };
    let stamp = context.stamp_allowing(allow)?.citing(cites);
    let saved = Saved::write(context, saving, content, &stamp)?;
    context.answer(&saved, || saved.said.clone())
}

/// The error of a change that does not create a note, where the expected one is gone.
pub(super) fn gone(error: Error) -> Failure {
    match error {
        Error::Conflict { current: None, .. } => {
            let hint = "it was deleted; `waynote history ADDRESS` shows by whom";
            Failure::refused("conflict", error.to_string(), hint)
        }
        error => error.into(),
    }
}

/// Deletes a note. One that does not exist is an error here, unlike in openotters and its tools: a misspelt key would
/// pass for a deletion. For a `key` without a scope, the note that has it now is said.
pub(super) fn delete(
    context: &mut Context<'_>,
    address: Address,
    key: Option<&str>,
    expect: ExpectArgs,
) -> Outcome {
    let (stamp, named) = (context.stamp()?, AddressAt::new(address, None));
    context.write(|store| {
        let address = named.address.clone();
        let deleted = match single::delete(store, address, expect.if_revision.into(), &stamp) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::not_found(named.to_string())),
            Err(error) => return Err(gone(error)),
        };
        found(store, &named, deleted)
    })?;
    let address = &named.address;
    let mut said = format!("deleted {}", address.masked());
    if let Some(Ok(next)) = key.map(|key| context.note_at(key, Use::Keep))
        && next.address != *address
        && context.read(|store| Ok(store.get(&next.address)?.is_some()))?
    {
        said += &format!("; the same key is at {}", next.address.masked());
    }
    say_deleted(context, address, said)
}

/// Says that the note of an address is gone, and which one of others it stood before.
pub(super) fn say_deleted(context: &mut Context<'_>, address: &Address, said: String) -> Outcome {
    let value = json!({ "address": address, "deleted": true });
    let others = context.read(|store| Ok(store.others(address)?));
    let others = others.ok().flatten().and_then(|(of, _)| of.source.theirs());
    let again = others.map_or(String::new(), |of| format!("; {of} applies now"));
    context.answer(&value, || said + &again)
}
