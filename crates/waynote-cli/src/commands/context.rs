//! `waynote context`: the block for a prompt, or how each note is shown in it.

use jiff::Timestamp;
use waynote::AsOf;
use waynote::context::{Block, Receipt, Request, Section, Shown, Style, render};
use waynote::store::Damage;
use waynote::text::plural;

use super::Context;
use crate::args::{ContextArgs, SectionArg};
use crate::error::{Failure, Outcome, say};
use crate::input;
use crate::inside::Inside;
use crate::settings::faithful_shows_all;
use crate::table::table;

pub(super) fn run(context: &mut Context<'_>, args: &ContextArgs) -> Outcome {
    let mut request = request(context, args)?;
    let settings = context.settings.clone();
    let block = context.read(|store| {
        let inside = Inside::of_block(&settings, store)?;
        request.session = inside.session;
        request.iteration = inside.iteration;
        Ok(render(store, &request)?)
    })?;
    let mut damage = Damage::default();
    damage.notes.clone_from(&block.receipt.damaged);
    context.opened()?.say_damage(&damage);
    if context.output.json {
        context.output.value(&block)
    } else if args.explain {
        explain(context, &block)
    } else {
        context.output.text(&block.text)?;
        say_why_empty(context, &block);
        Ok(())
    }
}

/// Says on standard error why nothing is printed. That no note applies is told to people only: a program that puts the
/// block into a prompt has nothing to do about it.
fn say_why_empty(context: &Context<'_>, block: &Block) {
    let Receipt {
        budget, left_out, ..
    } = &block.receipt;
    if !block.text.is_empty() {
        return;
    }
    if *left_out > 0 {
        let (notes, fits) = match left_out {
            1 => ("1 note applies".into(), "does not fit"),
            many => (format!("{many} notes apply"), "none fits"),
        };
        say(&format!(
            "nothing printed: {notes}, but {fits} the budget of {budget} tokens; raise `--budget`"
        ));
    } else if context.output.is_terminal() {
        say("no notes apply here");
    }
}

fn request(context: &Context<'_>, args: &ContextArgs) -> Outcome<Request> {
    let settings = &context.settings;
    let (style, budget) = settings.style_and_budget(args.style, args.budget)?;
    if style == Style::Faithful && (args.explain || args.query.is_some()) {
        return Err(faithful_shows_all());
    }
    let place = input::place(args.at.path.as_deref())?;
    let also = crate::home::main_checkout(&place)?.into_iter().collect();
    Ok(
        Request::new(settings.agent.value.clone(), place, crate::clock::now()?)
            .style(style)
            .only(args.only.map(|section| match section {
                SectionArg::Places => Section::Places,
                SectionArg::Pinned => Section::Pinned,
                SectionArg::Index => Section::Index,
                SectionArg::Iterations => Section::Iterations,
            }))
            .budget(budget)
            .query(args.query.clone())
            .as_of(args.as_of.as_deref().map(moment).transpose()?)
            .explain(args.explain || (context.output.json && budget.tokens == 0))
            .also(also)
            .tools(waynote_mcp::reader_tools()),
    )
}

/// A position of the journal, or a time.
fn moment(text: &str) -> Outcome<AsOf> {
    if let Ok(position) = text.parse() {
        return Ok(AsOf::Position(position));
    }
    text.parse::<Timestamp>().map(AsOf::Time).map_err(|_| {
        Failure::usage(
            format!(
                "`{}` is neither a journal position nor a time",
                waynote::visible::visible(text)
            ),
            "write a time, for example 2026-05-17T12:00:00Z, or a position as `waynote context --json` and `waynote history --json` print it",
        )
    })
}

/// How each note is shown, in the order in which notes got room, and the totals.
fn explain(context: &mut Context<'_>, block: &Block) -> Outcome {
    let Receipt {
        claims,
        headings,
        last_line,
        ..
    } = &block.receipt;
    if !claims.is_empty() {
        let rows = claims.iter().map(|claim| {
            vec![
                claim.section.as_str().to_owned(),
                claim.shown.as_str().to_owned(),
                match claim.shown {
                    Shown::LeftOut => "-".into(),
                    _ => claim.tokens.to_string(),
                },
                claim.address.to_string(),
                claim.why.to_string(),
            ]
        });
        let around = [
            (*headings, "(headings and blank lines)"),
            (*last_line, "(the last line)"),
        ];
        let around = around.into_iter().filter(|(tokens, _)| *tokens > 0);
        let rows = rows.chain(around.map(|(tokens, what)| {
            let none = String::new;
            vec![none(), none(), tokens.to_string(), what.to_owned(), none()]
        }));
        let heading = ["section", "shown", "tokens", "note", "why"];
        context.output.line(table(&heading, rows))?;
        context.output.line("")?;
    }
    context.output.line(sums(&block.receipt))
}

fn sums(receipt: &Receipt) -> String {
    let of = match receipt.budget {
        0 => "without a limit".into(),
        budget => format!("of {budget}"),
    };
    let counted = match receipt.tokens == receipt.counted {
        true => String::new(),
        false => format!(" ({} by o200k, as listed)", receipt.counted),
    };
    format!(
        "{}{counted} {of}: {} shown, {} shortened to a line, {} left out",
        plural(receipt.tokens as u64, "token"),
        plural(receipt.shown, "note"),
        receipt.lines,
        receipt.left_out
    )
}
