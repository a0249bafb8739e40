//! `waynote trust`: a person says that the shared notes of a checkout are read.

use serde_json::json;
use waynote::{Checkout, Lineage};
use waynote_clients::Client;

use super::confirm;
use crate::args::TrustArgs;
use crate::beside::{counted, untrusted};
use crate::error::{Failure, KEPT, Outcome, complain};
use crate::home::{self, environment};
use crate::invocation::Context;
use crate::typed::in_shell;
use crate::variables::LOOP;

pub(super) fn run(context: &mut Context<'_>, args: &TrustArgs) -> Outcome {
    only_a_person("says whether shared notes are read")?;
    let lineage = context.around(&context.place(args.directory.as_deref())?)?;
    let checkout = innermost(&lineage)?;
    let shown = in_shell(&checkout.root);
    let is_so = !args.remove;
    if is_so {
        given(context, checkout)?;
    }
    let is_changed = environment().trust(checkout, is_so)?;
    let is_trusted = context.settings.trusts(checkout);
    let value = json!({ "root": checkout.root, "trusted": is_trusted, "changed": is_changed });
    context.answer(&value, || match (is_so, is_trusted) {
        (true, _) => {
            format!("the shared notes of {shown} are read; `waynote trust --remove` ends that")
        }
        (false, false) => format!("the shared notes of {shown} are not read"),
        (false, true) => format!("the setting `trust` still has {shown} read"),
    })
}

/// Asks at the beginning in a project whether its shared notes are to be read.
pub(super) fn at_start(context: &Context<'_>, lineage: &Lineage) -> Outcome {
    for checkout in untrusted(&context.settings, lineage) {
        if only_a_person("trusts").is_ok() && given(context, checkout).is_ok() {
            environment().trust(checkout, true)?;
        }
    }
    Ok(())
}

/// Goes on if a checkout is trusted, or a person says yes.
pub(super) fn given(context: &Context<'_>, checkout: &Checkout) -> Outcome {
    if context.settings.trusts(checkout) {
        return Ok(());
    }
    if !confirm::can_ask() {
        let what = "there is no terminal to ask a person whether the shared notes of this checkout are read";
        let hint = format!(
            "a person runs `waynote trust {}` in a terminal",
            in_shell(&checkout.root)
        );
        return Err(Failure::refused("not_confirmed", what, hint));
    }
    match asked(checkout)? {
        true => Ok(()),
        false => Err(Failure::refused(KEPT, "nothing was changed", "")),
    }
}

/// Refuses an agent, as far as its environment tells.
pub(super) fn only_a_person(does: &str) -> Outcome {
    let is_agents = Client::of_shell(environment()).is_some() || home::variable(LOOP)?.is_some();
    match is_agents {
        false => Ok(()),
        true => Err(Failure::refused(
            "persons_alone",
            format!("only a person {does}, and this is an agent's shell"),
            "a person runs it in a terminal of their own",
        )),
    }
}

/// Says how many notes there are and what trust means, and asks.
fn asked(checkout: &Checkout) -> Outcome<bool> {
    let (notes, shown) = (counted(checkout), in_shell(&checkout.root));
    complain(&format!(
        "{shown}/.waynote has {notes}; `find {shown}/.waynote -type f -exec less {{}} +` shows them.\nAgents that work \
         here would get them in their prompts, also as later commits change them: whoever writes to this\nrepository, or \
         to a branch that you check out, can say something to them."
    ));
    confirm::is_yes("Read the shared notes of this checkout from now on?")
}

/// The checkout that a directory is in.
pub(super) fn innermost(lineage: &Lineage) -> Outcome<&Checkout> {
    lineage.checkouts().first().ok_or_else(|| {
        let shown = in_shell(lineage.place());
        let what = format!("{shown} is in no git repository");
        Failure::refused("no_checkout", what, "change to a directory of one")
    })
}
