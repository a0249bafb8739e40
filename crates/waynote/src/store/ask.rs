//! Many questions in one round trip, and their answers.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{FeedEntry, Reader, Recent, ScopeSummary, Version};
use crate::address::Address;
use crate::engine::Step;
use crate::error::{Error, Result};
use crate::event::{RecordedEvent, SessionsEvent};
use crate::id::{OperationId, StoreId};
use crate::key::Name;
use crate::limits::Limits;
use crate::note::{EntryType, Note, Position, Revision};
use crate::scope::{Scope, ScopeKind};
use crate::wire::LimitedWriter;

/// The questions with their answers. Those of `each` are lists, with an answer for each question; those of `once` are
/// asked or not.
macro_rules! questions {
    (
        each { $($(#[doc = $question:literal])+ $each:ident: $ask:ty, $(#[doc = $answer:literal])+ -> $answered:ty;)* }
        once { $($(#[doc = $whether:literal])+ $once:ident, $(#[doc = $is:literal])+ -> $single:ty;)* }
    ) => {
        /// Many questions, which are answered from one state of the store. The answer to a question is in the field of
        /// the same name of [`Answers`], at the same place.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct Ask {
            $($(#[doc = $question])+ #[serde(skip_serializing_if = "Vec::is_empty")] pub $each: Vec<$ask>,)*
            $($(#[doc = $whether])+ #[serde(skip_serializing_if = "is_default")] pub $once: bool,)*
        }

        impl Ask {
            /// The number of questions.
            pub fn questions(&self) -> usize {
                0 $(+ self.$each.len())* $(+ usize::from(self.$once))*
            }
        }

        /// The answers to an [`Ask`]. Each field answers that of the same name.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(default)]
        pub struct Answers {
            $($(#[doc = $answer])+ #[serde(skip_serializing_if = "Vec::is_empty")] pub $each: Vec<$answered>,)*
            $($(#[doc = $is])+ #[serde(skip_serializing_if = "is_default")] pub $once: $single,)*
            /// For each page of entries before an iteration, how often each of them was noted before it; empty for
            /// other pages.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub pages_noted: Vec<Vec<u64>>,
            /// Notes that are damaged, and so left out of the lists of notes, scopes and changes among these
            /// answers: addresses, as far as they are known. A single note that is damaged is the error of the whole reading.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub damaged: Vec<String>,
        }

        impl Ask {
            /// The same questions, each once, and for each question of this one the place of its answer.
            fn folded(&self) -> (Self, Places) {
                let mut places = Places::default();
                let ask = Self {
                    $($each: fold(&self.$each, &mut places.$each),)*
                    $($once: self.$once,)*
                };
                (ask, places)
            }

            /// # Errors
            /// [`Error::TooMuchAsked`].
            fn check(&self) -> Result<()> {
                $(check(stringify!($each), self.$each.len())?;)*
                Ok(())
            }
        }

        /// For each question the place of its answer.
        #[derive(Default)]
        struct Places {
            $($each: Vec<usize>,)*
        }

        impl Answers {
            /// The answers to questions of which some stand several times.
            fn unfolded(self, places: &Places) -> Result<Self> {
                let mut written = LimitedWriter::default();
                let noted = unfold(&self.pages_noted, &places.pages, &mut written)?;
                Ok(Self {
                    $($each: unfold(&self.$each, &places.$each, &mut written)?,)*
                    pages_noted: noted,
                    ..self
                })
            }

            /// As many answers as there are questions, all of them empty.
            pub fn none(ask: &Ask) -> Self {
                Self {
                    $($each: none(&ask.$each),)*
                    $($once: Default::default(),)*
                    pages_noted: none(&ask.pages),
                    damaged: Vec::new(),
                }
            }
        }
    };
}

questions! {
    each {
        /// Notes as they are now.
        notes: Address,
        /// Notes; null for one that does not exist.
        -> Option<Note>;
        /// Scopes, for all their notes by key.
        scopes: Scope,
        /// The notes of each scope.
        -> Vec<Note>;
        /// Kinds of scopes, for all notes of all of them, by the scope's name and key.
        kinds: ScopeKind,
        /// The notes of all scopes of each kind.
        -> Vec<Note>;
        /// Pages of notes of a scope.
        pages: Page,
        /// Pages of notes.
        -> Vec<Note>;
        /// Numbers of notes.
        counts: Count,
        /// Numbers of notes.
        -> u64;
        /// Kinds of scopes, for the scopes that have notes, by name.
        summaries: ScopeKind,
        /// The scopes of each kind that have notes.
        -> Vec<ScopeSummary>;
        /// Notes, for their revisions.
        histories: Address,
        /// The revisions of each note, oldest first.
        -> Vec<Revision>;
        /// How often entries were noted before an iteration: revisions with an earlier iteration that are not deleted.
        noted_before: NotedBefore,
        /// How often each entry was noted before an iteration.
        -> u64;
        /// Parts of the journal.
        journal: JournalPage,
        /// Parts of the journal, latest first.
        -> Vec<Revision>;
        /// Sessions, for the types of their entries.
        entry_types: Name,
        /// The types of each session's entries, by word.
        -> Vec<EntryType>;
        /// Sessions, for the largest iteration in any revision of their current entries.
        last_iterations: Name,
        /// The last iteration of an entry of each session.
        -> Option<i64>;
        /// Parts of sessions' events.
        events: EventPage,
        /// Events of each session, latest first.
        -> Vec<RecordedEvent>;
        /// Sessions, for the loop that holds each.
        leases: Name,
        /// The `loop_started` event of the loop that holds each session; null if none does.
        -> Option<RecordedEvent>;
        /// Parts of the feed.
        feed: FeedPage,
        /// Everything that happened after each point, in order.
        -> Vec<FeedEntry>;
        /// Ids of calls, for the rows that each wrote.
        operations: OperationId,
        /// The rows of each call, by step; nothing when there was no such call, or it changed nothing.
        -> Vec<Done>;
        /// Positions, for the call that wrote each row.
        steps: Position,
        /// The call that wrote the row at each position, and as which of its changes; null where nothing is.
        -> Option<Step>;
    }
    once {
        /// Whether to answer with the loops of all sessions.
        all_leases,
        /// The `loop_started` event of every loop that holds a session, by session.
        -> Vec<SessionsEvent>;
        /// Whether to answer with the sessions that have events.
        event_sessions,
        /// The sessions that have events, by name.
        -> Vec<Name>;
        /// Whether to answer with the store's id.
        store_id,
        /// The store's id.
        -> Option<StoreId>;
        /// Whether to answer with the store's version.
        version,
        /// The store's version.
        -> Version;
    }
}

/// Asks a reader the questions of one field.
macro_rules! answers {
    ($reader:expr, $($field:ident).+: $questions:expr) => {{
        let mut ask = Ask::default();
        ask.$($field).+ = $questions;
        $reader.read(&ask)?.$($field).+
    }};
}

/// Asks a reader one question. Without an answer it counts as one that found nothing.
macro_rules! answer {
    ($reader:expr, $($field:ident).+: $question:expr) => {
        $crate::store::answers!($reader, $($field).+: vec![$question]).pop().unwrap_or_default()
    };
}

pub(crate) use {answer, answers};

impl Ask {
    /// The answers of a store to what somebody else asks: equal questions are answered once, and there are limits for
    /// the questions of each kind and for the answers.
    ///
    /// # Errors
    /// [`Error::TooMuchAsked`], and those of [`Reader::read`](super::Reader::read).
    pub fn answered(&self, store: &(impl Reader + ?Sized)) -> Result<Answers> {
        let (folded, places) = self.folded();
        folded.check()?;
        let answers = store.read(&folded)?;
        match folded.questions() == self.questions() {
            true => Ok(answers),
            false => answers.unfolded(&places),
        }
    }
}

/// The different questions of a list, in their order.
fn fold<Q: Clone + Serialize>(questions: &[Q], places: &mut Vec<usize>) -> Vec<Q> {
    let mut known = HashMap::new();
    let mut folded = Vec::new();
    for question in questions {
        let next = folded.len();
        // Every question has a JSON form.
        let form = serde_json::to_string(question).unwrap_or_default();
        let place = *known.entry(form).or_insert(next);
        if place == next {
            folded.push(question.clone());
        }
        places.push(place);
    }
    folded
}

/// Checks the number of different questions of a kind.
fn check(kind: &'static str, asked: usize) -> Result<()> {
    let most = match kind {
        "pages" | "journal" | "feed" => Limits::PAGES,
        _ => Limits::QUESTIONS,
    };
    if asked <= most {
        return Ok(());
    }
    Err(Error::TooMuchAsked {
        what: format!("questions in `{kind}`").into(),
        asked: asked as u64,
        most: most as u64,
    })
}

/// The answers in the order of the questions, as long as they are no longer than one answer may be.
fn unfold<A: Clone + Serialize>(
    answers: &[A],
    places: &[usize],
    written: &mut LimitedWriter,
) -> Result<Vec<A>> {
    let mut all = Vec::with_capacity(places.len());
    for place in places {
        // No store answers less than it is asked.
        let Some(answer) = answers.get(*place) else {
            continue;
        };
        written.add(answer)?;
        all.push(answer.clone());
    }
    Ok(all)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// As many answers as there are questions.
pub(crate) fn none<Q, A: Default + Clone>(questions: &[Q]) -> Vec<A> {
    vec![A::default(); questions.len()]
}

/// A limit that is null if there is none.
pub(crate) mod limit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
    pub(crate) fn serialize<S: Serializer>(limit: &usize, form: S) -> Result<S::Ok, S::Error> {
        (*limit < usize::MAX).then_some(*limit).serialize(form)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(form: D) -> Result<usize, D::Error> {
        Ok(Option::deserialize(form)?.unwrap_or(usize::MAX))
    }

    pub(crate) fn none() -> usize {
        usize::MAX
    }
}

/// One thing that a call wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Done {
    /// As which of its changes or events, from 0.
    pub step: u32,
    /// Where it stands, and what it was.
    pub entry: FeedEntry,
}

/// A page of a scope's notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Which notes, and their order.
    pub of: Recent,
    /// How many notes to skip.
    #[serde(default)]
    pub skip: usize,
    /// The most notes of the page; none: all.
    #[serde(default = "limit::none", with = "limit")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<usize>))]
    pub limit: usize,
}

/// How often an entry was noted before an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NotedBefore {
    /// The entry.
    pub address: Address,
    /// The iteration.
    pub iteration: i64,
}

/// A part of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct JournalPage {
    /// Changes before this position; none: up to now.
    pub before: Option<Position>,
    /// At most so many; none: all.
    #[serde(default = "limit::none", with = "limit")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<usize>))]
    pub limit: usize,
}

/// A part of a session's events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EventPage {
    /// The session.
    pub session: Name,
    /// Events before this number; none: up to now.
    pub before: Option<u64>,
    /// At most so many; none: all.
    #[serde(default = "limit::none", with = "limit")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<usize>))]
    pub limit: usize,
}

impl EventPage {
    /// The last events of a session.
    pub fn last(session: Name, limit: usize) -> Self {
        Self {
            session,
            before: None,
            limit,
        }
    }
}

/// A part of everything that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct FeedPage {
    /// The feed after this position; none: from the start.
    pub after: Option<Position>,
    /// At most so many items; none: all.
    #[serde(default = "limit::none", with = "limit")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<usize>))]
    pub limit: usize,
}

/// A number of notes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
// Not `non_exhaustive`: an engine that does not know a variant must not compile.
pub enum Count {
    /// The notes of a scope as the limit counts them: keyed notes and entries, not a place's own note.
    Counted(Scope),
    /// The keyed notes of a scope that are pinned, or that are not.
    Keyed {
        /// The scope.
        scope: Scope,
        /// Whether to count the pinned notes or the others.
        pinned: bool,
    },
    /// Entries of a session.
    Entries {
        /// The session.
        session: Name,
        /// Only entries of this type; none: all types.
        #[serde(rename = "type")]
        kind: Option<EntryType>,
        /// Only entries of iterations before this one, without those that have none; none: all entries.
        before: Option<i64>,
        /// Only entries that are not resolved.
        #[serde(default)]
        open: bool,
    },
}
