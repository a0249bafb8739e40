//! `waynote config`: each setting and where it comes from; and settings that are written into the configuration file.

use std::path::Path;

use serde_json::json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};
use waynote::text::line_of;
use waynote::visible::visible;
use waynote_system::text_file;

use super::trust;
use crate::args::ConfigCommand;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::settings::{KNOWN, Kind, SUBPROJECTS, SettingInfo, items};
use crate::table::table;
use crate::team::forget_kept;
use crate::{database, home};

pub(super) fn run(context: &mut Context<'_>, command: Option<&ConfigCommand>) -> Outcome {
    match command {
        None => show(context),
        Some(ConfigCommand::Set { name, value }) => set(context, name, value),
        Some(ConfigCommand::Unset { name }) => unset(context, name),
    }
}

/// How settings begin by which texts of others reach agents, and a person's token leaves this machine.
const OF_A_PERSON: [&str; 4] = ["trust", "team", "token_file", "token_command"];

fn is_of_a_person(set: &str) -> bool {
    OF_A_PERSON.iter().any(|of| set.starts_with(of))
}

/// Refuses an agent that sets one of them, by its name or as `NAME=VALUE`.
pub(super) fn check_person(set: &str) -> Outcome {
    match is_of_a_person(set) {
        true => trust::only_a_person(&format!("sets `{set}`")),
        false => Ok(()),
    }
}

/// Writes a setting; the rest of the file stays as it is.
fn set(context: &mut Context<'_>, name: &str, value: &str) -> Outcome {
    check_person(name)?;
    let (known, kind) = named(name)?;
    // As it was typed: an absolute path may be one of anything.
    (known.check)(value)?;
    let is_elsewhere = waynote_remote::Url::is_meant(value) || database::is_url(value);
    let item = match kind {
        Kind::Path if !is_elsewhere => Value::from(absolute(value)?),
        Kind::Text | Kind::Path => Value::from(value),
        Kind::Whole | Kind::Number => value.trim().parse().map_err(|_| {
            let what = format!("`{}` is not a number for `{name}`", visible(value));
            Failure::usage(what, "write a number, for example 4096")
        })?,
        Kind::Names => Value::Array(items(value).collect()),
        Kind::Flag => Value::from(value.trim() == "true"),
        Kind::Table => {
            let same = items(value).filter_map(|row| row.split_once('='));
            let mut rows: InlineTable = same.map(|(from, to)| (from.trim(), to.trim())).collect();
            let projects: Array = items(value).filter(|row| !row.contains('=')).collect();
            if !projects.is_empty() {
                rows.insert(SUBPROJECTS, Value::Array(projects));
            }
            Value::InlineTable(rows)
        }
    };
    let shown = item.to_string();
    edit(context, |document| {
        let (Some(table), name) = table_of(document, name) else {
            return;
        };
        match table.get_mut(name) {
            // A comment behind the value stays.
            Some(Item::Value(there)) => {
                let decor = there.decor().clone();
                *there = item;
                *there.decor_mut() = decor;
            }
            _ => drop(table.insert(name, Item::Value(item))),
        }
    })?;
    let then = match name.starts_with("team.") {
        true => "; its notes come with the next session, or `waynote status`",
        false => "",
    };
    let file = context.settings.file.display();
    let said = format!("set {name} = {shown} in {file}{then}");
    answer(context, name, Some(&shown), &said)
}

/// The table of the file that a setting is in, which is made where it is missing, and its name there.
fn table_of<'t>(
    document: &'t mut DocumentMut,
    name: &'t str,
) -> (Option<&'t mut dyn TableLike>, &'t str) {
    let Some((table, row)) = name.split_once('.') else {
        return (Some(document.as_table_mut()), name);
    };
    let table = document.entry(table).or_insert_with(toml_edit::table);
    if !table.is_table_like() {
        *table = toml_edit::table();
    }
    (table.as_table_like_mut(), row)
}

/// Removes a setting from the file.
fn unset(context: &mut Context<'_>, name: &str) -> Outcome {
    check_person(name)?;
    let was_set = edit(context, |document| match name.split_once('.') {
        Some((table, row)) => {
            let table = document.get_mut(table).and_then(Item::as_table_like_mut);
            table.is_some_and(|table| table.remove(row).is_some())
        }
        None => document.remove(name).is_some(),
    })?;
    if !was_set {
        named(name)?;
    }
    let file = context.settings.file.display();
    let how = if was_set { "is no longer" } else { "was not" };
    let said = format!("{name} {how} set in {file}");
    answer(context, name, None, &said)
}

/// Says what became of the file, and that a variable overrides it.
fn answer(context: &mut Context<'_>, name: &str, value: Option<&str>, said: &str) -> Outcome {
    if is_of_a_person(name) && name != "trust" {
        forget_kept();
    }
    let overridden = match KNOWN.find(name) {
        Some((known, _)) => home::variable(known.variable)?.map(|_| known.variable),
        None => None,
    };
    let file = context.settings.file.display().to_string();
    let value = json!({ "name": name, "value": value, "file": file, "overridden_by": overridden });
    context.answer(&value, || {
        let note = overridden.map(|of| format!("\nnote: {of} is set and overrides the file"));
        visible(said) + &note.unwrap_or_default()
    })
}

fn named(name: &str) -> Outcome<(&'static SettingInfo, Kind)> {
    KNOWN.find(name).ok_or_else(|| {
        let what = format!(
            "`{}` is not a setting of the configuration file",
            visible(name)
        );
        Failure::usage(what, KNOWN.instead_of(name))
    })
}

/// A path that means the same from every directory. `~` stays: it is clearer, and moves with the home directory.
pub(super) fn absolute(path: &str) -> Outcome<String> {
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

/// Edits the file in place. One that cannot be read as TOML is left alone.
fn edit<T>(context: &Context<'_>, work: impl FnOnce(&mut DocumentMut) -> T) -> Outcome<T> {
    let file = &context.settings.file;
    if file == Path::new("") {
        let what = "the configuration file cannot be located: there is no home directory";
        let hint = "set HOME, or set WAYNOTE_CONFIG to a file";
        return Err(Failure::refused("no_home", what, hint));
    }
    let before = text_file::read(file)?;
    let text = before.as_deref().unwrap_or_default();
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
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
        text_file::put(file, &after, before.as_deref(), 0o644)?;
    }
    Ok(done)
}

fn show(context: &mut Context<'_>) -> Outcome {
    let rows = context.settings.shown().into_iter();
    let file = context.settings.file.display().to_string();
    if context.output.json {
        let settings: serde_json::Map<String, serde_json::Value> = rows
            .map(|(known, value, origin)| {
                let shown = json!({ "value": value, "origin": origin.to_string() });
                (known.name.to_owned(), shown)
            })
            .collect();
        return context.value(
            &json!({ "file": file, "settings": settings, "problems": context.settings.problems }),
        );
    }
    let lines = rows.map(|(known, value, origin)| {
        let value = value.unwrap_or_else(|| "-".into());
        vec![known.name.to_owned(), value, origin.to_string()]
    });
    context.line(table(&["setting", "value", "from"], lines))?;
    let there = if context.settings.file.exists() {
        ""
    } else {
        " (does not exist)"
    };
    context.line(format!("\nconfiguration file: {}{there}", visible(&file)))?;
    for problem in &context.settings.problems {
        let output = &mut context.output;
        output.line(format!("\nignored: {}", problem.told()))?;
        output.line(format!("  {}", visible(&problem.hint)))?;
    }
    Ok(())
}
