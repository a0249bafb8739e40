//! `waynote note`: how a person leaves a note.

use waynote::SaveOptions;

use super::key;
use super::saved::{self, Saving};
use crate::args::NoteArgs;
use crate::error::{Failure, Outcome};
use crate::invocation::Context;
use crate::typed::Use;

pub(super) fn run(context: &mut Context<'_>, args: &NoteArgs) -> Outcome {
    let target = &args.target;
    let mut saving = match &args.key {
        Some(key) => Saving {
            options: SaveOptions::default()
                .limits(context.settings.limits(None, None))
                .pin(args.pin.then_some(true)),
            ..key::to_save(context, target, key)?
        },
        None if key::notebook(context, &target.scope)?.is_some() => {
            return Err(Failure::usage(
                "a note of a notebook has a key",
                "name it: `--key KEY`",
            ));
        }
        None => {
            let directory = context.directory(target.scope.at.as_deref())?;
            let directory = directory.by_path(target.path.by_path);
            Saving {
                options: SaveOptions::default().limits(context.settings.place_limits(None)),
                adds: !args.replace,
                ..context.on_directory(directory, None, Use::Make)?.into()
            }
        }
    };
    saving.options = saving.options.expect(saved::expected(args.if_revision));
    saved::save(context, saving, &args.text, (&args.cites, &args.allow))
}
