//! The JSON forms of the HTTP API: requests, answers and errors, for the server and for its clients.

pub mod resource;
