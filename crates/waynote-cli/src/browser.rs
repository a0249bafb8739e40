//! The browser of the user who runs this process.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use waynote_system::Environment;

/// Opens an address, and returns whether there is a browser to open it in: what `BROWSER` names, else what the system
/// has where there is a screen. `BROWSER` is a list of commands with colons between them; `%s` in one is the address.
///
/// # Errors
/// In words, when a browser that is there cannot be started.
pub(crate) fn open(environment: &Environment, address: &str) -> Result<bool, String> {
    let variable = |name: &str| environment.variable(name).ok().flatten();
    let named = variable("BROWSER");
    let commands: Vec<String> = match &named {
        Some(named) => named.split(':').map(str::to_owned).collect(),
        None if cfg!(target_os = "macos") => vec!["open".into()],
        None => {
            let has_screen = ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"]
                .iter()
                .any(|name| variable(name).is_some());
            match has_screen {
                true => vec!["xdg-open".into(), "wslview".into()],
                false => return Ok(false),
            }
        }
    };
    let mut failed = None;
    for command in commands.iter().map(|command| command.trim()) {
        match start(command, address) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => failed = Some(format!("{command}: {error}")),
        }
    }
    match (failed, named) {
        (Some(reason), Some(_)) => Err(reason),
        // A system without these has no browser.
        _ => Ok(false),
    }
}

/// Starts a command with an address; false for no command.
fn start(command: &str, address: &str) -> io::Result<bool> {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    let is_placed = words.iter().any(|word| word.contains("%s"));
    if words.is_empty() {
        return Ok(false);
    }
    if !is_placed {
        words.push("%s");
    }
    let words: Vec<String> = words
        .iter()
        .map(|word| word.replace("%s", address))
        .collect();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C here is not meant for the browser.
        .process_group(0)
        .spawn()?;
    // Reaps the browser's process, whether that ends at once or with the last window.
    std::thread::Builder::new()
        .name("waynote-browser".into())
        .spawn(move || child.wait())?;
    Ok(true)
}
