//! `waynote note`: how a person leaves a note.

use super::saved::{self, Saving};
use super::{key, place};
use crate::args::NoteArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;

pub(super) fn run(context: &mut Context<'_>, args: &NoteArgs) -> Outcome {
    let target = &args.target;
    let saving = match &args.key {
        Some(key) => key::to_save(context, target, key)?,
        None if key::notebook(context, &target.scope)?.is_some() => {
            let what = "a note of a notebook has a key";
            return Err(Failure::usage(what, "name it: `--key KEY`"));
        }
        None => Saving {
            adds: !args.replace,
            ..place::to_save(context, target.scope.at.as_deref(), target.path)?
        },
    };
    let options = saving.options.pin(args.pin.then_some(true));
    saved::write(context, Saving { options, ..saving }, &args.write)
}
