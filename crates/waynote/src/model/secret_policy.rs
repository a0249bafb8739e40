//! The policy for credentials in written texts.

use serde::{Deserialize, Deserializer, Serialize};

use crate::address::Address;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::note::{EntryType, Note};
use crate::secrets::{Secret, position, scan};

/// A note that holds a credential: its address and the rules that found it, never the credential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlaggedNote {
    /// The note.
    pub address: Address,
    /// The rules that found a credential, each once.
    pub rules: Vec<&'static str>,
}

impl FlaggedNote {
    /// The finding for a note, if its text, address or type holds a credential.
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

/// Which credentials a caller may write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Secrets))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SecretPolicy {
    /// None: a write with a credential is refused.
    #[default]
    RefuseAll,
    /// Credentials that these rules find, given by name (see [`crate::secrets::rule`]).
    Allow(#[serde(deserialize_with = "known_rules")] Vec<&'static str>),
    /// All.
    AllowAll,
}

/// A rule that this version does not have finds nothing here.
fn known_rules<'de, D: Deserializer<'de>>(names: D) -> Result<Vec<&'static str>, D::Error> {
    let names = Vec::<String>::deserialize(names)?.into_iter();
    Ok(names
        .filter_map(|name| crate::secrets::rule(&name))
        .map(|rule| rule.name)
        .collect())
}

impl SecretPolicy {
    /// True if it is the default.
    pub(crate) fn refuses_all(&self) -> bool {
        *self == Self::RefuseAll
    }

    /// True if credentials that the rule finds are refused.
    pub fn refuses(&self, rule: &str) -> bool {
        match self {
            Self::RefuseAll => true,
            Self::Allow(rules) => !rules.contains(&rule),
            Self::AllowAll => false,
        }
    }

    /// Checks a name to be written (an address, an author). A name stays known after its note is gone.
    ///
    /// # Errors
    /// [`Error::NameHoldsSecret`] for the first credential that is not allowed.
    pub fn check_name(&self, what: &'static str, name: &str) -> Result<()> {
        let refused = |secret: &Secret| self.refuses(secret.rule);
        match scan(name).into_iter().find(refused) {
            None => Ok(()),
            Some(Secret { rule, .. }) => Err(Error::NameHoldsSecret {
                what: what.into(),
                rule: rule.into(),
            }),
        }
    }

    /// Checks a text to be written.
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
                Err(Error::HoldsSecret {
                    rule: rule.into(),
                    line,
                    column,
                })
            }
        }
    }
}
