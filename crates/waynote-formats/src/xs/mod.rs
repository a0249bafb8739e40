//! Iteration notes of ralph.nu in an xs event store: topic `ralph.NAME.note`.
//!
//! A frame holds the type and the iteration; the text lies in the store's contents under its hash. Frames come from
//! what `xs cat` prints, with the contents in the store's folder, or both from a running xs ([`Server`]). An export
//! needs a running xs.

mod contents;
mod export;
mod frame;
mod import;
mod server;

pub use contents::{ContentFolder, Contents};
pub use export::export;
pub use frame::topic;
pub use import::{FORMAT, read};
pub use server::Server;
