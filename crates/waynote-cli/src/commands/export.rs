//! `waynote export`: notes written for other programs.

use std::path::Path;

use serde_json::json;
use waynote::formats::zrb::NotesFile;
use waynote::formats::{openotters, xs, zrb};
use waynote::{Name, SessionLog, Store};

use super::Context;
use crate::args::ExportCommand;
use crate::error::Outcome;
use crate::xs_socket::Xs;

pub(super) fn run(context: &mut Context<'_>, command: &ExportCommand) -> Outcome {
    match command {
        ExportCommand::Zrb { target } => to_zrb(context, target.as_deref()),
        ExportCommand::Xs { target } => {
            let session = context.settings.session()?.clone();
            let (exported, there) = context.read(|store| to_xs(store, target, &session))?;
            let value = json!({ "exported": exported, "unchanged": there });
            context.output.answer(&value, || {
                format!("{exported} appended, {there} were there already")
            })
        }
        ExportCommand::Openotters { target } => {
            let agent = context.settings.agent.value.clone();
            let exported = context.read(|store| Ok(openotters::export(store, target, &agent)?))?;
            written(context, exported, &target.display().to_string())
        }
    }
}

fn to_zrb(context: &mut Context<'_>, target: Option<&Path>) -> Outcome {
    let path = super::import::zrb_file(context, target)?;
    if path == Path::new("-") {
        let mut file = NotesFile::default();
        context.read(|store| Ok(zrb::export(store, &mut file)?))?;
        return context.output.bytes(file.to_text().as_bytes());
    }
    let exported = context.read(|store| Ok(zrb::export_to(store, &path)?))?;
    written(context, exported, &path.display().to_string())
}

/// Appends the entries that xs does not have yet: neither as a frame of theirs nor as one of an earlier export.
fn to_xs(store: &dyn Store, target: &Path, session: &Name) -> Outcome<(u64, u64)> {
    let xs = Xs::serving(target);
    let frames = xs.frames(Some(&xs::topic(session)))?;
    let there = xs::read(frames.as_slice(), &xs, Some(session))?;
    let (mut exported, mut unchanged) = (0, 0);
    for note in SessionLog::new(store, session.clone()).list(None)? {
        if there.holds(&note.address) {
            unchanged += 1;
            continue;
        }
        let (content, meta) = xs::frame(&note);
        xs.append(session, &content, &meta)?;
        exported += 1;
    }
    Ok((exported, unchanged))
}

fn written(context: &mut Context<'_>, exported: u64, target: &str) -> Outcome {
    let value = json!({ "exported": exported, "target": target });
    context.output.answer(&value, || {
        format!(
            "wrote {exported} notes to {}",
            crate::visible::visible(target)
        )
    })
}
