//! `waynote stores`: the stores of a PostgreSQL database.

use serde_json::json;
use waynote::Name;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_postgres::{Fault, Options, stores};
use waynote_system::shell::quoted;

use super::confirm::Question;
use super::vacuum;
use crate::args::StoresCommand;
use crate::database::{self, named, options};
use crate::error::{Failure, Outcome, warning};
use crate::invocation::Context;
use crate::table::{table, when};

pub(super) fn run(context: &mut Context<'_>, command: &StoresCommand) -> Outcome {
    match command {
        StoresCommand::List { url, size } => {
            let options = options(&context.settings, url)?;
            list(context, url, &options, *size)
        }
        StoresCommand::Create { url } => {
            let options = named(&context.settings, url)?;
            let shown = options.shown();
            let name = options.store_name().cloned();
            stores::create(options)?;
            note_not_served(context, name.as_ref());
            context.answer(&json!({ "store": shown }), || format!("created {shown}"))
        }
        StoresCommand::Migrate { url } => {
            let (before, now) = stores::migrate(options(&context.settings, url)?)?;
            context.answer(&json!({ "before": before, "version": now }), || {
                match before == now {
                    true => format!("the tables are up to date: version {now}"),
                    false => format!("brought the tables from version {before} to {now}"),
                }
            })
        }
        StoresCommand::Renew { url } => {
            let options = named(&context.settings, url)?;
            let shown = options.shown();
            let id = stores::renew(options)?.to_string();
            let value = json!({ "store": shown, "store_id": id });
            let said = || format!("{shown} has a new id: {id}");
            context.answer(&value, said)
        }
        StoresCommand::Rename { url, name } => {
            if database::is_url(name.as_str()) {
                return Err(Failure::usage(
                    "the new name is an address",
                    "give the name alone: waynote stores rename URL NAME",
                ));
            }
            let old = named(&context.settings, url)?;
            let new = old.clone().store(name.clone()).shown();
            let shown = old.shown();
            stores::rename(old, name)?;
            note_not_served(context, Some(name));
            let value = json!({ "renamed": shown, "store": new });
            context.answer(&value, || format!("renamed {shown} to {new}"))
        }
        StoresCommand::Grants {
            role,
            access,
            schema,
        } => {
            // The arguments allow no other word.
            let access = access.parse().unwrap_or(stores::Access::ReadOnly);
            let sql = stores::grants(schema, role, access)
                .map_err(|reason| Failure::usage(reason, "write another name"))?;
            let said = || {
                format!(
                    "{};",
                    sql.iter()
                        .map(|sql| visible(sql))
                        .collect::<Vec<_>>()
                        .join(";\n")
                )
            };
            context.answer(&json!({ "sql": sql }), said)
        }
        StoresCommand::Vacuum { url, full } => vacuum::run(context, url, *full),
        StoresCommand::Drop { url, yes } => {
            let options = named(&context.settings, url)?;
            drop(context, options, *yes)
        }
    }
}

/// Says that a server of the whole database leaves a store out, because of its name.
#[cfg(feature = "server")]
fn note_not_served(context: &Context<'_>, name: Option<&Name>) {
    let Some(name) = name.filter(|name| !waynote_server::is_name(name.as_str())) else {
        return;
    };
    warning(
        "not_served",
        &format!(
            "`waynote serve --database URL` does not serve the store `{}`",
            visible(name.as_str())
        ),
        "it serves names of letters, digits, `-`, `_` and `.`, up to 64, that do not begin with `.`; with `--store NAME=URL` \
         it is served under another name",
        json!({}),
        context.output.json,
    );
}

#[cfg(not(feature = "server"))]
fn note_not_served(_: &Context<'_>, _: Option<&Name>) {}

fn list(context: &mut Context<'_>, url: &str, options: &Options, has_sizes: bool) -> Outcome {
    let listed = match has_sizes {
        true => stores::list_with_sizes(options.clone())?,
        false => stores::list(options.clone())?,
    };
    let position = |of: &stores::StoreSummary| of.position.map_or(0, waynote::Position::number);
    if context.output.json {
        let listed = listed.iter().map(|of| {
            let url = options.clone().store(of.name.clone()).shown();
            let mut value = json!({
                "name": of.name.as_str(), "notes": of.notes, "position": position(of),
                "created_at": of.created_at.to_string(), "store": url, "partial": of.is_partial,
            });
            if let Some(bytes) = of.bytes {
                value["estimated_bytes"] = bytes.into();
            }
            value
        });
        let listed: Vec<_> = listed.collect();
        return context.value(&json!({ "stores": listed }));
    }
    if listed.is_empty() {
        let sign = if url.contains('?') { '&' } else { '?' };
        let store = visible(&quoted(&format!("{url}{sign}store=NAME")));
        return context.line(format!(
            "there are no stores in this database; `waynote stores create {store}` makes one"
        ));
    }
    let rows = listed.iter().map(|of| {
        let partial = if of.is_partial { " (partial)" } else { "" };
        let mut row = vec![
            format!("{}{partial}", visible(of.name.as_str())),
            plural(of.notes, "note"),
            position(of).to_string(),
            when(of.created_at),
        ];
        row.extend(
            of.bytes
                .map(|bytes| format!("about {}", vacuum::megabytes(bytes))),
        );
        row
    });
    let mut headings = vec!["store", "notes", "position", "created"];
    headings.extend(has_sizes.then_some("estimated size"));
    let text = table(&headings, rows);
    context.line(text)
}

/// How many notes a store has that is to be removed.
fn notes(options: &Options) -> Outcome<u64> {
    let listed = stores::list(options.clone())?;
    let mut listed = listed.into_iter();
    let found = listed.find(|of| Some(&of.name) == options.store_name());
    let store = options.shown();
    let no_store = || waynote::Error::from(Fault::NoStore.of(store, ""));
    Ok(found.ok_or_else(no_store)?.notes)
}

fn drop(context: &mut Context<'_>, options: Options, yes: bool) -> Outcome {
    let shown = visible(&options.shown());
    if !yes {
        let notes = plural(notes(&options)?, "note");
        let question = Question {
            risk: &format!("removing the store {shown} with its {notes} cannot be undone"),
            alone: "add `--yes` if that is meant",
            before: "",
            question: &format!(
                "Remove the store {shown} with its {notes}? Nothing but a backup brings it back."
            ),
            refused: "nothing was removed",
            hint: "it was not confirmed",
        };
        question.ask()?;
    }
    let store = options.shown();
    stores::drop(options)?;
    context.answer(&json!({ "removed": store }), || format!("removed {shown}"))
}
