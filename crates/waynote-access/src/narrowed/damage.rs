//! The damage that a grant sees: only that of its own notes and sessions.

use waynote::event::EventAddress;
use waynote::store::Damage;
use waynote::{AddressAt, Scope};

use super::NarrowedStore;
use crate::Grant;

impl<S> NarrowedStore<S> {
    /// The damage left out of answers, as far as the grant sees it; kept for [`Reader::take_damage`](waynote::Reader).
    pub(super) fn noticed(&self, mut damaged: Vec<String>) -> Vec<String> {
        damaged.retain(|what| names_seen(&self.grant, what));
        if !damaged.is_empty() {
            let mut kept = self.damage.lock();
            kept.notes.extend(damaged.iter().cloned());
            kept.notes.sort();
            kept.notes.dedup();
        }
        damaged
    }
}

/// True if the name of something damaged surely belongs to something that the grant sees.
pub(super) fn names_seen(grant: &Grant, what: &str) -> bool {
    if Damage::is_of_store(what) {
        return true;
    }
    if let Some(session) = what.strip_prefix("an event of session:") {
        return grant.sessions.iter().any(|of| of.as_str() == session);
    }
    let what = what.strip_prefix("a note of ").unwrap_or(what);
    if let Ok(event) = what.parse::<EventAddress>() {
        return grant.sees(&Scope::Session(event.session));
    }
    // An agent or a session without a key is a scope.
    let at = what.parse::<AddressAt>();
    let at = at.or_else(|_| format!("{what}#0000000000000000000000000").parse());
    at.is_ok_and(|at: AddressAt| grant.sees_note(&at.address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_surely_inside_is_not_named() {
        let grant = Grant {
            agents: vec!["a".parse().unwrap()],
            places: vec!["~/p".parse().unwrap()],
            sessions: vec!["s".parse().unwrap()],
            ..Grant::everything()
        };
        for (what, is_seen) in [
            ("agent:a#k", true),
            ("agent:a#k@3", true),
            ("agent:b#k", false),
            ("agent:a", true),
            ("agent:b", false),
            ("a note of agent:a", true),
            ("a note of agent:b", false),
            ("place:~/p/q", true),
            ("place:~", false),
            ("session:s", true),
            ("session:t", false),
            ("session:s#event-3", true),
            ("session:t#event-3", false),
            ("an event of session:s", true),
            ("an event of session:s#event-1", false),
            ("an event of session:t", false),
            ("the event at position 7", false),
            ("scope number 3", false),
            ("The store has lost writes", true),
            ("a value beside the notes (tokens)", false),
        ] {
            assert_eq!(names_seen(&grant, what), is_seen, "{what}");
        }
    }
}
