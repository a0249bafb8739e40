//! The page in a real browser: `cargo xtask test page` (needs `chromium` and `chromedriver`).
//!
//! `WAYNOTE_AXE=FILE` (axe-core's `axe.min.js`) also checks its accessibility. `WAYNOTE_SHOTS=FOLDER` writes pictures
//! of the views.

mod acts;
mod looks;

#[path = "../../../src/page/samples.rs"]
#[allow(dead_code, reason = "the tests of each view use the rest")]
mod samples;

use super::support::{RunningServer, start};

/// A server with notes of all kinds, and a session that waits for a person.
fn filled() -> RunningServer {
    let server = start();
    samples::fill(&server.store);
    server
}

fn url(server: &RunningServer, path: &str) -> String {
    format!("http://{}/s/notes/{path}", server.address)
}

const LIVE: &str = "return document.querySelector('[data-live-state]').dataset.liveState === 'on'";
