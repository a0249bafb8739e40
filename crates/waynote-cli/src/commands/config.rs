//! `waynote config`: each setting and where it comes from.

use serde_json::json;

use super::Context;
use crate::error::Outcome;
use crate::settings::Settings;
use crate::table::table;

pub(super) fn run(context: &mut Context<'_>) -> Outcome {
    let rows = rows(&context.settings);
    let file = context.settings.file.display().to_string();
    if context.output.json {
        let settings: serde_json::Map<String, serde_json::Value> = rows
            .into_iter()
            .map(|(name, value, origin)| {
                (name.to_owned(), json!({ "value": value, "origin": origin }))
            })
            .collect();
        return context
            .output
            .value(&json!({ "file": file, "settings": settings }));
    }
    let lines = rows.into_iter().map(|(name, value, origin)| {
        vec![name.to_owned(), value.unwrap_or_else(|| "-".into()), origin]
    });
    context
        .output
        .line(table(&["setting", "value", "from"], lines))?;
    let there = if context.settings.file.exists() {
        ""
    } else {
        " (not there)"
    };
    context.output.line(format!(
        "\nconfiguration file: {}{there}",
        waynote::visible::visible(&file)
    ))
}

fn rows(settings: &Settings) -> Vec<(&'static str, Option<String>, String)> {
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
