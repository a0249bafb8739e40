//! The tests of several crates share this: default signals for the programs that they start, and one list of the parts
//! that could not be checked on a machine. With the feature `suites`, also values and engines for tests of the library,
//! and the suites that every store has to pass.

#![allow(
    clippy::disallowed_methods,
    reason = "tests may look at the clock and the environment"
)]

mod dice;
#[cfg(feature = "suites")]
pub mod hooked;
#[cfg(feature = "suites")]
pub mod stores;
#[cfg(feature = "suites")]
pub mod suites;
#[cfg(feature = "suites")]
pub mod values;
#[cfg(feature = "suites")]
pub mod writer;

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Once};

pub use dice::Dice;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use waynote_system::process::ignores;

/// The file that [`not_checked`] adds to, if the variable is set.
pub const NOT_CHECKED: &str = "WAYNOTE_NOT_CHECKED";

/// Lets the programs that this process starts begin with the default action of the signals that end a program.
///
/// A process under `nohup`, or in the background of a script, ignores some of them, and so would all that it starts.
/// The kernel sets a signal that has a handler to its default in a new program. The handler does nothing: this process
/// goes on as if it ignored the signal.
///
/// # Panics
/// When the system takes no handler.
pub fn default_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            if ignores(signal) {
                signal_hook::flag::register(signal, Arc::default()).expect("a handler");
            }
        }
    });
}

/// Fails if a text lacks a part.
///
/// # Panics
/// Then.
pub fn has(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

/// Fails if a text has a part that it must not have.
///
/// # Panics
/// Then.
pub fn lacks(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

/// A number of the environment, for more than the gate has time for.
pub fn number(name: &str, usual: u32) -> u32 {
    let given = std::env::var(name).ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(usual)
}

/// Says that tests did not run here, and why. `cargo xtask test` lists it at its end.
pub fn not_checked(tests: &str, why: &str) {
    // In one write, and straight to the descriptor: the harness hides what a test that passes prints.
    let _ = io::stderr().write_all(format!("\nNOT CHECKED: {tests}: {why}\n").as_bytes());
    let Ok(list) = std::env::var(NOT_CHECKED) else {
        return;
    };
    let list = File::options().create(true).append(true).open(list);
    let _ = list.and_then(|mut list| list.write_all(format!("{tests}\t{why}\n").as_bytes()));
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// This program in a shell that ignores signals, running one of the tests below.
    fn deaf(test: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' INT TERM HUP QUIT; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture"]);
        command
    }

    #[test]
    fn a_program_begins_with_default_signals_wherever_the_tests_were_started() {
        let output = deaf("tests::as_tests").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }

    #[test]
    #[ignore = "a process that the tests start"]
    fn as_tests() {
        assert!(ignores(SIGINT), "the shell");
        default_signals();
        assert!(!ignores(SIGINT));
        for signal in ["INT", "TERM", "HUP", "QUIT"] {
            let script = format!("kill -{signal} $$; echo is deaf");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{signal}");
            assert!(output.status.code().is_none(), "{signal}: {output:?}");
        }
        // This process goes on when one arrives.
        let myself = rustix::process::getpid();
        rustix::process::kill_process(myself, rustix::process::Signal::INT).unwrap();
    }

    #[test]
    fn what_is_not_checked_is_listed() {
        let list = std::env::temp_dir().join(format!("waynote-not-checked-{}", std::process::id()));
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "tests::as_skipped", "--ignored"])
            .env(NOT_CHECKED, &list)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(child.wait().unwrap().success());
        let listed = std::fs::read_to_string(&list);
        let _ = std::fs::remove_file(&list);
        assert_eq!(said, "\nNOT CHECKED: full disks: this needs root\n");
        assert_eq!(listed.unwrap(), "full disks\tthis needs root\n");
    }

    #[test]
    #[ignore = "a process that the tests start"]
    fn as_skipped() {
        not_checked("full disks", "this needs root");
    }
}
