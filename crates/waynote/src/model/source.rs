//! Where a note is read from, and the words for it.

use serde::{Deserialize, Serialize};

use crate::author::Author;
use crate::note::Note;

/// Where a note is read from, seen by a session that reads notes of others beside its own store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// The session's own store.
    #[default]
    Own,
    /// The session's own store, in place of a note that the checkout shares: of the same address, with another text.
    OwnOverShared,
    /// The same in place of a note of a team's store.
    OwnOverTeam,
    /// The notes that a checkout shares: a file in its `.waynote/`.
    Shared,
    /// A team's store.
    Team,
}

impl Source {
    /// True for the session's own store.
    pub fn is_own(&self) -> bool {
        !matches!(self, Self::Shared | Self::Team)
    }

    /// The source of an own note in place of one from here.
    pub(crate) fn replaced(self) -> Self {
        match self {
            Self::Team => Self::OwnOverTeam,
            _ => Self::OwnOverShared,
        }
    }

    /// What the note of others with the address is called; none where others have none.
    pub fn theirs(&self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::OwnOverShared | Self::Shared => Some("the shared one"),
            Self::OwnOverTeam | Self::Team => Some("the team's"),
        }
    }

    /// True if its notes have an author and a date here: a file of a checkout has them in git's history alone.
    pub fn is_dated(&self) -> bool {
        *self != Self::Shared
    }

    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The least [edition](Note::edition) of a note of others: more than any note has revisions.
pub(crate) const OF_OTHERS: u64 = 1 << 51;

impl Note {
    /// Where the note is from, in the words that stand beside it: `shared`, `team, by bob`, `yours; the shared one
    /// differs`. None for a note that is simply one's own. `shown` makes a name fit for where it is shown.
    pub fn mark(&self, shown: impl Fn(&str) -> String) -> Option<String> {
        let by = || Author::of(&self.author).by(shown);
        match self.source {
            Source::Own => None,
            Source::Shared => Some("shared".into()),
            Source::Team => Some(by().map_or("team".into(), |by| format!("team, {by}"))),
            replaced => Some(format!("yours; {} differs", replaced.theirs()?)),
        }
    }

    /// The labels behind a note's name, each in brackets after a blank: [`mark`](Self::mark), [`stale`](Self::stale).
    pub fn labels(&self, shown: impl Fn(&str) -> String) -> String {
        let labels = [self.mark(&shown), self.stale(&shown)]
            .into_iter()
            .flatten();
        labels.map(|label| format!(" ({label})")).collect()
    }

    /// The number by which a reader knows this text: the note's revision. A note of others has no revision here, and gets
    /// a number made of its text.
    pub fn edition(&self) -> u64 {
        if self.source.is_own() {
            return self.revision;
        }
        let [first, ..] = *self.content.hash().0.as_chunks::<8>().0 else {
            return OF_OTHERS;
        };
        let number = u64::from_be_bytes(first);
        OF_OTHERS + number % OF_OTHERS
    }
}
