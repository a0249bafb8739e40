//! `waynote share --to team`: gives notes of a repository to the team's store.

use serde_json::json;
use waynote::store::share_to_team;
use waynote::{Address, Note, Place, SaveOptions, Stamp, Store};
use waynote_system::shell::quoted;

use super::share;
use crate::args::ShareArgs;
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::in_shell;

const YOURS: &str = "yours stays, and stands before later ones of the team";

/// Writes these own notes into the team's store, each under its own address.
pub(super) fn run(context: &mut Context<'_>, notes: &[Note], args: &ShareArgs) -> Outcome {
    let team = context.settings.open_team()?;
    let give = |note: &Note| one(context, &*team, note, args);
    let (mut shared, left_out, failed) = share::each(notes, args.all, give);
    shared.retain(|(_, is_new)| *is_new);
    if shared.is_empty() && failed.is_err() {
        return failed;
    }
    context.settings.end_pause_of_team();
    let addresses: Vec<&Address> = shared.iter().map(|(note, _)| &note.address).collect();
    let value = json!({ "shared": addresses, "left_out": left_out, "written": !args.dry_run });
    context.answer(&value, || {
        let (did, last) = match addresses.first() {
            None => ("", "there is nothing new to share with the team".into()),
            Some(_) if args.dry_run => ("would share", "nothing was written".into()),
            Some(first) => (
                "shared",
                format!("{YOURS}; `waynote {}` drops it", delete_of(first)),
            ),
        };
        let line = |of: &&Address| format!("{did} with the team: {}\n", of.masked());
        addresses.iter().map(line).collect::<String>() + &last
    })?;
    failed
}

/// The command that deletes a note.
pub(super) fn delete_of(address: &Address) -> String {
    match address {
        Address::Place(place) => format!("place delete --at {}", in_shell(place)),
        _ => format!("key delete {}", quoted(&address.masked())),
    }
}

/// Shares one note; false if the team has its text.
fn one(context: &Context<'_>, team: &dyn Store, note: &Note, args: &ShareArgs) -> Outcome<bool> {
    let place = note.address.place();
    if !place.is_some_and(|place| context.settings.is_of_team(place)) {
        let shown = note.address.masked();
        let what = format!("{shown} is in no repository of the team");
        let hint = match place.and_then(Place::in_repository) {
            Some(_) => {
                "name its repository: `waynote config set team.repositories 'github.com/acme/*'`"
            }
            None => "a team knows a repository by its remote: `git remote add origin URL`",
        };
        return Err(Failure::refused("not_of_team", what, hint));
    }
    let stamp = Stamp::new(clock::now()?, context.settings.author.value.clone());
    let options = SaveOptions::default()
        .limits(context.settings.limits(None, None))
        .expect(args.if_revision.into());
    Ok(share_to_team(team, note, options, stamp, args.dry_run)?)
}
