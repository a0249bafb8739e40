//! A store on another machine: the upper interface of the library, spoken over the HTTP API of `waynote serve`.
//!
//! ```no_run
//! use waynote::Reader;
//! use waynote_remote::{Options, RemoteStore, Token};
//!
//! # fn main() -> waynote::Result<()> {
//! let options = Options {
//!     token: Token::new("wn_…"),
//!     ..Options::default()
//! };
//! let store = RemoteStore::open("https://notes.example/s/main", options)?;
//! println!("{:?}", store.get(&"agent:builder#deploy".parse()?)?);
//! # Ok(())
//! # }
//! ```
//!
//! Every call ends within the time that [`Times`] says, and has the errors of a store on this machine; what only a
//! connection can have is a [`RemoteError`]. A write whose answer is lost is sent once more under the same operation id:
//! the server carries it out once. A block is one request, made by the server. With [`Options::keep`] the last block
//! of each request is kept on disk, for a start while the server is away.

mod endpoint;
mod error;
mod exchange;
mod files;
mod keep;
mod options;
mod problem;
mod store;
mod token;
mod trust;
mod url;

pub use endpoint::endpoint_tools;
pub use error::{Away, RemoteError, is_away};
pub use keep::Keep;
pub use options::{Options, Times};
pub use store::RemoteStore;
pub use token::Token;
pub use trust::{Authority, Distrust};
pub use url::Url;
