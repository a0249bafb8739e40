//! The page in the browser: three views of a store, made on the server.
//!
//! A view is a function from data to HTML. Another function gathers its data through the upper interface. Everything
//! works with links and forms. The script (`assets/page.js`) replaces parts of a page when something changes, and adds
//! keys.

mod answer;
mod assets;
#[cfg(test)]
mod costs;
mod diff;
mod fields;
mod forms;
pub(crate) mod link;
mod markdown;
mod notes;
mod now;
mod routes;
#[cfg(test)]
mod samples;
pub(crate) mod seen;
mod sessions;
mod shell;
mod sign_in;
pub(crate) mod signed;
mod site;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use answer::not_taken;
pub use routes::page_at;
pub(crate) use routes::{root, router};
