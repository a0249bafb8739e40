//! `waynote show`: a note by its address, as it is or as it was.

use jiff::Timestamp;
use waynote::forget::gone_by_forgetting;
use waynote::{AddressAt, AsOf, LocalStore, Note};

use super::Context;
use crate::args::ShowArgs;
use crate::error::{Failure, Outcome};

pub(super) fn run(context: &mut Context<'_>, args: &ShowArgs) -> Outcome {
    let address = crate::input::address(&args.address)?;
    let as_of = args.as_of.as_deref().map(as_of).transpose()?;
    if as_of.is_some() && address.revision.is_some() {
        let what = "a revision and a point in time are named";
        return Err(Failure::usage(
            what,
            "name one, with `@N` or with `--as-of`",
        ));
    }
    let note = context.read(|store| match as_of {
        None => at(store, &address),
        Some(as_of) => then(store, &address, as_of),
    })?;
    if context.output.json {
        context.output.value(&note)
    } else {
        context.output.content(&note.content)
    }
}

/// A revision, or a time.
fn as_of(text: &str) -> Outcome<AsOf> {
    if let Ok(revision) = text.parse() {
        return Ok(AsOf::Revision(revision));
    }
    text.parse::<Timestamp>().map(AsOf::Time).map_err(|_| {
        Failure::usage(
            format!(
                "`{}` is neither a revision nor a time",
                waynote::visible::visible(text)
            ),
            "write 3, or 2026-05-17T12:00:00Z",
        )
    })
}

/// The note at an address, of a revision when one is named.
pub(super) fn at(store: &dyn LocalStore, address: &AddressAt) -> Outcome<Note> {
    match address.revision {
        Some(revision) => then(store, address, AsOf::Revision(revision)),
        None => match store.get(&address.address)? {
            Some(note) => Ok(note),
            None => match gone_by_forgetting(&store.history(&address.address)?) {
                Some(error) => Err(error.into()),
                None => Err(not_found(address.to_string())),
            },
        },
    }
}

fn then(store: &dyn LocalStore, address: &AddressAt, as_of: AsOf) -> Outcome<Note> {
    let history = store.history(&address.address)?;
    let named = match as_of {
        AsOf::Revision(revision) => format!("{}@{revision}", address.address),
        AsOf::Time(time) => format!("{} at {time}", address.address),
    };
    as_of.note(&history)?.ok_or_else(|| not_found(named))
}

fn not_found(what: String) -> Failure {
    waynote::Error::NotFound { what }.into()
}
