//! Who may use a store: its tokens, and the store as the holder of a token may use it.

mod grant;
mod granted_store;
mod tokens;

pub use grant::Rights;
pub(crate) use grant::{Grant, limited, served};
pub(crate) use granted_store::GrantedStore;
pub use tokens::{NewToken, Token, TokenError, TokenInfo, Tokens};
