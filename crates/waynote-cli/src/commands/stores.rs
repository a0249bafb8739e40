//! `waynote stores`: the stores of a PostgreSQL database.

use serde_json::json;
use waynote::Name;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_postgres::{Fault, Options, stores};
use waynote_system::shell::quoted;

use super::confirm::Question;
use crate::args::StoresCommand;
use crate::database::{named, options};
use crate::error::Outcome;
#[cfg(feature = "server")]
use crate::error::warning;
use crate::invocation::Context;
use crate::table::{table, when};

pub(super) fn run(context: &mut Context<'_>, command: &StoresCommand) -> Outcome {
    match command {
        StoresCommand::List { url } => {
            let options = options(&context.settings, url)?;
            list(context, url, &options)
        }
        StoresCommand::Create { url } => {
            let options = named(&context.settings, url)?;
            let shown = options.shown();
            let name = options.store_name().cloned();
            stores::create(options)?;
            note_not_served(context, name.as_ref());
            context.answer(&json!({ "store": shown }), || format!("created {shown}"))
        }
        StoresCommand::Renew { url } => {
            let options = named(&context.settings, url)?;
            let shown = options.shown();
            let id = stores::renew(options)?.to_string();
            let value = json!({ "store": shown, "store_id": id });
            let said = || format!("{shown} has a new id: {id}");
            context.answer(&value, said)
        }
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

fn list(context: &mut Context<'_>, url: &str, options: &Options) -> Outcome {
    let listed = stores::list(options.clone())?;
    let position = |of: &stores::StoreSummary| of.position.map_or(0, waynote::Position::number);
    if context.output.json {
        let listed = listed.iter().map(|of| {
            let url = options.clone().store(of.name.clone()).shown();
            json!({
                "name": of.name.as_str(), "notes": of.notes, "position": position(of),
                "created_at": of.created_at.to_string(), "store": url,
            })
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
        vec![
            visible(of.name.as_str()),
            plural(of.notes, "note"),
            position(of).to_string(),
            when(of.created_at),
        ]
    });
    let text = table(&["store", "notes", "position", "created"], rows);
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
