//! A store that has lost acknowledged writes: the warning about it, and `waynote verify --accept-rollback`.

use serde_json::json;
use waynote::Rollback;
use waynote::visible::visible;

use super::confirm;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};

/// For programs.
pub(super) fn value(lost: &Rollback) -> serde_json::Value {
    json!({ "acknowledged": lost.acknowledged.number(), "found": lost.found.number() })
}

/// The hint for a store that was rolled back.
pub(super) const HINT: &str =
    "restore a backup; or `waynote verify --accept-rollback` accepts the store as it is";

/// Goes on with the store as it is.
pub(super) fn accept(context: &mut Context<'_>, is_confirmed: bool) -> Outcome {
    context.settings.store_file()?;
    let path = context.settings.store.value.display().to_string();
    let path = visible(&path);
    let opened = OpenStore::of(&context.settings, false, Wait::AtTheFirstCall)?;
    let store = opened.sqlite()?;
    let Some(lost) = store.rollback()? else {
        return context.answer(&json!({ "accepted": null }), || {
            format!("{path} has not lost any write: there is nothing to accept")
        });
    };
    if !is_confirmed {
        let lost = format!("{path} {lost}");
        let question = "What is missing cannot be brought back afterwards. Go on without it?";
        confirm::ask(&lost, &lost, question)?;
    }
    let accepted = store.accept_rollback()?.unwrap_or(lost);
    context.answer(&json!({ "accepted": value(&accepted) }), || {
        format!(
            "accepted: {path} goes from position {} back to {}",
            accepted.acknowledged, accepted.found
        )
    })
}
