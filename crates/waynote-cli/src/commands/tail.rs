//! `waynote log tail`: what happens in a session, as it happens.

use std::time::Duration;

use jiff::Timestamp;
use waynote::secrets::masked;
use waynote::store::{Cursor, FeedContent, FeedEntry};
use waynote::visible::visible;
use waynote::{Address, Name, Note, Reader, Scope, named};

use crate::error::{Outcome, say};
use crate::invocation::Context;
use crate::when::minute;

/// How often the store is asked for more.
const PAUSE: Duration = Duration::from_millis(250);

/// How many items of the feed are read at once.
const PAGE: usize = 1000;

pub(super) fn run(context: &mut Context<'_>, lines: usize, follow: bool) -> Outcome {
    let (session, _) = context.session()?;
    let (mut at, mut last, mut is_begun) = (Cursor::START, Vec::new(), false);
    loop {
        let page = context.read(|store| Ok(Reader::feed(&store, at, PAGE)?))?;
        at = page.last().map_or(at, |entry| entry.at);
        let is_end = page.len() < PAGE;
        last.extend(page.into_iter().filter(|entry| is_of(entry, &session)));
        if !is_begun {
            last.drain(..last.len().saturating_sub(lines));
        }
        if !is_end {
            continue;
        }
        if !is_begun && last.is_empty() && !context.output.json {
            let scope = Scope::Session(session.clone());
            let others = context.read(|store| Ok(named::instead_of_scope(store, &scope)?))?;
            let others = others.map_or(String::new(), |others| format!("; {others}"));
            say(&format!("nothing happened in {scope} yet{others}"));
        }
        is_begun = true;
        last.drain(..)
            .try_for_each(|entry| print(context, &entry))?;
        if !follow {
            return Ok(());
        }
        context.output.flush()?;
        std::thread::sleep(PAUSE);
    }
}

/// True if it is an entry or an event of the session.
fn is_of(entry: &FeedEntry, session: &Name) -> bool {
    match &entry.happened {
        FeedContent::Changed(of) => {
            matches!(of.address(), Address::Session(name, _) if name == session)
                && of.note().is_some()
        }
        FeedContent::Event(of) => of.session == *session,
        _ => false,
    }
}

fn print(context: &mut Context<'_>, entry: &FeedEntry) -> Outcome {
    if context.output.json {
        let line = serde_json::to_string(entry).map_err(std::io::Error::from)?;
        return context.line(crate::escaped::escaped(&line));
    }
    let (at, said) = match &entry.happened {
        FeedContent::Changed(of) => (of.recorded_at, of.note().map_or(String::new(), noted)),
        FeedContent::Event(of) => (of.recorded.recorded_at, of.recorded.event.to_string()),
        _ => (Timestamp::UNIX_EPOCH, String::new()),
    };
    let said = said.replace('\n', "\n                  ");
    context.line(format!(
        "{}  {}",
        minute(at),
        waynote::visible::lines(&masked(&said))
    ))
}

fn noted(note: &Note) -> String {
    let kind = note
        .kind
        .as_ref()
        .map_or(String::new(), ToString::to_string);
    let iteration = note
        .iteration
        .map_or(String::new(), |number| format!("#{number} "));
    format!(
        "{iteration}{}: {}",
        visible(&kind),
        note.content.shown().trim_end()
    )
}
