//! What becomes of a write that holds a credential.

use serde::Serialize;

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::note::{EntryType, Note};
use crate::secrets::{Secret, position, scan};

/// A note that holds a credential: where it is and which rules say so, never what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flagged {
    /// The note.
    pub address: Address,
    /// The rules that found one, each once.
    pub rules: Vec<&'static str>,
}

impl Flagged {
    /// The note, when it holds one: in its text, its address or its type.
    pub fn of(note: &Note) -> Option<Self> {
        let mut rules = note.secrets();
        let address = note.address.to_string();
        let kind = note.kind.as_ref().map_or("", EntryType::as_str);
        for Secret { rule, .. } in scan(&address).into_iter().chain(scan(kind)) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let address = || note.address.clone();
        (!rules.is_empty()).then(|| Self {
            address: address(),
            rules,
        })
    }
}

/// Which credentials a caller may write down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretPolicy {
    /// None: a write that holds one is refused.
    #[default]
    RefuseAll,
    /// Those that these rules find, by their names (see [`crate::secrets::rule`]).
    Allow(Vec<&'static str>),
    /// All.
    AllowAll,
}

impl SecretPolicy {
    /// Whether a credential that the rule finds is refused.
    pub fn refuses(&self, rule: &str) -> bool {
        match self {
            Self::RefuseAll => true,
            Self::Allow(rules) => !rules.contains(&rule),
            Self::AllowAll => false,
        }
    }

    /// Checks a name that a caller wants to write under: an address, an author. It outlives what it names.
    ///
    /// # Errors
    /// [`Error::NameHoldsSecret`] for the first credential that is not allowed.
    pub fn check_name(&self, what: &'static str, name: &str) -> Result<()> {
        let refused = |secret: &Secret| self.refuses(secret.rule);
        match scan(name).into_iter().find(refused) {
            None => Ok(()),
            Some(Secret { rule, .. }) => Err(Error::NameHoldsSecret { what, rule }),
        }
    }

    /// Checks a content that a caller wants to write.
    ///
    /// # Errors
    /// [`Error::HoldsSecret`] for the first credential that is not allowed.
    pub fn check(&self, content: &Content) -> Result<()> {
        if *self == Self::AllowAll {
            return Ok(());
        }
        let text = content.shown();
        let refused = |secret: &Secret| self.refuses(secret.rule);
        match scan(&text).into_iter().find(refused) {
            None => Ok(()),
            Some(Secret { rule, range }) => {
                let (line, column) = position(&text, range.start);
                Err(Error::HoldsSecret { rule, line, column })
            }
        }
    }
}
