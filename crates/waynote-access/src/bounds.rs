//! Bounds on the parts of a change that only an administrator may set.

use jiff::Timestamp;
use waynote::note::micros;
use waynote::{Change, Limits, SecretPolicy, Stamp};

use crate::{Grant, Rights};

impl Grant {
    /// A stamp within the bounds of this grant. Only an administrator may set the time of a write. A narrowed token
    /// cannot allow credentials.
    pub fn stamp(&self, mut stamp: Stamp, now: Timestamp) -> Stamp {
        if self.rights < Rights::Admin {
            stamp.now = micros(now);
        }
        if self.is_narrowed() {
            stamp.secrets = SecretPolicy::RefuseAll;
        }
        stamp
    }

    /// Changes within the bounds of this grant, with no limit above [`Limits::SERVED`]. A narrowed token keeps to the usual limits, whatever limits its program
    /// asks for, and cannot write notes of another origin.
    pub fn changes(&self, mut changes: Vec<Change>) -> Vec<Change> {
        let is_narrowed = self.is_narrowed();
        for change in &mut changes {
            match change {
                Change::Save { limits, origin, .. } => {
                    *limits = self.limits(*limits);
                    *origin = origin.take().filter(|_| !is_narrowed);
                }
                _ if !is_narrowed => {}
                Change::Append { created_at, .. } => *created_at = None,
                Change::Undo { origin, .. } => *origin = None,
                _ => {}
            }
        }
        changes
    }

    /// The limits of a note for a program that asks for these.
    pub fn limits(&self, asked: Limits) -> Limits {
        match self.is_narrowed() {
            true => lower(asked, Limits::default()),
            false => lower(asked, Limits::SERVED),
        }
    }
}

/// The lower of each limit. Zero or less is no limit.
fn lower(asked: Limits, most: Limits) -> Limits {
    let lower = |asked: i64, most: i64| match asked {
        1.. => asked.min(most),
        _ => most,
    };
    Limits::default()
        .max_bytes(lower(asked.max_bytes, most.max_bytes))
        .max_place_bytes(lower(asked.max_place_bytes, most.max_place_bytes))
        .max_notes(lower(asked.max_notes, most.max_notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use waynote::Content;
    use waynote::change::{Expect, Origin};

    #[test]
    fn a_narrowed_token_states_no_time_no_limit_and_no_credential() {
        let now: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
        let then: Timestamp = "2020-01-01T00:00:00Z".parse().unwrap();
        let stamp = Stamp::new(then, "agent:a".parse().unwrap()).allowing(SecretPolicy::AllowAll);
        let save = Change::Save {
            address: "agent:a#k".parse().unwrap(),
            content: Content::text("text").unwrap(),
            pin: None,
            limits: Limits::NONE.max_notes(10),
            expect: Expect::Any,
            origin: Some(Origin {
                author: Some("person".parse().unwrap()),
                created_at: then,
                updated_at: then,
                is_synced: false,
                cites: Vec::new(),
            }),
        };
        let narrowed = Grant {
            rights: Rights::Write,
            agents: vec!["a".parse().unwrap()],
            ..Grant::everything()
        };
        let writer = Grant {
            rights: Rights::Write,
            ..Grant::everything()
        };
        let admin = Grant::everything();
        for (grant, time, is_bound) in [
            (narrowed, now, true),
            (writer, now, false),
            (admin, then, false),
        ] {
            let stamp = grant.stamp(stamp.clone(), now);
            assert_eq!(stamp.now, time);
            assert_eq!(stamp.secrets == SecretPolicy::RefuseAll, is_bound);
            let changes = grant.changes(vec![save.clone()]);
            let [Change::Save { limits, origin, .. }] = &changes[..] else {
                panic!("{changes:?}");
            };
            assert_eq!(origin.is_none(), is_bound);
            let expected = match is_bound {
                true => Limits::default().max_notes(10),
                false => Limits::SERVED.max_notes(10),
            };
            assert_eq!(*limits, expected);
        }
    }
}
