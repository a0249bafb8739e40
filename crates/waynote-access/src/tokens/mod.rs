//! Tokens. A token lets its holder see and do what its grant allows.
//!
//! A token is shown once, when it is created. The store keeps a hash of it in its side data, under an id that is part
//! of the token and no secret. Each token has a value of its own there, so that processes that create and revoke tokens
//! at the same time do not overwrite each other's.
//!
//! From its first token on, a store is closed: a server asks for a token even after the last one is revoked. Only
//! [`Tokens::clear`] opens it again.

mod error;
mod record;
mod text;

use waynote::jiff::{Timestamp, civil};
use waynote::store::SideValue;
use waynote::{Name, Result, SecretPolicy, SideData};

use crate::narrowed::author::ADMIN;
use crate::{Grant, Rights};

pub use error::TokenError;
pub use record::TokenInfo;
pub use text::Token;

/// The space of the tokens.
const SPACE: &str = "tokens";

/// The space of the days on which each token was last used. The day is not in the token's own value, because nobody may
/// write that again once the token is revoked.
const USED: &str = "tokens used";

/// The key of the value that marks the store as closed. It is among the tokens, so that older versions also see the
/// store as closed. No id of a token is so short.
const CLOSED: &str = "closed";

/// The longest name of a token. `token:NAME` is a name too.
const NAME_BYTES: usize = 64;

/// The tokens of a store.
#[derive(Clone, Debug)]
pub struct Tokens<S> {
    side: S,
}

/// A valid token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedToken {
    /// The part of the token that is no secret.
    pub id: String,
    /// The grant of the token.
    pub grant: Grant,
}

/// The reason why a token is not valid. A server answers the same for every reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not of the form of a token.
    Malformed,
    /// There is no such token, or it was revoked.
    Unknown,
    /// It has expired.
    Expired {
        /// Its name.
        name: Name,
    },
}

impl Refusal {
    /// The reason in words, for an audit log.
    pub fn words(&self) -> String {
        match self {
            Self::Malformed => "it is no token".into(),
            Self::Unknown => "there is no such token".into(),
            Self::Expired { name } => format!("token {name} has expired"),
        }
    }
}

impl<S: SideData> Tokens<S> {
    /// The tokens that are kept in this side data.
    pub fn new(side: S) -> Self {
        Self { side }
    }

    /// Creates a token of 32 random bytes. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// [`TokenError`] when there is a token of that name, when the name is too long, when the grant cannot be given, or
    /// when the token would have expired already; [`Error::NameHoldsSecret`](waynote::Error::NameHoldsSecret);
    /// otherwise as [`Store::apply`](waynote::Store::apply).
    pub fn create(
        &self,
        name: &Name,
        grant: &Grant,
        expires: Option<Timestamp>,
        now: Timestamp,
        random: [u8; 32],
    ) -> Result<(Token, TokenInfo)> {
        let bytes = name.as_str().len();
        if bytes > NAME_BYTES {
            let limit = NAME_BYTES;
            return Err(TokenError::LongName { bytes, limit }.into());
        }
        if name.as_str().starts_with(ADMIN) {
            return Err(TokenError::ReservedName.into());
        }
        SecretPolicy::default().check_name("token's name", name.as_str())?;
        if grant.rights == Rights::Admin && grant.is_narrowed() {
            return Err(TokenError::NarrowedAdmin.into());
        }
        if expires.is_some_and(|expires| expires <= now) {
            return Err(TokenError::ExpiresBefore.into());
        }
        let is_taken = |info: &TokenInfo| info.name == *name;
        if self.all()?.iter().any(is_taken) {
            return Err(TokenError::Exists { name: name.clone() }.into());
        }
        let token = Token::of(random);
        let info = TokenInfo {
            id: token.id().to_owned(),
            name: name.clone(),
            rights: grant.rights,
            agents: grant.agents.clone(),
            places: grant.places.clone(),
            sessions: grant.sessions.clone(),
            created_at: now,
            expires_at: expires,
            last_used: None,
        };
        let value = record::value(&info, &token.hash());
        self.side.keep_side_values(SPACE, &[value, closed()], &[])?;
        // Another process may have created one of this name meanwhile. The one of the two that looks last sees both and
        // removes its own: two tokens of one name would look like one author.
        let of_name = self.all()?.into_iter().filter(is_taken);
        if of_name.count() > 1 {
            self.side.keep_side_values(SPACE, &[], &[info.id])?;
            return Err(TokenError::Exists { name: name.clone() }.into());
        }
        Ok((token, info))
    }

    /// All tokens, by name, expired ones too.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub fn list(&self) -> Result<Vec<TokenInfo>> {
        let used = self.side.side_values(USED)?;
        let mut all = self.all()?;
        for info in &mut all {
            let used = used.iter().find(|used| used.key == info.id);
            info.last_used = used.and_then(|used| day_of(&used.value));
        }
        all.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        Ok(all)
    }

    /// True if there is no token.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub fn is_empty(&self) -> Result<bool> {
        let values = self.side.side_values(SPACE)?;
        Ok(values.iter().all(|value| value.key == CLOSED))
    }

    /// True if the store is only for callers with a token: there is one, or there was one and nobody has opened the
    /// store again.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub fn is_closed(&self) -> Result<bool> {
        Ok(!self.side.side_values(SPACE)?.is_empty())
    }

    /// Removes all tokens and opens the store: whoever reaches a server of it on its own machine needs none. Returns
    /// the tokens that there were.
    ///
    /// # Errors
    /// As [`Store::apply`](waynote::Store::apply).
    pub fn clear(&self) -> Result<Vec<TokenInfo>> {
        let all = self.list()?;
        let keys = |space| -> Result<Vec<String>> {
            let values = self.side.side_values(space)?.into_iter();
            Ok(values.map(|value| value.key).collect())
        };
        let (used, gone) = (keys(USED)?, keys(SPACE)?);
        if !used.is_empty() {
            self.side.put_side_values(USED, &[], &used)?;
        }
        if !gone.is_empty() {
            self.side.keep_side_values(SPACE, &[], &gone)?;
        }
        Ok(all)
    }

    /// Revokes the token of that name, and returns what it was. It is invalid once this returns.
    ///
    /// # Errors
    /// [`TokenError::None`] when there is none; otherwise as [`Store::apply`](waynote::Store::apply).
    pub fn revoke(&self, name: &Name) -> Result<TokenInfo> {
        let all = self.list()?;
        let (mut revoked, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|info| info.name == *name);
        let gone: Vec<String> = revoked.iter().map(|info| info.id.clone()).collect();
        let Some(info) = revoked.pop() else {
            let names = rest.into_iter().map(|info| info.name).collect();
            let name = name.clone();
            return Err(TokenError::None { name, names }.into());
        };
        // A store that got its tokens from an older version is not marked yet.
        self.side.keep_side_values(SPACE, &[closed()], &gone)?;
        // The days of last use of tokens that were revoked while in use.
        let used = self.side.side_values(USED)?.into_iter();
        let is_left = |id: &String| rest.iter().any(|info| info.id == *id);
        let stale: Vec<String> = used
            .map(|used| used.key)
            .filter(|id| !is_left(id))
            .collect();
        if !stale.is_empty() {
            self.side.put_side_values(USED, &[], &stale)?;
        }
        Ok(info)
    }

    /// The present grant of the token with this text, or the reason why it is not valid. Writes nothing: a caller that
    /// accepts the token calls [`Tokens::used`] too.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub fn check(&self, text: &str, now: Timestamp) -> Result<Result<VerifiedToken, Refusal>> {
        let Some(token) = Token::parse(text) else {
            return Ok(Err(Refusal::Malformed));
        };
        let values = self.side.side_values(SPACE)?;
        let value = values.iter().find(|value| value.key == token.id());
        let Some(info) = record::checked(value, &token.hash()) else {
            return Ok(Err(Refusal::Unknown));
        };
        if info.expires_at.is_some_and(|expires| expires <= now) {
            return Ok(Err(Refusal::Expired { name: info.name }));
        }
        Ok(Ok(VerifiedToken {
            grant: info.grant(),
            id: info.id,
        }))
    }

    /// Notes that the token of this id was used on this day (of UTC). Writes once a day.
    ///
    /// # Errors
    /// As [`Store::apply`](waynote::Store::apply). A store that cannot be written now is no reason to refuse a token.
    pub fn used(&self, id: &str, today: civil::Date) -> Result<()> {
        let used = self.side.side_values(USED)?;
        let is_noted = |used: &SideValue| used.key == id && day_of(&used.value) == Some(today);
        if used.iter().any(is_noted) {
            return Ok(());
        }
        let value = SideValue::new(id, today.to_string().into_bytes());
        self.side.put_side_values(USED, &[value], &[])
    }

    fn all(&self) -> Result<Vec<TokenInfo>> {
        let values = self.side.side_values(SPACE)?;
        Ok(values.iter().filter_map(record::info).collect())
    }
}

/// The value that marks the store as closed.
fn closed() -> SideValue {
    SideValue::new(CLOSED, b"true".to_vec())
}

fn day_of(value: &[u8]) -> Option<civil::Date> {
    std::str::from_utf8(value).ok()?.parse().ok()
}
