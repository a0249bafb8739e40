//! Why a token was not created or revoked.

use waynote::Name;
use waynote::error::{CustomError, ErrorClass, safe};

/// Why a token was not created or revoked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum TokenError {
    /// Another token has the name.
    #[error("there is a token {} already", safe(name))]
    #[strum(serialize = "token_exists")]
    Exists {
        /// The name.
        name: Name,
    },
    /// No token has the name.
    #[error("there is no token {}", safe(name))]
    #[strum(serialize = "no_such_token")]
    None {
        /// The name.
        name: Name,
        /// The names that there are.
        names: Vec<Name>,
    },
    /// A name that is too long.
    #[error("the token's name is too long: it has {bytes} bytes, the limit is {limit}")]
    #[strum(serialize = "long_token_name")]
    LongName {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A holder's name that stands for another author.
    #[error("`{}` cannot be a holder's name", safe(holder))]
    ReservedHolder {
        /// The name.
        holder: Name,
    },
    /// A token that would be of no use.
    #[error("the token would expire before it is created")]
    #[strum(serialize = "token_expired")]
    ExpiresBefore,
}

impl CustomError for TokenError {
    fn kind(&self) -> &'static str {
        self.into()
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::Exists { .. } => ErrorClass::Conflict,
            Self::None { .. } => ErrorClass::NotFound,
            Self::LongName { .. } | Self::ReservedHolder { .. } | Self::ExpiresBefore => {
                ErrorClass::Invalid
            }
        }
    }

    fn advice(&self) -> Option<String> {
        Some(match self {
            Self::Exists { .. } => "revoke it first, or use another name".into(),
            Self::None { names, .. } if names.is_empty() => "the store has no tokens".into(),
            Self::None { names, .. } => {
                let names: Vec<String> = names.iter().map(safe).collect();
                format!("the tokens are {}", names.join(", "))
            }
            Self::LongName { .. } => "use a shorter name".into(),
            Self::ReservedHolder { .. } => {
                "write the name of a person or an agent, without a colon or a slash; `person` and `default` are everyone's"
                    .into()
            }
            Self::ExpiresBefore => "name a later time".into(),
        })
    }
}
