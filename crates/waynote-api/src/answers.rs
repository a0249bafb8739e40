//! The answers to many questions.

use serde::{Deserialize, Serialize};
use waynote::store::{self, Happened};
use waynote::{EntryType, Error, Result};

use crate::event::{RecordedEvent, SessionsEvent};
use crate::malformed::{
    each, forms, position, printed, printed_or_none, read, text_or_none, texts, time,
};
use crate::note::{ForgottenRevisions, Note, Revision, no_form_of_happening};

/// The answers to many questions. Each field answers that of the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Answers {
    /// Notes; null for one that does not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Option<Note>>,
    /// The notes of each scope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Vec<Note>>,
    /// The notes of all scopes of each kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Vec<Note>>,
    /// Pages of notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<Vec<Note>>,
    /// For each page of entries before an iteration, how often each of them was noted before it; empty for others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages_noted: Vec<Vec<u64>>,
    /// Numbers of notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<u64>,
    /// The scopes of each kind that have notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<Vec<ScopeSummary>>,
    /// The revisions of each note, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histories: Vec<Vec<Revision>>,
    /// How often each entry was noted before an iteration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noted_before: Vec<u64>,
    /// Parts of the journal, latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub journal: Vec<Vec<Revision>>,
    /// The types of each session's entries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entry_types: Vec<Vec<String>>,
    /// The last iteration of an entry of each session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_iterations: Vec<Option<i64>>,
    /// Events of each session, latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Vec<RecordedEvent>>,
    /// The `loop_started` event of the loop that holds each session; null if none does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leases: Vec<Option<RecordedEvent>>,
    /// The `loop_started` event of every loop that holds a session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all_leases: Vec<SessionsEvent>,
    /// The sessions that have events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub event_sessions: Vec<String>,
    /// What happened, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feed: Vec<Vec<FeedEntry>>,
    /// What each call wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Vec<Done>>,
    /// The store's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store_id: Option<String>,
    /// The store's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// What is damaged, and so left out of the lists above: addresses, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// A scope and the number of its notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ScopeSummary {
    /// The scope.
    pub scope: String,
    /// The number of its notes, as the limit counts them.
    pub notes: u64,
}

/// The version of the store, to be compared with an earlier one: equal versions mean equal notes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Version {
    /// The last position of the journal.
    #[serde(default)]
    pub position: Option<String>,
    /// Changes that the position does not show, as a text.
    #[serde(default)]
    pub changes: Option<String>,
    /// When a part was last written that is only recognized by its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<String>,
}

/// One thing that a call wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Done {
    /// As which of its changes or events, from 0.
    pub step: u32,
    /// What it was.
    pub entry: FeedEntry,
}

/// One thing that happened: `changed`, `event` or `forgotten` says which, and the others are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FeedEntry {
    /// Its point in the feed: a reader continues from there.
    pub at: String,
    /// A note changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Revision>,
    /// An event of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<SessionsEvent>,
    /// Texts were forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<ForgottenRevisions>,
}

/// The result of checking a whole store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Report {
    /// The number of current notes that were checked.
    pub notes: u64,
    /// The number of journal rows that were checked.
    pub revisions: u64,
    /// The number of texts whose hash was computed again.
    pub contents: u64,
    /// A description of each damage.
    pub problems: Vec<String>,
}

impl From<&waynote::Report> for Report {
    fn from(report: &waynote::Report) -> Self {
        Self {
            notes: report.notes,
            revisions: report.revisions,
            contents: report.contents,
            problems: report.problems.clone(),
        }
    }
}

impl From<Report> for waynote::Report {
    fn from(report: Report) -> Self {
        Self {
            notes: report.notes,
            revisions: report.revisions,
            contents: report.contents,
            problems: report.problems,
        }
    }
}

impl From<&store::Version> for Version {
    fn from(version: &store::Version) -> Self {
        Self {
            position: printed_or_none(version.position.as_ref()),
            changes: (version.changes > 0).then(|| version.changes.to_string()),
            written_at: printed_or_none(version.written_at.as_ref()),
        }
    }
}

impl TryFrom<Version> for store::Version {
    type Error = Error;

    fn try_from(version: Version) -> Result<Self> {
        let changes = version.changes.map_or(Ok(0), |changes| {
            read(
                &changes,
                "a version",
                "take it from an answer: a version is opaque",
            )
        });
        Ok(Self {
            position: version.position.as_deref().map(position).transpose()?,
            changes: changes?,
            written_at: version.written_at.as_deref().map(time).transpose()?,
        })
    }
}

impl From<&store::ScopeSummary> for ScopeSummary {
    fn from(summary: &store::ScopeSummary) -> Self {
        Self {
            scope: summary.scope.to_string(),
            notes: summary.notes,
        }
    }
}

impl TryFrom<ScopeSummary> for store::ScopeSummary {
    type Error = Error;

    fn try_from(summary: ScopeSummary) -> Result<Self> {
        Ok(Self {
            scope: summary.scope.parse()?,
            notes: summary.notes,
        })
    }
}

impl TryFrom<&store::FeedEntry> for FeedEntry {
    type Error = Error;

    fn try_from(entry: &store::FeedEntry) -> Result<Self> {
        let mut form = Self {
            at: entry.at.to_string(),
            changed: None,
            event: None,
            forgotten: None,
        };
        match &entry.happened {
            Happened::Changed(revision) => form.changed = Some(Revision::from(revision)),
            Happened::Event { session, recorded } => {
                form.event = Some(SessionsEvent {
                    session: session.to_string(),
                    recorded: RecordedEvent::from(recorded),
                });
            }
            Happened::Forgotten {
                revisions,
                events,
                at,
                by,
            } => {
                form.forgotten = Some(ForgottenRevisions {
                    revisions: printed(revisions),
                    events: printed(events),
                    at: at.to_string(),
                    by: by.to_string(),
                });
            }
            _ => return Err(no_form_of_happening()),
        }
        Ok(form)
    }
}

impl TryFrom<FeedEntry> for store::FeedEntry {
    type Error = Error;

    fn try_from(entry: FeedEntry) -> Result<Self> {
        let happened = if let Some(revision) = entry.changed {
            Happened::Changed(revision.try_into()?)
        } else if let Some(event) = entry.event {
            Happened::Event {
                session: event.session.parse()?,
                recorded: event.recorded.try_into()?,
            }
        } else if let Some(forgotten) = entry.forgotten {
            Happened::Forgotten {
                revisions: texts(&forgotten.revisions)?,
                events: texts(&forgotten.events)?,
                at: time(&forgotten.at)?,
                by: forgotten.by.parse()?,
            }
        } else {
            return Err(no_form_of_happening());
        };
        Ok(Self {
            at: read(
                &entry.at,
                "a cursor",
                "take it from an answer: a cursor is opaque",
            )?,
            happened,
        })
    }
}

impl TryFrom<&store::Done> for Done {
    type Error = Error;

    fn try_from(done: &store::Done) -> Result<Self> {
        Ok(Self {
            step: done.step,
            entry: FeedEntry::try_from(&done.entry)?,
        })
    }
}

impl TryFrom<Done> for store::Done {
    type Error = Error;

    fn try_from(done: Done) -> Result<Self> {
        Ok(Self {
            step: done.step,
            entry: done.entry.try_into()?,
        })
    }
}

/// Each list of a list in its JSON form.
fn lists<'v, V: 'v, W: From<&'v V>>(lists: &'v [Vec<V>]) -> Vec<Vec<W>> {
    lists.iter().map(|list| forms(list)).collect()
}

/// The same, where not everything has a form.
fn try_lists<'v, V, W>(lists: &'v [Vec<V>]) -> Result<Vec<Vec<W>>>
where
    V: 'v,
    W: TryFrom<&'v V, Error = Error>,
{
    let each = |list: &'v Vec<V>| list.iter().map(W::try_from).collect();
    lists.iter().map(each).collect()
}

/// Reads each list of a list.
fn read_lists<W, T: TryFrom<W, Error = Error>>(lists: Vec<Vec<W>>) -> Result<Vec<Vec<T>>> {
    lists.into_iter().map(each).collect()
}

impl TryFrom<&store::Answers> for Answers {
    type Error = Error;

    fn try_from(answers: &store::Answers) -> Result<Self> {
        let leases = answers.all_leases.iter();
        Ok(Self {
            notes: answers
                .notes
                .iter()
                .map(|note| note.as_ref().map(Note::from))
                .collect(),
            scopes: lists(&answers.scopes),
            kinds: lists(&answers.kinds),
            pages: lists(&answers.pages),
            pages_noted: answers.pages_noted.clone(),
            counts: answers.counts.clone(),
            summaries: lists(&answers.summaries),
            histories: lists(&answers.histories),
            noted_before: answers.noted_before.clone(),
            journal: lists(&answers.journal),
            entry_types: answers
                .entry_types
                .iter()
                .map(|types| printed(types))
                .collect(),
            last_iterations: answers.last_iterations.clone(),
            events: lists(&answers.events),
            leases: answers
                .leases
                .iter()
                .map(|lease| lease.as_ref().map(RecordedEvent::from))
                .collect(),
            all_leases: leases
                .map(|(session, recorded)| SessionsEvent {
                    session: session.to_string(),
                    recorded: RecordedEvent::from(recorded),
                })
                .collect(),
            event_sessions: printed(&answers.event_sessions),
            feed: try_lists(&answers.feed)?,
            operations: try_lists(&answers.operations)?,
            store_id: printed_or_none(answers.store_id.as_ref()),
            version: (answers.version != store::Version::default())
                .then(|| Version::from(&answers.version)),
            damaged: answers.damaged.clone(),
        })
    }
}

impl TryFrom<Answers> for store::Answers {
    type Error = Error;

    fn try_from(answers: Answers) -> Result<Self> {
        let notes = answers.notes.into_iter();
        let leases = answers.leases.into_iter();
        let all_leases = answers.all_leases.into_iter();
        let types = answers.entry_types.iter();
        let of_words = |words: &Vec<String>| -> Vec<EntryType> {
            words.iter().map(|word| EntryType::imported(word)).collect()
        };
        Ok(Self {
            notes: notes
                .map(|note| note.map(TryInto::try_into).transpose())
                .collect::<Result<_>>()?,
            scopes: read_lists(answers.scopes)?,
            kinds: read_lists(answers.kinds)?,
            pages: read_lists(answers.pages)?,
            pages_noted: answers.pages_noted,
            counts: answers.counts,
            summaries: read_lists(answers.summaries)?,
            histories: read_lists(answers.histories)?,
            noted_before: answers.noted_before,
            journal: read_lists(answers.journal)?,
            entry_types: types.map(of_words).collect(),
            last_iterations: answers.last_iterations,
            events: read_lists(answers.events)?,
            leases: leases
                .map(|of| of.map(TryInto::try_into).transpose())
                .collect::<Result<_>>()?,
            all_leases: all_leases
                .map(|of| Ok((of.session.parse()?, of.recorded.try_into()?)))
                .collect::<Result<_>>()?,
            event_sessions: texts(&answers.event_sessions)?,
            feed: read_lists(answers.feed)?,
            operations: read_lists(answers.operations)?,
            store_id: text_or_none(answers.store_id.as_ref())?,
            version: answers
                .version
                .map(TryInto::try_into)
                .transpose()?
                .unwrap_or_default(),
            damaged: answers.damaged,
        })
    }
}
