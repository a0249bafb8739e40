//! `waynote token`: access to the store over a server.

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use serde::Serialize;
use serde_json::json;
use waynote::error::{PersonalAct, safe};
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{Name, person};
use waynote_access::{AuditEntry, Grant, Rights, TokenInfo};

use super::confirm::Question;
use super::token_store::TokenStore;
use crate::args::{CreateArgs, TokenCommand};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::input;
use crate::invocation::Context;
use crate::table::{self, when};

pub(super) fn run(context: &mut Context<'_>, command: &TokenCommand) -> Outcome {
    match command {
        TokenCommand::Create(args) => create(context, args),
        TokenCommand::List => list(context),
        TokenCommand::Revoke { name } => revoke(context, &name.parse()?),
        TokenCommand::Clear { yes } => clear(context, *yes),
        TokenCommand::Audit { limit, before } => audit(context, before.as_deref(), *limit),
    }
}

/// The JSON output for a new token.
#[derive(Serialize)]
struct Created<'t> {
    token: &'t str,
    header: String,
    #[serde(flatten)]
    info: &'t TokenInfo,
}

fn create(context: &mut Context<'_>, args: &CreateArgs) -> Outcome {
    let name: Name = args.name.parse()?;
    let now = clock::now()?;
    let grant = granted(args)?;
    let expires = match &args.expires {
        Some(text) => Some(time_of(text, now)?),
        None => None,
    };
    let (token, info) = administered(context)?.create(&name, &grant, expires, now)?;
    let header = format!("Authorization: Bearer {token}");
    let created = Created {
        token: &token,
        header: header.clone(),
        info: &info,
    };
    context.answer(&created, || {
        let until = info.expires_at.map(|at| format!(" until {}", when(at)));
        let about = format!(
            "created token {}: it may {} {}{}",
            info.name,
            may(info.rights),
            sees(&info),
            until.unwrap_or_default()
        );
        // The token itself is the one text of a credential that is printed.
        format!(
            "{}\n\n  {token}\n\nIt is not shown again. A client sends it with each request:\n\n  {header}",
            visible(&about)
        )
    })
}

fn granted(args: &CreateArgs) -> Outcome<Grant> {
    let names = |names: &[String]| names.iter().map(|name| Ok(name.parse()?)).collect();
    let (agents, sessions): (Outcome<Vec<Name>>, Outcome<Vec<Name>>) =
        (names(&args.agent), names(&args.session));
    let places = args.place.iter().map(|path| input::place(Some(path)));
    Ok(Grant {
        token_id: None,
        token: None,
        rights: match (args.read, args.write) {
            (true, _) => Rights::Read,
            (_, true) => Rights::Write,
            _ => Rights::Admin,
        },
        agents: agents?,
        places: places.collect::<Outcome<_>>()?,
        sessions: sessions?,
    })
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
        Failure::usage(
            format!("`{}` is no time at which a token expires", safe(text)),
            "write a time with its unit (30d, 12h), a date (2027-01-31), or a time (2027-01-31T12:00:00Z)",
        )
    })
}

/// The store for the administration of tokens. Processes that a loop runs are refused.
fn administered<'c>(context: &'c Context<'_>) -> Outcome<TokenStore<'c>> {
    let stamp = context.stamp()?.by(context.writer()?);
    context.read(|store| Ok(person::only(&store, &stamp, PersonalAct::Administer)?))?;
    Ok(TokenStore::of(context.opened_for_writing()?))
}

pub(super) fn may(rights: Rights) -> &'static str {
    match rights {
        Rights::Read => "read",
        Rights::Write => "read and write",
        Rights::Admin => "administer",
    }
}

/// The scopes that it sees.
pub(super) fn sees(info: &TokenInfo) -> String {
    let agents = info.agents.iter().map(|agent| format!("agent {agent}"));
    let places = info.places.iter().map(|place| format!("place {place}"));
    let sessions = info.sessions.iter().map(|of| format!("session {of}"));
    let all: Vec<String> = agents.chain(places).chain(sessions).collect();
    match all.is_empty() {
        true => "the whole store".into(),
        false => all.join(", "),
    }
}

fn list(context: &mut Context<'_>) -> Outcome {
    let now = clock::now()?;
    let tokens = TokenStore::of(context.opened()?).list()?;
    let nothing = "no tokens: `waynote token create NAME --read` creates one";
    let heading = ["name", "rights", "sees", "created", "expires", "last used"];
    table::list(context.output, &tokens, nothing, &heading, |info| {
        let expires = match info.expires_at {
            None => "never".into(),
            Some(at) if at <= now => format!("{} (expired)", when(at)),
            Some(at) => when(at),
        };
        vec![
            info.name.to_string(),
            info.rights.as_str().into(),
            sees(info),
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
    // Before anything is sent to a server.
    TokenStore::of(context.opened()?).local()?;
    let store = administered(context)?;
    let tokens = store.local()?;
    let names = tokens.list()?.into_iter().map(|info| info.name.to_string());
    let names: Vec<String> = names.collect();
    if !is_confirmed {
        let named = match names.is_empty() {
            true => "there are no tokens".into(),
            false => format!("these tokens go: {}", names.join(", ")),
        };
        let question = Question {
            risk: "without tokens, everybody on this machine can use the store over a server",
            alone: "add `--yes`",
            before: "",
            question: &format!(
                "{}. Let everybody on this machine use the store over a server?",
                visible(&named)
            ),
            refused: "nothing was changed",
            hint: "it was not confirmed",
        };
        question.ask()?;
    }
    let cleared = store.clear()?;
    context.answer(&json!({ "removed": cleared }), || match cleared.len() {
        0 => "the store has no tokens, and needs none now".into(),
        count => {
            let tokens = plural(count as u64, "token");
            format!("removed {tokens}: the store needs none now. Restart a server that is running")
        }
    })
}

fn audit(context: &mut Context<'_>, before: Option<&str>, limit: usize) -> Outcome {
    let lines = TokenStore::of(context.opened()?).audit(before, limit)?;
    let nothing = "nothing was refused or administered";
    let heading = ["time", "call", "token", "result", "about"];
    table::list(
        context.output,
        &lines,
        nothing,
        &heading,
        |entry: &AuditEntry| {
            let at: Option<Timestamp> = entry.at.parse().ok();
            let outcome = match (entry.refused, entry.times) {
                (false, _) => "done".into(),
                (true, 1) => "refused".into(),
                (true, times) => format!("refused {times} times"),
            };
            vec![
                at.map_or(entry.at.clone(), when),
                entry.call.clone(),
                entry.token.clone().unwrap_or_else(|| "-".into()),
                outcome,
                entry.detail.clone(),
            ]
        },
    )
}
