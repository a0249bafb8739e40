//! How agents are set up on this machine.

use serde_json::json;

use super::Context;
use super::install::plan;
use crate::clients::files::{Piece, Reach};
use crate::clients::record::Record;
use crate::clients::{Client, disk};
use crate::error::{Failure, Outcome};
use crate::table::table;

/// How a piece of a setup is.
#[derive(Debug)]
pub(super) enum State {
    There,
    /// It is there, with another path of the program.
    Outdated,
    /// It is there as an earlier version wrote it; these are the differences.
    Older(Vec<String>),
    /// It is there as a person changed it, and lacks what this version writes.
    Changed(Vec<String>),
    Missing,
    /// Its file is not edited, for that reason.
    Refused(Failure),
}

pub(super) fn state(piece: &Piece) -> State {
    let text = match disk::read(&piece.path) {
        Ok(text) => text.unwrap_or_default(),
        Err(failure) => return State::Refused(failure),
    };
    let record = Record::load(&piece.path).ok().flatten();
    let renewed = piece.edit.renew(&text, record.as_ref());
    match (renewed, piece.edit.take_back(&text)) {
        (Ok(_), Ok(without)) if without == text => State::Missing,
        (Ok(renewed), _) if !renewed.older.is_empty() => State::Older(renewed.older),
        (Ok(renewed), _) if !renewed.kept.is_empty() => State::Changed(renewed.kept),
        (Ok(renewed), _) if renewed.text == text => State::There,
        (Ok(_), Ok(_)) => State::Outdated,
        (Err(refusal), _) | (_, Err(refusal)) => State::Refused(refusal.of(&piece.path)),
    }
}

/// Every client: whether it is on this machine, and how it is set up.
pub(super) fn list(context: &mut Context<'_>) -> Outcome {
    let mut rows = Vec::new();
    let mut values = Vec::new();
    let mut problems = Vec::new();
    for client in Client::ALL {
        let found = plan(client, Reach::User, false)?.is_found()?;
        let mut refused = Vec::new();
        let user = word(states(client, Reach::User)?, &mut refused);
        // A directory that is no project has nothing of a project.
        let project = states(client, Reach::Project).map_or("-", |all| word(all, &mut refused));
        let told: Vec<_> = refused
            .iter()
            .map(|failure| json!({ "message": failure.what(), "hint": failure.way_out() }))
            .collect();
        values.push(json!({
            "client": client.word(), "found": found, "user": user, "project": project, "problems": told,
        }));
        let found = if found { "yes" } else { "-" };
        rows.push(
            [client.word(), found, user, project]
                .map(str::to_owned)
                .to_vec(),
        );
        problems.extend(refused);
    }
    if context.output.json {
        return context.output.value(&values);
    }
    let heading = ["client", "found", "user", "this directory"];
    context.output.line(table(&heading, rows))?;
    for failure in problems {
        context.output.line(format!("\n{}", failure.line()))?;
        context.output.line(format!("  {}", failure.way_out()))?;
    }
    context
        .output
        .line("\nwaynote install CLIENT sets one up; waynote doctor checks those that are")
}

/// Whether something of ours is in a client's files.
pub(super) fn is_set_up(client: Client, reach: Reach) -> bool {
    let is_there = |state: &State| !matches!(state, State::Missing | State::Refused(_));
    states(client, reach).is_ok_and(|all| all.iter().any(is_there))
}

fn states(client: Client, reach: Reach) -> Outcome<Vec<State>> {
    let pieces = plan(client, reach, false)?.pieces()?;
    Ok(pieces.iter().map(state).collect())
}

/// One word for all pieces of a setup.
fn word(states: Vec<State>, refused: &mut Vec<Failure>) -> &'static str {
    let all = |is: fn(&State) -> bool| states.iter().all(is);
    let word = if states.is_empty() {
        "-"
    } else if all(|state| matches!(state, State::There)) {
        "set up"
    } else if all(|state| matches!(state, State::Missing)) {
        "-"
    } else if states
        .iter()
        .any(|state| matches!(state, State::Refused(_)))
    {
        "see below"
    } else if states.iter().any(|state| matches!(state, State::Missing)) {
        "in part"
    } else {
        "outdated"
    };
    for state in states {
        if let State::Refused(failure) = state {
            refused.push(failure);
        }
    }
    word
}
