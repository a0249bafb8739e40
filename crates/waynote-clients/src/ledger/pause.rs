//! Pauses of delivery, for a place or for a session of a client.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use waynote::Place;
use waynote_files::replace_private;
use waynote_system::plain;

use super::Ledgers;

/// As much of the file as is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// To what nothing is delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PauseTarget {
    /// A place, with all below it.
    Place(Place),
    /// A session, by its client's name of it.
    Session(String),
}

impl Ledgers {
    /// Pauses delivery for so long; none: until the pause is ended.
    ///
    /// # Errors
    /// The [`std::io::Error`] when the pause cannot be written.
    pub fn pause(&self, of: &PauseTarget, length: Option<Duration>) -> std::io::Result<()> {
        let end = length.map_or(0, |length| {
            let length = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
            self.millis().saturating_add(length)
        });
        let mut pauses = self.pauses();
        pauses.retain(|(paused, _)| paused != of);
        pauses.push((of.clone(), end));
        self.write_pauses(&pauses)
    }

    /// Ends a pause, if there is one.
    ///
    /// # Errors
    /// The [`std::io::Error`] when its end cannot be written.
    pub fn end_pause(&self, of: &PauseTarget) -> std::io::Result<()> {
        let mut pauses = self.pauses();
        if pauses.iter().all(|(paused, _)| paused != of) {
            return Ok(());
        }
        pauses.retain(|(paused, _)| paused != of);
        self.write_pauses(&pauses)
    }

    /// True if nothing is delivered to a session at a place. A subagent's session has its client's name before its own.
    pub fn is_paused(&self, session: &str, place: &Place) -> bool {
        self.pauses().iter().any(|(paused, _)| match paused {
            PauseTarget::Place(of) => place.below(of).is_some(),
            PauseTarget::Session(of) => {
                let rest = session.strip_prefix(of.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }
        })
    }

    /// The pauses that have not ended, with their ends in milliseconds since 1970; 0: until a person ends it.
    pub fn pauses(&self) -> Vec<(PauseTarget, u64)> {
        let file = plain::open(&self.folder.join("paused"));
        let text = file.and_then(|file| plain::read(file, MAX_BYTES));
        let (text, _) = text.unwrap_or_default();
        let mut pauses: Vec<(PauseTarget, u64)> = serde_json::from_slice(&text).unwrap_or_default();
        let now = self.millis();
        pauses.retain(|(_, end)| *end == 0 || *end > now);
        pauses
    }

    fn write_pauses(&self, pauses: &[(PauseTarget, u64)]) -> std::io::Result<()> {
        self.make_folder();
        let text = serde_json::to_vec(pauses)?;
        replace_private(&self.folder.join("paused"), &text, None)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::scratch;
    use super::*;

    #[test]
    fn a_pause_is_for_what_is_below_a_place_or_for_a_session_and_its_subagents() {
        let (_folder, ledgers) = scratch();
        ledgers
            .end_pause(&PauseTarget::Session("a".into()))
            .unwrap();
        assert!(!ledgers.folder.exists(), "no pause was written");
        let place = |key: &str| key.parse::<Place>().unwrap();
        let below = PauseTarget::Place(place("~/p"));
        let session = PauseTarget::Session("a b".into());
        ledgers
            .pause(&below, Some(Duration::from_secs(3600)))
            .unwrap();
        ledgers.pause(&session, None).unwrap();
        for (session, at, expected) in [
            ("other", "~/p/src", true),
            ("other", "~/pq", false),
            ("a b", "~/q", true),
            ("a b agent", "~/q", true),
            ("a bc", "~/q", false),
        ] {
            let is_paused = ledgers.is_paused(session, &place(at));
            assert_eq!(is_paused, expected, "{session:?} {at}");
        }
        ledgers.end_pause(&session).unwrap();
        ledgers.pause(&below, Some(Duration::ZERO)).unwrap();
        assert_eq!(ledgers.pauses(), []);
    }
}
