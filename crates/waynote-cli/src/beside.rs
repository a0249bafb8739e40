//! The notes of others for a directory: those that its checkout shares, then those of a team's store.

use std::sync::Arc;

use waynote::Lineage;
use waynote::store::NotesBeside;

use crate::settings::Settings;

/// The lists that are laid over the store, the one that counts first.
pub(crate) fn lists(settings: &Settings, lineage: &Lineage) -> Vec<Arc<dyn NotesBeside>> {
    let team = settings.team_notes(lineage).into_iter();
    team.map(|notes| Arc::new(notes) as _).collect()
}
