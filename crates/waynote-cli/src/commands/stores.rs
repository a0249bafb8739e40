//! `waynote stores`: the stores of a PostgreSQL database.

use serde_json::json;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_postgres::{Options, stores};
use waynote_system::shell::quoted;

use super::confirm;
use crate::args::StoresCommand;
use crate::database::{named, options};
use crate::error::Outcome;
use crate::invocation::Context;
use crate::table::{table, when};

pub(super) fn run(context: &mut Context<'_>, command: &StoresCommand) -> Outcome {
    match command {
        StoresCommand::List { url } => {
            let options = options(&context.settings, url)?;
            list(context, url, &options)
        }
        StoresCommand::Create { url, shared } => {
            let options = named(&context.settings, url)?;
            let shown = options.shown();
            match shared {
                true => stores::create_shared(options)?,
                false => stores::create(options)?,
            }
            let value = json!({ "store": shown, "shared": shared });
            let of = shared.then_some(", a store of several people");
            context.answer(&value, || {
                format!("created {shown}{}", of.unwrap_or_default())
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
        StoresCommand::Drop { url, yes } => {
            let options = named(&context.settings, url)?;
            drop(context, options, *yes)
        }
    }
}

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

fn drop(context: &mut Context<'_>, options: Options, yes: bool) -> Outcome {
    let store = options.shown();
    if !yes {
        let shown = visible(&store);
        let risk = format!("removing the store {shown} cannot be undone");
        let question = format!("Remove the store {shown}? Nothing but a backup brings it back.");
        confirm::ask(&risk, "", &question)?;
    }
    stores::drop(options)?;
    context.answer(&json!({ "removed": store }), || {
        format!("removed {}", visible(&store))
    })
}
