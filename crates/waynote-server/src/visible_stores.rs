//! The stores that a caller may see.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use waynote_access::Tokens;

use crate::app::App;
use crate::database_health::is_away;
use crate::page::signed;
use crate::served_stores::ServedDatabase;
use crate::sign_in::{ADMIN, administrator};
use crate::stores::is_name;
use crate::visit::Visit;

/// The stores that a caller may see: those that were named at the start, and whole databases.
pub(crate) struct VisibleStores {
    pub(crate) named: Vec<String>,
    pub(crate) databases: Vec<Arc<ServedDatabase>>,
}

/// The most names on one page.
const PAGE: usize = 1000;

impl VisibleStores {
    /// The stores that the token is for. Of a database, that is for its administrators. Without a token, those of a server
    /// that needs none.
    pub(crate) async fn of(app: &App, token: Option<String>) -> Self {
        let is_open = app.is_open();
        let mut named = Vec::new();
        for name in app.served_stores.named.keys() {
            // The cookie of an administrator of a database is for no other store.
            let of_store = token
                .as_deref()
                .is_some_and(|token| signed::number(token).is_none());
            let is_known = || app.served_stores.known(name, token.as_deref()).is_some();
            if is_open
                || of_store
                    && match Visit::of(app, name.clone(), token.clone()).await {
                        Ok(_) => true,
                        Err(problem) => problem.is_of_away_store() && is_known(),
                    }
            {
                named.push(name.clone());
            }
        }
        let mut databases = Vec::new();
        for database in &app.served_stores.databases {
            if database.lets_in(app, token.as_deref()).await {
                databases.push(database.clone());
            }
        }
        Self { named, databases }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.databases.is_empty()
    }

    /// The names in their order, from the one after this on; and the name after which there are more. A database that does
    /// not answer is left out.
    pub(crate) async fn page(self, app: &App, after: &str) -> (Vec<String>, Option<String>) {
        let mut names = self.named;
        names.retain(|name| name.as_str() > after);
        for database in self.databases {
            let (stores, after) = (database.stores.clone(), after.to_owned());
            let asked = database
                .health
                .ask(true, move || stores.names(&after, PAGE + 1));
            match asked.await {
                Ok(Ok(found)) => names.extend(found),
                Ok(Err(error)) => {
                    app.log_event("not_asked", format!("{}: {error}", database.label));
                }
                Err(_) => {}
            }
        }
        names.sort();
        names.dedup();
        let is_more = names.len() > PAGE;
        names.truncate(PAGE);
        let next = names.last().filter(|_| is_more).cloned();
        // Others cannot be in a path.
        names.retain(|name| is_name(name));
        (names, next)
    }
}

impl ServedDatabase {
    /// True if a caller may see the names of its stores. While the database is away, a token counts that did lately.
    pub(crate) async fn lets_in(self: &Arc<Self>, app: &App, token: Option<&str>) -> bool {
        let (database, now, is_open) = (self.clone(), app.now(), app.is_open());
        let presented = token.map(str::to_owned);
        let lets_in = self.health.ask(self.health.knows(ADMIN, token), move || {
            let Some(admin) = database.stores.admin() else {
                return Ok(is_open);
            };
            if !database.needs_token.load(Ordering::Relaxed)
                && is_open
                && !Tokens::new(admin).is_closed()?
            {
                return Ok(true);
            }
            let Some(token) = presented else {
                return Ok(false);
            };
            Ok(administrator(&database, &token, now)?.is_some())
        });
        match lets_in.await {
            Ok(Ok(true)) => {
                if token.is_some() {
                    self.health.note(ADMIN, token);
                }
                true
            }
            Ok(Err(error)) if is_away(&error) => self.health.knows(ADMIN, token),
            _ => false,
        }
    }
}
