//! The client's session that a hook runs for, and what it has been given.

use waynote::Place;
use waynote::context::ShownNote;
use waynote_system::process::Process;

use super::payload::Payload;
use crate::client::{Client, Event};
use crate::ledger::{Channel, Deliveries, Delivery, Ledgers, Link, PendingDelivery};

/// The session as its client names it.
pub(super) struct Session {
    pub(super) client: Client,
    /// Its name and the folder of ledgers. None where the client gives it no name, or there is no folder: then nothing
    /// can be remembered.
    remembered: Option<(String, Ledgers)>,
    pub(super) given: Deliveries,
    /// True if its conversation has lost the block that the ledger says it has.
    has_lost_block: bool,
    /// True if its turn's prompt switched delivery off.
    pub(super) is_off: bool,
    /// Linked to the client's process once the answer is claimed.
    pub(super) link: Option<Link>,
}

impl Session {
    /// Records the event for the session, and reads its ledger. `process` is the client's.
    pub(super) fn enter(
        client: Client,
        event: Event,
        payload: &Payload,
        ledgers: Option<Ledgers>,
        process: Option<&Process>,
    ) -> Self {
        let mut session = Self {
            client,
            remembered: payload
                .session()
                .map(|name| named(name, event, payload))
                .zip(ledgers),
            given: Deliveries::default(),
            has_lost_block: false,
            is_off: false,
            link: None,
        };
        let Some((name, ledgers)) = &session.remembered else {
            return session;
        };
        let profile = client.profile();
        let begins_anew = payload
            .source()
            .filter(|source| (profile.begins_anew)(source));
        if let (Event::SessionStart, Some(source)) = (event, begins_anew) {
            let turn = match (source, process) {
                // Each process of the client resumes a session once, and names no turn.
                ("resume", Some(process)) => format!("{}-{}", process.pid, process.start),
                _ => payload.turn().to_owned(),
            };
            ledgers.reset(name, source, &turn);
        }
        if event.is_at_tool() || event == Event::Stop {
            session.given = ledgers.delivered(name);
            session.is_off = match payload.session() {
                Some(own) if own != name => ledgers.delivered(own).is_off,
                _ => session.given.is_off,
            };
            return session;
        }
        let begins = event == Event::SessionStart;
        let entered = process.map(|process| ledgers.enter(process, name, begins));
        let (served, link) = entered.unwrap_or_default();
        session.link = link;
        session.given = ledgers.delivered(name);
        let is_new = session.given == Deliveries::default() && event == Event::Prompt;
        if let Some(notes) = served.filter(|_| is_new) {
            // No hook ran when it began, and the server's first reply had the block.
            let by_server = Delivery::Block(Channel::Server);
            ledgers
                .prepare(name, &session.given, by_server, notes)
                .claim();
            session.given = ledgers.delivered(name);
        }
        // Qwen Code sends an empty prompt with each result of a tool, within a turn.
        let is_new_turn = payload.asked().is_none_or(|asked| !asked.is_empty());
        let is_prompt = event == Event::Prompt && is_new_turn;
        if is_prompt && payload.says_off() != session.given.is_off {
            ledgers.switch(name, payload.says_off());
            session.given = ledgers.delivered(name);
        }
        session.is_off = match event {
            Event::Prompt => payload.says_off(),
            _ => session.given.is_off,
        };
        session.has_lost_block = session.given.block == Some(Channel::Hook)
            && payload
                .transcript()
                .is_some_and(|transcript| (profile.has_lost_block)(transcript));
        session
    }

    /// True if deliveries can be remembered.
    pub(super) fn is_named(&self) -> bool {
        self.remembered.is_some()
    }

    /// True if it is known to lack the block.
    pub(super) fn is_owed(&self) -> bool {
        self.is_named() && (self.given.block.is_none() || self.has_lost_block)
    }

    /// True if somebody has paused delivery to it, or at its place.
    pub(super) fn is_paused(&self, place: &Place) -> bool {
        let remembered = self.remembered.as_ref();
        remembered.is_some_and(|(name, ledgers)| ledgers.is_paused(name, place))
    }

    /// Records that it changes files.
    pub(super) fn changes(&self) {
        if let (Some((name, ledgers)), None) = (&self.remembered, self.given.changed) {
            ledgers.changes(name);
        }
    }

    /// When it was first told something, or first changed a file: in milliseconds since 1970.
    pub(super) fn begun(&self) -> Option<u64> {
        let (name, ledgers) = self.remembered.as_ref()?;
        let told = ledgers.told(Some(name));
        let told = told.first().map(|told| told.at).into_iter();
        told.chain(self.given.changed).min()
    }

    /// The delivery that gives it the block.
    pub(super) fn block(&self) -> Delivery {
        match self.has_lost_block {
            true => Delivery::BlockAnew(Channel::Hook),
            false => Delivery::Block(Channel::Hook),
        }
    }

    /// The delivery to come; none where nothing can be remembered.
    pub(super) fn prepare(
        &self,
        delivery: Delivery,
        notes: Vec<ShownNote>,
    ) -> Option<PendingDelivery> {
        let (name, ledgers) = self.remembered.as_ref()?;
        Some(ledgers.prepare(name, &self.given, delivery, notes))
    }
}

/// The name under which deliveries are remembered. What is said at a subagent's tool reaches that subagent alone.
fn named(session: &str, event: Event, payload: &Payload) -> String {
    match payload.subagent().filter(|_| event.is_at_tool()) {
        Some(subagent) => format!("{session} {subagent}"),
        None => session.to_owned(),
    }
}
