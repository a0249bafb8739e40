//! Where the notes of a directory stand, if that is not where new ones go: said in the morning, by `doctor`, and in the
//! first block of a session.

use waynote::stands::{self, Hint, Known};
use waynote::{Lineage, Place, Store};
use waynote_system::repository::Telling;

use crate::beside;
use crate::error::Outcome;
use crate::home::{self, environment};
use crate::settings::Settings;

/// Everything that there is to say, for a person.
pub(super) fn all(settings: &Settings, store: &dyn Store, lineage: &Lineage) -> Outcome<Vec<Hint>> {
    let known = environment().known(lineage, &settings.naming(), Telling::No)?;
    let mut hints = hints(settings, store, lineage, &known)?;
    // In a file that is kept in sync, a directory's own note is on its path.
    if settings.notes_file.value.is_none() {
        let checkout = lineage.checkouts().first();
        let is_own = |place: &Place| {
            let around = settings.lineage(place);
            around.is_ok_and(|around| around.checkouts().first() == checkout)
        };
        hints.extend(stands::on_paths(store, lineage, &is_own)?);
    }
    Ok(hints)
}

/// The lines that a session gets once, in its block: nothing most of the time, and nothing on a failure.
pub(super) fn in_block(settings: &Settings, store: &dyn Store, lineage: &Lineage) -> String {
    let known = environment().known(lineage, &settings.naming(), Telling::Now);
    let known = known.ok().filter(|known| known.is_new).unwrap_or_default();
    let hints = hints(settings, store, lineage, &known).unwrap_or_default();
    let called = lineage.called().map(|(name, _)| name).into_iter();
    let former = known.former.iter().map(|(name, _)| name);
    let mut names = called.chain(former).chain(&known.several);
    if !hints.is_empty() && !names.all(stands::may_be_told) {
        return "waynote: `waynote status` says where notes of this checkout stand\n".into();
    }
    let lines = hints.into_iter().map(|hint| match lineage.unknown() {
        // A repository's own files say which path cannot be read: that is no text for a model.
        Some(_) => hint.what,
        None => hint.line(),
    });
    lines.map(|line| format!("waynote: {line}\n")).collect()
}

/// Remembers how the checkout that a note is saved in is called, so that its notes are found once it is renamed.
pub(super) fn remember(settings: &Settings, lineage: &Lineage) {
    let _ = environment().known(lineage, &settings.naming(), Telling::Later);
}

fn hints(
    settings: &Settings,
    store: &dyn Store,
    lineage: &Lineage,
    known: &Known,
) -> Outcome<Vec<Hint>> {
    // The directories of a store elsewhere may be on another machine.
    let is_elsewhere = settings.remote().or(settings.database()).is_some();
    let is_there = |place: &Place| {
        is_elsewhere || home::expanded(place.as_str()).is_ok_and(|path| path.exists())
    };
    let mut hints = stands::hints(store, lineage, known, &is_there)?;
    hints.extend(beside::hints(settings, lineage));
    Ok(hints)
}
