//! The notes of others for a directory: those that its checkout shares, if a person trusts it, then those of a team's
//! store.

use std::sync::Arc;

use waynote::stands::Hint;
use waynote::store::NotesBeside;
use waynote::text::plural;
use waynote::{Checkout, Lineage};
use waynote_formats::SharedNotes;
use waynote_formats::shared::FOLDER;

use crate::error::Outcome;
use crate::home;
use crate::settings::Settings;
use crate::team::KeptNotes;

/// The lists that are laid over the store, the one that counts first.
pub(crate) fn lists(
    settings: &Settings,
    lineage: &Lineage,
    of_team: Option<Vec<KeptNotes>>,
) -> Vec<Arc<dyn NotesBeside>> {
    let is_read = |of: &&Checkout| shares(of) && settings.trusts(of);
    let shared = lineage.checkouts().iter().filter(is_read);
    let shared =
        shared.filter_map(|of| Some(Arc::new(shared_notes(of).ok()?) as Arc<dyn NotesBeside>));
    let team = of_team.unwrap_or_else(|| settings.team_notes(lineage));
    let team = team
        .into_iter()
        .map(|notes| Arc::new(notes) as Arc<dyn NotesBeside>);
    shared.chain(team).collect()
}

/// The shared notes of a checkout, whether or not they are read.
pub(crate) fn shared_notes(checkout: &Checkout) -> Outcome<SharedNotes> {
    let root = home::expanded(checkout.root.as_str())?;
    Ok(SharedNotes::new(root, checkout))
}

/// True if there may be shared notes in a checkout: those that cannot be read now may be read later.
pub(crate) fn shares(checkout: &Checkout) -> bool {
    let root = home::expanded(checkout.root.as_str());
    root.is_ok_and(|root| root.join(FOLDER).symlink_metadata().is_ok())
}

/// The checkouts at a directory that share notes and are not trusted.
pub(crate) fn untrusted<'l>(settings: &Settings, lineage: &'l Lineage) -> Vec<&'l Checkout> {
    let is_asked = |of: &&Checkout| shares(of) && !settings.trusts(of);
    lineage.checkouts().iter().filter(is_asked).collect()
}

/// The lines about checkouts whose shared notes are not read.
pub(crate) fn hints(settings: &Settings, lineage: &Lineage) -> Vec<Hint> {
    let untrusted = untrusted(settings, lineage);
    let hint = |checkout: &Checkout| {
        let notes = counted(checkout);
        let are = if notes.starts_with("1 ") { "is" } else { "are" };
        Hint {
            what: format!("{notes} of this checkout {are} not read"),
            next: Some("a person runs `waynote trust` here".into()),
        }
    };
    untrusted.into_iter().map(hint).collect()
}

/// How many notes a checkout shares, as far as they can be counted. None of them is read.
pub(crate) fn counted(checkout: &Checkout) -> String {
    let count = shared_notes(checkout).map_or((0, true), |notes| notes.count());
    let notes = plural(count.0 as u64, "shared note");
    match count {
        (0, _) => "shared notes".into(),
        (_, true) => notes,
        (_, false) => format!("more than {notes}"),
    }
}
