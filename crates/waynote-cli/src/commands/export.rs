//! `waynote export`: notes written for other programs.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use waynote::text::plural;
use waynote::visible::visible;
use waynote_formats::{ExportReport, markdown, openotters, xs, zrb};

use super::copy;
use super::import::{say_skipped, zrb_file};
use crate::args::ExportCommand;
use crate::error::Outcome;
use crate::home;
use crate::invocation::Context;

pub(super) fn run(context: &mut Context<'_>, command: &ExportCommand) -> Outcome<ExitCode> {
    match command {
        ExportCommand::Json { target } => return copy::to_json(context, target),
        ExportCommand::Markdown { folder } => {
            let exported = context.read(|store| Ok(markdown::export(store, folder)?))?;
            report(context, &exported, &folder.display().to_string())
        }
        ExportCommand::AgentsMd { at } => {
            let lineage = context.own_lineage(&context.place(at.path.as_deref())?)?;
            let place = lineage.place().clone();
            let directory = home::expanded(place.as_str())?;
            let places = [lineage.named(place.clone()), place];
            let exported = context
                .read(|store| Ok(markdown::export_agents_md(store, &places, &directory)?))?;
            let file = directory.join("AGENTS.md");
            report(context, &exported, &file.display().to_string())
        }
        ExportCommand::Zrb { target } => to_zrb(context, target.as_deref()),
        ExportCommand::Xs { target } => {
            let session = context.settings.session()?.clone();
            let server = xs::Server::of_store(target);
            let exported = context.read(|store| Ok(xs::export(store, &server, &session)?))?;
            let to = format!("{} of {}", xs::topic(&session), target.display());
            report(context, &exported, &to)
        }
        ExportCommand::Openotters { target } => {
            let agent = context.notebook()?.clone();
            let exported = context.read(|store| Ok(openotters::export(store, target, &agent)?))?;
            report(context, &exported, &target.display().to_string())
        }
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Prints the counts. Skipped items go to standard error, because the export itself has succeeded.
fn report(context: &mut Context<'_>, exported: &ExportReport, target: &str) -> Outcome {
    say_skipped(&exported.left_out);
    let mut value = json!(exported);
    value["target"] = Value::from(target);
    context.answer(&value, || {
        let ExportReport {
            written, unchanged, ..
        } = exported;
        let skipped = match exported.left_out.len() {
            0 => String::new(),
            many => format!(", {many} skipped"),
        };
        format!(
            "wrote {} to {}, {unchanged} unchanged{skipped}",
            plural(*written, "note"),
            visible(target)
        )
    })
}

fn to_zrb(context: &mut Context<'_>, target: Option<&Path>) -> Outcome {
    let path = zrb_file(context, target)?;
    if path == Path::new("-") {
        let (text, exported) = context.read(|store| Ok(zrb::export(store)?))?;
        say_skipped(&exported.left_out);
        return context.output.text(&text);
    }
    let exported = zrb::export_to(context.opened_for_writing()?.store(), &path)?;
    report(context, &exported, &path.display().to_string())
}
