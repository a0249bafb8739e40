//! The notes of others for a directory: those that its checkout shares, then those of a team's store.

use std::sync::Arc;

use waynote::Lineage;
use waynote::store::NotesBeside;
use waynote_formats::SharedNotes;
use waynote_formats::shared::FOLDER;

use crate::home;
use crate::settings::Settings;
use crate::team::KeptNotes;

/// The lists that are laid over the store, the one that counts first.
pub(crate) fn lists(
    settings: &Settings,
    lineage: &Lineage,
    of_team: Option<Vec<KeptNotes>>,
) -> Vec<Arc<dyn NotesBeside>> {
    let shared = lineage.checkouts().iter().filter_map(|checkout| {
        let root = home::expanded(checkout.root.as_str()).ok()?;
        let is_read = root.join(FOLDER).exists() && settings.trusts(checkout);
        let notes = || Arc::new(SharedNotes::new(root, checkout)) as Arc<dyn NotesBeside>;
        is_read.then(notes)
    });
    let team = of_team.unwrap_or_else(|| settings.team_notes(lineage));
    let team = team
        .into_iter()
        .map(|notes| Arc::new(notes) as Arc<dyn NotesBeside>);
    shared.chain(team).collect()
}
