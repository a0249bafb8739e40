//! `waynote context`: the block for a prompt.

use serde_json::json;
use waynote::context::{Request, Section, Style, render};

use super::Context;
use crate::args::{ContextArgs, SectionArg, StyleArg};
use crate::error::Outcome;
use crate::input;

pub(super) fn run(context: &mut Context<'_>, args: &ContextArgs) -> Outcome {
    let settings = &context.settings;
    let request = Request {
        agent: settings.agent.value.clone(),
        place: input::place(args.at.path.as_deref())?,
        session: settings.session.value.clone(),
        iteration: settings.iteration.value,
        style: match args.style {
            Some(StyleArg::Stable) => Style::Stable,
            Some(StyleArg::Faithful) => Style::Faithful,
            None => settings.style.value,
        },
        only: args.only.map(|section| match section {
            SectionArg::Places => Section::Places,
            SectionArg::Pinned => Section::Pinned,
            SectionArg::Index => Section::Index,
            SectionArg::Iterations => Section::Iterations,
        }),
        now: crate::clock::now()?,
    };
    let block = context.read(|store| Ok(render(store, &request)?))?;
    if context.output.json {
        let mut value = json!(block);
        value["tokens"] = json!(waynote_tokens::count(&block.text));
        context.output.value(&value)
    } else {
        context.output.bytes(block.text.as_bytes())
    }
}
