//! Who writes, when, and under which id.

use serde::{Deserialize, Serialize};
use waynote::{Error, Result, SecretPolicy};

use crate::malformed::{no_form, printed_or_none, text_or_none, time};

/// Who writes, when, and under which id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The time of the change by the writer's clock.
    pub now: String,
    /// The author.
    pub author: String,
    /// Which credentials the text may contain.
    #[serde(default, skip_serializing_if = "Secrets::is_default")]
    pub secrets: Secrets,
    /// The id of this call, 32 hexadecimal digits: a call that is repeated with it writes nothing and gets the first
    /// answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The event with which a loop took its session, if this is written inside that loop: `session:NAME#event-NUMBER`.
    /// It is refused when the loop has lost the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
}

/// Which credentials a text may contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
    /// None.
    #[default]
    RefuseAll,
    /// Those that these rules find.
    Allow(Vec<String>),
    /// All.
    AllowAll,
}

impl Secrets {
    fn is_default(&self) -> bool {
        *self == Self::RefuseAll
    }
}

impl TryFrom<&waynote::Stamp> for Stamp {
    type Error = Error;

    fn try_from(stamp: &waynote::Stamp) -> Result<Self> {
        Ok(Self {
            now: stamp.now.to_string(),
            author: stamp.author.to_string(),
            secrets: match &stamp.secrets {
                SecretPolicy::RefuseAll => Secrets::RefuseAll,
                SecretPolicy::Allow(rules) => {
                    Secrets::Allow(rules.iter().map(|rule| (*rule).to_owned()).collect())
                }
                SecretPolicy::AllowAll => Secrets::AllowAll,
                _ => return Err(no_form("this policy for credentials over HTTP")),
            },
            operation: printed_or_none(stamp.operation.as_ref()),
            lease: printed_or_none(stamp.lease.as_ref()),
        })
    }
}

impl TryFrom<Stamp> for waynote::Stamp {
    type Error = Error;

    fn try_from(stamp: Stamp) -> Result<Self> {
        Ok(Self {
            now: time(&stamp.now)?,
            author: stamp.author.parse()?,
            // Whoever checks the token of a request says which one it is.
            token: None,
            secrets: match stamp.secrets {
                Secrets::RefuseAll => SecretPolicy::RefuseAll,
                Secrets::AllowAll => SecretPolicy::AllowAll,
                // A rule that this version does not have finds nothing here.
                Secrets::Allow(rules) => SecretPolicy::Allow(
                    rules
                        .iter()
                        .filter_map(|name| waynote::secrets::rule(name))
                        .map(|rule| rule.name)
                        .collect(),
                ),
            },
            operation: text_or_none(stamp.operation.as_ref())?,
            lease: text_or_none(stamp.lease.as_ref())?,
        })
    }
}
