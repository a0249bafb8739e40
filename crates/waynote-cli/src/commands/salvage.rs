//! `waynote salvage`: saves the intact part of a damaged store into a new one; exit code 0 if nothing was lost.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use waynote::Options;
use waynote::sqlite::{SalvageReport, salvage};
use waynote::text::plural;
use waynote::visible::visible;

use crate::error::Outcome;
use crate::invocation::Context;

pub(super) fn run(context: &mut Context<'_>, old: &Path, new: &Path) -> Outcome<ExitCode> {
    let options = Options::default().wait(context.settings.lock_wait.value);
    let salvaged = salvage(old, new, &options)?;
    let path = new.display().to_string();
    if context.output.json {
        let mut value = json!(salvaged);
        value["store"] = json!(path);
        value["complete"] = json!(salvaged.is_complete());
        context.value(&value)?;
    } else {
        say(context, &salvaged, &path)?;
    }
    Ok(match salvaged.is_complete() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(1),
    })
}

fn say(context: &mut Context<'_>, salvaged: &SalvageReport, path: &str) -> Outcome {
    for lost in &salvaged.lost {
        let (what, why) = (visible(&lost.what), visible(&lost.why));
        context.line(format!("not fully saved: {what}: {why}"))?;
    }
    let state = match salvaged.lost.len() as u64 {
        0 => "nothing is lost".into(),
        lost => format!("{} not fully saved", plural(lost, "item")),
    };
    context.line(format!(
        "saved to {}: {}, {}, {}; {state}",
        visible(path),
        plural(salvaged.notes, "note"),
        plural(salvaged.revisions, "revision"),
        plural(salvaged.events, "event"),
    ))
}
