//! What every view knows besides its data: which store, who looks at it, and when.

use jiff::Timestamp;
use waynote::store::Ask;
use waynote::{Author, Result, ScopeKind, Stamp, Store};
use waynote_access::{Grant, Rights};

use super::fields::Link;

/// The five views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Now,
    Notes,
    Sessions,
    History,
    Access,
}

impl View {
    pub(crate) const ALL: [Self; 5] = [
        Self::Now,
        Self::Notes,
        Self::Sessions,
        Self::History,
        Self::Access,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Notes => "Notes",
            Self::Sessions => "Sessions",
            Self::History => "History",
            Self::Access => "Access",
        }
    }

    /// Its path below that of the store.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Now => "",
            Self::Notes => "notes",
            Self::Sessions => "sessions",
            Self::History => "history",
            Self::Access => "access",
        }
    }
}

/// What is shown for every page: the store, who looks at it, the time.
pub(crate) struct Site<'a> {
    /// The name of the store in the path.
    pub(crate) store: &'a str,
    /// What whoever looks at it may do.
    pub(crate) grant: &'a Grant,
    /// The time.
    pub(crate) now: Timestamp,
    /// The numbers beside the names of the views.
    pub(crate) counts: Counts,
}

/// The numbers beside the names of the views.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// The notes of the store, as limits count them.
    pub(crate) notes: u64,
    /// The sessions in which a loop runs.
    pub(crate) running: usize,
}

impl Counts {
    pub(crate) fn gather(store: &dyn Store) -> Result<Self> {
        let answers = store.read(&Ask {
            summaries: KINDS.to_vec(),
            all_leases: true,
            ..Ask::default()
        })?;
        let scopes = answers.summaries.iter().flatten();
        Ok(Self {
            notes: scopes.map(|scope| scope.notes).sum(),
            running: answers.all_leases.len(),
        })
    }
}

/// The kinds of scope, in the order in which they are listed.
pub(crate) const KINDS: [ScopeKind; 3] = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session];

impl Site<'_> {
    /// A link to a page of the store; the path begins behind the store's own.
    pub(crate) fn link(&self, path: &str) -> Link {
        Link::to_store(self.store, path)
    }

    pub(crate) fn view(&self, view: View) -> Link {
        self.link(view.path())
    }

    /// A stamp for asking what a change would do.
    ///
    /// # Errors
    /// [`waynote::Error::InvalidName`], never for the name of a person.
    pub(crate) fn stamp(&self) -> Result<Stamp> {
        Ok(Stamp::new(self.now, Author::Person.name()?))
    }

    /// Whether whoever looks at it may write.
    pub(crate) fn may_write(&self) -> bool {
        self.grant.rights >= Rights::Write
    }

    /// Whether whoever looks at it may forget, and look after tokens.
    pub(crate) fn may_administer(&self) -> bool {
        self.grant.rights >= Rights::Admin
    }
}
