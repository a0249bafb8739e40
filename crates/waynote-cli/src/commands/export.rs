//! `waynote export`: notes written for other programs.

use std::path::Path;

use serde_json::json;
use waynote::formats::{openotters, xs, zrb};
use waynote::{Address, Name, Places, SessionLog, Store};

use super::Context;
use crate::args::ExportCommand;
use crate::error::Outcome;
use crate::opened::Opened;
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
            let openotters::Exported { written, kept } = exported;
            let value = json!({ "exported": written, "kept": kept, "target": target });
            context.output.answer(&value, || {
                let target = waynote::visible::visible(&target.display().to_string());
                format!("wrote {written} notes to {target}, kept {kept} that are later there")
            })
        }
    }
}

fn to_zrb(context: &mut Context<'_>, target: Option<&Path>) -> Outcome {
    let path = super::import::zrb_file(context, target)?;
    if path == Path::new("-") {
        let text = context.read(|store| Ok(zrb::export(store)?))?;
        return context.output.bytes(text.as_bytes());
    }
    let stamp = context.stamp()?;
    let exported = {
        let opened = Opened::for_changing(&context.settings, context.output.json)?;
        if opened.bring_together(&path, &stamp)? {
            Places::new(opened.store()).list()?.len() as u64
        } else {
            zrb::export_to(opened.store(), &path)?
        }
    };
    let path = waynote::visible::visible(&path.display().to_string());
    let value = json!({ "exported": exported, "target": path });
    context
        .output
        .answer(&value, || format!("wrote {exported} notes to {path}"))
}

/// Appends the entries that xs does not have yet: neither as a frame of theirs nor as one of an earlier export.
fn to_xs(store: &dyn Store, target: &Path, session: &Name) -> Outcome<(u64, u64)> {
    let xs = Xs::serving(target);
    let frames = xs.frames(Some(&xs::topic(session)))?;
    let there = xs::ids(frames.as_slice(), session)?;
    let (mut exported, mut unchanged) = (0, 0);
    for note in SessionLog::new(store, session.clone()).list(None)? {
        let Address::Session(_, id) = &note.address else {
            continue;
        };
        if there.contains(id) {
            unchanged += 1;
            continue;
        }
        let (content, meta) = xs::frame(&note);
        xs.append(session, &content, &meta)?;
        exported += 1;
    }
    Ok((exported, unchanged))
}
