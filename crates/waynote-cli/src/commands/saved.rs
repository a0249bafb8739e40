//! Saving a note, what it overwrote, and the command that restores that. Deleting one.

use serde::Serialize;
use serde_json::json;
use waynote::text::shell_word;
use waynote::visible::{dropped, hidden_characters};
use waynote::{Address, AddressAt, Content, Error, Expect, Note, SaveOptions, Stamp, single};

use super::edit;
use crate::args::{AllowArgs, CitesArgs, TextArgs};
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::found;

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
    /// The text that was given.
    #[serde(skip)]
    given: String,
    #[serde(skip)]
    was_pinned_now: bool,
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
        address: Address,
        content: Content,
        options: SaveOptions,
        stamp: &Stamp,
        adds: bool,
    ) -> Outcome<Self> {
        let (given, was_pinned_now) = (content.shown().into_owned(), options.pin.is_some());
        let (note, before) = context.write(|store| {
            Ok(match adds {
                true => single::append(store, &address, &content, options, stamp)?,
                false => single::save(store, address, content, options, stamp)?,
            })
        })?;
        let overwrote = before.map(|before| Overwrote {
            revision: before.revision,
            same_text: before.hash == note.content.hash(),
            undo: format!("waynote undo {}", shell_word(&note.address.to_string())),
        });
        let hidden = hidden_characters(&given);
        Ok(Self {
            note,
            overwrote,
            dropped: (hidden > 0).then_some(hidden),
            given,
            was_pinned_now,
        })
    }

    /// The note and what it overwrote, in words.
    pub(super) fn said(&self) -> String {
        let note = &self.note;
        let now = note.revision;
        let how = match (&self.overwrote, &note.address) {
            (None, Address::Place(_)) => format!("revision {now}"),
            (None, _) => "new key".into(),
            (
                Some(Overwrote {
                    revision,
                    undo,
                    same_text,
                }),
                _,
            ) => match same_text {
                true => format!("revision {now}, with the text of revision {revision}"),
                false => format!("overwrote revision {revision}; `{undo}` brings it back"),
            },
        };
        let pinned = if self.was_pinned_now { ", pinned" } else { "" };
        let (address, dropped) = (note.address.masked(), dropped(&self.given));
        format!("saved {address} ({how}{pinned}){}{dropped}", note.cited())
    }
}

/// Saves the whole text of a note, from an argument, a file or the editor, and says so.
pub(super) fn save(
    context: &mut Context<'_>,
    address: Address,
    text: &TextArgs,
    (cites, allow): (&CitesArgs, &AllowArgs),
    options: SaveOptions,
) -> Outcome {
    let Some(content) = edit::text_or_editor(text, allow)? else {
        return edit::in_editor(context, address, allow);
    };
    let stamp = context.stamp_allowing(allow)?.citing(cites.given());
    let saved = Saved::write(context, address, content, options, &stamp, false)?;
    context.answer(&saved, || saved.said())
}

/// The revision that `--if-revision` expects.
pub(super) fn expected(if_revision: Option<u64>) -> Expect {
    if_revision.map_or(Expect::Any, Expect::Revision)
}

/// The error of a change that does not create a note, where the expected one is gone.
pub(super) fn gone(error: Error) -> Failure {
    match error {
        Error::Conflict { current: None, .. } => {
            let hint = "somebody deleted it; `waynote history ADDRESS` shows who";
            Failure::refused("conflict", error.to_string(), hint)
        }
        error => error.into(),
    }
}

/// Deletes a note. One that does not exist is an error here, unlike in openotters and its tools: a misspelt key would
/// pass for a deletion.
pub(super) fn delete(
    context: &mut Context<'_>,
    address: Address,
    if_revision: Option<u64>,
) -> Outcome {
    let (stamp, named) = (context.stamp()?, AddressAt::new(address, None));
    context.write(|store| {
        let address = named.address.clone();
        let deleted = match single::delete(store, address, expected(if_revision), &stamp) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::not_found(named.to_string())),
            Err(error) => return Err(gone(error)),
        };
        found(store, &named, deleted)
    })?;
    let address = &named.address;
    say_deleted(context, address, format!("deleted {}", address.masked()))
}

/// Says that the note of an address is gone.
pub(super) fn say_deleted(context: &mut Context<'_>, address: &Address, said: String) -> Outcome {
    let value = json!({ "address": address, "deleted": true });
    context.answer(&value, || said)
}
