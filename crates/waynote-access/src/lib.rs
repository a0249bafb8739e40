//! Access control of a store: tokens, stores narrowed to the scopes of a token, and an audit log.

mod audit;
mod bounds;
mod grant;
mod narrowed;
mod tokens;
pub mod wire;

pub use audit::{Audit, AuditEntry, Line, Watch};
pub use grant::{Grant, Rights};
pub use narrowed::{NarrowedStore, StoreFailed, Stretch};
pub use tokens::{Refusal, Token, TokenError, TokenInfo, Tokens, VerifiedToken};
