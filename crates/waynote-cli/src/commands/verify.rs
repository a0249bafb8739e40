//! `waynote verify`: checks the store for damage and reports it; exit code 0 if there is none, else 1.

use std::process::ExitCode;

use serde_json::json;

use super::rollback;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use waynote::text::plural;
use waynote::visible::visible;

pub(super) fn run(context: &mut Context<'_>, repair_index: bool) -> Outcome<ExitCode> {
    if repair_index {
        context.opened_for_writing()?.local()?.rebuild_index()?;
    }
    let store = context.settings.store.value.clone();
    let path = store.display().to_string();
    let opened = context.opened()?;
    if context.settings.store_file().is_ok() && !store.exists() {
        return Err(Failure::refused(
            "no_store",
            format!(
                "there is no store at {}: nothing was checked",
                visible(&path)
            ),
            "name the store with `--store FILE`; `waynote config` shows where its name comes from",
        ));
    }
    let lost = opened.rollback().ok().flatten();
    // A damaged store may not tell its id.
    let (report, id) =
        context.read(|store| Ok((store.verify()?, store.store_id().ok().flatten())))?;
    let id = id.map(|id| id.to_string());
    let clean = report.is_clean();
    if context.output.json {
        let mut value = json!(report);
        value["store"] = json!(path);
        value["store_id"] = json!(id);
        value["ok"] = json!(clean);
        if let Some(lost) = &lost {
            value["lost_writes"] = rollback::value(lost);
        }
        context.value(&value)?;
    } else {
        for problem in &report.problems {
            context.line(format!("damaged: {}", visible(problem)))?;
        }
        let state = if clean {
            "is sound".into()
        } else {
            format!("has {}", plural(report.problems.len() as u64, "problem"))
        };
        let counts = format!(
            "{}, {}, {}",
            plural(report.notes, "note"),
            plural(report.revisions, "revision"),
            plural(report.contents, "distinct text")
        );
        context.line(format!("{} {state}: {counts}", visible(&path)))?;
        if let Some(id) = id {
            context.line(format!("store id {id}"))?;
        }
        if lost.is_some() {
            context.line(format!("what to do: {}", rollback::HINT))?;
        }
    }
    Ok(ExitCode::from(u8::from(!clean)))
}
