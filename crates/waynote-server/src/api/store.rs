//! The scopes of a store.

use axum::Json;
use waynote::ScopeKind;
use waynote_api::resource::{ScopeList, ScopeNotes};

use crate::problem::Answer;
use crate::visit::Visit;

/// The scopes that have notes, by kind and name, with how many each has.
#[utoipa::path(
    get,
    path = "/scopes",
    tag = "notes",
    responses((status = 200, description = "The scopes", body = ScopeList))
)]
pub(crate) async fn scopes(visit: Visit) -> Answer<Json<ScopeList>> {
    let scopes = visit.run(|store| {
        let mut all = Vec::new();
        for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
            all.extend(store.scopes(kind)?);
        }
        Ok(all)
    });
    let scopes = scopes.await?.into_iter().map(|summary| ScopeNotes {
        scope: summary.scope.to_string(),
        notes: summary.notes,
    });
    Ok(Json(ScopeList {
        scopes: scopes.collect(),
    }))
}
