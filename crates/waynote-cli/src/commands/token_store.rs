//! The tokens of a store on this machine or on a server, and its audit log.

use waynote::jiff::Timestamp;
use waynote::{LocalStore, Name};
use waynote_access::wire::NewToken;
use waynote_access::{Audit, AuditEntry, Grant, Line, TokenInfo, Tokens};
use waynote_remote::RemoteStore;

use super::token::{may, sees};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::opened::OpenStore;

/// The most lines of the audit log that a server sends at once.
const PAGE: usize = 500;

/// The store with the tokens.
pub(super) enum TokenStore<'s> {
    Here(&'s OpenStore),
    Server(&'s RemoteStore),
}

impl<'s> TokenStore<'s> {
    pub(super) fn of(opened: &'s OpenStore) -> Self {
        match opened.remote() {
            Some(remote) => Self::Server(remote),
            None => Self::Here(opened),
        }
    }

    /// The tokens, for commands that only work on the store's own machine.
    pub(super) fn local(&self) -> Outcome<Tokens<&'s dyn LocalStore>> {
        Ok(Tokens::new(self.here()?))
    }

    fn here(&self) -> Outcome<&'s dyn LocalStore> {
        match self {
            Self::Here(opened) => opened.local(),
            Self::Server(remote) => Err(crate::remote::not_here(remote.url().as_str())),
        }
    }

    /// Creates a token, and returns its text.
    pub(super) fn create(
        &self,
        name: &Name,
        grant: &Grant,
        expires: Option<Timestamp>,
        now: Timestamp,
    ) -> Outcome<(String, TokenInfo)> {
        let Self::Server(remote) = self else {
            let store = self.here()?;
            let (token, info) = Tokens::new(store).create(name, grant, expires, now, random()?)?;
            noted(store, "token created", about(&info))?;
            return Ok((token.expose().to_owned(), info));
        };
        let created = remote.create_token(&NewToken {
            name: name.clone(),
            rights: grant.rights,
            agents: grant.agents.clone(),
            places: grant.places.clone(),
            sessions: grant.sessions.clone(),
            expires_at: expires,
        })?;
        Ok((created.token, created.info))
    }

    pub(super) fn list(&self) -> Outcome<Vec<TokenInfo>> {
        match self {
            Self::Here(_) => Ok(self.local()?.list()?),
            Self::Server(remote) => Ok(remote.tokens()?),
        }
    }

    pub(super) fn revoke(&self, name: &Name) -> Outcome<TokenInfo> {
        let Self::Server(remote) = self else {
            let store = self.here()?;
            let info = Tokens::new(store).revoke(name)?;
            noted(store, "token revoked", about(&info))?;
            return Ok(info);
        };
        Ok(remote.revoke_token(name)?)
    }

    /// Removes all tokens, and opens the store.
    pub(super) fn clear(&self) -> Outcome<Vec<TokenInfo>> {
        let store = self.here()?;
        let cleared = Tokens::new(store).clear()?;
        noted(store, "tokens cleared", "a server needs none".into())?;
        Ok(cleared)
    }

    /// The lines of the audit log before one, latest first.
    pub(super) fn audit(&self, before: Option<&str>, limit: usize) -> Outcome<Vec<AuditEntry>> {
        let Self::Server(remote) = self else {
            let now = clock::now()?;
            return Ok(Audit::new(self.here()?, 0, move || now).list(before, limit)?);
        };
        let mut cursor = before.map(str::to_owned);
        let mut lines = Vec::new();
        while lines.len() < limit {
            let page = remote.audit(cursor.as_deref(), (limit - lines.len()).min(PAGE))?;
            lines.extend(page.entries.into_iter().map(|line| AuditEntry {
                key: line.cursor,
                at: line.at,
                call: line.call,
                token: line.token,
                refused: line.refused,
                detail: line.detail,
                times: line.times,
            }));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        Ok(lines)
    }
}

fn about(info: &TokenInfo) -> String {
    format!("{}: {} {}", info.name, may(info.rights), sees(info))
}

/// Records a call in the store's audit log.
fn noted(store: &dyn LocalStore, call: &'static str, detail: String) -> Outcome {
    let now = clock::now()?;
    let line = Line {
        call,
        token: None,
        refused: false,
        detail,
    };
    let [a, b, c, d, e, f, g, h, ..] = random()?;
    let writer = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    Ok(Audit::new(store, writer, move || now).add(line)?)
}

fn random() -> Outcome<[u8; 32]> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| {
        Failure::refused(
            "no_randomness",
            format!("the system gives no random bytes: {error}"),
            "try again",
        )
    })?;
    Ok(random)
}
