//! Who may read and write what in a store: tokens, stores narrowed to what a token may see, and an audit log.

mod grant;
mod narrowed;

pub use grant::{Grant, Rights};
pub use narrowed::{Narrowed, StoreFailed};
