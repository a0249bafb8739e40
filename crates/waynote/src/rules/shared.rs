//! A store of several people: its mark, and the notes that it does not take because one person alone can use them.

use crate::address::Address;
use crate::author::UNNAMED;
use crate::error::{Error, Result};
use crate::note::Stamp;
use crate::place::Place;
use crate::store::SideValue;

/// The space of side data with the mark.
pub(super) const SPACE: &str = "store";

const MARK: &str = "shared";

/// The mark of a store of several people. It is never removed.
pub(super) fn mark() -> SideValue {
    SideValue::new(MARK, b"1".to_vec())
}

/// True if the values of the space have the mark.
pub(super) fn is_marked(values: &[SideValue]) -> bool {
    values.iter().any(|value| value.key == MARK)
}

/// Refuses a note that a store of several people does not take: one on a path, which on another machine is another
/// directory; or one of the agent without a name, whom every holder has.
///
/// # Errors
/// [`Error::OnePersons`].
pub(super) fn check(address: &Address, stamp: &Stamp) -> Result<()> {
    let is_unnamed = match address {
        Address::Place(place) | Address::PlaceKey(place, _) => match files_of(place) {
            Some(agent) => agent == UNNAMED,
            None => return check_place(place, address),
        },
        Address::Agent(agent, _) => agent.as_str() == UNNAMED,
        Address::Session(..) => false,
    };
    match &stamp.token {
        Some(holder) if is_unnamed => Err(Error::OnePersons {
            address: address.clone(),
            holder: Some(holder.clone()),
        }),
        _ => Ok(()),
    }
}

/// Refuses a note on a path of one machine.
///
/// # Errors
/// [`Error::OnePersons`].
pub(super) fn check_place(place: &Place, address: &Address) -> Result<()> {
    match place.in_repository().is_some() || files_of(place).is_some() {
        true => Ok(()),
        false => Err(Error::OnePersons {
            address: address.clone(),
            holder: None,
        }),
    }
}

/// The agent whose file of the memory tool a place is. That is a name, and no path of a machine.
fn files_of(place: &Place) -> Option<&str> {
    let inside = place.as_str().strip_prefix("/memories/")?;
    inside.split('/').next()
}
