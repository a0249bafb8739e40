//! `waynote` without a command: the notes that apply here and the next commands, in ten lines.

use serde_json::json;
use waynote::loops;
use waynote::session_state::Iteration;
use waynote::session_status::waiting;
use waynote::text::{plural, shell_word};
use waynote::{Name, Notebook, Places, Scope, SessionState, SessionStatus, Store};

use super::rollback;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::{session_view, zrb_file};

pub(super) fn run(context: &mut Context<'_>) -> Outcome {
    let place = crate::home::base()?.cwd();
    let settings = &context.settings;
    let (agent, session) = (settings.agent.value.clone(), settings.session.value.clone());
    let (places, notes, pinned, entries, looped, id, waiting) =
        context.read(|store: &dyn Store| {
            let notebook = Notebook::of_agent(store, agent.clone());
            let entries = match &session {
                Some(session) => store.count(&Scope::Session(session.clone()))?,
                None => 0,
            };
            let looped = session.as_ref().map(|session| Looped::of(store, session));
            let places = Places::new(store).read_all(&place)?.len();
            Ok((
                places,
                notebook.count()?,
                store.count_keyed(notebook.scope(), true)?,
                entries,
                looped.transpose()?,
                store.store_id()?,
                waiting(store)?,
            ))
        })?;
    let lost = context.opened()?.rollback()?;
    let path = settings.store.value.display().to_string();
    let id = id.map(|id| id.to_string());
    let there = match &id {
        Some(id) => format!(", id {id}"),
        None => " (created by the first write)".into(),
    };
    let zrb_file = zrb_file::not_in_sync(settings);
    if context.output.json {
        let session = session.zip(looped).map(|(session, looped)| {
            json!({
                "session": session.as_str(), "notes": entries, "last_iteration": looped.last.map(|last| last.number),
                "state": looped.status.state.as_str(),
            })
        });
        let asked: Vec<_> = waiting
            .iter()
            .map(|(session, asked)| {
                let question = waynote::secrets::masked(&asked.question);
                json!({ "session": session.as_str(), "question": question })
            })
            .collect();
        let mut value = json!({
            "place": place.as_str(), "place_notes": places, "agent": agent.as_str(), "notes": notes,
            "pinned": pinned, "session": session, "waiting": asked, "store": path, "store_id": id, "notes_file_not_in_sync": zrb_file,
        });
        if let Some(lost) = &lost {
            value["lost_writes"] = rollback::value(lost);
        }
        return context.output.value(&value);
    }
    let session = match session {
        Some(session) => {
            let looped = looped.map_or(String::new(), |looped| looped.line());
            format!(
                "{}: {}{looped}",
                Scope::Session(session),
                plural(entries, "note")
            )
        }
        None => "no session set (--session NAME)".into(),
    };
    let shown = waynote::secrets::masked(place.as_str());
    let mut lines = vec![
        format!("waynote: notes for the next run. What applies in {shown}:"),
        format!(
            "  {} on this directory and those above it",
            plural(places as u64, "note")
        ),
        format!(
            "  {}: {}, {pinned} pinned",
            Scope::Agent(agent),
            plural(notes, "note")
        ),
        format!("  {session}"),
        format!("  store: {}{there}", waynote::visible::visible(&path)),
        "What you can do:".into(),
        "  waynote place write TEXT       leave a note on this directory".into(),
        "  waynote key save KEY TEXT      save a note in the agent's notebook".into(),
        "  waynote log add TEXT --type T  add to a session's log (stuck, tip, …)".into(),
        "  waynote context                print what applies; `waynote --help` lists all".into(),
    ];
    const NAMED: usize = 3;
    for (session, asked) in waiting.iter().take(NAMED) {
        let session = waynote::visible::visible(session.as_str());
        let question = session_view::one_line(&asked.question);
        lines.push(format!(
            "Session {session} waits for an answer: `{question}`"
        ));
        lines.push(format!(
            "  waynote --session {} log show",
            shell_word(&session)
        ));
    }
    if waiting.len() > NAMED {
        lines.push(format!(
            "{} more wait for an answer: waynote log sessions",
            waiting.len() - NAMED
        ));
    }
    if zrb_file.is_some() {
        let found = [
            format!(
                "Zrb's notes in {} are not read. To keep both in sync:",
                zrb_file::DEFAULT
            ),
            format!("  {}", zrb_file::SYNC),
        ];
        lines.extend(found);
    }
    lines.iter().try_for_each(|line| context.output.line(line))
}

/// The last iteration of a session's loops, and its status.
struct Looped {
    last: Option<Iteration>,
    status: SessionStatus,
}

impl Looped {
    fn of(store: &dyn Store, session: &Name) -> Outcome<Self> {
        Ok(Self {
            last: loops::iterations(store, session, 1)?.pop(),
            status: super::log::status(store, session)?,
        })
    }

    /// The part of a line after the count of notes.
    fn line(&self) -> String {
        let last = self.last.as_ref();
        let last = last.map(|last| format!("iteration #{}", last.number));
        let state =
            (self.status.state != SessionState::NoLoop).then(|| session_view::state(&self.status));
        let both = [last, state].into_iter().flatten();
        both.map(|part| format!(", {part}")).collect()
    }
}
