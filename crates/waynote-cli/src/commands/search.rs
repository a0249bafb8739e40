//! `waynote search`: notes by their text, what applies here first.

use anstyle::Style;
use waynote::text::day;
use waynote::visible::visible;
use waynote::{EntryType, Found, Hit, Place, Scope, SearchKind, SearchRequest, Snippet};

use super::list::unlimited_if_zero;
use crate::args::{KindArg, SearchArgs};
use crate::error::Outcome;
use crate::home;
use crate::invocation::Context;
use crate::team::TYPED;

/// The line before what does not apply here.
const ELSEWHERE: &str = "These do not apply here:";

pub(super) fn run(context: &mut Context<'_>, args: &SearchArgs) -> Outcome {
    // Any text is a query; bytes that are not UTF-8 are in no note.
    let words = std::iter::once(&args.query).chain(&args.more);
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let mut request = SearchRequest::new(words.join(" "));
    request.limit = unlimited_if_zero(args.limit);
    request.history = args.history;
    request.kinds.extend(args.kind.map(|kind| match kind {
        KindArg::Place => SearchKind::Place,
        KindArg::Key => SearchKind::Key,
        KindArg::Log => SearchKind::Log,
    }));
    let mut here = Vec::new();
    match (&args.at, home::base()) {
        (Some(path), _) => request.scopes = asked(context, &context.place(Some(path))?)?,
        (None, Ok(base)) => here = asked(context, &base.cwd())?,
        (None, Err(_)) => {}
    }
    here.push(Scope::Agent(context.notebook()?.clone()));
    if let Ok((session, _)) = context.session() {
        here.push(Scope::Session(session));
    }
    let found = context.read(|store| Ok(Found::of(&store, &request, &here)?))?;
    if context.output.json {
        return context.value(&found.all());
    }
    if found.here.is_empty() && found.elsewhere.is_empty() {
        let query = visible(&request.query);
        return context.line(format!(
            "no notes found for `{query}`; paths are not searched: `waynote ls --at PATH` lists the notes of one"
        ));
    }
    let colour = context.output.has_colour();
    for (hits, title) in [(found.here, None), (found.elsewhere, Some(ELSEWHERE))] {
        if let Some(title) = title.filter(|_| !hits.is_empty()) {
            context.line(title)?;
        }
        for hit in &hits {
            context.line(head(hit, args.history))?;
            let line = format!("  {}\n", shown(&hit.snippet, colour));
            context.coloured(&line)?;
        }
    }
    Ok(())
}

/// The scopes that apply at a place, with what is new in the team's store. The query stays on this machine.
fn asked(context: &Context<'_>, place: &Place) -> Outcome<Vec<Scope>> {
    let lineage = context.lineage(place)?;
    context.opened()?.beside_asked(&lineage, TYPED);
    Ok(lineage.scopes())
}

/// The line above the text: address, date, and in a log iteration and type.
fn head(hit: &Hit, history: bool) -> String {
    let note = &hit.note;
    let mut head = note.address.masked();
    if history {
        head += &format!("@{}", note.revision);
    }
    if note.source.is_dated() {
        head += &format!(" ({}", day(note.updated_at));
        if let Some(kind) = &note.kind {
            head += &format!(", {}", EntryType::as_str(kind));
        }
        if let Some(iteration) = note.iteration {
            head += &format!(" #{iteration}");
        }
        head += ")";
    }
    head += &crate::table::labels(note);
    visible(&head)
}

/// The line of the text, the words that were looked for in bold or between `«` and `»`.
fn shown(snippet: &Snippet, colour: bool) -> String {
    let bold = Style::new().bold();
    let (begin, end) = if colour {
        (bold.render().to_string(), bold.render_reset().to_string())
    } else {
        ("«".to_owned(), "»".to_owned())
    };
    let mut line = String::new();
    let mut last = 0;
    for range in &snippet.matches {
        line += &visible(&snippet.text[last..range.start]);
        line += &begin;
        line += &visible(&snippet.text[range.clone()]);
        line += &end;
        last = range.end;
    }
    line + &visible(&snippet.text[last..])
}
