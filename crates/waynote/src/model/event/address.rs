//! The address of an event: `session:NAME#event-NUMBER`.

use std::fmt;
use std::str::FromStr;

use crate::address::{decoded, encode};
use crate::error::{Error, Result};
use crate::key::Name;

/// The separator between session and number. No entry's id begins like this.
const EVENT: &str = "#event-";

/// The address of an event: its session, and its number there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventAddress {
    /// The session.
    pub session: Name,
    /// The number of the event in the session: 1, 2, 3 ….
    pub number: u64,
}

impl fmt::Display for EventAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let session = encode(self.session.as_str());
        write!(f, "session:{session}{EVENT}{}", self.number)
    }
}

impl FromStr for EventAddress {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |reason: &str| Error::invalid_address(text, reason);
        let no_event = || refused("an event is `session:NAME#event-NUMBER`");
        let (session, number) = text
            .strip_prefix("session:")
            .and_then(|rest| rest.rsplit_once(EVENT))
            .ok_or_else(no_event)?;
        let session = decoded(session).ok_or_else(|| refused("it is no UTF-8"))?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        Ok(Self {
            session: session.parse()?,
            number: number
                .parse()
                .ok()
                .filter(|number| is_number && *number > 0)
                .ok_or_else(no_event)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_events_read_back_as_they_print() {
        for session in ["nightly", "a#b@c", "50%", "session:x#event-3"] {
            let address = EventAddress {
                session: session.parse().unwrap(),
                number: 7,
            };
            assert_eq!(
                address.to_string().parse::<EventAddress>().unwrap(),
                address
            );
            assert!(address.to_string().parse::<crate::Address>().is_err());
        }
        for bad in [
            "session:a",
            "session:a#event-",
            "session:a#event-0",
            "session:a#event-+1",
            "agent:a#event-1",
        ] {
            assert!(bad.parse::<EventAddress>().is_err(), "{bad}");
        }
    }
}
