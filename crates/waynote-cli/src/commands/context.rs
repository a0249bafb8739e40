//! `waynote context`: the block for a prompt, or how each note is shown in it.

use serde::Serialize;
use waynote::context::{Block, IterationBlock, Receipt, Request, Shown, Style, render};
use waynote::session_state::iteration_start;
use waynote::store::Damage;
use waynote::text::plural;
use waynote::{AsOf, Error};

use crate::args::ContextArgs;
use crate::error::{Failure, Outcome, say};
use crate::home;
use crate::inside::Inside;
use crate::invocation::Context;
use crate::settings::faithful_shows_all;
use crate::table::table;
use crate::team::AT_START;
use crate::when;

pub(super) fn run(context: &mut Context<'_>, args: &ContextArgs) -> Outcome {
    if let Some(iteration) = args.as_of.as_deref().and_then(iteration_named) {
        return given(context, args, iteration);
    }
    let mut request = request(context, args)?;
    context.opened()?.beside_asked(&request.lineage, AT_START);
    let settings = context.settings.clone();
    let block = context.read(|store| {
        let inside = Inside::of_block(&settings, store)?;
        request.session = inside.session;
        request.iteration = inside.iteration;
        Ok(render(store, &request)?)
    })?;
    print(context, args, &block, &block)
}

fn print(
    context: &mut Context<'_>,
    args: &ContextArgs,
    block: &Block,
    json: &impl Serialize,
) -> Outcome {
    let mut damage = Damage::default();
    damage.notes.clone_from(&block.receipt.damaged);
    context.opened()?.say_damage(&damage);
    if context.output.json {
        context.value(json)
    } else if args.explain {
        explain(context, block)
    } else {
        context.output.text(&block.text)?;
        say_why_empty(context, block);
        Ok(())
    }
}

/// The number in `iteration:3`.
fn iteration_named(as_of: &str) -> Option<i64> {
    as_of.strip_prefix("iteration:")?.parse().ok()
}

/// Prints the block that an iteration was given, byte for byte.
fn given(context: &mut Context<'_>, args: &ContextArgs, iteration: i64) -> Outcome {
    let is_chosen = args.at.path.is_some() || args.style.is_some() || args.budget.is_some();
    if is_chosen || args.only.is_some() || args.query.is_some() {
        return Err(Failure::usage(
            "the block of an iteration has the place, the style and the budget that it was given with",
            "leave out `--at`, `--style`, `--budget`, `--only` and `--query`",
        ));
    }
    let (session, _) = context.session()?;
    let (block, is_same) = context.read(|store| {
        let Some((began, block)) = iteration_start(store, &session, iteration)? else {
            return Err(Failure::from(Error::not_found(format!("iteration {iteration} of session:{session}"))));
        };
        let Some(block) = block else {
            return Err(Failure::refused(
                "not_recorded",
                format!(
                    "place and budget were not recorded when iteration {iteration} of session:{session} began"
                ),
                format!("choose them: `waynote context --at PATH --budget TOKENS --as-of {began}`"),
            ));
        };
        if block.request.style == Style::Faithful && args.explain {
            return Err(faithful_shows_all());
        }
        let explains = args.explain || (context.output.json && block.request.budget.tokens == 0);
        let request = block.request(session.clone(), iteration, began);
        Ok(block.again(store, &request.explain(explains))?)
    })?;
    if !is_same {
        say(&format!(
            "warning: this is not the block that iteration {iteration} was given: {}",
            IterationBlock::DIFFERS
        ));
    }
    let json = Given {
        block: &block,
        is_same,
    };
    print(context, args, &block, &json)
}

/// The block of an iteration, and whether it has the hash of the one that was given.
#[derive(Serialize)]
struct Given<'b> {
    #[serde(flatten)]
    block: &'b Block,
    is_same: bool,
}

/// Explains on standard error why the block is empty. Only people are told that no note applies: a program that puts
/// the block into a prompt can do nothing about it.
fn say_why_empty(context: &Context<'_>, block: &Block) {
    if !block.text.is_empty() {
        return;
    }
    let budget = block.receipt.budget;
    if block.receipt.left_out > 0 {
        let (notes, fits) = match block.receipt.left_out {
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

/// The request for a block as the arguments and the settings have it.
pub(super) fn request(context: &Context<'_>, args: &ContextArgs) -> Outcome<Request> {
    let settings = &context.settings;
    let (style, budget) = settings.style_and_budget(args.style, args.budget)?;
    if style == Style::Faithful && (args.explain || args.query.is_some()) {
        return Err(faithful_shows_all());
    }
    let place = context.place(args.at.path.as_deref())?;
    let (agent, mut lineage) = (settings.agent.value.clone(), context.lineage(&place)?);
    if args.at.path.is_some()
        && let Ok(base) = home::base()
    {
        lineage = lineage.read_from(&context.around(&base.cwd())?);
    }
    Ok(Request::new(agent, lineage, crate::clock::now()?)
        .style(style)
        .only(args.only)
        .budget(budget)
        .query(args.query.clone())
        .as_of(args.as_of.as_deref().map(moment).transpose()?)
        .explain(args.explain || (context.output.json && budget.tokens == 0))
        .tools(waynote_mcp::reader_tools()))
}

/// A position of the journal, or a time.
fn moment(text: &str) -> Outcome<AsOf> {
    match text.parse() {
        Ok(moment) => Ok(moment),
        Err(_) => when::read(text).map(AsOf::Time),
    }
}

/// How each note is shown, in the order in which notes got room, and the totals.
fn explain(context: &mut Context<'_>, block: &Block) -> Outcome {
    let receipt = &block.receipt;
    if !receipt.claims.is_empty() {
        let rows = receipt.claims.iter().map(|claim| {
            let tokens = match claim.shown {
                Shown::LeftOut => "-".into(),
                _ => claim.tokens.to_string(),
            };
            vec![
                claim.section.as_str().to_owned(),
                claim.shown.as_str().to_owned(),
                tokens,
                claim.address.to_string(),
                claim.why.to_string(),
            ]
        });
        let around = [
            (receipt.headings, "(headings and blank lines)"),
            (receipt.last_line, "(the last line)"),
        ];
        let around = around.into_iter().filter(|(tokens, _)| *tokens > 0);
        let rows = rows.chain(around.map(|(tokens, what)| {
            let none = String::new;
            vec![none(), none(), tokens.to_string(), what.to_owned(), none()]
        }));
        let heading = ["section", "shown", "tokens", "note", "why"];
        context.line(table(&heading, rows))?;
        context.line("")?;
    }
    context.line(sums(receipt))
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
