//! The browser of the user who runs this process.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use waynote_system::Environment;

/// Opens an address, and returns whether there is a browser to open it in: the command that `BROWSER` names, else what
/// the system has where there is a screen.
///
/// # Errors
/// In words, when the browser cannot be started.
pub(crate) fn open(environment: &Environment, address: &str) -> Result<bool, String> {
    let variable = |name: &str| environment.variable(name).ok().flatten();
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| variable(name).is_some());
    let command = match variable("BROWSER") {
        Some(named) => named,
        None if cfg!(target_os = "macos") => "open".into(),
        None if has_screen => "xdg-open".into(),
        None => return Ok(false),
    };
    let failed = |error| format!("{command}: {error}");
    let mut words = command.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C here is not meant for the browser.
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    // Reaps the browser's process, whether that ends at once or with the last window.
    std::thread::Builder::new()
        .name("waynote-browser".into())
        .spawn(move || child.wait())
        .map_err(failed)?;
    Ok(true)
}
