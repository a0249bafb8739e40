//! `waynote config`: each setting and where it comes from; and settings that are written into the configuration file.

use std::path::Path;

use serde_json::json;
use toml_edit::{Array, DocumentMut, Item, Value};
use waynote::visible::visible;

use super::Context;
use crate::args::ConfigCommand;
use crate::clients::disk;
use crate::error::{Failure, Outcome};
use crate::settings::known::{self, Kind, Known};
use crate::settings::{Origin, Settings, check};
use crate::table::table;
use crate::{home, settings};

pub(super) fn run(context: &mut Context<'_>, command: Option<&ConfigCommand>) -> Outcome {
    match command {
        None => show(context),
        Some(ConfigCommand::Set { name, value }) => set(context, name, value),
        Some(ConfigCommand::Unset { name }) => unset(context, name),
    }
}

/// Writes a setting; what is in the file besides stays as it is.
fn set(context: &mut Context<'_>, name: &str, value: &str) -> Outcome {
    let known = named(name)?;
    let value = match known.kind {
        Kind::Path => absolute(value)?,
        _ => value.to_owned(),
    };
    check(known.name, &value)?;
    let item = match known.kind {
        Kind::Text | Kind::Path => Value::from(value.as_str()),
        Kind::Whole => Value::from(number::<i64>(known, &value)?),
        Kind::Number => match value.trim().parse::<i64>() {
            Ok(whole) => Value::from(whole),
            Err(_) => Value::from(number::<f64>(known, &value)?),
        },
        Kind::Names => {
            let names = value.split(',').map(str::trim);
            Value::Array(names.filter(|name| !name.is_empty()).collect::<Array>())
        }
    };
    let shown = item.to_string();
    let before = edit(context, |document| match document.get_mut(known.name) {
        // A comment behind the value stays.
        Some(Item::Value(there)) => {
            let decor = there.decor().clone();
            let before = std::mem::replace(there, item);
            *there.decor_mut() = decor;
            Some(before.decorated("", "").to_string())
        }
        _ => {
            document.insert(known.name, Item::Value(item));
            None
        }
    })?;
    let file = context.settings.file.display().to_string();
    let overridden = overridden(known)?;
    if context.output.json {
        return context.output.value(&json!({
            "file": file, "name": known.name, "value": shown.trim(), "before": before, "overridden_by": overridden,
        }));
    }
    let was = match before {
        Some(before) if before == shown.trim() => ", as it was".to_owned(),
        Some(before) => format!(", was {before}"),
        None => String::new(),
    };
    context.output.line(visible(&format!(
        "{} = {} in {file}{was}",
        known.name,
        shown.trim()
    )))?;
    match overridden {
        Some(variable) => context
            .output
            .line(format!("note: {variable} is set, and goes before the file")),
        None => Ok(()),
    }
}

/// Takes a setting out of the file.
fn unset(context: &mut Context<'_>, name: &str) -> Outcome {
    let before = edit(context, |document| {
        let before = document.remove(name)?.into_value().ok()?;
        Some(before.decorated("", "").to_string())
    })?;
    let file = context.settings.file.display().to_string();
    // A name that is no setting can only be taken out where it stands.
    let known = match known::known(name) {
        Some(known) => Some(known),
        None if before.is_some() => None,
        None => Some(named(name)?),
    };
    let overridden = known.map(overridden).transpose()?.flatten();
    if context.output.json {
        return context.output.value(&json!({
            "file": file, "name": name, "value": null, "before": before, "overridden_by": overridden,
        }));
    }
    context.output.line(visible(&match before {
        Some(before) => format!("{name} is no longer set in {file}, was {before}"),
        None => format!("{name} was not set in {file}"),
    }))?;
    match overridden {
        Some(variable) => context
            .output
            .line(format!("note: {variable} still sets it")),
        None => Ok(()),
    }
}

fn named(name: &str) -> Outcome<&'static Known> {
    known::known(name).ok_or_else(|| {
        let what = format!("there is no setting `{}` in the file", visible(name));
        Failure::usage(
            what,
            match known::nearest(name) {
                Some(meant) => format!("did you mean `{}`?", meant.name),
                None => {
                    let names = settings::known::KNOWN.iter().map(|known| known.name);
                    format!("the settings are {}", names.collect::<Vec<_>>().join(", "))
                }
            },
        )
    })
}

fn number<T: std::str::FromStr>(known: &Known, value: &str) -> Outcome<T> {
    value.trim().parse().map_err(|_| {
        let what = format!("`{}` is not a number for `{}`", visible(value), known.name);
        Failure::usage(what, "write digits")
    })
}

/// A path that means the same from every directory. `~` stays: it is clearer, and moves with the home directory.
fn absolute(path: &str) -> Outcome<String> {
    if path.is_empty() || path.starts_with('/') || path.starts_with('~') || path.contains("://") {
        return Ok(path.to_owned());
    }
    let folder = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let path = folder.join(path);
    // `..` is resolved as the system does, through links.
    let above = path.parent().and_then(|above| above.canonicalize().ok());
    let path = match (above, path.file_name()) {
        (Some(above), Some(name)) => above.join(name),
        _ => path,
    };
    Ok(path.to_string_lossy().into_owned())
}

/// The variable that goes before the file.
fn overridden(known: &Known) -> Outcome<Option<&'static str>> {
    Ok(home::variable(known.variable)?.map(|_| known.variable))
}

/// Edits the file in place. One that cannot be read as TOML is left alone.
fn edit<T>(context: &Context<'_>, work: impl FnOnce(&mut DocumentMut) -> T) -> Outcome<T> {
    let file = &context.settings.file;
    if file == Path::new("") {
        let what = "there is no place for a configuration file: there is no home directory";
        let hint = "set HOME, or name a file in WAYNOTE_CONFIG";
        return Err(Failure::refused("no_home", what, hint));
    }
    let before = disk::read(file)?;
    let text = before.as_deref().unwrap_or_default();
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let begin = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text[..begin].matches('\n').count();
        Failure::refused(
            "config",
            format!(
                "{}: line {line}: {}",
                file.display(),
                error.message().trim()
            ),
            "correct that line, then run the command again; nothing was written",
        )
    })?;
    let done = work(&mut document);
    let after = document.to_string();
    if after != text {
        disk::put(file, &after, before.as_deref(), 0o644)?;
    }
    Ok(done)
}

fn show(context: &mut Context<'_>) -> Outcome {
    let rows = rows(&context.settings);
    let file = context.settings.file.display().to_string();
    if context.output.json {
        let settings: serde_json::Map<String, serde_json::Value> = rows
            .into_iter()
            .map(|(name, value, origin)| {
                (
                    name.to_owned(),
                    json!({ "value": value, "origin": origin.to_string() }),
                )
            })
            .collect();
        return context.output.value(
            &json!({ "file": file, "settings": settings, "problems": context.settings.problems }),
        );
    }
    let lines = rows.into_iter().map(|(name, value, origin)| {
        let value = value.unwrap_or_else(|| "-".into());
        vec![name.to_owned(), value, origin.to_string()]
    });
    context
        .output
        .line(table(&["setting", "value", "from"], lines))?;
    let there = if context.settings.file.exists() {
        ""
    } else {
        " (not there)"
    };
    context
        .output
        .line(format!("\nconfiguration file: {}{there}", visible(&file)))?;
    for problem in &context.settings.problems {
        context
            .output
            .line(format!("\nnot used: {}", problem.told()))?;
        context
            .output
            .line(format!("  {}", visible(&problem.hint)))?;
    }
    Ok(())
}

/// Each setting with its value and where that comes from.
pub(super) fn rows(settings: &Settings) -> Vec<(&'static str, Option<String>, Origin)> {
    let Settings {
        store,
        agent,
        session,
        iteration,
        author,
        ..
    } = settings;
    let Settings {
        max_bytes,
        max_notes,
        max_place_bytes,
        notes_file,
        style,
        budget,
        token_factor,
        lock_wait,
        allow_secrets,
        ..
    } = settings;
    let style_word = match style.value {
        waynote::context::Style::Stable => "stable",
        waynote::context::Style::Faithful => "faithful",
    };
    vec![
        (
            "store",
            Some(store.value.display().to_string()),
            store.origin.clone(),
        ),
        ("agent", Some(agent.value.to_string()), agent.origin.clone()),
        (
            "session",
            session.value.as_ref().map(ToString::to_string),
            session.origin.clone(),
        ),
        (
            "iteration",
            iteration.value.map(|number| number.to_string()),
            iteration.origin.clone(),
        ),
        (
            "author",
            Some(author.value.to_string()),
            author.origin.clone(),
        ),
        (
            "max_bytes",
            Some(max_bytes.value.to_string()),
            max_bytes.origin.clone(),
        ),
        (
            "max_notes",
            Some(max_notes.value.to_string()),
            max_notes.origin.clone(),
        ),
        (
            "max_place_bytes",
            Some(max_place_bytes.value.to_string()),
            max_place_bytes.origin.clone(),
        ),
        (
            "notes_file",
            notes_file
                .value
                .as_ref()
                .map(|path| path.display().to_string()),
            notes_file.origin.clone(),
        ),
        ("style", Some(style_word.into()), style.origin.clone()),
        (
            "budget",
            Some(budget.value.to_string()),
            budget.origin.clone(),
        ),
        (
            "token_factor",
            Some(token_factor.value.to_string()),
            token_factor.origin.clone(),
        ),
        (
            "lock_wait",
            Some(lock_wait.value.as_secs_f64().to_string()),
            lock_wait.origin.clone(),
        ),
        (
            "allow_secrets",
            (!allow_secrets.value.is_empty()).then(|| allow_secrets.value.join(",")),
            allow_secrets.origin.clone(),
        ),
    ]
}
