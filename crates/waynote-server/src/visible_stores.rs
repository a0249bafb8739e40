//! The stores that a caller may see.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use waynote_access::Tokens;

use crate::app::App;
use crate::page::signed;
use crate::served_stores::ServedDatabase;
use crate::sign_in::administrator;
use crate::stores::is_name;
use crate::visit::{Visit, waiting};

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
            if is_open || of_store && Visit::of(app, name.clone(), token.clone()).await.is_ok() {
                named.push(name.clone());
            }
        }
        let mut databases = Vec::new();
        for database in &app.served_stores.databases {
            if database.lets_in(app, token.clone()).await {
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
            match waiting(move || stores.names(&after, PAGE + 1)).await {
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
    /// True if a caller may see the names of its stores.
    async fn lets_in(self: &Arc<Self>, app: &App, token: Option<String>) -> bool {
        let (database, now) = (self.clone(), app.now());
        let is_open = app.is_open();
        let lets_in = waiting(move || {
            let Some(admin) = &database.admin else {
                return is_open;
            };
            let is_closed = || admin.ask(|store| Tokens::new(store).is_closed());
            if !database.needs_token.load(Ordering::Relaxed)
                && is_open
                && is_closed().is_ok_and(|is| !is)
            {
                return true;
            }
            let admin = token.map(|token| administrator(admin, &token, now));
            admin.is_some_and(|found| matches!(found, Ok(Some(_))))
        });
        lets_in.await.unwrap_or_default()
    }
}
