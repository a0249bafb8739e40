//! Programs: this one's own file, and those on this process's path.

use std::path::PathBuf;

use crate::error::Outcome;
use crate::home::environment;
use crate::shell::quoted;

/// This program's own file.
pub(crate) fn own() -> Outcome<PathBuf> {
    Ok(environment().own_program()?.to_owned())
}

/// The program with the store that this call names, for the next step of its user.
pub(crate) fn called() -> String {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let mut own = words.by_ref().take_while(|word| word != "--");
    let store = own.find(|word| word == "--store" || word.starts_with("--store="));
    match store.as_deref().and_then(|store| store.split_once('=')) {
        Some((_, store)) => format!("waynote --store {}", quoted(store)),
        None => match store.and_then(|_| words.next()) {
            Some(store) => format!("waynote --store {}", quoted(&store)),
            None => "waynote".into(),
        },
    }
}

/// The same for commands between backquotes in a text.
pub(crate) fn calling(text: &str) -> String {
    // `serve` has an option of this name.
    let is_other = text.contains("--store") || std::env::args_os().any(|word| word == "serve");
    let called = if is_other { "waynote".into() } else { called() };
    text.replace("`waynote ", &format!("`{called} "))
}
