//! Tokens. A token opens its store to its holder.
//!
//! A token is shown once, when it is created. The store keeps a hash of it in its side data, under an id that is part
//! of the token and no secret. Each token has a value of its own there, so that processes that create and revoke tokens
//! at the same time do not overwrite each other's.
//!
//! From its first token on, a store is closed: a server asks for a token even after the last one is revoked. Only
//! [`Tokens::clear`] opens it again.

mod error;
mod record;
#[cfg(test)]
pub(super) mod tests;
mod text;

use waynote::author::{PERSON, UNNAMED};
use waynote::engine::Writing;
use waynote::jiff::{Timestamp, civil};
use waynote::store::SideValue;
use waynote::{Name, Result, SecretPolicy, SideData};

use super::Rights;

pub use error::TokenError;
pub use record::TokenInfo;
pub use text::Token;

/// The space of the tokens.
const SPACE: &str = "tokens";

/// The space of the days on which each token was last used. The day is not in the token's own value, because nobody may
/// write that again once the token is revoked.
const USED: &str = "tokens used";

/// The key of the value that marks the store as closed. No id of a token is so short.
const CLOSED: &str = "closed";

/// The longest name of a token or a holder. `agent:HOLDER` is a name too.
const NAME_BYTES: usize = 64;

/// The tokens of a store.
#[derive(Clone, Debug)]
pub struct Tokens<S> {
    side: S,
}

/// A token to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Its name, which no other token has.
    pub name: Name,
    /// Whose it is.
    pub holder: Name,
    /// True if an agent holds it.
    pub is_agents: bool,
    /// What it allows.
    pub rights: Rights,
    /// When it expires; none: never.
    pub expires_at: Option<Timestamp>,
}

impl<S: SideData> Tokens<S> {
    /// The tokens that are kept in this side data.
    pub fn new(side: S) -> Self {
        Self { side }
    }

    /// Creates a token of 32 random bytes. Its text is in the answer and nowhere else.
    ///
    /// # Errors
    /// [`TokenError`] when there is a token of that name, when its name or its holder's cannot be taken, or when the
    /// token would have expired already; [`Error::NameHoldsSecret`](waynote::Error::NameHoldsSecret); otherwise as
    /// [`Store::apply`](waynote::Store::apply).
    pub fn create(
        &self,
        new: &NewToken,
        now: Timestamp,
        random: [u8; 32],
    ) -> Result<(Token, TokenInfo)> {
        for name in [&new.name, &new.holder] {
            let bytes = name.as_str().len();
            if bytes > NAME_BYTES {
                let limit = NAME_BYTES;
                return Err(TokenError::LongName { bytes, limit }.into());
            }
            SecretPolicy::default().check_name("token's name", name.as_str())?;
        }
        // Other authors have these names.
        let is_word = [PERSON, UNNAMED].contains(&new.holder.as_str());
        if is_word || new.holder.as_str().contains([':', '/']) {
            let holder = new.holder.clone();
            return Err(TokenError::ReservedHolder { holder }.into());
        }
        if new.expires_at.is_some_and(|expires| expires <= now) {
            return Err(TokenError::ExpiresBefore.into());
        }
        let name = &new.name;
        let is_taken = |info: &TokenInfo| info.name == *name;
        if self.all()?.iter().any(is_taken) {
            return Err(TokenError::Exists { name: name.clone() }.into());
        }
        let token = Token::of(random);
        let info = TokenInfo {
            id: token.id().to_owned(),
            name: name.clone(),
            holder: new.holder.clone(),
            is_agents: new.is_agents,
            rights: new.rights,
            created_at: now,
            expires_at: new.expires_at,
            last_used: None,
        };
        let value = record::value(&info, &token.hash());
        self.side
            .put_side_values(SPACE, &[value, closed()], &[], Writing::Durable)?;
        // Another process may have created one of this name meanwhile. The one of the two that looks last sees both and
        // removes its own: a name revokes one token.
        let of_name = self.all()?.into_iter().filter(is_taken);
        if of_name.count() > 1 {
            self.side
                .put_side_values(SPACE, &[], &[info.id], Writing::Durable)?;
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
            self.side
                .put_side_values(USED, &[], &used, Writing::Relaxed)?;
        }
        if !gone.is_empty() {
            self.side
                .put_side_values(SPACE, &[], &gone, Writing::Durable)?;
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
        self.side
            .put_side_values(SPACE, &[], &gone, Writing::Durable)?;
        // The days of last use of tokens that were revoked while in use.
        let used = self.side.side_values(USED)?.into_iter();
        let is_left = |id: &String| rest.iter().any(|info| info.id == *id);
        let stale: Vec<String> = used
            .map(|used| used.key)
            .filter(|id| !is_left(id))
            .collect();
        if !stale.is_empty() {
            self.side
                .put_side_values(USED, &[], &stale, Writing::Relaxed)?;
        }
        Ok(info)
    }

    /// The token with this text, if there is one that has not expired. Writes nothing: a caller that accepts the token
    /// calls [`Tokens::used`] too.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub(crate) fn check(&self, text: &str, now: Timestamp) -> Result<Option<TokenInfo>> {
        let Some(token) = Token::parse(text) else {
            return Ok(None);
        };
        let values = self.side.side_values(SPACE)?;
        let value = values.iter().find(|value| value.key == token.id());
        let info = record::checked(value, &token.hash());
        Ok(info.filter(|info| !info.is_expired(now)))
    }

    /// The token of this id, if there is one that has not expired.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read).
    pub(crate) fn of_id(&self, id: &str, now: Timestamp) -> Result<Option<TokenInfo>> {
        let mut all = self.all()?.into_iter();
        Ok(all.find(|info| info.id == id && !info.is_expired(now)))
    }

    /// Notes that the token of this id was used on this day (of UTC). Writes once a day.
    ///
    /// # Errors
    /// As [`Store::apply`](waynote::Store::apply). A store that cannot be written now is no reason to refuse a token.
    pub(crate) fn used(&self, id: &str, today: civil::Date) -> Result<()> {
        let used = self.side.side_values(USED)?;
        let is_noted = |used: &SideValue| used.key == id && day_of(&used.value) == Some(today);
        if used.iter().any(is_noted) {
            return Ok(());
        }
        let value = SideValue::new(id, today.to_string().into_bytes());
        self.side
            .put_side_values(USED, &[value], &[], Writing::Relaxed)
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
