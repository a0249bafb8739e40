//! The page in the browser: six views of a store, made on the server.
//!
//! A view is a function from data to HTML. Another function gathers its data through the upper interface. Everything
//! works with links and forms. The script (`assets/page.js`) replaces parts of a page when something changes, and adds
//! keys.

mod access;
mod answer;
mod assets;
mod changes;
#[cfg(test)]
mod costs;
pub(crate) mod deliveries;
mod fields;
mod forms;
mod history;
pub(crate) mod link;
mod markdown;
mod notes;
mod now;
pub(crate) mod overview;
mod routes;
#[cfg(test)]
mod samples;
mod sessions;
mod shell;
mod sign_in;
pub(crate) mod signed;
mod site;
mod tend;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use answer::not_taken;
pub use deliveries::{MachineRecords, SessionDeliveries};
pub use routes::page_at;
pub(crate) use routes::{root, router};
