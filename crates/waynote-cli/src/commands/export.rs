//! `waynote export`: notes written for other programs.

use std::path::Path;

use serde_json::{Value, json};
use waynote::formats::zrb::NotesFile;
use waynote::formats::{Exported, openotters, xs, zrb};
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Address, LocalStore, Name, SessionLog};

use super::Context;
use super::import::say_left_out;
use crate::args::ExportCommand;
use crate::error::{Failure, Outcome, say};
use crate::xs_socket::{Routes, Xs};

pub(super) fn run(context: &mut Context<'_>, command: &ExportCommand) -> Outcome {
    match command {
        ExportCommand::Zrb { target } => to_zrb(context, target.as_deref()),
        ExportCommand::Xs { target } => {
            let session = context.settings.session()?.clone();
            let exported = context.read(|store| to_xs(store, target, &session))?;
            let to = format!("{} of {}", xs::topic(&session), target.display());
            report(context, &exported, &to)
        }
        ExportCommand::Openotters { target } => {
            let agent = context.settings.agent.value.clone();
            let exported = context.read(|store| Ok(openotters::export(store, target, &agent)?))?;
            report(context, &exported, &target.display().to_string())
        }
    }
}

/// The counts; what was left out goes to standard error, because the export itself did its work.
fn report(context: &mut Context<'_>, exported: &Exported, target: &str) -> Outcome {
    say_left_out(&left_out(exported), &exported.left_out);
    let mut value = json!(exported);
    value["target"] = Value::from(target);
    context.output.answer(&value, || {
        let Exported {
            written, unchanged, ..
        } = exported;
        let left_out = match exported.left_out.is_empty() {
            true => String::new(),
            false => format!(", {}", left_out(exported)),
        };
        format!(
            "wrote {} to {}, {unchanged} unchanged{left_out}",
            plural(*written, "note"),
            visible(target)
        )
    })
}

fn left_out(exported: &Exported) -> String {
    format!("{} left out", exported.left_out.len())
}

fn to_zrb(context: &mut Context<'_>, target: Option<&Path>) -> Outcome {
    let path = super::import::zrb_file(context, target)?;
    if path == Path::new("-") {
        let (text, exported) = context.read(|store| Ok(zrb::export(store)?))?;
        say_left_out(&left_out(&exported), &exported.left_out);
        return context.output.text(&text);
    }
    let stamp = context.stamp()?;
    let opened = context.opened_for_writing()?;
    let exported = opened.work(|store| {
        // Only for the counts: a file that cannot be read is reported by what follows.
        let before = NotesFile::open(&path).ok().flatten().unwrap_or_default();
        if opened.bring_together(&path, &stamp)? {
            let now = NotesFile::open(&path)?.unwrap_or_default();
            Ok(zrb::exported(store, &before, &now)?)
        } else {
            Ok(zrb::export_to(store, &path)?)
        }
    })?;
    report(context, &exported, &path.display().to_string())
}

/// Appends the entries that xs does not have yet: neither as a frame of its own nor as one of an earlier export.
fn to_xs(store: &dyn LocalStore, target: &Path, session: &Name) -> Outcome<Exported> {
    let topic = xs::topic(session);
    if !xs::is_topic(&topic) {
        return Err(Failure::refused(
            "xs",
            format!("xs takes no topic `{topic}`"),
            "a topic has letters, digits, `_`, `-` and single dots alone; export under a session name of these",
        ));
    }
    let xs = Xs::serving(target);
    let routes = xs.routes()?;
    if routes == Routes::ByTopic {
        say_misfiled(&xs, &topic)?;
    }
    let there = xs::ids(xs.frames(Some(&topic))?.as_slice(), &topic)?;
    let mut exported = Exported::default();
    for note in SessionLog::new(store, session.clone()).list(None)? {
        let Address::Session(_, id) = &note.address else {
            continue;
        };
        if there.contains(id) {
            exported.unchanged += 1;
            continue;
        }
        let (content, meta) = xs::frame(&note);
        xs.append(routes, &topic, &content, &meta)?;
        exported.written += 1;
    }
    Ok(exported)
}

/// Names frames that earlier versions of waynote exported to an xs before 0.9, under a topic that nobody reads.
fn say_misfiled(xs: &Xs, topic: &str) -> Outcome {
    let misfiled = format!("append/{topic}");
    let frames = xs::ids(xs.frames(Some(&misfiled))?.as_slice(), &misfiled)?;
    if !frames.is_empty() {
        say(&format!(
            "warning: an earlier export filed notes under `{misfiled}`, where ralph.nu does not look: {}\n  \
             they are appended under `{topic}` now; remove those with `xs remove STORE ID`",
            frames.len()
        ));
    }
    Ok(())
}
