//! The layers around every handler: checks, limits, log.

mod body;
mod origin;
mod path;
mod query;
pub(crate) mod rate;
mod request;
pub(crate) mod user;

pub(crate) use body::{Json, whole, whole_within};
pub(crate) use path::PathOf;
pub(crate) use query::Query;
pub(crate) use request::pass;
