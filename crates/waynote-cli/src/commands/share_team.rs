//! `waynote share --to team`: gives notes of a repository to the team's store.

use serde_json::json;
use waynote::store::share_to_team;
use waynote::{Note, SaveOptions, Stamp, Store};

use crate::args::ShareArgs;
use crate::clock;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;

/// Writes these own notes into the team's store, each under its own address. With `--all`, those that cannot be are left
/// out.
pub(super) fn run(context: &mut Context<'_>, notes: &[Note], args: &ShareArgs) -> Outcome {
    let team = context.settings.open_team(None)?;
    let (mut shared, mut left_out, mut failed) = (Vec::new(), 0, Ok(()));
    for note in notes {
        match one(context, &*team, note, args) {
            Ok(true) => shared.push(&note.address),
            Ok(false) => {}
            Err(failure) if args.all => {
                left_out += 1;
                say(&format!(
                    "left out {}: {}",
                    note.address.masked(),
                    failure.line()
                ));
            }
            Err(failure) => {
                failed = Err(failure);
                break;
            }
        }
    }
    if shared.is_empty() && failed.is_err() {
        return failed;
    }
    let value = json!({ "shared": shared, "left_out": left_out, "written": !args.dry_run });
    context.answer(&value, || {
        let did = if args.dry_run {
            "would share"
        } else {
            "shared"
        };
        let lines = shared.iter();
        let lines = lines.map(|of| format!("{did} with the team: {}", of.masked()));
        match shared.is_empty() {
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
