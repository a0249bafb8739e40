//! `waynote context`: the block for a prompt, or what became of every note in it.

use jiff::Timestamp;
use waynote::Moment;
use waynote::context::{Block, Receipt, Request, Section, Shown, Style, render};

use super::Context;
use crate::args::{ContextArgs, SectionArg};
use crate::error::{Failure, Outcome};
use crate::input;
use crate::inside::Inside;
use crate::settings::faithful_shows_all;
use crate::table::table;

pub(super) fn run(context: &mut Context<'_>, args: &ContextArgs) -> Outcome {
    let mut request = request(context, args)?;
    let settings = context.settings.clone();
    let block = context.read(|store| {
        let inside = Inside::of(&settings, store)?;
        request.session = inside.session;
        request.iteration = inside.iteration;
        Ok(render(store, &request)?)
    })?;
    if context.output.json {
        context.output.value(&block)
    } else if args.explain {
        explain(context, &block)
    } else {
        context.output.bytes(block.text.as_bytes())
    }
}

fn request(context: &Context<'_>, args: &ContextArgs) -> Outcome<Request> {
    let settings = &context.settings;
    let (style, budget) = settings.style_and_budget(args.style, args.budget)?;
    if style == Style::Faithful && (args.explain || args.query.is_some()) {
        return Err(faithful_shows_all());
    }
    let place = input::place(args.at.path.as_deref())?;
    Ok(Request {
        style,
        only: args.only.map(|section| match section {
            SectionArg::Places => Section::Places,
            SectionArg::Pinned => Section::Pinned,
            SectionArg::Index => Section::Index,
            SectionArg::Iterations => Section::Iterations,
        }),
        budget,
        query: args.query.clone(),
        as_of: args.as_of.as_deref().map(moment).transpose()?,
        // Whoever reads JSON wants to know how long the text is.
        explain: args.explain || (context.output.json && budget.tokens == 0),
        also: crate::home::main_checkout(&place)?.into_iter().collect(),
        ..Request::new(settings.agent.value.clone(), place, crate::clock::now()?)
    })
}

/// A position of the journal, or a time.
fn moment(text: &str) -> Outcome<Moment> {
    if let Ok(position) = text.parse() {
        return Ok(Moment::Position(position));
    }
    text.parse::<Timestamp>().map(Moment::Time).map_err(|_| {
        Failure::usage(
            format!(
                "`{}` is neither a position of the journal nor a time",
                waynote::visible::visible(text)
            ),
            "write 2026-05-17T12:00:00Z, or a position as `waynote context --json` and `waynote history --json` print it",
        )
    })
}

/// What became of every note, in the order of the claims, and the sums.
fn explain(context: &mut Context<'_>, block: &Block) -> Outcome {
    let Receipt { claims, .. } = &block.receipt;
    if !claims.is_empty() {
        let rows = claims.iter().map(|claim| {
            vec![
                claim.section.as_str().to_owned(),
                claim.shown.as_str().to_owned(),
                match claim.shown {
                    Shown::LeftOut => "-".into(),
                    Shown::Whole | Shown::Line => claim.tokens.to_string(),
                },
                claim.address.to_string(),
                claim.why.to_string(),
            ]
        });
        let heading = ["section", "shown", "tokens", "note", "why"];
        context.output.line(table(&heading, rows))?;
        context.output.line("")?;
    }
    context.output.line(sums(&block.receipt))
}

fn sums(receipt: &Receipt) -> String {
    let of = match receipt.budget {
        0 => "without a cap".into(),
        budget => format!("of {budget}"),
    };
    format!(
        "{} tokens {of}: {} notes shown, {} cut to a line, {} left out",
        receipt.tokens, receipt.shown, receipt.lines, receipt.left_out
    )
}
