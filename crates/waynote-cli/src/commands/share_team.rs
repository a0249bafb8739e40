//! `waynote share --to team`: gives notes of a repository to the team's store.

use serde_json::json;
use waynote::store::share_to_team;
use waynote::text::plural;
use waynote::{Note, SaveOptions, Stamp, Store};

use crate::args::ShareArgs;
use crate::clock;
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;

/// Writes these own notes into the team's store, each under its own address. With `--all`, those that cannot be are left
/// out.
pub(super) fn run(context: &mut Context<'_>, notes: &[Note], args: &ShareArgs) -> Outcome {
    let team = context.settings.open_team(None)?;
    let (mut shared, mut same, mut left_out) = (Vec::new(), 0, Vec::new());
    for note in notes {
        match one(context, &*team, note, args) {
            Ok(true) => shared.push(&note.address),
            Ok(false) => same += 1,
            Err(failure) if args.all => left_out.push((&note.address, failure)),
            Err(failure) => {
                for address in &shared {
                    say(&format!("{} {}", did(args), address.masked()));
                }
                return Err(failure);
            }
        }
    }
    for (address, failure) in &left_out {
        say(&format!(
            "left out {}: {}",
            address.masked(),
            failure.line()
        ));
    }
    let left_out = left_out
        .iter()
        .map(|(address, failure)| json!({ "address": address, "reason": failure.what() }));
    let value = json!({
        "shared": shared, "unchanged": same, "left_out": left_out.collect::<Vec<_>>(),
        "written": !args.dry_run,
    });
    context.answer(&value, || {
        let lines = shared.iter();
        let mut lines: Vec<String> = lines
            .map(|address| format!("{} {}", did(args), address.masked()))
            .collect();
        if same > 0 || lines.is_empty() {
            let same = plural(same, "note");
            lines.push(format!(
                "the team has {same} of these already, with the same text"
            ));
        }
        lines.join("\n")
    })
}

fn did(args: &ShareArgs) -> &'static str {
    match args.dry_run {
        true => "would share with the team:",
        false => "shared with the team:",
    }
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
