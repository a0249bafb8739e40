//! `waynote share --to team`: gives notes of a repository to the team's store.

use serde_json::json;
use waynote::store::share_to_team;
use waynote::{Address, Note, SaveOptions, Stamp, Store};

use super::share;
use crate::args::ShareArgs;
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;

/// Writes these own notes into the team's store, each under its own address.
pub(super) fn run(context: &mut Context<'_>, notes: &[Note], args: &ShareArgs) -> Outcome {
    let team = context.settings.open_team(None)?;
    let give = |note: &Note| one(context, &*team, note, args);
    let (mut shared, left_out, failed) = share::each(notes, args.all, give);
    shared.retain(|(_, is_new)| *is_new);
    if shared.is_empty() && failed.is_err() {
        return failed;
    }
    let addresses: Vec<&Address> = shared.iter().map(|(note, _)| &note.address).collect();
    let value = json!({ "shared": addresses, "left_out": left_out, "written": !args.dry_run });
    context.answer(&value, || {
        let is_dry = args.dry_run;
        let did = if is_dry { "would share" } else { "shared" };
        let lines = addresses.iter();
        let lines = lines.map(|of| format!("{did} with the team: {}", of.masked()));
        match addresses.is_empty() {
            true => "there is nothing new to share with the team".into(),
            false => lines.collect::<Vec<_>>().join("\n"),
        }
    })?;
    failed
}

/// Shares one note; false if the team has its text.
fn one(context: &Context<'_>, team: &dyn Store, note: &Note, args: &ShareArgs) -> Outcome<bool> {
    let place = note.address.place();
    if !place.is_some_and(|place| context.settings.is_of_team(place)) {
        return Err(Failure::refused(
            "not_of_team",
            format!("{} is in no repository of the team", note.address.masked()),
            "name its repository: `waynote config set team.repositories 'github.com/acme/*'`",
        ));
    }
    if args.dry_run {
        let there = team.get(&note.address)?;
        return Ok(there.is_none_or(|there| there.content != note.content));
    }
    let stamp = Stamp::new(clock::now()?, context.settings.author.value.clone());
    let options = SaveOptions::default()
        .limits(context.settings.limits(None, None))
        .expect(args.if_revision.into());
    Ok(share_to_team(team, note, options, stamp)?.is_some())
}
