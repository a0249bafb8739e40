//! The notes of the store that is served.

use std::path::Path;

use anyhow::Result;
use waynote::{Options, SqliteStore, Stamp, Store};
use waynote_testing::values::save;

/// The path of the API of the one store that is served.
pub(super) const API: &str = "/s/default/api/v1";

/// Options of a server that takes as many requests as come.
pub(super) const SERVE: [&str; 2] = ["--rate", "0"];

/// The agents that the notes belong to.
pub(super) const AGENTS: u32 = 1000;

/// The text of a note.
pub(super) fn text(number: u32) -> String {
    format!(
        "note {number}: the integration suite only passes when the clock is frozen, so freeze it first"
    )
}

/// The address of a note.
pub(super) fn address(number: u32) -> String {
    format!("agent:agent-{}#key-{number}", number % AGENTS)
}

/// Its path in the API.
pub(super) fn path(number: u32) -> String {
    let address = address(number).replace(':', "%3A").replace('#', "%23");
    format!("{API}/notes/{address}")
}

/// Makes a store of so many notes in a home.
pub(super) fn fill(home: &Path, notes: u32) -> Result<()> {
    const AT_ONCE: usize = 500;
    let store = SqliteStore::open(kit::served::store(home), &Options::default())?;
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    let numbers: Vec<u32> = (0..notes).collect();
    for numbers in numbers.chunks(AT_ONCE) {
        let changes = numbers
            .iter()
            .map(|number| Ok(save(address(*number).parse()?, &text(*number))));
        store.apply(&changes.collect::<Result<Vec<_>>>()?, &stamp)?;
    }
    Ok(())
}
