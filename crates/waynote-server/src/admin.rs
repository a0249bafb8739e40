//! Looking after tokens: only an administrator does it, and the audit log has a line of each time.

use std::sync::atomic::Ordering;

use jiff::Timestamp;
use waynote::{Name, Result};
use waynote_access::{Grant, Line, Rights, Token, TokenInfo, Tokens, Watch};

use crate::problem::{Answer, Problem};
use crate::visit::{Visit, waiting};

impl Visit {
    /// Refuses a caller without an admin token, and records that in the audit log.
    pub(crate) async fn administers(&self, call: &'static str) -> Answer<()> {
        if self.grant.rights == Rights::Admin {
            return Ok(());
        }
        let reason = "it needs an admin token";
        self.note(call, true, reason.to_owned()).await?;
        Err(Problem::not_admin(call, &self.name, reason))
    }

    /// Creates a token. From the first one on, every request to the store needs a token. The inner error is that of the
    /// name or the grant.
    pub(crate) async fn create_token(
        &self,
        name: Name,
        grant: Grant,
        expires: Option<Timestamp>,
    ) -> Answer<Result<(Token, TokenInfo)>> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
        let (served, now) = (self.served.clone(), self.app.now());
        let create = move || Tokens::new(&*served).create(&name, &grant, expires, now, random);
        let created = waiting(create).await?;
        if let Ok((_, info)) = &created {
            self.served_store.needs_token.store(true, Ordering::Relaxed);
            self.note("token created", false, info.name.to_string())
                .await?;
        }
        Ok(created)
    }

    /// Revokes a token: it does not count any more, and feeds that were opened with it end.
    pub(crate) async fn revoke_token(&self, name: Name) -> Answer<TokenInfo> {
        let served = self.served.clone();
        let revoked = waiting(move || Tokens::new(&*served).revoke(&name)).await?;
        let info = revoked.map_err(|error| Problem::of_store(&error, &self.name))?;
        self.note("token revoked", false, info.name.to_string())
            .await?;
        Ok(info)
    }

    /// Writes a line of the audit log.
    async fn note(&self, call: &'static str, refused: bool, detail: String) -> Answer<()> {
        let (audit, token) = (self.audit.clone(), self.grant.token.clone());
        let line = Line {
            call,
            token,
            refused,
            detail,
        };
        waiting(move || audit.saw(line)).await
    }
}
