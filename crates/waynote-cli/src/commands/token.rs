//! `waynote token`: access to the store over a server.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use serde_json::json;
use waynote::error::{PersonalAct, safe};
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{LocalStore, Name, person};
use waynote_server::{NewToken, Rights, TokenInfo, Tokens};

use super::confirm;
use crate::args::{CreateArgs, TokenCommand};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::opened::OpenStore;
use crate::table::{self, when};

pub(super) fn run(context: &mut Context<'_>, command: &TokenCommand) -> Outcome {
    match command {
        TokenCommand::Create(args) => create(context, args),
        TokenCommand::List => list(context),
        TokenCommand::Revoke { name } => revoke(context, &name.parse()?),
        TokenCommand::Clear { yes } => clear(context, *yes),
    }
}

fn create(context: &mut Context<'_>, args: &CreateArgs) -> Outcome {
    let name: Name = args.name.parse()?;
    let now = clock::now()?;
    let expires = args.expires.as_deref().map(|text| time_of(text, now));
    let new = NewToken {
        holder: args.holder.as_ref().unwrap_or(&args.name).parse()?,
        name,
        is_agents: args.for_agent,
        rights: match (args.read, args.write) {
            (true, _) => Rights::Read,
            (_, true) => Rights::Write,
            _ => Rights::Admin,
        },
        expires_at: expires.transpose()?,
    };
    let tokens = administered(context)?;
    let (token, info) = context.write(|_| Ok(tokens.create(&new, now, random()?)?))?;
    let token = token.expose();
    let header = format!("Authorization: Bearer {token}");
    let mut value = json!(info);
    value["token"] = json!(token);
    value["header"] = json!(header);
    context.answer(&value, || {
        let until = info.expires_at.map(|at| format!(" until {}", when(at)));
        let about = format!(
            "created token {} of {}: it may {}{}",
            info.name,
            holder(&info),
            may(info.rights),
            until.unwrap_or_default()
        );
        // The token itself is the one text of a credential that is printed.
        format!(
            "{}\n\n  {token}\n\nIt is not shown again. A client sends it with each request:\n\n  {header}",
            visible(&about)
        )
    })
}

fn random() -> Outcome<[u8; 32]> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| {
        let what = format!("the system gives no random bytes: {error}");
        let hint = "try again";
        Failure::refused("no_randomness", what, hint)
    })?;
    Ok(random)
}

/// A time from now on, the end of a day, or a time.
fn time_of(text: &str, now: Timestamp) -> Outcome<Timestamp> {
    let after = |span: Span| now.to_zoned(TimeZone::UTC).checked_add(span).ok();
    let end_of = |day: civil::Date| day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok();
    let text = text.trim();
    let time = text.parse::<Timestamp>().ok();
    let time = time.or_else(|| Some(end_of(text.parse().ok()?)?.timestamp()));
    let time = time.or_else(|| Some(after(text.parse().ok()?)?.timestamp()));
    time.ok_or_else(|| {
        let hint =
            "write a time with its unit (30d, 12h), a date (2027-01-31), or a time (2027-01-31T12:00:00Z)";
        Failure::usage(format!("`{}` is no time at which a token expires", safe(text)), hint)
    })
}

/// The tokens, to change them. Processes that a loop runs are refused.
fn administered<'c>(context: &'c Context<'_>) -> Outcome<Tokens<&'c dyn LocalStore>> {
    // Before anything is sent to a server.
    tokens(context.opened()?)?;
    let stamp = context.stamp()?.by(context.writer()?);
    context.read(|store| Ok(person::only(&store, &stamp, PersonalAct::Administer)?))?;
    tokens(context.opened_for_writing()?)
}

/// The tokens of a store. They are made where the store is, not over a server.
fn tokens(opened: &OpenStore) -> Outcome<Tokens<&dyn LocalStore>> {
    Ok(Tokens::new(opened.local()?))
}

fn may(rights: Rights) -> &'static str {
    match rights {
        Rights::Read => "read",
        Rights::Write => "read and write",
        Rights::Admin => "administer",
    }
}

/// Who holds a token.
fn holder(info: &TokenInfo) -> String {
    match info.is_agents {
        true => format!("agent {}", info.holder),
        false => info.holder.to_string(),
    }
}

fn list(context: &mut Context<'_>) -> Outcome {
    let now = clock::now()?;
    let tokens = tokens(context.opened()?)?.list()?;
    let nothing = "no tokens: `waynote token create NAME --read` creates one";
    let heading = [
        "name",
        "holder",
        "rights",
        "created",
        "expires",
        "last used",
    ];
    table::list(context.output, &tokens, nothing, &heading, |info| {
        let expires = match info.expires_at {
            None => "never".into(),
            Some(at) if at <= now => format!("{} (expired)", when(at)),
            Some(at) => when(at),
        };
        vec![
            info.name.to_string(),
            holder(info),
            info.rights.as_str().into(),
            when(info.created_at),
            expires,
            info.last_used.map_or("never".into(), |day| day.to_string()),
        ]
    })
}

fn revoke(context: &mut Context<'_>, name: &Name) -> Outcome {
    let info = administered(context)?.revoke(name)?;
    context.answer(&info, || visible(&format!("revoked token {}", info.name)))
}

fn clear(context: &mut Context<'_>, is_confirmed: bool) -> Outcome {
    let tokens = administered(context)?;
    if !is_confirmed {
        let risk = "without tokens, everybody on this machine can use the store over a server";
        let names = tokens.list()?.into_iter().map(|info| info.name.to_string());
        let names: Vec<String> = names.collect();
        let before = visible(&format!("tokens: {}", names.join(", ")));
        let question = "Remove them, and let everybody on this machine use the store?";
        confirm::ask(risk, &before, question)?;
    }
    let cleared = tokens.clear()?;
    context.answer(&json!({ "removed": cleared }), || match cleared.len() {
        0 => "the store has no tokens, and needs none now".into(),
        count => {
            let tokens = plural(count as u64, "token");
            format!("removed {tokens}: the store needs none now. Restart a server that is running")
        }
    })
}
