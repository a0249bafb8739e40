//! What every request passes before and after its handler.

mod addresses;
mod body;
mod origin;
pub(crate) mod rate;
mod request;

pub(crate) use addresses::{Addresses, Seat};
pub(crate) use body::Json;
pub(crate) use request::pass;
