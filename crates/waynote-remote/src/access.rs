//! The tokens of a store on a server, and its audit log, for callers with an admin token.

use waynote::{Name, Result};
use waynote_access::TokenInfo;
use waynote_access::wire::{AuditPage, CreatedToken, NewToken, TokenList};

use crate::store::RemoteStore;
use crate::url::segment;

impl RemoteStore {
    /// The tokens of the store.
    ///
    /// # Errors
    /// As [`Reader::read`](waynote::Reader::read); [`Error::Denied`](waynote::Error::Denied) without an admin token.
    pub fn tokens(&self) -> Result<Vec<TokenInfo>> {
        let TokenList { tokens } = self.exchange.get("tokens")?;
        Ok(tokens)
    }

    /// Creates a token. It is not asked for a second time when the answer is lost: then there may be a token that
    /// nobody knows, and the list shows it.
    ///
    /// # Errors
    /// As [`RemoteStore::tokens`], and those of the server for a token that it does not create.
    pub fn create_token(&self, new: &NewToken) -> Result<CreatedToken> {
        self.exchange.post_once("tokens", new)
    }

    /// Revokes a token.
    ///
    /// # Errors
    /// As [`RemoteStore::tokens`], and that there is no such token.
    pub fn revoke_token(&self, name: &Name) -> Result<TokenInfo> {
        let route = format!("tokens/{}", segment(name.as_str()));
        self.exchange.delete(&route)
    }

    /// A page of the audit log, latest first. `cursor` is from an earlier page; none: from the newest line on.
    ///
    /// # Errors
    /// As [`RemoteStore::tokens`].
    pub fn audit(&self, cursor: Option<&str>, limit: usize) -> Result<AuditPage> {
        let cursor = cursor.map(|cursor| format!("&cursor={}", segment(cursor)));
        let cursor = cursor.unwrap_or_default();
        self.exchange.get(&format!("audit?limit={limit}{cursor}"))
    }
}
