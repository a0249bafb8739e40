//! Access: the tokens of a store and its audit log, for administrators.

mod view;

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use waynote::{Error, Name, Result, SideData};
use waynote_access::{Audit, AuditEntry, Grant, Rights, TokenInfo, Tokens};

use super::fields::{BadField, Fields};
pub(crate) use view::view;

/// The lines of the audit log on a page.
const LINES: usize = 40;

/// Everything that the view shows.
pub(crate) struct Access {
    pub(crate) tokens: Vec<TokenInfo>,
    pub(crate) audit: Vec<AuditEntry>,
    /// The key of the last entry of the audit log on this page, if there are more.
    pub(crate) next: Option<String>,
    /// A token that was just created: its name and its text, which is shown once.
    pub(crate) created: Option<(Name, String)>,
    /// The error of a form that was refused, with its fields.
    pub(crate) refused: Option<(Error, Fields)>,
}

impl Access {
    pub(crate) fn gather<A: SideData>(
        side: &(impl SideData + ?Sized),
        audit: &Audit<A>,
        fields: &Fields,
    ) -> Result<Self> {
        let mut lines = audit.list(fields.get("before"), LINES + 1)?;
        let has_more = lines.len() > LINES;
        lines.truncate(LINES);
        let last = lines.last().filter(|_| has_more);
        Ok(Self {
            next: last.map(|last| last.key.clone()),
            tokens: Tokens::new(&side).list()?,
            audit: lines,
            created: None,
            refused: None,
        })
    }
}

/// The name, the grant and the end of a token that a form asks for.
///
/// # Errors
/// [`waynote::Error::InvalidName`], [`waynote::Error::InvalidPlace`].
pub(crate) fn asked(fields: &Fields, now: Timestamp) -> Result<(Name, Grant, Option<Timestamp>)> {
    let rights = match fields.get("rights") {
        Some("admin") => Rights::Admin,
        Some("write") => Rights::Write,
        _ => Rights::Read,
    };
    let grant = Grant {
        token_id: None,
        token: None,
        rights,
        agents: list(fields, "agents")?,
        places: list(fields, "places")?,
        sessions: list(fields, "sessions")?,
    };
    let advice = "write a number from 1 to 3650, or leave it out: the token never expires then";
    let days: Option<i64> = fields.parsed("days", "a number of days", advice)?;
    if days.is_some_and(|days| !(1..=3650).contains(&days)) {
        return Err(BadField::new("a token does not expire after so many days", advice).into());
    }
    let expires = days.map(|days| now + SignedDuration::from_hours(24 * days));
    Ok((
        fields.get("name").unwrap_or_default().parse()?,
        grant,
        expires,
    ))
}

/// The values of a field, separated by commas.
fn list<T: FromStr<Err = Error>>(fields: &Fields, name: &str) -> Result<Vec<T>> {
    let values = fields.get(name).unwrap_or_default().split(',');
    let values = values.map(str::trim).filter(|value| !value.is_empty());
    values.map(str::parse).collect()
}
